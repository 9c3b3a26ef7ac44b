import FileProviderCore
public import Foundation
import GRDB
public import LCP

/// What an app keeps of its licences, in one SQLite file that only its user may read. Several processes may use it at the
/// same time: a budget is never exceeded.
///
/// Hashes of passphrases are kept only by a store that was made with `keepsPassphrases`.
public final class SQLiteLicenseStore: LicenseStore {
    private let queue: DatabaseQueue
    private let keepsPassphrases: Bool

    /// Opens the store in `file`, and makes it if it is missing; its folder has to exist.
    ///
    /// - Parameter keepsPassphrases: Whether ``keys(for:)`` gives what ``keep(_:for:)`` was given. Who can read the file
    ///   can then read the books.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` for a file that is no store, or of a newer version; errors of the
    ///   disk.
    public convenience init(at file: URL, keepsPassphrases: Bool = false) async throws {
        let queue = try await BlockingThreads.shared.run {
            do {
                return try Self.open(file)
            } catch let error as DatabaseError { throw error.failure(file.path) }
        }
        self.init(queue, keepsPassphrases)
    }

    private init(_ queue: DatabaseQueue, _ keepsPassphrases: Bool) {
        self.queue = queue
        self.keepsPassphrases = keepsPassphrases
    }

    private static func open(_ file: URL) throws -> DatabaseQueue {
        // SQLite would make it readable for others.
        let created = Glibc.open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard created >= 0 else { throw FileError.make(errno: errno, path: .root, writing: true) }
        Glibc.close(created)
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        let queue = try DatabaseQueue(path: file.path, configuration: configuration)
        try queue.write { db in
            let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
            guard version <= 2 else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
            if version == 0 {
                guard try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0 else {
                    throw DatabaseError(resultCode: .SQLITE_CORRUPT)
                }
                try db.execute(sql: Self.schema)
            }
            if version < 2 { try db.execute(sql: Self.endings) }
        }
        return queue
    }

    /// Version 1.
    private static let schema = """
        CREATE TABLE license (id TEXT PRIMARY KEY, document BLOB, changed REAL, seen REAL) WITHOUT ROWID;
        CREATE TABLE budget (id TEXT, name TEXT, used INTEGER NOT NULL, PRIMARY KEY (id, name)) WITHOUT ROWID;
        CREATE TABLE device (id TEXT, device TEXT, PRIMARY KEY (id, device)) WITHOUT ROWID;
        CREATE TABLE passphrase (owner TEXT, hash TEXT, kept REAL NOT NULL, PRIMARY KEY (owner, hash)) WITHOUT ROWID;
        """

    /// What version 2 adds.
    private static let endings = """
        ALTER TABLE license ADD COLUMN ended TEXT;
        ALTER TABLE license ADD COLUMN ended_at REAL;
        PRAGMA user_version = 2;
        """

    /// Closes the file. Further calls fail.
    public func close() async throws { try await BlockingThreads.shared.run { [queue] in try queue.close() } }

