public import Foundation
import ReaderMessages

/// The options of a ``PlainFolderDriver``.
public struct PlainFolderOptions: Hashable, Sendable, Codable {
    /// The media types of the files that count as books, derived from file extensions; EPUB, PDF and comic archives by
    /// default.
    public var formats: [String] = [
        "application/epub+zip", "application/pdf", "application/vnd.comicbook+zip", "application/vnd.comicbook-rar",
        "application/x-cb7", "application/x-cbt",
    ]
    /// The name of the cache file in the folder, not a path.
    public var cacheName = ".carrel-books.sqlite"
    /// The largest cache that is read, in bytes; 256 MiB. A larger one counts as damaged.
    public var maxCacheSize: Int64 = 256 << 20
    /// The most folder levels that are searched; 32. Deeper files are skipped, with a warning.
    public var maxDepth = 32
    /// The most files and folders that are listed; 200,000. More are an error.
    public var maxItems = 200_000
    /// The most books that are opened at once; 8, or fewer if the storage doesn't benefit.
    public var booksAtOnce = 8
    /// The largest cover that is kept, in bytes; 256 KiB. Larger ones are dropped.
    public var maxCoverSize = 256 << 10
    /// The most bytes of all kept covers together; 64 MiB. Further books are kept without a cover.
    public var maxCoverBytes = 64 << 20
    /// The number of tries to merge and write a cache that another driver writes at the same time; 5.
    public var cacheTries = 5

    /// Creates the default options.
    public init() {}
}

/// The books of a plain folder.
public struct PlainFolderListing: Hashable, Sendable {
    /// The books, in the order of their paths.
    public var books: [LibraryBook]
    /// Warnings for the user, one sentence each.
    public var warnings: [String]

    /// Creates a listing.
    public init(books: [LibraryBook] = [], warnings: [String] = []) {
        self.books = books
        self.warnings = warnings
    }
}

/// The results of deleting or changing books.
public struct PlainFolderReport: Hashable, Sendable, Codable {
    /// A failed book and the reason.
    public struct Failure: Hashable, Sendable, Codable {
        /// The file name as given.
        public var filename: String
        /// The reason in one sentence.
        public var reason: String
    }

    /// The file names that succeeded, as given.
    public var done: [String] = []
    /// The failed ones.
    public var failed: [Failure] = []
    /// Warnings for the user that are about no single book.
    public var warnings: [String] = []

    /// Creates an empty report.
    public init() {}

    mutating func fail(_ filename: String, _ reason: String) {
        failed.append(Failure(filename: filename, reason: reason))
    }
}

/// A user's edits to a book in a plain folder. The file stays unchanged; the cache keeps the edits.
public struct PlainFolderEdit: Hashable, Sendable, Codable {
    /// The book's ``/ReaderMessages/LibraryBook/filename``.
    public var filename: String
    /// The new title, or `nil` to keep it. An empty title is refused.
    public var title: String?
    /// The new sort text of the title, or `nil` to keep it or to use the new title.
    public var titleSort: String?
    /// The new authors, or `nil` to keep them.
    public var authors: [String]?
    /// The new sort text of the authors, or `nil` to keep it or to use the new authors.
    public var authorSort: String?

    /// Creates an edit; by default it changes nothing.
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

    /// Creates an edit with all metadata that a plain folder can store.
    init(filename: String, metadata: BookMetadata) {
        self.init(
            filename: filename, title: metadata.title.isEmpty ? nil : metadata.title, titleSort: metadata.titleSort,
            authors: metadata.authors.isEmpty ? nil : metadata.authors, authorSort: metadata.authorSort)
    }
}

/// The error of a ``PlainFolderDriver``.
public struct PlainFolderError: LocalizedError, Hashable, Sendable {
    /// The kind of error.
    public enum Kind: Hashable, Sendable {
        /// ``PlainFolderDriver/eject()`` was called.
        case ejected
        /// The book is not in the folder.
        case notFound
        /// A link, a folder or another book is in the place of the book or of its folder.
        case replaced
        /// Other drivers wrote the cache each time that this driver tried to.
        case cacheIsBusy
    }

    /// The kind of error.
    public let kind: Kind
    /// The book or file that the error is about; empty for none.
    public let filename: String

    init(_ kind: Kind, _ filename: String = "") {
        self.kind = kind
        self.filename = filename
    }

    /// The error in one sentence.
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
