import FileProviderCore
public import Foundation

extension Publication {
    /// The cover of a book as a picture.
    public struct Cover: Sendable, Hashable {
        /// The picture as it would stand in a file.
        public var data: Data
        /// What `data` is, told by its first bytes: `image/jpeg`, `image/svg+xml`.
        public var mediaType: String

        /// Takes both as they are given.
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
    /// - Throws: `CocoaError(.fileReadCorruptFile)` for a cover that is no image; `.fileReadTooLarge` over `limit`;
    ///   `.fileReadNoPermission` for what is locked; the storage's errors.
    /// - Complexity: The image, and the search of ``findCover()``.
    public func coverImage(limit: Int = 64 << 20) async throws -> Cover? {
        try await service(.cover)?.cover(limit: limit)
    }
}
