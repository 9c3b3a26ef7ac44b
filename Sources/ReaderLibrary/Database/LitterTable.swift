import GRDB

/// A file in one of the folders whose files the database names.
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

/// The files that the library itself made and that no book has: on their way in, or left over by a step. Nothing else
/// is ever swept.
///
/// A name is noted before its file comes, and no name is given anew as long as it is noted.
struct LitterTable {
    private let db: Database

    init(_ db: Database) { self.db = db }

    /// Notes that no book has `file`, or none yet.
    func add(_ file: LibraryFile) throws {
        try db.execute(
            sql: "INSERT OR IGNORE INTO litter (place, name) VALUES (?, ?)",
            arguments: [file.directory.rawValue, file.name])
    }

    /// Takes the note back: a book has `file` now, or it is gone.
    func remove(_ file: LibraryFile) throws {
        try db.execute(
            sql: "DELETE FROM litter WHERE place = ? AND name = ?", arguments: [file.directory.rawValue, file.name])
    }

    /// All that is noted.
    func files() throws -> [LibraryFile] {
        try LibraryFile.Directory.allCases.flatMap { directory in
            try names("SELECT name FROM litter WHERE place = ? ORDER BY name", [directory.rawValue]).map {
                LibraryFile(directory, name: $0)
            }
        }
    }

    /// Whether `file` is noted, and indeed no book has it.
    func isLitter(_ file: LibraryFile) throws -> Bool {
        guard try isThere("litter WHERE place = ? AND name = ?", [file.directory.rawValue, file.name]) else {
            return false
        }
        let owner = Self.owner(of: file.directory)
        return try !isThere("\(owner.table) WHERE \(owner.column) = ?", [file.name])
    }

    /// Whether a book has a file of that name or it is noted, whatever the case of its letters.
    func isTaken(_ file: LibraryFile) throws -> Bool {
        let owner = Self.owner(of: file.directory)
        if try isThere("\(owner.table) WHERE \(owner.column) = ? COLLATE NOCASE", [file.name]) { return true }
        return try isThere("litter WHERE place = ? AND name = ? COLLATE NOCASE", [file.directory.rawValue, file.name])
    }

    /// The names in `directory` that a book has or that are noted.
    func knownNames(in directory: LibraryFile.Directory) throws -> Set<String> {
        let owner = Self.owner(of: directory)
        let sql = "SELECT \(owner.column) FROM \(owner.table) UNION SELECT name FROM litter WHERE place = ?"
        return Set(try names(sql, [directory.rawValue]))
    }

    /// Where the database says which book has a file of `directory`.
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
