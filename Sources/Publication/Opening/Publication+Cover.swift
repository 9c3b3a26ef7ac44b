import FileProviderCore
public import Foundation

extension Publication {
    /// The cover of a book as a picture.
    public struct Cover: Sendable, Hashable {
        /// The picture's bytes in its file format.
        public var data: Data
        /// The media type of `data`, recognised by its first bytes: `image/jpeg`, `image/svg+xml`.
        public var mediaType: String

        /// A cover with its media type; neither is checked.
        public init(data: Data, mediaType: String) {
            self.data = data
            self.mediaType = mediaType
        }
    }

    /// The cover image as it is in the book, by the service ``PublicationServiceKey/cover``: the one behind
    /// ``findCover()``. Formats that have a first page in its place, such as
    /// PDF, have none.
    ///
    /// - Parameter limit: The most bytes of the image; at most 256 MiB.
    /// - Returns: Nil for a book that has no cover.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` for a cover that is not an image; `.fileReadTooLarge` over `limit`;
    ///   `.fileReadNoPermission` for a locked cover; the storage's errors.
    /// - Complexity: Reads the image, after the search of ``findCover()``.
    public func coverImage(limit: Int = 64 << 20) async throws -> Cover? {
        try await service(.cover)?.cover(limit: limit)
    }
}
