package import Cryptography
import FileProviderCore
public import Foundation
import GRDB
import SQLiteStorage

/// The people who use a shelf: their passwords as scrypt hashes, their places in books, and their progress in KOReader.
///
/// Everything is in `people.sqlite` in the shelf's folder. Several processes may have it open, so that accounts can be
/// changed while a server runs.
public final class PeopleStore: Sendable {
    let database: StoredDatabase
    let passwords: PasswordCheck
    let now: @Sendable () -> Date

    private init(database: StoredDatabase, passwords: PasswordCheck, now: @escaping @Sendable () -> Date) {
        self.database = database
        self.passwords = passwords
        self.now = now
    }

    /// Opens the people of the shelf in `folder`. The file is created if it is missing.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if it is damaged; `CocoaError(.fileReadUnknown)` if it is of a newer
    ///   version or of another program.
    public static func open(folder: URL) async throws -> PeopleStore {
        try await open(folder: folder, parameters: .standard)
    }

    /// - Parameters:
    ///   - parameters: The cost of new password hashes.
    ///   - now: The wall clock.
    package static func open(
        folder: URL, parameters: PasswordHash.Parameters, now: @escaping @Sendable () -> Date = { Date() }
    ) async throws -> PeopleStore {
        let file = folder.appending(path: "people.sqlite", directoryHint: .notDirectory)
        // SQLite's other files get the same permissions.
        try await BlockingThreads.shared.run { try createPrivately(file) }
        let database = try await StoredDatabase.open(file, kind: PeopleSchema.people, noun: "list of people")
        // Another process may write at this moment.
        try await database.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA busy_timeout = 5000") }
        // Computes a hash.
        let passwords = try await BlockingThreads.shared.run { PasswordCheck(parameters) }
        return PeopleStore(database: database, passwords: passwords, now: now)
    }

    /// Creates the file for its owner alone if it is missing. Source: open(2).
    private static func createPrivately(_ file: URL) throws {
        let descriptor = Glibc.open(file.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw FileError.make(errno: errno, path: (try? ProviderPath(file.path)) ?? .root, writing: true)
        }
        Glibc.close(descriptor)
    }

    /// Closes the file; later calls fail.
    public func close() async throws { try await database.close() }
}
