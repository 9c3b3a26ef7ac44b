public import Foundation

/// What is remembered of the books in a plain folder, in one local file.
///
/// The file is a copy: the driver fetches it from the folder, has it read and written here, and puts it back. An
/// implementation keeps nothing open between two calls, trusts nothing in the file, and does its input and output off
/// Swift's shared threads.
public protocol FolderCache: Sendable {
    /// Reads all that `file` holds, and leaves it unchanged.
    /// - Throws: ``FolderCacheFailure`` for a file that is damaged, of a newer version, or no cache at all; what the
    ///   local disk throws otherwise, a missing file included.
    func load(from file: URL) async throws -> FolderCacheContents

    /// Makes `file` hold `contents` and nothing else, in one transaction; where there is no file, or an empty one, it
    /// makes one.
    ///
    /// Afterwards `file` alone is complete: no journal or log beside it is needed to read it.
    /// - Throws: ``FolderCacheFailure`` where a file is there that is none of its own; what the local disk throws.
    func save(_ contents: FolderCacheContents, to file: URL) async throws
}

/// All that a ``FolderCache`` holds.
public struct FolderCacheContents: Hashable, Sendable, Codable {
    /// Counts the times that the cache was written; 0 for one that never was. The driver raises it, an implementation
    /// stores it as it is.
    public var generation: Int64
    /// One for each file, in no promised order; no two have the same path.
    public var entries: [FolderCacheEntry]

    /// Nothing, unless told.
    public init(generation: Int64 = 0, entries: [FolderCacheEntry] = []) {
        self.generation = generation
        self.entries = entries
    }
}

/// What a ``FolderCache`` holds of one file.
public struct FolderCacheEntry: Hashable, Sendable, Codable {
    /// The fields that a user can change, and that are kept when the file is read anew.
    public struct Fields: OptionSet, Hashable, Sendable, Codable {
        /// As it is stored.
        public let rawValue: Int
        /// From what is stored; unknown bits are kept.
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

    /// The file's path below the folder, in NFC, with `/` between the parts: the key.
    public var path: String
    /// Bytes of the file.
    public var size: Int64
    /// When the file was changed, as the listing tells, to the millisecond; nil where it does not tell.
    public var modified: Date?
    /// The version of the file as the server names it; nil where it does not.
    public var entryTag: String?
    /// SHA-256, in lower-case hexadecimal digits, over the file's size and its first and last 64 KiB; nil where it was
    /// not read.
    public var digest: String?
    /// The media type, such as `application/epub+zip`.
    public var format: String
    /// The title; never empty.
    public var title: String
    /// The text by which the title is sorted.
    public var titleSort: String
    /// The authors one by one.
    public var authors: [String]
    /// The text by which the authors are sorted.
    public var authorSort: String
    /// When the driver saw the book first.
    public var added: Date
    /// The book's uuid; empty for none.
    public var uuid: String
    /// The cover as the book has it, at most 256 KiB of JPEG, PNG, GIF or WebP; nil for none, or a larger one.
    public var thumbnail: Data?
    /// Which fields the user edited; the others were extracted from the file.
    public var edited: Fields
    /// Why the file could not be read as a book, in one sentence; nil where it could.
    public var problem: String?

    /// A file of which only path, size and title are known, unless more is given afterwards.
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

/// Why the file of a ``FolderCache`` cannot be used; it is then built anew, and the bad one kept aside.
public struct FolderCacheFailure: LocalizedError, Hashable, Sendable {
    /// What is wrong.
    public enum Kind: Hashable, Sendable {
        /// It is no cache, or a damaged one.
        case damaged
        /// A newer version wrote it, which has this number.
        case newer(version: Int)
    }

    /// What is wrong.
    public let kind: Kind
    /// More about it, for the log; nil where there is no more.
    public let detail: String?

    /// A failure.
    public init(_ kind: Kind, detail: String? = nil) {
        self.kind = kind
        self.detail = detail
    }

    /// One sentence.
    public var errorDescription: String? {
        switch kind {
        case .damaged: "What was remembered of the books is damaged" + (detail.map { ": \($0)." } ?? ".")
        case .newer(let version): "What was remembered of the books was written by a newer version (\(version))."
        }
    }
}
