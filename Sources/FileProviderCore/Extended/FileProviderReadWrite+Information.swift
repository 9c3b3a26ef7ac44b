import Foundation

/// Properties and thumbnails, for every provider: from the storage if it has them, else made from the file.
extension FileProviderReadWrite {
    /// Whether a file with this name may have properties. Only looks at the name, and sends nothing.
    public func propertiesOfFileSupported(path: ProviderPath, generators: FileInformationGenerators = .shared) -> Bool {
        (self as? any ExtendedFileProvider)?.providesProperties(path: path) == true
            || generators.forProperties(of: path) != nil
    }

    /// Whether a file with this name may have a thumbnail. Only looks at the name, and sends nothing.
    public func thumbnailOfFileSupported(path: ProviderPath, generators: FileInformationGenerators = .shared) -> Bool {
        (self as? any ExtendedFileProvider)?.providesThumbnail(path: path) == true
            || generators.forThumbnail(of: path) != nil
    }

    /// Returns the properties of the file at `path`: camera data, music tags, title and author of a document.
    ///
    /// - Throws: `CocoaError(.featureUnsupported)` for an unsupported kind of file; `.fileReadCorruptFile` for a
    ///   damaged one; `.fileReadTooLarge` over a limit; the provider's errors.
    /// - Complexity: A few ranges if the format allows, as `Documentation/FileInformation.md` says.
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

    /// Returns a small picture of the file at `path`.
    ///
    /// - Parameters:
    ///   - dimension: Pixels of the longer side, 1–4096. Pictures made of pixels are never scaled up.
    ///   - page: The page, counted from 1, of a file that has pages.
    /// - Throws: As ``propertiesOfFile(path:generators:)``; `CocoaError(.fileReadNoSuchFile)` for a missing page.
    /// - Complexity: Reads an image, the cover of a book or the picture in a photograph's EXIF data; of a PDF, the
    ///   objects of the page.
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
