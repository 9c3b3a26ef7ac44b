import Archives
import FileProviderCore
public import Foundation
public import Logging
import MediaTypes

/// How a publication is opened (`Streamer` of Readium's proposal, as a value).
public struct OpeningOptions: Sendable {
    /// Hints, such as what a database or a server says of the file.
    public var mediaTypes: [String] = []
    /// Where the file was downloaded from, if it was: what the relative links of a manifest count from that says no
    /// address of its own.
    public var sourceURL: URL?
    /// What tells formats, for hints and content alike.
    public var sniffers: [MediaType.Sniffer] = MediaType.sniffers.all
    /// The app's own parsers, asked before the others.
    public var parsers: [any PublicationParser] = []
    /// The parsers of the formats that are known here; empty to leave them out.
    public var standardParsers: [any PublicationParser] = OpeningOptions.allParsers
    /// What unlocks protected publications, in order.
    public var protections: [any ContentProtection] = []
    /// What links with an address of their own lead to: by default to web servers, by the providers registered in
    /// ``/FileProviderCore/ProviderRegistry/shared``. Nothing is asked of a server before somebody reads such a
    /// resource.
    public var remote: @Sendable () -> any Fetcher = { HTTPFetcher() }
    /// Called with each publication before it is built, to change what it says or to put a fetcher in front of its own.
    public var transform: @Sendable (inout Manifest, inout any Fetcher) -> Void = { _, _ in }
    /// Called with the services that the parser chose for each publication, to add, replace or decorate some.
    public var services: @Sendable (inout PublicationServices) -> Void = { _ in }
    /// What archives may ask of this machine.
    public var archiveLimits = ArchiveLimits.standard
    /// What names in ZIP archives are in that say no encoding and are no UTF-8, by its IANA name, such as `Shift_JIS`
    /// or `windows-1251`.
    ///
    /// The addresses that a book itself uses count more. Nil, and a name that this system does not know, leave it to
    /// what the names make most sense as, and to code page 437 in the end. The warning `assumed-encoding` names what
    /// was assumed.
    public var zipNameEncoding: String?
    /// Keeps, from one opening to the next, where large deflated entries of archives can be unpacked from; nil to find
    /// out anew each time. See ``FileCheckpointStore``.
    public var checkpoints: (any CheckpointStore)?

    /// Receives at `.debug` what a file is recognised as and by what, which parser opens it, and each read of the file
    /// that memory does not answer. With nil, and while `.debug` is off, no line is made.
    public var logger: Logger?

    /// The options named at each property.
    public init() {}

    /// One for each format, or family of formats, that is known here, in the order in which they are asked.
    public static let allParsers: [any PublicationParser] = [
        ReadiumWebPubParser(), W3CWebPubParser(), EPUBParser(), PDFParser(), ImageParser(), AudioParser(),
    ]
}
