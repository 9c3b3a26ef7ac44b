import FileProviderCore
package import Foundation
package import GRDB

/// An open SQLite database whose tables were verified. Changes run on the database's own queue, one after the other.
package struct StoredDatabase: Sendable {
    private let database: any DatabaseWriter
    package let file: URL

    /// Opens the database in `file`, and creates it if it is missing.
    ///
    /// - Parameters:
    ///   - noun: What the database belongs to, such as "library", for the sentences of errors.
    ///   - concurrentReads: How many reads may run at once, and beside a change; if it is 0, reads and changes wait for
    ///     each other.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if it is damaged; `CocoaError(.fileReadUnknown)` if it is of a
    ///   newer version or of another program.
    /// - Complexity: Reads the file once.
    package static func open(_ file: URL, kind: DatabaseKind, noun: String, concurrentReads: Int = 0) async throws
        -> StoredDatabase
    {
        do {
            return try await BlockingThreads.shared.run {
                StoredDatabase(database: try connect(file, kind, concurrentReads), file: file)
            }
        } catch let error as DatabaseError {
            throw error.fileError(path: file.path)
        } catch let problem as DatabaseProblem {
            throw error(problem, file, noun)
        }
    }

    private static func connect(_ file: URL, _ kind: DatabaseKind, _ concurrentReads: Int) throws
        -> any DatabaseWriter
    {
        var configuration = Configuration()
        configuration.journalMode = .wal
        let database: any DatabaseWriter
        if concurrentReads > 0 {
            configuration.maximumReaderCount = concurrentReads
            database = try DatabasePool(path: file.path, configuration: configuration)
        } else {
            database = try DatabaseQueue(path: file.path, configuration: configuration)
        }
        try database.writeWithoutTransaction { db in
            // A step that was answered is stored, even if the power fails right after it.
            try db.execute(sql: "PRAGMA synchronous = FULL")
            if try kind.isEmpty(db) { try kind.create(db) }
            try kind.verify(db)
        }
        return database
    }

    private static func error(_ problem: DatabaseProblem, _ file: URL, _ noun: String) -> CocoaError {
        let name = file.lastPathComponent
        switch problem.kind {
        case .damaged:
            let sentence = "The \(noun)'s database “\(name)” is damaged (\(problem.detail)). Restore a copy of it."
            return FileError.make(.fileReadCorruptFile, path: file.path, sentence: sentence)
        case .newer:
            let sentence = "The \(noun)'s database “\(name)” was made by a newer version of this program; use that one."
            return FileError.make(.fileReadUnknown, path: file.path, sentence: sentence)
        case .foreign:
            let sentence = "“\(name)” is the database of another program, not a \(noun); choose another folder."
            return FileError.make(.fileReadUnknown, path: file.path, sentence: sentence)
        }
    }

    /// Reads one consistent state of the database.
    package func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await translated { try await database.read(body) }
    }

    /// Changes the database in one transaction, which an error rolls back.
    package func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await translated { try await database.write(body) }
    }

    /// Runs `body`, which handles its own transactions.
    package func writeWithoutTransaction<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value)
        async throws -> Value
    {
        try await translated { try await database.writeWithoutTransaction(body) }
    }

    /// Closes the database; later calls fail.
    package func close() async throws {
        try await translated { try await BlockingThreads.shared.run { try database.close() } }
    }

    private func translated<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch let error as DatabaseError { throw error.fileError(path: file.path) }
    }
}
