public import FileProviderCore
public import Foundation
import MediaTypes

extension Format {
    /// What a sniffer looks at.
    public typealias SnifferContext = MediaType.SnifferContext

    /// A sniffer as the first proposal has it: asked twice, and told whether it may look at the content.
    public typealias Sniffer = @Sendable (_ context: SnifferContext, _ inspectingContent: Bool) async throws -> Format?

    /// The sniffers that are used where none are given: the same list as ``MediaType/sniffers``.
    public static var defaultSniffers: SnifferList { MediaType.sniffers }

    /// A sniffer of this form as one of ``MediaType``'s. The media type it gives has the format's name and extension.
    public static func adapted(_ sniffer: @escaping Sniffer) -> MediaType.Sniffer {
        { context in
            guard let format = try await sniffer(context, context.hasContent) else { return nil }
            return MediaType(format.mediaType.string, name: format.name, fileExtension: format.fileExtension)
        }
    }

    /// What the hints say, as a ``Format``; as ``MediaType/of(mediaTypes:fileExtensions:sniffers:)``.
    public static func guess(
        fileExtensions: [String?] = [], mediaTypes: [String?] = [],
        sniffers: [MediaType.Sniffer] = Format.defaultSniffers.all
    ) async throws -> Format? {
        try await MediaType.of(mediaTypes: mediaTypes, fileExtensions: fileExtensions, sniffers: sniffers).flatMap {
            Format($0)
        }
    }

    /// What the bytes are that `bytes` gives, as a ``Format``; as
    /// ``MediaType/of(bytes:mediaTypes:fileExtensions:sniffers:)``.
    public static func guess(
        bytes: @escaping @Sendable () async throws -> Data, fileExtensions: [String?] = [], mediaTypes: [String?] = [],
        sniffers: [MediaType.Sniffer] = Format.defaultSniffers.all
    ) async throws -> Format? {
        try await MediaType.of(bytes: bytes, mediaTypes: mediaTypes, fileExtensions: fileExtensions, sniffers: sniffers)
            .flatMap {
                Format($0)
            }
    }

    /// What the file at `path` is, as a ``Format``; as ``MediaType/of(path:of:mediaTypes:fileExtensions:sniffers:)``.
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
