public import Foundation

/// Reads and writes the cache of a plain folder's books, a single local file.
///
/// The file is a copy: the driver fetches it from the folder, reads and writes it here, and puts it back. An
/// implementation keeps nothing open between two calls, doesn't trust the file, and does its input and output off
/// Swift's shared threads.
public protocol FolderCache: Sendable {
    /// Returns everything in `file`, without changing it.
    /// - Throws: ``FolderCacheFailure`` if the file is damaged, of a newer version, or not a cache; other errors of the
    ///   local disk, also if the file is missing.
    func load(from file: URL) async throws -> FolderCacheContents

    /// Replaces the contents of `file` with `contents` in one transaction. Creates the file if it is missing or empty.
    ///
    /// Afterwards `file` alone is complete, without a journal or log beside it.
    /// - Throws: ``FolderCacheFailure`` if the existing file is not a cache of this kind; errors of the local disk.
    func save(_ contents: FolderCacheContents, to file: URL) async throws
}

/// The contents of a ``FolderCache``.
public struct FolderCacheContents: Hashable, Sendable, Codable {
    /// The number of times that the cache was written; 0 for a new one. The driver increments it; an implementation
    /// stores it unchanged.
    public var generation: Int64
    /// The entries, one per file, in no particular order; all paths are different.
    public var entries: [FolderCacheEntry]

    /// Creates contents, by default empty.
    public init(generation: Int64 = 0, entries: [FolderCacheEntry] = []) {
        self.generation = generation
        self.entries = entries
    }
}

/// The entry of one file in a ``FolderCache``.
public struct FolderCacheEntry: Hashable, Sendable, Codable {
    /// The fields that a user can change, and that are kept when the file is read again.
    public struct Fields: OptionSet, Hashable, Sendable, Codable {
        /// The stored value.
        public let rawValue: Int
        /// Creates the set from a stored value; unknown bits are kept.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// ``FolderCacheEntry/title``.
        public static let title = Fields(rawValue: 1)
        /// ``FolderCacheEntry/titleSort``.
        public static let titleSort = Fields(rawValue: 2)
        /// ``FolderCacheEntry/authors``.
        public static let authors = Fields(rawValue: 4)
        /// ``FolderCacheEntry/authorSort``.
        public static let authorSort = Fields(rawValue: 8)
        /// ``FolderCacheEntry/uuid``.
        public static let uuid = Fields(rawValue: 16)
    }

    /// The key: the file's path below the folder, in NFC, with `/` as the separator.
    public var path: String
    /// The size of the file in bytes.
    public var size: Int64
    /// The file's modification time in the listing, to the millisecond; `nil` if unknown.
    public var modified: Date?
    /// The server's tag for this version of the file; `nil` if it has none.
    public var entryTag: String?
    /// The SHA-256, in lower-case hexadecimal digits, of the file's size and its first and last 64 KiB; `nil` if it was
    /// not read.
    public var digest: String?
    /// The media type, such as `application/epub+zip`.
    public var format: String
    /// The title; never empty.
    public var title: String
    /// The sort text of the title.
    public var titleSort: String
    /// The authors, one element each.
    public var authors: [String]
    /// The sort text of the authors.
    public var authorSort: String
    /// The time at which the driver first saw the book.
    public var added: Date
    /// The book's uuid; empty for none.
    public var uuid: String
    /// The book's unchanged cover, at most 256 KiB of JPEG, PNG, GIF or WebP; `nil` if it has none, or a larger one.
    public var thumbnail: Data?
    /// The fields that the user edited; the others were read from the file.
    public var edited: Fields
    /// One sentence saying why the file could not be read as a book, or `nil` if it could.
    public var problem: String?

    /// Creates an entry with path, size and title; set other values afterwards.
    public init(path: String, size: Int64, format: String, title: String, added: Date) {
        self.path = path
        self.size = size
        self.format = format
        self.title = title
        self.titleSort = title
        self.authors = []
        self.authorSort = ""
        self.added = added
        self.uuid = ""
        self.edited = []
    }
}

/// The reason why a ``FolderCache`` can't use its file. The driver then builds a new one and keeps the old file aside.
public struct FolderCacheFailure: LocalizedError, Hashable, Sendable {
    /// The kind of problem.
    public enum Kind: Hashable, Sendable {
        /// The file is damaged or not a cache.
        case damaged
        /// A newer version of the format, with this number.
        case newer(version: Int)
    }

    /// The kind of problem.
    public let kind: Kind
    /// Details for the log, or `nil`.
    public let detail: String?

    /// Creates a failure.
    public init(_ kind: Kind, detail: String? = nil) {
        self.kind = kind
        self.detail = detail
    }

    /// The failure in one sentence.
    public var errorDescription: String? {
        switch kind {
        case .damaged: "The cache of the books is damaged" + (detail.map { ": \($0)." } ?? ".")
        case .newer(let version): "The cache of the books was written by a newer version (\(version))."
        }
    }
}
