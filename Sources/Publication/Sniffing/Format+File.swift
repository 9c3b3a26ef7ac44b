public import FileProviderCore
public import Foundation
import MediaTypes

extension Format {
    /// A file together with its format, which is recognised once, on first use.
    ///
    /// `File` of the first media type proposal, over any provider. It is nested in ``Format`` because it is about
    /// formats, and because an app is likely to have its own `File`.
    public final class File: Sendable {
        /// The path of the file.
        public let path: ProviderPath
        /// The provider of the file.
        public let provider: any FileProvider
        /// The address that the file was downloaded from, if it was. Relative links in a manifest are resolved against
        /// it.
        public let sourceURL: URL?
        let mediaTypes: [String]
        private let sniffers: [MediaType.Sniffer]
        private let found: LazyValue<MediaType?>

        /// A file; nothing is read yet.
        ///
        /// - Parameters:
        ///   - mediaTypes: Hints, such as the `Content-Type` of a download, or a type from a database.
        ///   - formatSniffers: The sniffers that recognise formats.
        public convenience init(
            path: ProviderPath, of provider: any FileProvider, sourceURL: URL? = nil, mediaTypes: [String?] = [],
            formatSniffers: [MediaType.Sniffer] = Format.defaultSniffers.all
        ) {
            self.init(path, provider, sourceURL, mediaTypes.compactMap(\.self), formatSniffers, LazyValue())
        }

        private init(
            _ path: ProviderPath, _ provider: any FileProvider, _ sourceURL: URL?, _ mediaTypes: [String],
            _ sniffers: [MediaType.Sniffer],
            _ found: LazyValue<MediaType?>
        ) {
            self.path = path
            self.provider = provider
            self.sourceURL = sourceURL
            self.mediaTypes = mediaTypes
            self.sniffers = sniffers
            self.found = found
        }

        /// The media type of the file; nil if it is unknown. The extension of ``sourceURL`` is a hint, too.
        ///
        /// - Throws: As ``MediaTypes/MediaType/of(path:of:mediaTypes:fileExtensions:sniffers:)``; the next access
        ///   tries again.
        /// - Complexity: Nothing after the first answer.
        public var mediaType: MediaType? {
            get async throws {
                try await found.value { [path, provider, mediaTypes, sniffers, sourceURL] in
                    let extensions = [sourceURL?.pathExtension].compactMap(\.self).filter { !$0.isEmpty }
                    return try await MediaType.of(
                        path: path, of: provider, mediaTypes: mediaTypes, fileExtensions: extensions, sniffers: sniffers
                    )
                }
            }
        }

        /// ``mediaType``, if it was determined before.
        var knownMediaType: MediaType? { found.known ?? nil }

        /// ``mediaType`` as a format; nil also for one that has no name or file extension.
        ///
        /// - Throws: As ``mediaType``.
        public var format: Format? { get async throws { try await mediaType.flatMap { Format($0) } } }

        /// Moves the file within its provider.
        ///
        /// - Returns: The file at its new place, with its format if that was determined.
        /// - Throws: As ``/FileProviderCore/FileProviderOperations/moveItem(path:to:overwrite:progress:)``.
        public func move(to destination: ProviderPath, overwrite: Bool = false) async throws -> File {
            try await provider.moveItem(path: path, to: destination, overwrite: overwrite)
            return File(
                destination, provider, sourceURL, mediaTypes, sniffers, found.known == nil ? LazyValue() : found)
        }
    }
}
