public import FileProviderCore
public import Foundation
public import MediaTypes
public import Publication

/// A book on a shelf.
public struct ShelfBook: Hashable, Sendable, Identifiable {
    /// What is known about the book's cover.
    public enum CoverState: Int, Hashable, Sendable {
        /// No caller has asked for it yet.
        case unknown = 0
        /// The book has none that can be shown.
        case none = 1
        /// The book has one; ``ShelfBook/coverTag`` identifies it.
        case known = 2
    }

    /// The book's number, which stays when its file is moved or changed, and is never used again.
    public let id: Int64
    /// The number of the source, as in ``SourceState/id``.
    public var source: Int64
    /// The path of the file in the source's storage.
    public var path: ProviderPath
    /// The size of the file in bytes; `nil` if the storage doesn't say.
    public var fileSize: Int64?
    /// The modification time of the file; `nil` if the storage doesn't say.
    public var fileModified: Date?
    /// The entry tag of the file without the mark of weakness; `nil` if the storage has none.
    public var fileTag: String?
    /// The metadata in the file.
    public var metadata: Metadata
    /// The format of the file.
    public var mediaType: MediaType
    /// The number of positions, as far as it was known without reading the whole file.
    public var positionCount: Int?
    /// When the book was first seen.
    public var added: Date
    /// When its metadata last changed on the shelf.
    public var changed: Date
    /// What is known about its cover.
    public var coverState: CoverState
    /// A word that changes with the cover; `nil` unless ``coverState`` is ``CoverState/known``.
    public var coverTag: String?

    /// Creates a book, for tests and for servers with their own catalogue.
    public init(
        id: Int64, source: Int64, path: ProviderPath, metadata: Metadata, mediaType: MediaType, added: Date,
        changed: Date
    ) {
        self.id = id
        self.source = source
        self.path = path
        self.metadata = metadata
        self.mediaType = mediaType
        self.added = added
        self.changed = changed
        coverState = .unknown
    }
}

/// A file in a source that the shelf doesn't show as a book.
public struct RefusedFile: Hashable, Sendable {
    /// The number of the source.
    public var source: Int64
    /// The path in the source's storage.
    public var path: ProviderPath
    /// One sentence saying why.
    public var sentence: String

    /// Creates a value.
    public init(source: Int64, path: ProviderPath, sentence: String) {
        self.source = source
        self.path = path
        self.sentence = sentence
    }
}
