import Cryptography
import FileProviderCore
import Foundation
import GRDB
import SQLiteStorage

/// Names and passwords.
extension PeopleStore {
    /// Adds a person.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 characters without control characters, colons and spaces at its ends.
    ///   - password: 8 characters or more, at most 1,024 bytes.
    /// - Throws: `CocoaError(.formatting)` for a name or password that cannot be; `CocoaError(.fileWriteFileExists)` if
    ///   there is a person with this name, in any case.
    public func add(name: String, password: String) async throws -> User {
        try Self.validate(name: name)
        try Self.validate(password: password)
        let hash = try await passwords.hash(Self.composed(password))
        let koreader = try await passwords.hash(Self.koreaderKey(of: password))
        return try await insert(name: name, password: hash, koreader: koreader)
    }

    /// Adds a person whose password only KOReader knows; they can't log in to the web page before a password is set.
    ///
    /// Looks for the name first: a name that is taken costs no computation of a hash.
    ///
    /// - Parameter koreaderKey: MD5 of the password, in hexadecimal digits.
    /// - Throws: As ``add(name:password:)``.
    package func add(name: String, koreaderKey: String) async throws -> User {
        try Self.validate(name: name)
        let key = Self.key(of: name)
        let isTaken = try await database.read { db in
            try Int64.fetchOne(db, sql: "SELECT id FROM users WHERE key = ?", arguments: [key]) != nil
        }
        if isTaken { throw Self.nameIsTaken(name) }
        guard Self.isPossible(koreaderKey: koreaderKey) else {
            throw FileError.make(.formatting, path: name, sentence: "The key of a KOReader account has 32 digits.")
        }
        return try await insert(
            name: name, password: nil, koreader: try await passwords.hash(koreaderKey.lowercased()))
    }

