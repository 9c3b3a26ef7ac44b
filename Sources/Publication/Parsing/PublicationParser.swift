import Archives

/// Makes publications of one format or of a family of them (`PublicationParser` of Readium's streamer proposal).
///
/// An app's own parsers are asked before the ones that are here; see ``OpeningOptions/parsers``.
public protocol PublicationParser: Sendable {
    /// The publication in `asset`; nil where it is of another format.
    ///
    /// - Parameter warnings: What was wrong with the book and could be helped, and what was done about it, goes here.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` when it is of this format and too damaged to be read;
    ///   `.fileReadTooLarge` over a limit; errors of the storage.
    func parse(_ asset: PublicationAsset, warnings: WarningLog) async throws -> PublicationBuilder?
}

/// A publication in the making: a parser's result, which ``OpeningOptions/transform`` may change before it is built.
public struct PublicationBuilder: Sendable {
    /// What the publication says of itself.
    public var manifest: Manifest
    /// What its resources come from; closed with the publication.
    public var fetcher: any Fetcher
    /// What the format itself protects the publication by, such as a password of a PDF file; nil where nothing does.
    public var protection: Protection?
    /// Reads the table of contents, where that takes more than was read to open the publication; see
    /// ``Publication/contents()``. Nil if the manifest has it.
    public var contents: (@Sendable () async throws -> [Link])?
    /// Looks for the cover, where that takes more than was read to open the publication; see
    /// ``Publication/findCover()``. Nil if the manifest names it, or there is none.
    public var cover: (@Sendable () async throws -> Link?)?
    /// Makes what answers positions, searches and the like; a parser changes what its format has other rules for.
    public var services = PublicationServices.standard

    /// A manifest, and what its resources come from.
    public init(manifest: Manifest, fetcher: any Fetcher) {
        self.manifest = manifest
        self.fetcher = fetcher
    }
}
