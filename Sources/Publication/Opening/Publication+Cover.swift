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

    /// The image behind ``findCover()``, as it is in the book. Formats that have a first page in its place, such as
    /// PDF, have none.
    ///
    /// - Parameter limit: The most bytes of the image; at most 256 MiB.
    /// - Returns: Nil for a book that has no cover.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` for a cover that is no image; `.fileReadTooLarge` over `limit`;
    ///   `.fileReadNoPermission` for what is locked; the storage's errors.
    /// - Complexity: The image, and the search of ``findCover()``.
    public func coverImage(limit: Int = 64 << 20) async throws -> Cover? {
        guard let link = try await findCover() else { return nil }
        let limit = min(max(0, limit), Self.maxCoverSize)
        let name = link.href.removingPercentEncoding ?? link.href
        let resource = get(link)
        let data: Data
        do {
            data = try await resource.read(0..<Int64(limit) + 1)
        } catch {
            await resource.close()
            throw error
        }
        await resource.close()
        guard data.count <= limit else {
            throw FileError.make(
                .fileReadTooLarge, path: name,
                sentence: "The cover “\(name)” is too large: it has more than \(limit) bytes.")
        }
        guard let type = CoverImage.mediaType(of: data.prefix(CoverImage.start), claimed: link.type) else {
            throw FileError.make(
                .fileReadCorruptFile, path: name, sentence: "The cover “\(name)” is damaged: it is no image.")
        }
        return Cover(data: data, mediaType: type)
    }

    private static var maxCoverSize: Int { (256 << 20) - 1 }
}
