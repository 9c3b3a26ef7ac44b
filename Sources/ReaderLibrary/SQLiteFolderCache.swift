import FileProviderCore
public import Foundation
import GRDB
public import ReaderLink
import SQLiteStorage

/// The cache of a plain folder in SQLite, with one row for each file.
public final class SQLiteFolderCache: FolderCache {
    /// The largest file that is read or written to, in bytes; 1 GiB.
    private static let maxSize: Int64 = 1 << 30

    /// Creates a cache. It has no state; everything is in the files.
    public init() {}

    /// Returns everything in `file`, without changing it.
    ///
    /// - Throws: ``/ReaderDriver/FolderCacheFailure`` if the file is damaged, of a newer version, or not a cache;
    ///   `CocoaError(.fileReadNoSuchFile)` and other errors of the disk.
    /// - Complexity: Reads the file twice; two statements.
    public func load(from file: URL) async throws -> FolderCacheContents {
        try await Self.translating(file) {
            try ForeignDatabase.read(file, kind: FolderCacheTable.kind, limit: Self.maxSize) { db in
                try FolderCacheTable(db).contents()
            }
        }
    }

    /// Replaces the contents of `file` with `contents` in one transaction. Creates the file if it is missing or empty.
    ///
    /// - Throws: ``/ReaderDriver/FolderCacheFailure`` if the existing file is damaged, of a newer version, or not a
    ///   cache; errors of the disk.
    /// - Complexity: Reads the old file once and writes every row.
    public func save(_ contents: FolderCacheContents, to file: URL) async throws {
        try await Self.translating(file) {
            if try !Self.isEmpty(file) { try ForeignDatabase.inspect(file, limit: Self.maxSize) }
            let queue = try DatabaseQueue(
                path: file.path, configuration: ForeignDatabase.configuration(readonly: false))
            let result = Result {
                try queue.writeWithoutTransaction { db in
                    // The journal is deleted with the transaction, so the file alone is complete.
                    try db.execute(sql: "PRAGMA journal_mode = DELETE")
                    if try FolderCacheTable.kind.isEmpty(db) { try FolderCacheTable.kind.create(db) }
                    try FolderCacheTable.kind.verify(db)
                    try db.inTransaction {
                        try FolderCacheTable(db).write(contents)
                        return .commit
                    }
                }
            }
            try queue.close()
            try result.get()
        }
    }

    /// Whether the file is missing or empty.
    private static func isEmpty(_ file: URL) throws -> Bool {
        do { return try FileSource(file).length == 0 } catch let error where error.isNoSuchFile { return true }
    }

    private static func translating<Value: Sendable>(_ file: URL, _ body: @escaping @Sendable () throws -> Value)
        async throws -> Value
    {
        do {
            return try await BlockingThreads.shared.run(body)
        } catch let problem as DatabaseProblem {
            if case .newer(let version) = problem.kind {
                throw FolderCacheFailure(.newer(version: version), detail: problem.detail)
            }
            throw FolderCacheFailure(.damaged, detail: problem.detail)
        } catch let error as DatabaseError {
            throw error.isDamage
                ? FolderCacheFailure(.damaged, detail: error.message) : error.fileError(path: file.path)
        } catch let error as CocoaError where error.code == .fileReadTooLarge {
            throw FolderCacheFailure(.damaged, detail: "it is larger than \(maxSize) bytes")
        }
    }
}
