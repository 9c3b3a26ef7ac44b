public import Foundation

/// A small picture of a file, encoded.
public struct Thumbnail: Sendable, Hashable {
    /// The picture in the format that ``mediaType`` names, as it would stand in a file.
    public var data: Data
    /// `image/jpeg`, or `image/png` where parts of the picture are transparent.
    public var mediaType: String
    /// Pixels.
    public var width: Int
    /// Pixels.
    public var height: Int

    /// Takes everything as it is given; nothing looks into `data`.
    public init(data: Data, mediaType: String, width: Int, height: Int) {
        self.data = data
        self.mediaType = mediaType
        self.width = width
        self.height = height
    }
}

/// Which thumbnail is wanted.
public struct ThumbnailRequest: Sendable, Hashable {
    /// Pixels of the longer side, 1–4096: numbers outside are moved to the nearer end. Pictures made of pixels are
    /// never scaled up.
    public let dimension: Int
    /// The page, counted from 1, where the file has pages. Of a book that names its cover, page 1 is that cover.
    public let page: Int

    /// The defaults: 256 pixels, the first page. A page that no file has is refused when it is asked for.
    public init(dimension: Int = 256, page: Int = 1) {
        self.dimension = min(max(1, dimension), 4096)
        self.page = page
    }
}
