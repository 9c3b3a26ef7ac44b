import FileProviderCore
import Foundation
import LocalFileProvider
public import Publication

extension MediaType {
    /// What the file of this machine at `path` is: by hints, its name among them, else by looking inside.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` and its like, when the hints do not tell and the file cannot be read.
    public static func of(
        path: String, mediaTypes: [String] = [], fileExtensions: [String] = [], sniffers: [Sniffer] = MediaType.sniffers.all
    ) async throws -> MediaType? {
        let provider = try LocalFileProvider(root: URL(fileURLWithPath: "/"))
        let place = try ProviderPath(URL(fileURLWithPath: path).standardizedFileURL.path)
        return try await sniff(path: place, of: provider, mediaTypes: mediaTypes, fileExtensions: fileExtensions, sniffers: sniffers)?
            .mediaType
    }
}

extension Format {
    /// What the file of this machine at `path` is, as a ``Format``.
    public static func guess(
        path: String, fileExtensions: [String] = [], mediaTypes: [String] = [], sniffers: [MediaType.Sniffer] = MediaType.sniffers.all
    ) async throws -> Format? {
        try await MediaType.of(path: path, mediaTypes: mediaTypes, fileExtensions: fileExtensions, sniffers: sniffers).flatMap {
            Format($0)
        }
    }
}
