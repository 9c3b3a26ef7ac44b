import Archives
public import FileProviderCore
public import Foundation
import MediaTypes

extension MediaType {
    /// Recognises a file by hints or by its content; returns nil if it is something else.
    ///
    /// Called twice: with a context of hints alone, which must be fast, and, if no sniffer recognised those, with the
    /// content as well.
    public typealias Sniffer = @Sendable (_ context: SnifferContext) async throws -> MediaType?

    /// The default sniffers: the standard ones, then those by signature, then those that an app adds. May be changed
    /// from any thread.
    public static let sniffers = SnifferList(standardSniffers + signatureSniffers)

    /// The default limit for inspecting content: 30 seconds.
    public static let sniffingTimeLimit: Duration = .seconds(30)

    /// Returns the media type that the hints name: the sniffers' answer, else the entry in the tables of known types
    /// and extensions, else the first hint that is a specific media type. Nil hints, as of a link without a type, are
    /// ignored.
    ///
    /// - Complexity: Nothing is read.
    public static func of(
        mediaTypes: [String?] = [], fileExtensions: [String?] = [], sniffers: [Sniffer] = MediaType.sniffers.all
    ) async throws -> MediaType? {
        try await SnifferRun(mediaTypes, fileExtensions, sniffers).run(content: nil)?.mediaType
    }

    /// Returns the media type of the bytes that `bytes` returns; called only if the hints don't decide.
    ///
    /// - Throws: The errors of `bytes`.
    public static func of(
        bytes: @escaping @Sendable () async throws -> Data, mediaTypes: [String?] = [], fileExtensions: [String?] = [],
        sniffers: [Sniffer] = MediaType.sniffers.all
    ) async throws -> MediaType? {
        try await SnifferRun(mediaTypes, fileExtensions, sniffers).run {
            SniffedContent(DataReader(try await bytes()))
        }?.mediaType
    }

    /// Does the same with the hints in the other order, as Readium's examples have them.
    ///
    /// - Throws: The errors of `bytes`.
    public static func of(
        bytes: @escaping @Sendable () async throws -> Data, fileExtensions: [String?], mediaTypes: [String?],
        sniffers: [Sniffer] = MediaType.sniffers.all
    ) async throws -> MediaType? {
        try await of(bytes: bytes, mediaTypes: mediaTypes, fileExtensions: fileExtensions, sniffers: sniffers)
    }

    /// Returns the media type of the file at `path`; as
    /// ``sniff(path:of:mediaTypes:fileExtensions:sniffers:ignoringHints:timeLimit:)``, without the basis.
    ///
    /// - Throws: The provider's errors, if the hints don't decide.
    public static func of(
        path: ProviderPath, of provider: any FileProviderReadWrite, mediaTypes: [String?] = [],
        fileExtensions: [String?] = [],
        sniffers: [Sniffer] = MediaType.sniffers.all
    ) async throws -> MediaType? {
        try await sniff(
            path: path, of: provider, mediaTypes: mediaTypes, fileExtensions: fileExtensions, sniffers: sniffers)?
            .mediaType
    }

    /// Returns the media type of the unpacked publication in the folder at `path`; nil if its files are not a
    /// publication.
    ///
    /// - Throws: The provider's errors; `CocoaError(.fileReadTooLarge)` over the limit of
    ///   ``/Archives/ArchiveLimits/entries``.
    /// - Complexity: One listing for each folder below it.
    public static func of(
        folder path: ProviderPath, of provider: any FileProviderReadWrite, sniffers: [Sniffer] = MediaType.sniffers.all
    ) async throws -> MediaType? {
        let sniffing = SnifferRun(mediaTypes: [], fileExtensions: [], sniffers: sniffers, ignoringHints: true)
        let found = try await sniffing.run { SniffedContent(try await FolderArchive.open(provider, path: path)) }
        // A folder is not a ZIP file, whatever it contains.
        return found?.mediaType == .zip ? nil : found?.mediaType
    }

    /// Returns the media type of the file at `path`: by hints, its name among them, else by its content.
    ///
    /// Hints decide alone if they name a format. Hints that name a container or a general type, such as
    /// `application/octet-stream`, `application/zip`, `application/json`, `text/xml` or `text/plain`, are refined by
    /// the content; so are the names of comics, many of which are in another kind of archive than they say.
    ///
    /// - Parameters:
    ///   - ignoringHints: Whether the content alone decides; hints are used only if it shows nothing.
    ///   - timeLimit: The limit for inspecting the content. After it the read is cancelled, and the best hint is
    ///     returned.
    /// - Throws: The provider's errors, such as for a missing file; not if the hints decide, because nothing is read
    ///   then.
    /// - Complexity: No request if the hints decide. One for a ZIP archive, and two of 80 KiB together for any other
    ///   file, whatever its size. One more for a package's manifest, and for JSON of up to 5 MB.
    public static func sniff(
        path: ProviderPath, of provider: any FileProviderReadWrite, mediaTypes: [String?] = [],
        fileExtensions: [String?] = [],
        sniffers: [Sniffer] = MediaType.sniffers.all, ignoringHints: Bool = false,
        timeLimit: Duration = MediaType.sniffingTimeLimit
    ) async throws -> SniffedType? {
        var sniffing = SnifferRun(mediaTypes, fileExtensions + [path.fileExtension], sniffers)
        sniffing.ignoringHints = ignoringHints
        sniffing.timeLimit = timeLimit
        return try await sniffing.run { SniffedContent(try await provider.open(path: path)) }
    }
}

/// A media type, and the basis on which it was recognised.
public struct SniffedType: Sendable, Hashable {
    /// The basis on which a media type was recognised.
    public enum Basis: String, Sendable, Hashable {
        /// A media type that the caller or the server gave, or a file extension; never the bytes.
        case hint
        /// The bytes, whatever the file is called.
        case content
    }

    /// With name and file extension if the format is known; an unknown hint is unchanged.
    public let mediaType: MediaType
    /// ``Basis/hint`` also if the content was inspected without a result.
    public let basis: Basis

    /// An answer made by a program; nothing is checked.
    public init(mediaType: MediaType, basis: Basis) {
        self.mediaType = mediaType
        self.basis = basis
    }
}
