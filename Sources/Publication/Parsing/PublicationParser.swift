import Archives

/// Makes publications of one format or of a family of them (`PublicationParser` of Readium's streamer proposal).
///
/// An app's own parsers are asked before the standard ones; see ``OpeningOptions/parsers``.
public protocol PublicationParser: Sendable {
    /// Returns the publication in `asset`; nil if it is of another format.
    ///
    /// - Parameter warnings: Receives a warning for each fault of the book that could be worked around.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if the asset is of this format and too damaged to be read;
    ///   `.fileReadTooLarge` over a limit; errors of the storage.
    func parse(_ asset: PublicationAsset, warnings: WarningLog) async throws -> PublicationBuilder?
}

/// A parser's result, which ``OpeningOptions/transform`` may change before the publication is built.
public struct PublicationBuilder: Sendable {
    /// The manifest of the publication.
    public var manifest: Manifest
    /// The fetcher of its resources; closed with the publication.
    public var fetcher: any Fetcher
    /// The format's own protection, such as a password of a PDF file; nil if there is none.
    public var protection: Protection?
    /// Reads the table of contents, if that takes more than was read to open the publication; see
    /// ``Publication/contents()``. Nil if the manifest has it.
    public var contents: (@Sendable () async throws -> [Link])?
    /// Looks for the cover, if that takes more than was read to open the publication; see ``Publication/findCover()``.
    /// Nil if the manifest names it, or there is none.
    public var cover: (@Sendable () async throws -> Link?)?
    /// Makes what answers positions, searches and the like; a parser changes what its format has other rules for.
    public var services = PublicationServices.standard

    /// A manifest, and the fetcher of its resources.
    public init(manifest: Manifest, fetcher: any Fetcher) {
        self.manifest = manifest
        self.fetcher = fetcher
    }
}
