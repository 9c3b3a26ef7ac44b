import FileProviderCore
import Foundation
import GRDB
import SQLiteStorage

/// Reads untrusted database files. Every call blocks on the disk.
enum ForeignDatabase {
    /// Returns the configuration for untrusted files: nothing in the file is executed, and its page structure is
    /// checked.
    static func configuration(readonly: Bool) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = readonly
        configuration.prepareDatabase { db in
            for setting in ["trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "temp_store = MEMORY"] {
                try db.execute(sql: "PRAGMA \(setting)")
            }
        }
        return configuration
    }

    /// Checks the file before SQLite opens it: its size, and whether it is complete without a log beside it.
    /// - Throws: ``DatabaseProblem``; `CocoaError(.fileReadTooLarge)`; `CocoaError(.fileReadNoSuchFile)`.
    static func inspect(_ file: URL, limit: Int64) throws {
        let source = try FileSource(file)
        let size = source.length ?? 0
        if size > limit {
            throw FileError.make(
                .fileReadTooLarge, path: file.path,
                sentence: "“\(file.lastPathComponent)” is larger than \(limit) bytes.")
        }
        var header = [UInt8](repeating: 0, count: 20)
        let bytes = try source.bytes(from: 0)
        let step = try header.withUnsafeMutableBytes { try bytes.read(into: $0) }
        guard case .bytes(20) = step, header.starts(with: Array("SQLite format 3\0".utf8)) else {
            throw DatabaseProblem(.damaged, detail: "it is not an SQLite database")
        }
        // 2 means that the newest pages are in a log beside the file (SQLite's file format, section 1.3.3).
        guard header[18] == 1, header[19] == 1 else {
            throw DatabaseProblem(.damaged, detail: "parts of it are in another file")
        }
    }

    /// Runs `body` on a connection to a verified file of `kind`, and closes the connection.
    static func read<Value>(
        _ file: URL, kind: DatabaseKind, limit: Int64, _ body: (Database) throws -> Value
    ) throws -> Value {
        try inspect(file, limit: limit)
        let queue = try DatabaseQueue(path: file.path, configuration: configuration(readonly: true))
        let result = Result {
            try queue.read { db in
                try kind.verify(db)
                return try body(db)
            }
        }
        try queue.close()
        return try result.get()
    }
}
