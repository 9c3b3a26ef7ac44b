import FileProviderCore
import Foundation
import GRDB

/// Files that their storage may not have kept, and folders whose listing is incomplete.
extension SyncStore {
    /// Begins a run, which tries again what earlier runs left.
    func beginRun() async throws {
        try await write { try $0.execute(sql: "UPDATE unkept SET fresh = 0 WHERE fresh <> 0; DELETE FROM sent") }
    }

    /// Records the side on which the current run wrote the file at `path`, if any.
    static func noteSent(_ path: ProviderPath, agreed: AgreedItem, db: Database) throws {
        guard agreed.items.source.type == .regular,
            let side = SyncSide.allCases.first(where: { !agreed.items[$0].isListed })
        else {
            return
        }
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO sent (key, side) VALUES (?, ?)").execute(
            arguments: [SyncKey.data(path), side.rawValue])
    }

    /// Forgets that the current run wrote the file at `path`, because it removed the file itself.
    static func forgetSent(_ path: ProviderPath, db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM sent WHERE key = ?").execute(arguments: [SyncKey.data(path)])
    }

    /// Forgets that a file may not have been kept.
    static func forgetUnkept(_ path: ProviderPath, db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM unkept WHERE key = ?").execute(arguments: [SyncKey.data(path)])
    }

    /// Forgets files that neither side has any more.
    static func forgetUnkept(_ db: Database) throws {
        try db.execute(
            sql:
                "DELETE FROM unkept WHERE key NOT IN (SELECT key FROM item) AND key NOT IN (SELECT key FROM found WHERE type > 0)"
        )
    }

    /// Records that a file may not have been kept. With `isRest`, also records for this pass that only the beginning of
    /// the file is there.
    func noteUnkept(_ path: ProviderPath, on side: SyncSide, isFresh: Bool, isRest: Bool = false) async throws {
        try await write { db in
            try Self.noteUnkept(path, on: side, isFresh: isFresh, db: db)
            if isRest {
                try db.execute(sql: "INSERT OR IGNORE INTO rest (key) VALUES (?)", arguments: [SyncKey.data(path)])
            }
        }
    }

    static func noteUnkept(_ path: ProviderPath, on side: SyncSide, isFresh: Bool, db: Database) throws {
        try db.cachedStatement(sql: SyncSQL.insertUnkept).execute(arguments: [
            SyncKey.data(path), side.rawValue, isFresh,
        ])
    }

    /// Returns files that their storage may not have kept: files already recorded as such, written files that no
    /// listing has shown yet and that are shorter now, and files that the current run wrote and that are gone.
    func doubtfulFiles(on side: SyncSide, after path: ProviderPath?, limit: Int = 512) async throws -> [SyncDifference]
    {
        try await write { db in
            let statement = try db.cachedStatement(sql: SyncSQL.doubtfulFiles(on: side))
            let arguments: StatementArguments = ["after": path.map(SyncKey.data) ?? Data(), "limit": limit]
            return try Array(Row.fetchCursor(statement, arguments: arguments).map(SyncSQL.difference))
        }
    }

    /// Records folders whose listing on a side is incomplete.
    func noteIncomplete(_ folders: [ProviderPath], on side: SyncSide) async throws {
        if folders.isEmpty { return }
        try await write { db in
            let insert = try db.cachedStatement(sql: "INSERT OR IGNORE INTO incomplete (key, side) VALUES (?, ?)")
            for folder in folders { try insert.execute(arguments: [SyncKey.data(folder), side.rawValue]) }
        }
    }

    /// Excludes everything that an incomplete listing does not show, with its content: it may still exist.
    static func leaveOutUnshown(_ db: Database) throws {
        let folders = try Row.fetchAll(db, sql: "SELECT key, side FROM incomplete")
        for row in folders {
            let (folder, side): (Data, Int) = (row[0], row[1])
            let start = folder.isEmpty ? folder : folder + [0]
            let end = folder.isEmpty ? Data([0xFF]) : folder + [1]
            let gone = try Data.fetchCursor(
                db, sql: "SELECT key FROM found WHERE side = ? AND type < 0 AND key > ? AND key < ?",
                arguments: [side, start, end])
            var unshown: [Data] = []
            while let key = try gone.next() {
                if !key.dropFirst(start.count).contains(0) { unshown.append(key) }
            }
            let insert = try db.cachedStatement(sql: "INSERT OR REPLACE INTO left_out (key, itself) VALUES (?, 1)")
            for key in unshown { try insert.execute(arguments: [key]) }
        }
    }
}
