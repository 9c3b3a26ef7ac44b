import Foundation

/// Properties and thumbnails, for every provider: from the storage where it has them, else made from the file.
extension FileProviderReadWrite {
    /// Whether properties may be had of a file with this name. The name alone is looked at, and nothing is sent.
    public func propertiesOfFileSupported(path: ProviderPath, generators: FileInformationGenerators = .shared) -> Bool {
        (self as? any ExtendedFileProvider)?.providesProperties(path: path) == true
            || generators.forProperties(of: path) != nil
    }

    /// Whether a thumbnail may be had of a file with this name. The name alone is looked at, and nothing is sent.
    public func thumbnailOfFileSupported(path: ProviderPath, generators: FileInformationGenerators = .shared) -> Bool {
        (self as? any ExtendedFileProvider)?.providesThumbnail(path: path) == true
            || generators.forThumbnail(of: path) != nil
    }

    /// What the file at `path` says of itself: data of the camera, tags of the music, title and author of a document.
    ///
    /// - Throws: `CocoaError(.featureUnsupported)` for a kind of file that nothing can be had of;
    ///   `.fileReadCorruptFile` for a damaged one; `.fileReadTooLarge` over a limit; the provider's errors.
    /// - Complexity: A few ranges where the format allows, as `Documentation/FileInformation.md` tells.
    public func propertiesOfFile(path: ProviderPath, generators: FileInformationGenerators = .shared) async throws
        -> FileProperties
    {
        if let storage = self as? any ExtendedFileProvider, storage.providesProperties(path: path) {
            do { return try await storage.providedProperties(path: path) } catch let error as CocoaError
                where error.code == .featureUnsupported
            {
                // The storage knows nothing after all; the file may.
            }
        }
        return try await withReader(path: path) { reader in
            let generator = try await generators.find(for: reader, what: "properties") { $0.properties != nil }
            guard let properties = generator.properties else {
                throw FileError.unsupported("tell properties of this file", by: Self.type, path: path)
            }
            return try await properties(reader)
        }
    }

    /// A small picture of the file at `path`.
    ///
    /// - Parameters:
    ///   - dimension: Pixels of the longer side, 1–4096. Pictures made of pixels are never scaled up.
    ///   - page: The page, counted from 1, of a file that has pages.
    /// - Throws: As ``propertiesOfFile(path:generators:)``; `CocoaError(.fileReadNoSuchFile)` for a page that is not
    ///   there.
    /// - Complexity: An image, the cover of a book or the picture in a photograph's EXIF data; of a PDF what the page
    ///   consists of.
    public func thumbnailOfFile(
        path: ProviderPath, dimension: Int = 256, page: Int = 1, generators: FileInformationGenerators = .shared
    ) async throws -> Thumbnail {
        let request = ThumbnailRequest(dimension: dimension, page: page)
        if let storage = self as? any ExtendedFileProvider, storage.providesThumbnail(path: path) {
            do { return try await storage.providedThumbnail(path: path, request: request) } catch let error
                as CocoaError
                where error.code == .featureUnsupported
            {
                // The storage makes none after all; the file may.
            }
        }
        return try await withReader(path: path) { reader in
            let generator = try await generators.find(for: reader, what: "thumbnail") { $0.thumbnail != nil }
            guard let thumbnail = generator.thumbnail else {
                throw FileError.unsupported("make a thumbnail of this file", by: Self.type, path: path)
            }
            return try await thumbnail(reader, request)
        }
    }
}
