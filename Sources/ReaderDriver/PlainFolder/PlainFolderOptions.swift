public import Foundation
import ReaderMessages

/// How a ``PlainFolderDriver`` works.
public struct PlainFolderOptions: Hashable, Sendable, Codable {
    /// The media types of the files that count as books, told by the names' extensions; EPUB, PDF and comic archives.
    public var formats: [String] = [
        "application/epub+zip", "application/pdf", "application/vnd.comicbook+zip", "application/vnd.comicbook-rar",
        "application/x-cb7", "application/x-cbt",
    ]
    /// The name of the cache's file in the folder; one name, no path.
    public var cacheName = ".carrel-books.sqlite"
    /// The most bytes that a cache is read with; 256 MiB. A larger one counts as damaged.
    public var maxCacheSize: Int64 = 256 << 20
    /// How many folders deep books are looked for; 32. What lies deeper is left out, with a warning.
    public var maxDepth = 32
    /// The most files and folders that are listed; 200,000. More is an error.
    public var maxItems = 200_000
    /// The most books that are opened at once; 8, or fewer where the storage is not worth it.
    public var booksAtOnce = 8
    /// The most bytes of a cover that is kept; 256 KiB. Of a larger one nothing is kept.
    public var maxCoverSize = 256 << 10
    /// The most bytes that all covers together are kept in; 64 MiB. What comes when they are full is kept without one.
    public var maxCoverBytes = 64 << 20
    /// How often a cache that another driver writes at the same time is merged and written again; 5.
    public var cacheTries = 5

    /// The options named at each property.
    public init() {}
}

/// The books of a plain folder.
public struct PlainFolderListing: Hashable, Sendable {
    /// One for each book, in the order of their paths.
    public var books: [LibraryBook]
    /// What the user is to be told, one sentence each.
    public var warnings: [String]

    /// A listing.
    public init(books: [LibraryBook] = [], warnings: [String] = []) {
        self.books = books
        self.warnings = warnings
    }
}

/// What became of books that were to be deleted or changed.
public struct PlainFolderReport: Hashable, Sendable, Codable {
    /// A book with which it was not done, and why.
    public struct Failure: Hashable, Sendable, Codable {
        /// As it was given.
        public var filename: String
        /// One sentence.
        public var reason: String
    }

    /// The files with which it was done, as they were given.
    public var done: [String] = []
    /// The others.
    public var failed: [Failure] = []
    /// What the user is to be told that is about no book alone.
    public var warnings: [String] = []

    /// A report with nothing in it.
    public init() {}

    mutating func fail(_ filename: String, _ reason: String) {
        failed.append(Failure(filename: filename, reason: reason))
    }
}

/// What a user changes of a book in a plain folder. The file stays as it is; the cache remembers.
public struct PlainFolderEdit: Hashable, Sendable, Codable {
    /// The book's ``LibraryBook/filename``.
    public var filename: String
    /// The new title; nil leaves it. An empty one is refused.
    public var title: String?
    /// The new text to sort the title by; nil leaves it, or takes a new title.
    public var titleSort: String?
    /// The new authors; nil leaves them.
    public var authors: [String]?
    /// The new text to sort the authors by; nil leaves it, or takes new authors.
    public var authorSort: String?

    /// Changes nothing unless more is given.
    public init(
        filename: String, title: String? = nil, titleSort: String? = nil, authors: [String]? = nil,
        authorSort: String? = nil
    ) {
        self.filename = filename
        self.title = title
        self.titleSort = titleSort
        self.authors = authors
        self.authorSort = authorSort
    }

    /// All that a driver's library knows and a plain folder can remember.
    init(filename: String, metadata: BookMetadata) {
        self.init(
            filename: filename, title: metadata.title.isEmpty ? nil : metadata.title, titleSort: metadata.titleSort,
            authors: metadata.authors.isEmpty ? nil : metadata.authors, authorSort: metadata.authorSort)
    }
}

/// Why a ``PlainFolderDriver`` cannot do something.
public struct PlainFolderError: LocalizedError, Hashable, Sendable {
    /// What it is.
    public enum Kind: Hashable, Sendable {
        /// ``PlainFolderDriver/eject()`` was called.
        case ejected
        /// No such book is in the folder.
        case notFound
        /// A link or a folder is where the book or its folder was, or another book.
        case replaced
        /// Other drivers wrote the cache each time that this one was about to.
        case cacheIsBusy
    }

    /// What it is.
    public let kind: Kind
    /// The book or the file that it is about; empty for none.
    public let filename: String

    init(_ kind: Kind, _ filename: String = "") {
        self.kind = kind
        self.filename = filename
    }

    /// One sentence.
    public var errorDescription: String? {
        let name = StagedName.shown(filename)
        return switch kind {
        case .ejected: "The folder of books was ejected; connect it again."
        case .notFound: "“\(name)” is not in the folder of books; list it again."
        case .replaced: "Something else is where “\(name)” was; list the books again."
        case .cacheIsBusy: "Another driver keeps writing “\(name)”; try again when it is done."
        }
    }
}
