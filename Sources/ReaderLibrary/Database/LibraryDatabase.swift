import FileProviderCore
import Foundation
import GRDB

/// The open database of a library. Work runs on the database's own queue, one call after the other.
struct LibraryDatabase: Sendable {
    private let queue: DatabaseQueue
    let file: URL

    /// Opens the database in `file`, and creates it if it is missing.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if it is damaged; `CocoaError(.fileReadUnknown)` if it is of a
    ///   newer version or of another program.
    static func open(_ file: URL) async throws -> LibraryDatabase {
        do {
            return try await BlockingThreads.shared.run { LibraryDatabase(queue: try connect(file), file: file) }
        } catch let error as DatabaseError {
            throw error.fileError(path: file.path)
        } catch let problem as DatabaseProblem {
            throw error(problem, file)
        }
    }

    private static func connect(_ file: URL) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.journalMode = .wal
        let queue = try DatabaseQueue(path: file.path, configuration: configuration)
        try queue.writeWithoutTransaction { db in
            // A step that was answered is stored, even if the power fails right after it.
            try db.execute(sql: "PRAGMA synchronous = FULL")
            if try LibrarySchema.library.isEmpty(db) { try LibrarySchema.library.create(db) }
            try LibrarySchema.library.verify(db)
        }
        return queue
    }

    private static func error(_ problem: DatabaseProblem, _ file: URL) -> CocoaError {
        let name = file.lastPathComponent
        switch problem.kind {
        case .damaged:
            let sentence = "The library's database “\(name)” is damaged (\(problem.detail)). Restore a copy of it."
            return FileError.make(.fileReadCorruptFile, path: file.path, sentence: sentence)
        case .newer:
            let sentence = "The library's database “\(name)” was made by a newer version of this program; use that one."
            return FileError.make(.fileReadUnknown, path: file.path, sentence: sentence)
        case .foreign:
            let sentence = "“\(name)” is the database of another program, not a library; choose another folder."
            return FileError.make(.fileReadUnknown, path: file.path, sentence: sentence)
        }
    }

    /// Reads one consistent state of the database.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await translated { try await queue.read(body) }
    }

    /// Changes the database in one transaction, which an error rolls back.
    func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await translated { try await queue.write(body) }
    }

    /// Runs `body`, which handles its own transactions.
    func writeWithoutTransaction<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws
        -> Value
    {
        try await translated { try await queue.writeWithoutTransaction(body) }
    }

    /// Closes the database; later calls fail.
    func close() async throws {
        try await translated { try await BlockingThreads.shared.run { try queue.close() } }
    }

    private func translated<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch let error as DatabaseError { throw error.fileError(path: file.path) }
    }
}
