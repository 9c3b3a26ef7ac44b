import FileProviderCore
import Foundation
import GRDB
import ProviderDoubles
import SampleBooks
import Testing

import LCP
import LCPStore

/// What both stores promise.
struct LicenseStoreTests {
    enum Kind: CaseIterable { case memory, sqlite }

    private func use(_ kind: Kind, _ body: (any LicenseStore & UserKeyStore) async throws -> Void) async throws {
        switch kind {
        case .memory: try await body(MemoryStores())
        case .sqlite:
            let folder = try TemporaryFolder()
            let store = try await SQLiteLicenseStore(
                at: folder.url.appending(path: "licenses.db"), keepsPassphrases: true)
            try await body(store)
            try await store.close()
        }
    }

    private static func license(_ change: (inout SampleLicense) -> Void = { _ in }) throws -> LicenseDocument {
        var sample = SampleLicense()
        change(&sample)
        return try LicenseDocument(data: sample.signed())
    }

    @Test(arguments: Kind.allCases) func `a budget is never exceeded, however many use it`(_ kind: Kind) async throws {
        try await use(kind) { store in
            let granted = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await store.consume(3, of: .copy, limit: 30, for: "a") }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(granted == 10)
            #expect(try await store.used(.copy, of: "a") == 30)
            #expect(try await store.used(.print, of: "a") == 0)
            #expect(try await store.used(.copy, of: "b") == 0)
            #expect(try await store.consume(0, of: .copy, limit: 30, for: "a"))
            for count in [-1, 1, Int.max] {
                #expect(try await !store.consume(count, of: .copy, limit: 30, for: "a"), "\(count)")
            }
            #expect(try await store.consume(5, of: .copy, limit: nil, for: "a"))
            #expect(try await !store.consume(.max, of: .copy, limit: nil, for: "a"))
            #expect(try await store.used(.copy, of: "a") == 35)
        }
    }

    @Test(arguments: Kind.allCases) func `the newest licence, the latest time and devices are kept`(_ kind: Kind)
        async throws
    {
        try await use(kind) { store in
            let old = try Self.license()
            let new = try Self.license { $0.updated = $0.issued.addingTimeInterval(60) }
            #expect(try await store.newestLicense(old.id) == nil)
            for license in [old, new, old] { try await store.keep(license) }
            #expect(try await store.newestLicense(old.id) == new)

            #expect(try await store.lastSeen(old.id) == nil)
            let now = Date(timeIntervalSince1970: 1_800_000_000)
            for seconds in [0.0, 10, -10] { try await store.setLastSeen(now.addingTimeInterval(seconds), of: old.id) }
            #expect(try await store.lastSeen(old.id) == now.addingTimeInterval(10))
            #expect(try await store.newestLicense(old.id) == new)

            #expect(try await !store.isRegistered("d", for: old.id))
            for _ in 0..<2 { try await store.setRegistered("d", for: old.id) }
            #expect(try await store.isRegistered("d", for: old.id))
            #expect(try await !store.isRegistered("e", for: old.id))
            #expect(try await !store.isRegistered("d", for: "other"))
        }
    }

    @Test(arguments: Kind.allCases) func `how a licence ended is kept until it is lent again`(_ kind: Kind) async throws
    {
        try await use(kind) { store in
            let license = try Self.license()
            let date = Date(timeIntervalSince1970: 1_800_000_000.5)
            try await store.keep(license)
            #expect(try await store.ending(of: license.id) == nil)
            for status in [StatusDocument.Status.expired, .returned] {
                try await store.setEnding(LicenseEnding(status, date: date), of: license.id)
            }
            #expect(try await store.ending(of: license.id) == LicenseEnding(.returned, date: date))
            #expect(try await store.ending(of: "other") == nil)
            #expect(try await store.newestLicense(license.id) == license)
            try await store.setEnding(nil, of: license.id)
            #expect(try await store.ending(of: license.id) == nil)
        }
    }

    @Test(arguments: Kind.allCases) func `hashes are given for the licence first, then for its user`(_ kind: Kind)
        async throws
    {
        try await use(kind) { store in
            let license = try Self.license { $0.userID = "u" }
            let other = try Self.license { ($0.userID, $0.id) = ("u", "urn:other") }
            let stranger = try Self.license { ($0.userID, $0.id) = ("v", "urn:stranger") }
            let (one, two) = (HashedPassphrase("one"), HashedPassphrase("two"))
            try await store.keep(one, for: license)
            try await store.keep(two, for: other)
            #expect(try await store.keys(for: license) == [one, two])
            #expect(try await store.keys(for: other) == [two, one])
            #expect(try await store.keys(for: stranger).isEmpty)
        }
    }

    @Test func `a file is this user's alone, is found again, and holds no hash that it was not meant to`() async throws
    {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "licenses.db")
        let license = try Self.license()
        let store = try await SQLiteLicenseStore(at: file)
        #expect(try await store.consume(7, of: .print, limit: 10, for: license.id))
        try await store.keep(HashedPassphrase("White whale"), for: license)
        #expect(try await store.keys(for: license).isEmpty)
        try await store.close()
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        let again = try await SQLiteLicenseStore(at: file, keepsPassphrases: true)
        #expect(try await again.used(.print, of: license.id) == 7)
        #expect(try await again.keys(for: license).isEmpty)
        try await again.close()
    }

    @Test func `a file of the first version keeps what it has, and keeps endings from then on`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "licenses.db")
        let old = try DatabaseQueue(path: file.path)
        try await old.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE license (id TEXT PRIMARY KEY, document BLOB, changed REAL, seen REAL) WITHOUT ROWID;
                    CREATE TABLE budget (id TEXT, name TEXT, used INTEGER NOT NULL, PRIMARY KEY (id, name)) WITHOUT ROWID;
                    CREATE TABLE device (id TEXT, device TEXT, PRIMARY KEY (id, device)) WITHOUT ROWID;
                    CREATE TABLE passphrase (
                        owner TEXT, hash TEXT, kept REAL NOT NULL, PRIMARY KEY (owner, hash)) WITHOUT ROWID;
                    PRAGMA user_version = 1;
                    INSERT INTO license (id, seen) VALUES ('a', 1800000000);
                    INSERT INTO budget VALUES ('a', 'copy', 7);
                    """)
        }
        try old.close()
        let ending = LicenseEnding(.revoked, date: Date(timeIntervalSince1970: 1_800_000_100))
        for isFirst in [true, false] {
            let store = try await SQLiteLicenseStore(at: file)
            #expect(try await store.used(.copy, of: "a") == 7)
            #expect(try await store.lastSeen("a") == Date(timeIntervalSince1970: 1_800_000_000))
            #expect(try await store.ending(of: "a") == (isFirst ? nil : ending))
            try await store.setEnding(ending, of: "a")
            try await store.close()
        }
    }

    @Test func `two stores over one file share a budget`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "licenses.db")
        let stores = [try await SQLiteLicenseStore(at: file), try await SQLiteLicenseStore(at: file)]
        let granted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<20 {
                group.addTask { try await stores[index % 2].consume(1, of: .copy, limit: 9, for: "a") }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(granted == 9)
        for store in stores { try await store.close() }
    }

    @Test func `a store that could not be opened is tried again, and passes every call on`() async throws {
        let memory = MemoryLicenseStore()
        let attempts = CollectedValues<Int>()
        let store = DeferredLicenseStore {
            attempts.append(attempts.values.count)
            if attempts.values.count == 1 { throw CocoaError(.fileLocking) }
            return memory
        }
        await #expect {
            _ = try await store.lastSeen("a")
        } throws: {
            ($0 as? CocoaError)?.code == .fileLocking
        }
        let license = try Self.license()
        let date = Date(timeIntervalSince1970: 1_800_000_000)
        try await store.keep(license)
        try await store.setLastSeen(date, of: license.id)
        try await store.setRegistered("d", for: license.id)
        try await store.setEnding(LicenseEnding(.revoked, date: date), of: license.id)
        #expect(try await store.consume(3, of: .copy, limit: 4, for: license.id))
        #expect(try await !store.consume(3, of: .copy, limit: 4, for: license.id))
        for found in [memory, store] as [any LicenseStore] {
            #expect(try await found.newestLicense(license.id) == license)
            #expect(try await found.lastSeen(license.id) == date)
            #expect(try await found.isRegistered("d", for: license.id))
            #expect(try await found.ending(of: license.id)?.status == .revoked)
            #expect(try await found.used(.copy, of: license.id) == 3)
        }
        #expect(attempts.values.count == 2)
    }

    @Test func `another file is refused and stays as it is`() async throws {
        let folder = try TemporaryFolder()
        for (name, data) in [("text", Data(String(repeating: "no database ", count: 100).utf8))] {
            let file = folder.url.appending(path: name)
            try data.write(to: file)
            let error = await #expect(throws: CocoaError.self) { _ = try await SQLiteLicenseStore(at: file) }
            #expect(error?.code == .fileReadCorruptFile)
            #expect(try Data(contentsOf: file) == data)
        }
        await #expect(throws: CocoaError.self) {
            _ = try await SQLiteLicenseStore(at: folder.url.appending(path: "missing/licenses.db"))
        }
    }
}

/// Both stores in memory as one.
private struct MemoryStores: LicenseStore, UserKeyStore {
    private let licenses = MemoryLicenseStore()
    private let passphrases = MemoryUserKeyStore()

    func used(_ budget: LicenseBudget, of id: String) async throws -> Int { try await licenses.used(budget, of: id) }
    func consume(_ count: Int, of budget: LicenseBudget, limit: Int?, for id: String) async throws -> Bool {
        try await licenses.consume(count, of: budget, limit: limit, for: id)
    }
    func newestLicense(_ id: String) async throws -> LicenseDocument? { try await licenses.newestLicense(id) }
    func keep(_ license: LicenseDocument) async throws { try await licenses.keep(license) }
    func lastSeen(_ id: String) async throws -> Date? { try await licenses.lastSeen(id) }
    func setLastSeen(_ date: Date, of id: String) async throws { try await licenses.setLastSeen(date, of: id) }
    func isRegistered(_ device: String, for id: String) async throws -> Bool {
        try await licenses.isRegistered(device, for: id)
    }
    func setRegistered(_ device: String, for id: String) async throws {
        try await licenses.setRegistered(device, for: id)
    }
    func ending(of id: String) async throws -> LicenseEnding? { try await licenses.ending(of: id) }
    func setEnding(_ ending: LicenseEnding?, of id: String) async throws {
        try await licenses.setEnding(ending, of: id)
    }
    func keys(for license: LicenseDocument) async throws -> [HashedPassphrase] {
        try await passphrases.keys(for: license)
    }
    func keep(_ key: HashedPassphrase, for license: LicenseDocument) async throws {
        try await passphrases.keep(key, for: license)
    }
}
