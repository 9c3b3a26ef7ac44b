public import FileProviderCore
public import Foundation
import MediaTypes

extension Format {
    /// The hints and content that a sniffer inspects.
    public typealias SnifferContext = MediaType.SnifferContext

    /// A sniffer in the form of the first proposal: called twice, with a flag that says whether it may inspect the
    /// content.
    public typealias Sniffer = @Sendable (_ context: SnifferContext, _ inspectingContent: Bool) async throws -> Format?

    /// The default sniffers: the same list as ``MediaTypes/MediaType/sniffers``.
    public static var defaultSniffers: SnifferList { MediaType.sniffers }

    /// Returns a sniffer of this form as one of ``/MediaTypes/MediaType``'s. Its media type has the format's name and
    /// extension.
    public static func adapted(_ sniffer: @escaping Sniffer) -> MediaType.Sniffer {
        { context in
            guard let format = try await sniffer(context, context.hasContent) else { return nil }
            return MediaType(format.mediaType.string, name: format.name, fileExtension: format.fileExtension)
        }
    }

    /// Returns the ``Format`` that the hints name; as
    /// ``MediaTypes/MediaType/of(mediaTypes:fileExtensions:sniffers:)``.
    public static func guess(
        fileExtensions: [String?] = [], mediaTypes: [String?] = [],
        sniffers: [MediaType.Sniffer] = Format.defaultSniffers.all
    ) async throws -> Format? {
        try await MediaType.of(mediaTypes: mediaTypes, fileExtensions: fileExtensions, sniffers: sniffers).flatMap {
            Format($0)
        }
    }

    /// Returns the ``Format`` of the bytes that `bytes` returns; as
    /// ``MediaTypes/MediaType/of(bytes:mediaTypes:fileExtensions:sniffers:)``.
    public static func guess(
        bytes: @escaping @Sendable () async throws -> Data, fileExtensions: [String?] = [], mediaTypes: [String?] = [],
        sniffers: [MediaType.Sniffer] = Format.defaultSniffers.all
    ) async throws -> Format? {
        try await MediaType.of(bytes: bytes, mediaTypes: mediaTypes, fileExtensions: fileExtensions, sniffers: sniffers)
            .flatMap {
                Format($0)
            }
    }

    /// Returns the ``Format`` of the file at `path`; as
    /// ``MediaTypes/MediaType/of(path:of:mediaTypes:fileExtensions:sniffers:)``.
    public static func guess(
        path: ProviderPath, of provider: any FileProviderReadWrite, fileExtensions: [String?] = [],
        mediaTypes: [String?] = [],
        sniffers: [MediaType.Sniffer] = Format.defaultSniffers.all
    ) async throws -> Format? {
        try await MediaType.of(
            path: path, of: provider, mediaTypes: mediaTypes, fileExtensions: fileExtensions, sniffers: sniffers
        ).flatMap { Format($0) }
    }
}
