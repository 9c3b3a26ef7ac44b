import Archives
package import FileProviderCore
public import Foundation
public import Logging
import MediaTypes

/// How a publication is opened (`Streamer` of Readium's proposal, as a value).
public struct OpeningOptions: Sendable {
    /// Media types to try first, such as one from a database or a server.
    public var mediaTypes: [String] = []
    /// Where the file was downloaded from, if it was. Relative links of a manifest without its own address are resolved
    /// against it.
    public var sourceURL: URL?
    /// The sniffers that recognise formats by hints and content.
    public var sniffers: [MediaType.Sniffer] = MediaType.sniffers.all
    /// The app's own parsers, asked before the others.
    public var parsers: [any PublicationParser] = []
    /// The parsers for the formats that Carrel knows; set to an empty array to leave them out.
    public var standardParsers: [any PublicationParser] = OpeningOptions.allParsers
    /// The protections that unlock publications, in the order in which they are asked.
    public var protections: [any ContentProtection] = []
    /// Makes the fetcher for links outside the publication: by default one that reads from web servers through the
    /// providers registered in ``/FileProviderCore/ProviderRegistry/shared``. No request is sent before such a resource
    /// is read.
    public var remote: @Sendable () -> any Fetcher = { HTTPFetcher() }
    /// Called with each publication before it is built, to change its manifest or to wrap its fetcher.
    public var transform: @Sendable (inout Manifest, inout any Fetcher) -> Void = { _, _ in }
    /// Called with the services that the parser chose for each publication, to add, replace or decorate some.
    public var services: @Sendable (inout PublicationServices) -> Void = { _ in }
    /// What archives may ask of this machine.
    public var archiveLimits = ArchiveLimits.standard
    /// The encoding of names in ZIP archives that declare no encoding and are not UTF-8, by its IANA name, such as
    /// `Shift_JIS` or `windows-1251`.
    ///
    /// The addresses that a book itself uses take precedence. If this is nil, or a name that this system does not know,
    /// the encoding in which the names make most sense is used, in the end code page 437. The warning
    /// `assumed-encoding` names the encoding that was used.
    public var zipNameEncoding: String?
    /// Stores checkpoints between openings, so that large deflated entries of archives need not be unpacked from their
    /// start again; nil to store none. See ``/Archives/FileCheckpointStore``.
    public var checkpoints: (any CheckpointStore)?

    /// Returns the reader through which a book's file is read, given the storage's reader. By default that is the
    /// storage's own.
    package var reading: @Sendable (any FileReader) -> any FileReader = { $0 }

    /// Receives at `.debug` what a file is recognised as and by which rule, which parser opens it, and each read of the
    /// file that memory does not answer. If it is nil or `.debug` is off, no line is composed.
    public var logger: Logger?

    /// The defaults named at each property.
    public init() {}

    /// One parser for each format, or family of formats, in the order in which they are asked.
    public static let allParsers: [any PublicationParser] = [
        ReadiumWebPubParser(), W3CWebPubParser(), EPUBParser(), PDFParser(), ImageParser(), AudioParser(),
    ]
}