    private func insert(name: String, password: String?, koreader: String) async throws -> User {
        let (key, version, time) = (Self.key(of: name), Self.newVersion(), now().timeIntervalSince1970)
        let id: Int64? = try await database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO users (name, key, password, koreader, version, created) VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (key) DO NOTHING
                    """, arguments: [name, key, password, koreader, version, time])
            return db.changesCount == 1 ? db.lastInsertedRowID : nil
        }
        guard let id else { throw Self.nameIsTaken(name) }
        return User(id: id, name: name, passwordVersion: version)
    }

    /// Gives a person another password, which ends their sessions and reading addresses.
    ///
    /// - Throws: `CocoaError(.fileNoSuchFile)` if there is no such person; `CocoaError(.formatting)` for a password that
    ///   cannot be.
    public func setPassword(_ password: String, of name: String) async throws {
        try Self.validate(password: password)
        let hash = try await passwords.hash(Self.composed(password))
        let koreader = try await passwords.hash(Self.koreaderKey(of: password))
        let (key, version) = (Self.key(of: name), Self.newVersion())
        let isKnown = try await database.write { db in
            try db.execute(
                sql: "UPDATE users SET password = ?, koreader = ?, version = ? WHERE key = ?",
                arguments: [hash, koreader, version, key])
            return db.changesCount == 1
        }
        if !isKnown { throw Self.noUser(name) }
    }

    /// Removes a person with all their places.
    ///
    /// - Throws: `CocoaError(.fileNoSuchFile)` if there is no such person.
    public func remove(name: String) async throws {
        let key = Self.key(of: name)
        let isKnown = try await database.write { db in
            guard let id = try Int64.fetchOne(db, sql: "SELECT id FROM users WHERE key = ?", arguments: [key]) else {
                return false
            }
            try db.execute(sql: "DELETE FROM places WHERE user = ?", arguments: [id])
            try db.execute(sql: "DELETE FROM progress WHERE user = ?", arguments: [id])
            try db.execute(sql: "DELETE FROM users WHERE id = ?", arguments: [id])
            return true
        }
        if !isKnown { throw Self.noUser(name) }
    }

    /// Returns everyone, by name.
    public func list() async throws -> [User] {
        try await database.read { db in
            try Row.fetchAll(db, sql: "SELECT id, name, version FROM users ORDER BY key").map { try Self.user($0) }
        }
    }

    /// Returns whether there are people, or were some before they were removed.
    package func hasHadUsers() async throws -> Bool {
        try await database.read { db in
            // SQLite keeps the highest number that was given (sqlite.org/autoinc.html).
            try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'users')") ?? false
        }
    }

    /// Returns the person with a number; nil if there is none.
    package func user(_ id: Int64) async throws -> User? {
        try await database.read { db in
            try Row.fetchOne(db, sql: "SELECT id, name, version FROM users WHERE id = ?", arguments: [id])
                .map { try Self.user($0) }
        }
    }

    // MARK: Verifying

    /// Returns the person if the password is right. An unknown name takes the same time as a wrong password.
    ///
    /// - Complexity: A computation of scrypt, unless the same was right within the last ten minutes; one at a time.
    public func verify(name: String, password: String) async throws -> User? {
        try await verify(name, Self.composed(password), column: "password")
    }

    /// Returns the person if KOReader's key is right.
    ///
    /// - Parameter koreaderKey: MD5 of the password, in hexadecimal digits.
    package func verify(name: String, koreaderKey: String) async throws -> User? {
        guard Self.isPossible(koreaderKey: koreaderKey) else { return nil }
        return try await verify(name, koreaderKey.lowercased(), column: "koreader")
    }

    /// Returns the person if the same password was right within the last ten minutes. Computes nothing.
    func recall(name: String, password: String) async throws -> User? {
        try await verify(name, Self.composed(password), column: "password", recalls: true)
    }

    /// Returns the person if the same key was right within the last ten minutes. Computes nothing.
    func recall(name: String, koreaderKey: String) async throws -> User? {
        try await verify(name, koreaderKey.lowercased(), column: "koreader", recalls: true)
    }

    private func verify(
        _ name: String, _ secret: String, column: String, recalls: Bool = false
    ) async throws -> User? {
        let key = Self.key(of: name)
        let found = try await database.read { db -> (user: User, hash: String?)? in
            let sql = "SELECT id, name, version, \(column) FROM users WHERE key = ?"
            return try Row.fetchOne(db, sql: sql, arguments: [key]).map {
                (try Self.user($0), try RowValues($0).optionalText(3))
            }
        }
        if recalls { return found?.hash.map { passwords.recalls(secret, $0) } == true ? found?.user : nil }
        return try await passwords.matches(secret, found?.hash) ? found?.user : nil
    }

    private static func user(_ row: Row) throws -> User {
        let values = RowValues(row)
        return User(id: try values.int64(0), name: try values.text(1), passwordVersion: try values.text(2))
    }

    // MARK: Names and secrets

    /// What names are compared by: composed, and in lower case.
    static func key(of name: String) -> String { name.precomposedStringWithCompatibilityMapping.lowercased() }

    /// The one spelling of a password that keyboards write in several ways (RFC 8265, section 4.2).
    private static func composed(_ password: String) -> String { password.precomposedStringWithCanonicalMapping }

    /// What KOReader sends instead of a password.
    private static func koreaderKey(of password: String) -> String {
        Digest(.md5, of: Data(password.utf8)).hexadecimal
    }

    /// Whether a person may have `password`, as far as its length goes.
    static func isPossible(password: String) -> Bool { composed(password).utf8.count <= PasswordCheck.longest }

    /// Whether `koreaderKey` has the form of one.
    static func isPossible(koreaderKey: String) -> Bool {
        koreaderKey.utf8.count == 32 && koreaderKey.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }

    private static func newVersion() -> String { ShelfKey.pathText(ShelfKey.random().prefix(12)) }

    private static func validate(name: String) throws {
        let isPlain = name.unicodeScalars.allSatisfy {
            $0 != ":" && $0.properties.generalCategory != .control && $0.properties.generalCategory != .lineSeparator
        }
        let isTrimmed = name == name.trimmingCharacters(in: .whitespacesAndNewlines)
        guard isPlain, isTrimmed, (1...64).contains(name.count) else {
            throw FileError.make(
                .formatting, path: name,
                sentence: "A user's name has 1 to 64 characters, no colon, and no space at its ends.")
        }
    }

    private static func validate(password: String) throws {
        guard password.count >= 8, password.utf8.count <= PasswordCheck.longest else {
            throw FileError.make(
                .formatting, path: "password",
                sentence: "A password needs 8 characters or more, and at most 1,024 bytes.")
        }
    }

    private static func nameIsTaken(_ name: String) -> CocoaError {
        FileError.make(.fileWriteFileExists, path: name, sentence: "There is a user “\(name)” already.")
    }

    private static func noUser(_ name: String) -> CocoaError {
        FileError.make(.fileNoSuchFile, path: name, sentence: "There is no user “\(name)”.")
    }
}
