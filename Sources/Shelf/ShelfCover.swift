public import Foundation

/// The picture of a book's cover.
public struct ShelfCover: Hashable, Sendable {
    /// The picture in the format of ``mediaType``.
    public var data: Data
    /// `image/jpeg`, or `image/png` for a picture with transparent parts. A picture that can't be scaled here is as it is
    /// in the book: `image/gif`, for example.
    public var mediaType: String
    /// A word that changes with the cover, for an entity tag.
    public var tag: String

    /// Creates a cover.
    public init(data: Data, mediaType: String, tag: String) {
        self.data = data
        self.mediaType = mediaType
        self.tag = tag
    }
}
