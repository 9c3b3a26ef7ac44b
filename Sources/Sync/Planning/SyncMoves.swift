import FileProviderCore
import Foundation
import GRDB

/// Finds files that one side has moved: by the storage's identifier, else by size and SHA-256.
///
/// A move is repeated only if the other side still has the file as agreed and nothing at the new place.
struct SyncMoves: Sendable {
    private let pass: SyncPass

    private let rules: SyncRules

    init(_ pass: SyncPass, rules: SyncRules) {
        self.pass = pass
        self.rules = rules
    }

    func find() async throws {
        for side in SyncSide.allCases where side == .source || pass.options.direction == .twoWay {
            guard try await hasOrigins(side) else { continue }
            try await byIdentity(side)
            try await byHash(side)
            try await dropRefused(side)
        }
    }

    /// Files that are gone on `side` and unchanged on the other.
    private static let gone = """
        found g WHERE g.side = :side AND g.type = -1 AND NOT EXISTS (SELECT 1 FROM found x WHERE x.key = g.key AND x.side = 1 - :side)
        """

    /// Of these, the ones without a match so far.
    private static let origins = "\(gone) AND NOT EXISTS (SELECT 1 FROM moved m WHERE m.origin = g.key)"

    /// Files that are new on `side`, with nothing of the name on the other.
    private static let targets = """
        found n WHERE n.side = :side AND n.type = 1 AND n.size > 0
        AND NOT EXISTS (SELECT 1 FROM item i WHERE i.key = n.key)
        AND NOT EXISTS (SELECT 1 FROM found x WHERE x.key = n.key AND x.side = 1 - :side)
        AND NOT EXISTS (SELECT 1 FROM moved m WHERE m.target = n.key)
        """

    /// Whether anything can have been moved. If so, creates the indexes for the search.
    private func hasOrigins(_ side: SyncSide) async throws -> Bool {
        try await pass.store.write { db in
            let found = try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM \(Self.gone))", arguments: ["side": side.rawValue])
            if found == true { try db.execute(sql: SyncSchema.indexGone) }
            return found == true
        }
    }

    private func byIdentity(_ side: SyncSide) async throws {
        try await pass.store.write { db in
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO moved (target, origin, side)
                    SELECT n.key, (SELECT g.key FROM \(Self.origins) AND g.size = n.size AND g.identity = n.identity AND g.time IS n.time),
                    :side FROM \(Self.targets) AND EXISTS
                    (SELECT 1 FROM \(Self.origins) AND g.size = n.size AND g.identity = n.identity AND g.time IS n.time)
                    """, arguments: ["side": side.rawValue])
        }
    }

    private func byHash(_ side: SyncSide) async throws {
        // If hashing needs a transfer, considers only files with the same time as a file that is gone.
        let sameTime = pass.comparison.isCheap(on: side) ? "" : "AND g.time IS n.time"
        var last = Data()
        while case let candidates = try await candidates(side, after: last, sameTime), let end = candidates.last {
            try await pass.concurrently(candidates) { key in
                let path = try SyncKey.path(key)
                do {
                    let hash = try await pass.comparison.sha256(of: path, on: side)
                    try await match(path, key, hash, side)
                } catch {
                    guard await pass.isItsOwn(error) else { throw error }
                    // The file is transferred as a new file; the transfer reports the problem.
                }
            }
            last = end
        }
    }

    private func candidates(_ side: SyncSide, after last: Data, _ sameTime: String) async throws -> [Data] {
        try await pass.store.write { db in
            try Data.fetchAll(
                db,
                sql: """
                    SELECT n.key FROM \(Self.targets) AND n.key > :last
                    AND EXISTS (SELECT 1 FROM \(Self.gone) AND g.size = n.size AND g.hash IS NOT NULL \(sameTime))
                    ORDER BY n.key LIMIT 256
                    """, arguments: ["side": side.rawValue, "last": last])
        }
    }

    /// Drops moves to places where the other side can't hold the file: then one file is removed, and another can't be
    /// held.
    private func dropRefused(_ side: SyncSide) async throws {
        var (last, free): (Data, ProviderPath) = (Data(), .root)
        while case let targets = try await targets(side, after: last), let end = targets.last {
            for key in targets {
                let path = try SyncKey.path(key)
                if try await isRefused(path, from: side, below: free) {
                    try await pass.store.write {
                        try $0.execute(sql: "DELETE FROM moved WHERE target = ?", arguments: [key])
                    }
                } else {
                    free = path.parent ?? .root
                }
            }
            last = end
        }
    }

    private func targets(_ side: SyncSide, after last: Data) async throws -> [Data] {
        try await pass.store.write { db in
            try Data.fetchAll(
                db, sql: "SELECT target FROM moved WHERE side = ? AND target > ? ORDER BY target LIMIT 256",
                arguments: [side.rawValue, last])
        }
    }

    /// Whether the other side can't hold the new item at `path` or a folder above it, up to `free`, a folder that it
    /// can hold.
    private func isRefused(_ path: ProviderPath, from side: SyncSide, below free: ProviderPath) async throws -> Bool {
        var current = path
        while current != free, let parent = current.parent {
            guard let difference = try await pass.store.difference(at: current), let item = difference.item(on: side),
                difference.item(on: side.other) == nil
            else { return false }
            let known = try await pass.store.addTwins(to: [difference])
            if known.contains(where: { rules.refusal(of: item, at: $0, on: side.other) != nil }) { return true }
            current = parent
        }
        return false
    }

    private func match(_ path: ProviderPath, _ key: Data, _ hash: String, _ side: SyncSide) async throws {
        try await pass.store.write { db in
            let size = "(SELECT size FROM found WHERE key = :key AND side = :side)"
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO moved (target, origin, side)
                    SELECT :key, g.key, :side FROM \(Self.origins) AND g.size = \(size) AND g.hash = :hash LIMIT 1
                    """, arguments: ["key": key, "side": side.rawValue, "hash": hash])
            try db.execute(
                sql: "INSERT OR REPLACE INTO compared (key, same, hash) VALUES (:key, NULL, :hash)",
                arguments: ["key": key, "hash": hash])
        }
    }
}