    private func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do { return try await queue.write(body) } catch let error as DatabaseError { throw error.failure(queue.path) }
    }

    private func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do { return try await queue.read(body) } catch let error as DatabaseError { throw error.failure(queue.path) }
    }

    // MARK: Licences

    /// How much of a budget was used.
    public func used(_ budget: LicenseBudget, of id: String) async throws -> Int {
        try await read { try Self.used(budget, id, $0) }
    }

    private static func used(_ budget: LicenseBudget, _ id: String, _ db: Database) throws -> Int {
        try Int.fetchOne(
            db, sql: "SELECT used FROM budget WHERE id = ? AND name = ?", arguments: [id, budget.rawValue]) ?? 0
    }

    /// Counts `count` more in one transaction, unless there would then be more than `limit`.
    public func consume(_ count: Int, of budget: LicenseBudget, limit: Int?, for id: String) async throws -> Bool {
        try await write { db in
            guard let sum = try Self.used(budget, id, db).adding(count, limit: limit) else { return false }
            try db.execute(
                sql: "INSERT OR REPLACE INTO budget (id, name, used) VALUES (?, ?, ?)",
                arguments: [id, budget.rawValue, sum])
            return true
        }
    }

    /// The newest licence that was kept; nil if none was, or it cannot be read.
    public func newestLicense(_ id: String) async throws -> LicenseDocument? {
        let data = try await read {
            try Data.fetchOne($0, sql: "SELECT document FROM license WHERE id = ?", arguments: [id])
        }
        return data.flatMap { try? LicenseDocument(data: $0) }
    }

    /// Keeps `license` unless a newer one is there.
    public func keep(_ license: LicenseDocument) async throws {
        let (id, data, changed) = (license.id, license.data, license.date.timeIntervalSince1970)
        try await write { db in
            try db.execute(sql: "INSERT OR IGNORE INTO license (id) VALUES (?)", arguments: [id])
            try db.execute(
                sql: "UPDATE license SET document = ?, changed = ? WHERE id = ? AND ifnull(changed, ?) <= ?",
                arguments: [data, changed, id, changed, changed])
        }
    }

    /// The latest time at which the licence was used; nil if never.
    public func lastSeen(_ id: String) async throws -> Date? {
        try await read {
            try Double.fetchOne($0, sql: "SELECT seen FROM license WHERE id = ?", arguments: [id]).map {
                Date(timeIntervalSince1970: $0)
            }
        }
    }

    /// Keeps the time of a use unless a later one is there.
    public func setLastSeen(_ date: Date, of id: String) async throws {
        let seen = date.timeIntervalSince1970
        try await write { db in
            try db.execute(sql: "INSERT OR IGNORE INTO license (id) VALUES (?)", arguments: [id])
            try db.execute(
                sql: "UPDATE license SET seen = max(ifnull(seen, ?), ?) WHERE id = ?", arguments: [seen, seen, id])
        }
    }

    /// Whether the device called `device` has registered for the licence.
    public func isRegistered(_ device: String, for id: String) async throws -> Bool {
        try await read {
            try Bool.fetchOne(
                $0, sql: "SELECT count(*) > 0 FROM device WHERE id = ? AND device = ?", arguments: [id, device])
                ?? false
        }
    }

    /// Keeps that the device has registered.
    public func setRegistered(_ device: String, for id: String) async throws {
        try await write {
            try $0.execute(sql: "INSERT OR IGNORE INTO device (id, device) VALUES (?, ?)", arguments: [id, device])
        }
    }

    /// How the provider ended the licence; nil if it did not, or lent it again.
    public func ending(of id: String) async throws -> LicenseEnding? {
        try await read { db -> LicenseEnding? in
            let name = try String.fetchOne(db, sql: "SELECT ended FROM license WHERE id = ?", arguments: [id])
            let time = try Double.fetchOne(db, sql: "SELECT ended_at FROM license WHERE id = ?", arguments: [id])
            guard let status = name.flatMap({ StatusDocument.Status(rawValue: $0) }), let time else { return nil }
            return LicenseEnding(status, date: Date(timeIntervalSince1970: time))
        }
    }

    /// Keeps how the provider ended the licence; nil if it may be used again.
    public func setEnding(_ ending: LicenseEnding?, of id: String) async throws {
        let (status, date) = (ending?.status.rawValue, ending?.date.timeIntervalSince1970)
        try await write { db in
            try db.execute(sql: "INSERT OR IGNORE INTO license (id) VALUES (?)", arguments: [id])
            try db.execute(
                sql: "UPDATE license SET ended = ?, ended_at = ? WHERE id = ?", arguments: [status, date, id])
        }
    }
}

extension SQLiteLicenseStore: UserKeyStore {
    private static func owners(of license: LicenseDocument) -> [String] {
        [license.id] + (license.user.id.map { ["\(license.provider) \($0)"] } ?? [])
    }

    /// The hashes that were kept for the licence, then those for its provider and user, the newest first; none unless the
    /// store keeps passphrases.
    public func keys(for license: LicenseDocument) async throws -> [HashedPassphrase] {
        guard keepsPassphrases else { return [] }
        let owners = Self.owners(of: license)
        return try await read { db in
            var found: [HashedPassphrase] = []
            for owner in owners {
                let hashes = try String.fetchAll(
                    db, sql: "SELECT hash FROM passphrase WHERE owner = ? ORDER BY kept DESC", arguments: [owner])
                for key in hashes.compactMap({ HashedPassphrase(hexadecimal: $0) }) where !found.contains(key) {
                    found.append(key)
                }
            }
            return found
        }
    }

    /// Keeps a hash; does nothing unless the store keeps passphrases.
    public func keep(_ key: HashedPassphrase, for license: LicenseDocument) async throws {
        guard keepsPassphrases else { return }
        let (owners, hash, now) = (Self.owners(of: license), key.hexadecimal, Date().timeIntervalSince1970)
        try await write { db in
            for owner in owners {
                try db.execute(
                    sql: "INSERT OR REPLACE INTO passphrase (owner, hash, kept) VALUES (?, ?, ?)",
                    arguments: [owner, hash, now])
            }
        }
    }
}

extension DatabaseError {
    /// The same in Foundation's words.
    fileprivate func failure(_ path: String) -> CocoaError {
        let code: CocoaError.Code =
            switch resultCode.primaryResultCode {
            case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT: .fileReadCorruptFile
            case .SQLITE_BUSY, .SQLITE_LOCKED: .fileLocking
            case .SQLITE_FULL: .fileWriteOutOfSpace
            case .SQLITE_READONLY, .SQLITE_PERM: .fileWriteNoPermission
            default: .fileReadUnknown
            }
        let sentence =
            code == .fileReadCorruptFile
            ? "“\(path)” is not a store of licences, or a damaged or newer one."
            : "The store of licences “\(path)” cannot be used: \(message ?? "SQLite error \(resultCode.rawValue)")."
        return FileError.make(code, path: path, sentence: sentence, underlying: self)
    }
}
