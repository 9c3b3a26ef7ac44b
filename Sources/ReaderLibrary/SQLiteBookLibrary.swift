public import FileProviderCore
public import Foundation
import GRDB
import LocalFileProvider
public import ReaderLink
import SQLiteStorage

/// A library of EPUB files in a local folder, with a database beside them.
///
/// The folder contains `library.sqlite`, the files in `Books`, their covers in `Covers`, and `Incoming`, which is
/// emptied when the library is opened. A book is in the library if the database names it. Each step and its record are
/// one transaction, and answered steps are on the disk.
///
/// A file in `Books` or `Covers` is removed only if the database says that the library created it and that it belongs
/// to no book: files that were incoming when the power failed, and leftovers of a step. Any other file without a book
/// is reported once and left alone.
///
/// To back up the library, close it and copy the folder, or `library.sqlite` alone; the database is one file then. To
/// restore a copy, close the library, remove `library.sqlite-wal` and `library.sqlite-shm` if they exist, and put the
/// copy in place. The library is then as it was at the time of the copy, as far as its files exist. Books added later
/// are not listed; their files stay and are reported. Books removed or replaced since are reported as missing and not
/// listed. Both are listed again when they are sent again. Such a book gets a new file, and its old one, if there is
/// one, stays.
public actor SQLiteBookLibrary: BookLibrary {
    let folder: LibraryFolder
    let database: StoredDatabase
    let options: LibraryOptions
    /// Files that a step is adding: they belong to no book yet, but are not litter.
    var reserved: Set<LibraryFile> = []
    /// Files that were already reported.
    var reported: Set<LibraryFile> = []
    /// The last removal of litter in the queue.
    var removal: Task<Void, any Error>?

    /// Opens the library in the local folder `folder`, which is created if it is missing.
    ///
    /// - Throws: `CocoaError(.fileWriteUnknown)` with the underlying error `EWOULDBLOCK` if another process has the
    ///   library open, and without it if the folder has files in `Books` but no database;
    ///   `CocoaError(.fileReadCorruptFile)` for a damaged database; `CocoaError(.fileReadUnknown)` for one of a newer
    ///   version or of another program; errors of the disk. Each has a sentence.
    /// - Complexity: Reads the database once, and the names of all books.
    public static func open(folder: URL, options: LibraryOptions = LibraryOptions()) async throws -> SQLiteBookLibrary {
        let opened = try await LibraryFolder.open(folder)
        let database = try await StoredDatabase.open(
            opened.database, kind: LibrarySchema.library, noun: "library")
        let library = SQLiteBookLibrary(folder: opened, database: database, options: options)
        try await opened.emptyIncoming()
        try await library.sweep()
        try await library.reportMissing()
        return library
    }

    private init(folder: LibraryFolder, database: StoredDatabase, options: LibraryOptions) {
        self.folder = folder
        self.database = database
        self.options = options
    }

    /// Closes the database and unlocks the folder; later calls fail.
    /// - Throws: Errors of the disk; the folder stays locked then.
    public func close() async throws {
        try await database.close()
        folder.lock.release()
    }

    /// Returns the books whose files exist, in order of arrival.
    /// - Complexity: Four statements and a listing of the folder.
    public func books() async throws -> [LibraryBook] {
        let names = try await folder.names(in: folder.books)
        return try await database.read { db in
            try BookTable(db).books().map(\.book).filter { names.contains($0.filename) }
        }
    }

    /// Returns the book that `reference` identifies: by uuid, else by file name, else by title and authors if it has no
    /// uuid.
    public func book(_ reference: BookReference) async throws -> LibraryBook? {
        try await database.read { db in
            guard case .one(let stored) = try BookFinder(db).find(reference) else { return nil }
            return stored.book
        }
    }

    /// Opens the file of a book; it stays readable if the book is removed meanwhile.
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; ``/ReaderMessages/StagedName/Refusal`` for an invalid name.
    public func open(_ book: LibraryBook) async throws -> any FileReader {
        try await folder.files.open(path: try StagedName.bookPath(book.filename, below: folder.books))
    }

    /// Returns the unchanged cover image, or `nil` if the book has none.
    /// - Throws: Errors of the disk.
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
    /// Records that a command was begun.
    public func begin(_ command: CommandIdentity) async throws -> [Int: StepResult] {
        let time = options.time.wallClock
        return try await database.write { db in
            let journal = CommandJournal(db)
            try journal.begin(command, at: time)
            return try journal.results(of: command)
        }
    }

    /// Records a result that did not involve the library.
    public func note(_ result: StepResult, step: CommandStep) async throws {
        _ = try await journalled(step) { _ in result }
    }

    /// Returns the commands that were begun and not ended, the oldest first.
    public func unfinished() async throws -> [CommandIdentity] {
        try await database.read { db in try CommandJournal(db).unfinished() }
    }

    /// Deletes the record of the command, and removes leftovers of its failures.
    public func end(_ command: CommandIdentity) async throws {
        try await database.write { db in try CommandJournal(db).end(command) }
        await tidy()
    }

    /// Runs `body` and records its result in one transaction. A step that was done before is not done again.
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
