import FileProviderCore
public import Foundation
public import Publication

extension MediaType {
    /// Returns the media type of the local file at `path`: by hints and its name, else by reading the file.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` and its like, if the hints are not enough and the file cannot be
    ///   read.
    public static func of(
        path: String, mediaTypes: [String?] = [], fileExtensions: [String?] = [],
        sniffers: [Sniffer] = MediaType.sniffers.all
    ) async throws -> MediaType? {
        let file = try LocalFile.location(path)
        return try await of(
            path: file.path, of: file.provider, mediaTypes: mediaTypes, fileExtensions: fileExtensions,
            sniffers: sniffers)
    }
}

extension Format {
    /// Returns the ``Format`` of the local file at `path`.
    ///
    /// - Throws: As `MediaType.of(path:mediaTypes:fileExtensions:sniffers:)`.
    public static func guess(
        path: String, fileExtensions: [String?] = [], mediaTypes: [String?] = [],
        sniffers: [MediaType.Sniffer] = MediaType.sniffers.all
    ) async throws -> Format? {
        try await MediaType.of(path: path, mediaTypes: mediaTypes, fileExtensions: fileExtensions, sniffers: sniffers)
            .flatMap {
                Format($0)
            }
    }
}

extension Format.File {
    /// Describes a local file. Its `path` counts from the machine's root.
    ///
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` for an invalid path.
    public convenience init(
        path: String, sourceURL: URL? = nil, mediaTypes: [String?] = [],
        formatSniffers: [MediaType.Sniffer] = Format.defaultSniffers.all
    ) throws {
        let file = try LocalFile.location(path)
        self.init(
            path: file.path, of: file.provider, sourceURL: sourceURL, mediaTypes: mediaTypes,
            formatSniffers: formatSniffers)
    }
}
