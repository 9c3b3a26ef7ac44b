import GRDB
import SQLiteStorage

/// The tables of `people.sqlite`.
enum PeopleSchema {
    /// Places and progress have no foreign key: the reader of a server without logins, number 0, has no row.
    static let people = DatabaseKind(
        applicationID: 0x4352_5050, version: 1,
        statements: [
            """
            CREATE TABLE users (
                id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, key TEXT NOT NULL UNIQUE, password TEXT,
                koreader TEXT NOT NULL, version TEXT NOT NULL, created REAL NOT NULL) STRICT
            """,
            """
            CREATE TABLE places (
                user INTEGER NOT NULL, book INTEGER NOT NULL, locator BLOB NOT NULL, progression REAL,
                modified REAL NOT NULL, device TEXT, PRIMARY KEY (user, book)) STRICT, WITHOUT ROWID
            """,
            "CREATE INDEX places_by_time ON places (user, modified)",
            """
            CREATE TABLE progress (
                user INTEGER NOT NULL, document TEXT NOT NULL, progress TEXT NOT NULL, percentage REAL NOT NULL,
                device TEXT NOT NULL, device_id TEXT NOT NULL, timestamp INTEGER NOT NULL,
                PRIMARY KEY (user, document)) STRICT, WITHOUT ROWID
            """,
            """
            CREATE TABLE documents (
                book INTEGER PRIMARY KEY, digest TEXT NOT NULL, version TEXT NOT NULL) STRICT
            """,
            "CREATE INDEX documents_by_digest ON documents (digest)",
            "CREATE TABLE ended (session TEXT PRIMARY KEY, expires INTEGER NOT NULL) STRICT, WITHOUT ROWID",
        ])
}
