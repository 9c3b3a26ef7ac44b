public import FileProviderCore
public import Foundation

/// A question for books: which ones, in which order, which part of them. All conditions must hold.
public struct ShelfQuery: Hashable, Sendable {
    /// An order of books. Equal books follow each other in the order in which they came.
    public enum Sort: String, Hashable, Sendable, CaseIterable {
        /// By ``ShelfBook/added``.
        case added
        /// By title, ignoring case and accents; numbers by their value.
        case title
        /// By the first author, then by title. Books without an author are the last ones.
        case author
        /// By the first series and the place in it. Books without a series are the last ones.
        case series
        /// By ``ShelfBook/changed``.
        case changed
        /// By how well the book matches ``ShelfQuery/text``; without a text as ``title``.
        case relevance
    }

    /// The most books of one page.
    public static let maxLimit = 500

    /// Words that all must be in the title, subtitle, authors, series, subjects or description. A word also matches the
    /// start of a longer one. Case, accents and width are ignored.
    public var text: String?
    /// The key of an author, from ``FacetValue/key``.
    public var author: String?
    /// The key of a series.
    public var series: String?
    /// The key of a language.
    public var language: String?
    /// The key of a subject.
    public var subject: String?
    /// The key of a collection.
    public var collection: String?
    /// The key of a media type.
    public var mediaType: String?
    /// The number of a source.
    public var source: Int64?
    /// A folder; books in it and below it match. A path without ``source`` means that folder of every source.
    public var folder: ProviderPath?
    /// The numbers of books; others don't match.
    public var ids: [Int64]?
    /// The order.
    public var sort: Sort
    /// Whether the order is reversed.
    public var isDescending: Bool
    /// The number of books to return; at most ``maxLimit`` are returned.
    public var limit: Int
    /// The number of books to skip.
    public var offset: Int

    /// Creates a question for all books.
    public init(
        text: String? = nil, sort: Sort = .title, isDescending: Bool = false, limit: Int = 50, offset: Int = 0
    ) {
        self.text = text
        self.sort = sort
        self.isDescending = isDescending
        self.limit = limit
        self.offset = offset
    }
}

/// A page of books.
public struct ShelfPage: Hashable, Sendable {
    /// The books of the page.
    public var books: [ShelfBook]
    /// The number of books on all pages.
    public var total: Int

    /// Creates a page.
    public init(books: [ShelfBook], total: Int) {
        self.books = books
        self.total = total
    }
}

/// A way to divide the books of a shelf.
public enum ShelfFacet: String, Hashable, Sendable, CaseIterable {
    /// By author.
    case authors
    /// By series.
    case series
    /// By language.
    case languages
    /// By subject.
    case subjects
    /// By collection.
    case collections
    /// By format.
    case mediaTypes
    /// By the folders directly in ``ShelfQuery/folder``, or in the root.
    case folders
}

/// A value of a facet, such as one author, with the number of books.
public struct FacetValue: Hashable, Sendable {
    /// What a ``ShelfQuery`` uses. For a folder it is ``/FileProviderCore/ProviderPath/string``.
    public var key: String
    /// The name that people see.
    public var name: String
    /// The number of books.
    public var count: Int

    /// Creates a value.
    public init(key: String, name: String, count: Int) {
        self.key = key
        self.name = name
        self.count = count
    }
}

/// The numbers of what is on a shelf.
public struct ShelfCounts: Hashable, Sendable {
    /// The number of books.
    public var books = 0
    /// The number of files that aren't shown.
    public var refused = 0
    /// The number of files that have still to be read.
    public var pending = 0
    /// The number of authors.
    public var authors = 0
    /// The number of series.
    public var series = 0
    /// The number of languages.
    public var languages = 0
    /// The number of subjects.
    public var subjects = 0
    /// The number of collections.
    public var collections = 0
    /// When a book was last added, changed, moved or removed; `nil` for a new shelf.
    public var changed: Date?

    /// Creates the numbers of an empty shelf.
    public init() {}
}
