import SQLiteStorage

/// The tables of a library and of its snapshot. The tables about books are the same, so that they can be copied
/// unchanged.
enum LibrarySchema {
    /// The library's own database.
    static let library = DatabaseKind(applicationID: 0x4352_4C42, version: 1, statements: books + own)
    /// The snapshot for drivers.
    static let snapshot = DatabaseKind(applicationID: 0x4352_4C53, version: 1, statements: books)

    /// The tables that a snapshot copies, referenced ones first.
    static let copiedTables = ["books", "authors", "subjects", "collections", "book_collections"]

    private static let books = [
        """
        CREATE TABLE books (
            id INTEGER PRIMARY KEY, filename TEXT NOT NULL UNIQUE, uuid TEXT NOT NULL, uuid_key TEXT NOT NULL,
            title TEXT NOT NULL, title_sort TEXT NOT NULL, author_sort TEXT NOT NULL,
            series TEXT, series_index REAL, publisher TEXT, pub_date TEXT, description TEXT, cover_hash TEXT, rating REAL,
            size INTEGER NOT NULL, added REAL NOT NULL, modified REAL NOT NULL, is_locked INTEGER NOT NULL, word_count INTEGER,
            is_new INTEGER NOT NULL, is_read INTEGER NOT NULL, is_on_reading_list INTEGER NOT NULL
        ) STRICT
        """,
        "CREATE INDEX books_by_uuid ON books (uuid_key)",
        "CREATE INDEX books_by_title ON books (title)",
        """
        CREATE TABLE authors (
            book INTEGER NOT NULL REFERENCES books (id) ON DELETE CASCADE, place INTEGER NOT NULL, name TEXT NOT NULL,
            PRIMARY KEY (book, place)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE subjects (
            book INTEGER NOT NULL REFERENCES books (id) ON DELETE CASCADE, place INTEGER NOT NULL, name TEXT NOT NULL,
            PRIMARY KEY (book, place)
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE TABLE collections (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT",
        """
        CREATE TABLE book_collections (
            book INTEGER NOT NULL REFERENCES books (id) ON DELETE CASCADE, place INTEGER NOT NULL,
            collection INTEGER NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
            PRIMARY KEY (book, place)
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX book_collections_by_collection ON book_collections (collection)",
    ]

    private static let own = [
        // A new file's name is looked up ignoring case.
        "CREATE INDEX books_by_filename ON books (filename COLLATE NOCASE)",
        "CREATE TABLE covers (book INTEGER PRIMARY KEY REFERENCES books (id) ON DELETE CASCADE, file TEXT NOT NULL UNIQUE) STRICT",
        """
        CREATE TABLE commands (
            kind TEXT NOT NULL, digest TEXT NOT NULL, timestamp TEXT, begun REAL NOT NULL, PRIMARY KEY (kind, digest)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE steps (
            kind TEXT NOT NULL, digest TEXT NOT NULL, number INTEGER NOT NULL, result TEXT NOT NULL,
            PRIMARY KEY (kind, digest, number),
            FOREIGN KEY (kind, digest) REFERENCES commands (kind, digest) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE TABLE litter (place TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (place, name)) STRICT, WITHOUT ROWID",
    ]
}
