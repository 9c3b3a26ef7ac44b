import Archives
public import FileProviderCore
public import Foundation
import MediaTypes

extension MediaType {
    /// Tells what a file is from hints, or from its content; nil when it is something else.
    ///
    /// Asked twice: with a context of hints alone, which has to be quick, and with the content as well where nobody
    /// knew the hints.
    public typealias Sniffer = @Sendable (_ context: SnifferContext) async throws -> MediaType?

    /// The sniffers that are used where none are given: the standard ones, then those by signature, then what an app
    /// adds. Safe to change from any thread.
    public static let sniffers = SnifferList(standardSniffers + signatureSniffers)

    /// How long looking at content may take, unless said otherwise: 30 seconds.
    public static let sniffingTimeLimit: Duration = .seconds(30)

    /// What the hints say: the sniffers' answer, else what the tables of known types and extensions have, else the
    /// first hint that is a media type and says anything. Hints that are nil, as of a link without a type, count for
    /// nothing.
    ///
    /// - Complexity: Nothing is read.
    public static func of(
        mediaTypes: [String?] = [], fileExtensions: [String?] = [], sniffers: [Sniffer] = MediaType.sniffers.all
    ) async throws -> MediaType? {
        try await SnifferRun(mediaTypes, fileExtensions, sniffers).run(content: nil)?.mediaType
    }

    /// What the bytes are that `bytes` gives, asked for only when the hints do not tell.
    ///
    /// - Throws: What `bytes` throws.
    public static func of(
        bytes: @escaping @Sendable () async throws -> Data, mediaTypes: [String?] = [], fileExtensions: [String?] = [],
        sniffers: [Sniffer] = MediaType.sniffers.all
    ) async throws -> MediaType? {
        try await SnifferRun(mediaTypes, fileExtensions, sniffers).run {
            SniffedContent(DataReader(try await bytes()))
        }?.mediaType
    }

    /// The same with the hints in the other order, as Readium's examples have them.
    ///
    /// - Throws: What `bytes` throws.
    public static func of(
        bytes: @escaping @Sendable () async throws -> Data, fileExtensions: [String?], mediaTypes: [String?],
        sniffers: [Sniffer] = MediaType.sniffers.all
    ) async throws -> MediaType? {
        try await of(bytes: bytes, mediaTypes: mediaTypes, fileExtensions: fileExtensions, sniffers: sniffers)
    }

    /// What the file at `path` is; as ``sniff(path:of:mediaTypes:fileExtensions:sniffers:ignoringHints:timeLimit:)``,
    /// without saying what told it.
    ///
    /// - Throws: The provider's errors, when the hints do not tell.
    public static func of(
        path: ProviderPath, of provider: any FileProviderReadWrite, mediaTypes: [String?] = [],
        fileExtensions: [String?] = [],
        sniffers: [Sniffer] = MediaType.sniffers.all
    ) async throws -> MediaType? {
        try await sniff(
            path: path, of: provider, mediaTypes: mediaTypes, fileExtensions: fileExtensions, sniffers: sniffers)?
            .mediaType
    }

    /// What the publication is that lies unpacked in the folder at `path`; nil where the files in it are none.
    ///
    /// - Throws: The provider's errors; `CocoaError(.fileReadTooLarge)` over the limit of ``ArchiveLimits/entries``.
    /// - Complexity: One listing for each folder below it.
    public static func of(
        folder path: ProviderPath, of provider: any FileProviderReadWrite, sniffers: [Sniffer] = MediaType.sniffers.all
    ) async throws -> MediaType? {
        let sniffing = SnifferRun(mediaTypes: [], fileExtensions: [], sniffers: sniffers, ignoringHints: true)
        let found = try await sniffing.run { SniffedContent(try await FolderArchive.open(provider, path: path)) }
        // A folder is no ZIP file, whatever is in it.
        return found?.mediaType == .zip ? nil : found?.mediaType
    }

    /// What the file at `path` is: by hints, its name among them, else by looking inside.
    ///
    /// Hints decide without a look inside where they name a format. Those that name a container or say nothing, such as
    /// `application/octet-stream`, `application/zip`, `application/json`, `text/xml` or `text/plain`, are made finer by
    /// the content; so are the names of comics, of which many are in another archive than they say.
    ///
    /// - Parameters:
    ///   - ignoringHints: Whether the content alone decides; hints stand in only where it tells nothing.
    ///   - timeLimit: When the content has not told by then, what is being read is given up, and the hints' best answer
    ///     stands.
    /// - Throws: The provider's errors, such as that there is no such file; hints alone find out nothing about that.
    /// - Complexity: No request when the hints tell. One for a ZIP archive, and two of 80 KiB together for what is
    ///   none, whatever its size. One more for a package's manifest, and for JSON of up to 5 MB.
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

/// A media type, and what told it.
public struct SniffedType: Sendable, Hashable {
    /// What a media type was told by.
    public enum Basis: String, Sendable, Hashable {
        /// A media type that the caller or the server gave, or a file extension; never the bytes.
        case hint
        /// The bytes, whatever the file is called.
        case content
    }

    /// With name and file extension where the format is known; a hint that nobody knows is here as it was given.
    public let mediaType: MediaType
    /// ``Basis/hint`` also where the content was looked at and told nothing.
    public let basis: Basis

    /// An answer put together by a program; nothing is checked.
    public init(mediaType: MediaType, basis: Basis) {
        self.mediaType = mediaType
        self.basis = basis
    }
}
