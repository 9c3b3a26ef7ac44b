public import FileProviderCore
public import Foundation
import GRDB
import LocalFileProvider
public import ReaderLink

/// A library of EPUB files in a local folder, with a database beside them.
///
/// In the folder are `library.sqlite`, the files in `Books`, their covers in `Covers`, and `Incoming`, which is emptied
/// when the library is opened. A book is in the library when the database names it. Steps happen together with their
/// note in one transaction, and what was answered is on the disk.
///
/// A file in `Books` or `Covers` is removed only when the database says that the library made it and that no book has
/// it: what was on its way when the power failed, and what a step left over. Any other file that no book has is
/// reported once and left alone.
///
/// Copy the folder, or `library.sqlite` alone, while the library is closed; the database is one file then. To restore
/// an older one, close the library, remove `library.sqlite-wal` and `library.sqlite-shm` where they are, and put the
/// copy in place. The library is then what it was at the time of the copy, as far as its files are there: books that
/// came later are not listed, and their files stay where they are and are reported; books that were removed or replaced
/// since are reported as missing and not listed. Either are listed again when they are sent again. Such a book gets a
/// new file, and its old one, if there is one, stays.
public actor SQLiteBookLibrary: BookLibrary {
    let folder: LibraryFolder
    let database: LibraryDatabase
    let options: LibraryOptions
    /// Files that a step is bringing in: no book has them yet, and all the same they are not litter.
    var reserved: Set<LibraryFile> = []
    /// Files of which the log was told already.
    var reported: Set<LibraryFile> = []
    /// What removes litter now, the last in line.
    var removal: Task<Void, any Error>?

    /// Opens the library in `folder`, a folder of this machine, which is made where it is missing.
    ///
    /// - Throws: `CocoaError(.fileWriteUnknown)` with `EWOULDBLOCK` below it while another process has the library
    ///   open, and without it for a folder that has files in `Books` but no database;
    ///   `CocoaError(.fileReadCorruptFile)` for a damaged database; `CocoaError(.fileReadUnknown)` for one of a newer
    ///   version or of another program; what the disk says. Each with a sentence.
    /// - Complexity: Reads the database once, and the names of all books.
    public static func open(folder: URL, options: LibraryOptions = LibraryOptions()) async throws -> SQLiteBookLibrary {
        let opened = try await LibraryFolder.open(folder)
        let library = SQLiteBookLibrary(
            folder: opened, database: try await LibraryDatabase.open(opened.database), options: options)
        try await opened.emptyIncoming()
        try await library.sweep()
        try await library.reportMissing()
        return library
    }

    private init(folder: LibraryFolder, database: LibraryDatabase, options: LibraryOptions) {
        self.folder = folder
        self.database = database
        self.options = options
    }

    /// Closes the database and frees the folder for others; calls after it fail.
    /// - Throws: What the disk says; the folder stays locked then.
    public func close() async throws {
        try await database.close()
        folder.lock.release()
    }

    /// All the books whose files are there, in the order in which they came.
    /// - Complexity: Four statements and a listing of the folder.
    public func books() async throws -> [LibraryBook] {
        let names = try await folder.names(in: folder.books)
        return try await database.read { db in
            try BookTable(db).books().map(\.book).filter { names.contains($0.filename) }
        }
    }

    /// The book that `reference` means: by uuid, else by file name, else by title and authors where it has no uuid.
    public func book(_ reference: BookReference) async throws -> LibraryBook? {
        try await database.read { db in
            guard case .one(let stored) = try BookFinder(db).find(reference) else { return nil }
            return stored.book
        }
    }

    /// Opens the file of a book; it stays readable when the book is removed meanwhile.
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; ``/ReaderLink/StagedName/Refusal`` for a name that is no book's.
    public func open(_ book: LibraryBook) async throws -> any FileReader {
        try await folder.files.open(path: try StagedName.bookPath(book.filename, below: folder.books))
    }

    /// The picture on the cover, as it came; nil where the book has none.
    /// - Throws: What the disk says.
    public func cover(of book: LibraryBook) async throws -> Data? {
        let file = try await database.read { db -> String? in
            let table = BookTable(db)
            return try table.books(where: "filename = ?", [book.filename]).first.flatMap { try table.cover(of: $0.id) }
        }
        guard let file else { return nil }
        do { return try await folder.files.contents(path: try folder.covers.appending(file)) } catch let error
            where error.isNoSuchFile
        {
            return nil
        }
    }
}

// MARK: The journal

extension SQLiteBookLibrary {
    /// Notes that a command was begun.
    public func begin(_ command: CommandIdentity) async throws -> [Int: StepResult] {
        let time = options.time.wallClock
        return try await database.write { db in
            let journal = CommandJournal(db)
            try journal.begin(command, at: time)
            return try journal.results(of: command)
        }
    }

    /// Notes a result that came about without the library.
    public func note(_ result: StepResult, step: CommandStep) async throws {
        _ = try await journalled(step) { _ in result }
    }

    /// The commands that were begun and not ended, the oldest first.
    public func unfinished() async throws -> [CommandIdentity] {
        try await database.read { db in try CommandJournal(db).unfinished() }
    }

    /// Forgets the command, and removes what a failure of it left.
    public func end(_ command: CommandIdentity) async throws {
        try await database.write { db in try CommandJournal(db).end(command) }
        await tidy()
    }

    /// Carries out `body` together with its note, in one transaction; a step that was done before is not done again.
    func journalled(
        _ step: CommandStep, _ body: @escaping @Sendable (Database) throws -> StepResult
    ) async throws -> StepResult {
        let time = options.time.wallClock
        return try await database.write { db in
            let journal = CommandJournal(db)
            if let done = try journal.result(of: step) { return done }
            let result = try body(db)
            try journal.record(result, of: step, at: time)
            return result
        }
    }
}
