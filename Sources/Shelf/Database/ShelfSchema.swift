import SQLiteStorage

/// The tables of a shelf.
enum ShelfSchema {
    static let kind = DatabaseKind(applicationID: 0x4352_5348, version: 1, statements: files + books + names + others)

    /// The words of a book in the search table, in the order of its columns, with their weights for relevance.
    static let searchColumns = [
        ("title", 10.0), ("subtitle", 4.0), ("authors", 8.0), ("series", 6.0), ("subjects", 3.0), ("description", 1.0),
    ]

    private static let files = [
        """
        CREATE TABLE sources (
            id INTEGER PRIMARY KEY AUTOINCREMENT, location TEXT NOT NULL UNIQUE, name TEXT NOT NULL, scanned REAL
        ) STRICT
        """,
        // `problem` of a pending file says why the last attempt failed; of another file, why it is no book. `missing` is
        // 1 for a file that listings lack and that stays for now. A book that was refused gets its number back if a
        // later version can be read.
        """
        CREATE TABLE files (
            id INTEGER PRIMARY KEY AUTOINCREMENT, source INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
            path BLOB NOT NULL, name BLOB NOT NULL, size INTEGER, modified REAL, tag TEXT, identity TEXT,
            is_pending INTEGER NOT NULL, problem TEXT, missing INTEGER NOT NULL,
            former_book INTEGER, former_added REAL,
            UNIQUE (source, path)
        ) STRICT
        """,
        "CREATE INDEX files_pending ON files (source, path) WHERE is_pending = 1",
        "CREATE INDEX files_refused ON files (source, path) WHERE is_pending = 0 AND problem IS NOT NULL",
        "CREATE INDEX files_missing ON files (source) WHERE missing = 1",
        "CREATE INDEX files_by_version ON files (size, modified)",
    ]

    // The keys for sorting are in narrow rows; a book's metadata is read for one page only.
    private static let books = [
        """
        CREATE TABLE books (
            id INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL UNIQUE REFERENCES files (id) ON DELETE CASCADE,
            title_key TEXT NOT NULL, author_key TEXT NOT NULL, series_key TEXT NOT NULL, series_position REAL NOT NULL,
            media_type TEXT NOT NULL, positions INTEGER, added REAL NOT NULL, changed REAL NOT NULL,
            cover INTEGER NOT NULL, cover_tag TEXT, is_named_after_file INTEGER NOT NULL
        ) STRICT
        """,
        "CREATE INDEX books_by_title ON books (title_key, id)",
        "CREATE INDEX books_by_author ON books (author_key, title_key, id)",
        "CREATE INDEX books_by_series ON books (series_key, series_position, title_key, id)",
        "CREATE INDEX books_by_added ON books (added, id)",
        "CREATE INDEX books_by_changed ON books (changed, id)",
        "CREATE INDEX books_without_cover ON books (id) WHERE cover = 0",
        """
        CREATE TABLE documents (
            book INTEGER PRIMARY KEY REFERENCES books (id) ON DELETE CASCADE, metadata TEXT NOT NULL
        ) STRICT
        """,
    ]

    private static let names = [
        """
        CREATE TABLE names (
            id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL, sort_key TEXT NOT NULL,
            UNIQUE (kind, key)
        ) STRICT
        """,
        "CREATE INDEX names_in_order ON names (kind, sort_key)",
        """
        CREATE TABLE book_names (
            name INTEGER NOT NULL REFERENCES names (id), book INTEGER NOT NULL REFERENCES books (id) ON DELETE CASCADE,
            kind INTEGER NOT NULL, PRIMARY KEY (name, book)
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX book_names_by_book ON book_names (book, kind)",
    ]

    private static let others = [
        // Books that left the shelf, by the files that they were.
        """
        CREATE TABLE departed (
            book INTEGER PRIMARY KEY, location TEXT NOT NULL, path BLOB NOT NULL, name BLOB NOT NULL, size INTEGER,
            modified REAL, tag TEXT, identity TEXT, added REAL NOT NULL, departed REAL NOT NULL
        ) STRICT
        """,
        "CREATE INDEX departed_by_path ON departed (location, path)",
        "CREATE INDEX departed_by_version ON departed (size, modified)",
        // The numbers of books that left the shelf, each with that of a copy which took over.
        "CREATE TABLE successors (former INTEGER PRIMARY KEY, book INTEGER NOT NULL) STRICT",
        "CREATE INDEX successors_by_book ON successors (book)",
        """
        CREATE VIRTUAL TABLE search USING fts5(
            \(searchColumns.map(\.0).joined(separator: ", ")), tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3'
        )
        """,
        "CREATE TABLE changes (id INTEGER PRIMARY KEY CHECK (id = 1), changed REAL NOT NULL) STRICT",
    ]
}

/// The kinds of names that a book has.
enum NameKind: Int64, CaseIterable {
    case author = 1
    case series = 2
    case language = 3
    case subject = 4
    case collection = 5
    case mediaType = 6
}
