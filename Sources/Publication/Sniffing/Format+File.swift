public import FileProviderCore
public import Foundation
import MediaTypes

extension Format {
    /// A file together with its format, which is found out when somebody first asks for it, once.
    ///
    /// `File` of the first media type proposal, over any provider. It stands below ``Format`` because that is what it
    /// is about, and because an app is likely to have a `File` of its own.
    public final class File: Sendable {
        /// Where it lies.
        public let path: ProviderPath
        /// Whose it is.
        public let provider: any FileProvider
        /// Where it came from, if it was downloaded: what relative links in a manifest are resolved against.
        public let sourceURL: URL?
        let mediaTypes: [String]
        private let sniffers: [MediaType.Sniffer]
        private let found: LazyValue<MediaType?>

        /// Nothing is read yet.
        ///
        /// - Parameters:
        ///   - mediaTypes: Hints, such as the `Content-Type` that came with a download, or what a database says.
        ///   - formatSniffers: What tells formats.
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

        /// What the file is; nil where nobody knows. The extension of ``sourceURL`` is a hint, too.
        ///
        /// - Throws: As ``MediaType/of(path:of:mediaTypes:fileExtensions:sniffers:)``; the next call tries again then.
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

        /// ``mediaType``, if somebody asked for it before.
        var knownMediaType: MediaType? { found.known ?? nil }

        /// ``mediaType`` as a format; nil also for one that has no name or file extension.
        ///
        /// - Throws: As ``mediaType``.
        public var format: Format? { get async throws { try await mediaType.flatMap { Format($0) } } }

        /// Moves the file, within its provider.
        ///
        /// - Returns: The file at its new place, which knows its format if this one does.
        /// - Throws: As ``/FileProviderCore/FileProviderOperations/moveItem(path:to:overwrite:progress:)``.
        public func move(to destination: ProviderPath, overwrite: Bool = false) async throws -> File {
            try await provider.moveItem(path: path, to: destination, overwrite: overwrite)
            return File(
                destination, provider, sourceURL, mediaTypes, sniffers, found.known == nil ? LazyValue() : found)
        }
    }
}
