import GRDB
import SQLiteStorage

/// A file in one of the folders that the database manages.
struct LibraryFile: Hashable, Sendable {
    /// The folder.
    enum Directory: String, Sendable, CaseIterable {
        case books = "Books"
        case covers = "Covers"
    }

    let directory: Directory
    let name: String

    init(_ directory: Directory, name: String) {
        self.directory = directory
        self.name = name
    }
}

/// The files that the library itself created and that belong to no book: incoming files, or leftovers of a step.
/// Nothing else is ever swept.
///
/// A name is recorded before its file is created, and no recorded name is reused.
struct LitterTable {
    private let db: Database

    init(_ db: Database) { self.db = db }

    /// Records that `file` belongs to no book, or not yet.
    func add(_ file: LibraryFile) throws {
        try db.execute(
            sql: "INSERT OR IGNORE INTO litter (place, name) VALUES (?, ?)",
            arguments: [file.directory.rawValue, file.name])
    }

    /// Deletes the record of `file`: it belongs to a book now, or is gone.
    func remove(_ file: LibraryFile) throws {
        try db.execute(
            sql: "DELETE FROM litter WHERE place = ? AND name = ?", arguments: [file.directory.rawValue, file.name])
    }

    /// Returns all recorded files.
    func files() throws -> [LibraryFile] {
        try LibraryFile.Directory.allCases.flatMap { directory in
            try names("SELECT name FROM litter WHERE place = ? ORDER BY name", [directory.rawValue]).map {
                LibraryFile(directory, name: $0)
            }
        }
    }

    /// Whether `file` is recorded and belongs to no book.
    func isLitter(_ file: LibraryFile) throws -> Bool {
        guard try isThere("litter WHERE place = ? AND name = ?", [file.directory.rawValue, file.name]) else {
            return false
        }
        let owner = Self.owner(of: file.directory)
        return try !isThere("\(owner.table) WHERE \(owner.column) = ?", [file.name])
    }

    /// Whether the name belongs to a book or is recorded, ignoring case.
    func isTaken(_ file: LibraryFile) throws -> Bool {
        let owner = Self.owner(of: file.directory)
        if try isThere("\(owner.table) WHERE \(owner.column) = ? COLLATE NOCASE", [file.name]) { return true }
        return try isThere("litter WHERE place = ? AND name = ? COLLATE NOCASE", [file.directory.rawValue, file.name])
    }

    /// Returns the names in `directory` that belong to a book or are recorded.
    func knownNames(in directory: LibraryFile.Directory) throws -> Set<String> {
        let owner = Self.owner(of: directory)
        let sql = "SELECT \(owner.column) FROM \(owner.table) UNION SELECT name FROM litter WHERE place = ?"
        return Set(try names(sql, [directory.rawValue]))
    }

    /// Returns the table and column that assign the files of `directory` to books.
    private static func owner(of directory: LibraryFile.Directory) -> (table: String, column: String) {
        switch directory {
        case .books: ("books", "filename")
        case .covers: ("covers", "file")
        }
    }

    private func isThere(_ term: String, _ arguments: StatementArguments) throws -> Bool {
        try Int.fetchOne(db, sql: "SELECT 1 FROM \(term) LIMIT 1", arguments: arguments) != nil
    }

    private func names(_ sql: String, _ arguments: StatementArguments) throws -> [String] {
        try Row.fetchAll(db, sql: sql, arguments: arguments).map { try RowValues($0).text(0) }
    }
}
