public import Foundation

/// A small picture of a file, encoded.
public struct Thumbnail: Sendable, Hashable {
    /// The picture in the format of ``mediaType``, as in a file.
    public var data: Data
    /// `image/jpeg`, or `image/png` if parts of the picture are transparent.
    public var mediaType: String
    /// Pixels.
    public var width: Int
    /// Pixels.
    public var height: Int

    /// Stores the values as they are; `data` is not checked.
    public init(data: Data, mediaType: String, width: Int, height: Int) {
        self.data = data
        self.mediaType = mediaType
        self.width = width
        self.height = height
    }
}

/// The thumbnail that a caller asks for.
public struct ThumbnailRequest: Sendable, Hashable {
    /// Pixels of the longer side, 1–4096; values outside are clamped. Pictures made of pixels are never scaled up.
    public let dimension: Int
    /// The page, counted from 1, of a file with pages. If a book names its cover, page 1 is that cover.
    public let page: Int

    /// The defaults: 256 pixels, the first page. A missing page is refused when the thumbnail is made.
    public init(dimension: Int = 256, page: Int = 1) {
        self.dimension = min(max(1, dimension), 4096)
        self.page = page
    }
}
