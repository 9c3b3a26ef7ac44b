import FileProviderCore
public import Foundation
public import Publication

extension MediaType {
    /// What the file of this machine at `path` is: by hints, its name among them, else by looking inside.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` and its like, when the hints do not tell and the file cannot be
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
    /// What the file of this machine at `path` is, as a ``Format``.
    ///
    /// - Throws: As ``Publication/MediaType/of(path:mediaTypes:fileExtensions:sniffers:)``.
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
    /// A file of this machine; its ``path`` counts from the machine's root.
    ///
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` for a path that cannot be.
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
