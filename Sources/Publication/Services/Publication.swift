import Archives
import FileProviderCore
import MediaTypes

/// A book: what its manifest says, and its resources, read where they lie.
public final class Publication: Sendable {
    /// As it was made when the publication was opened; it never changes.
    public let manifest: Manifest
    /// The format it was opened from; nil for one that a program made, or a folder of no certain format.
    public let mediaType: MediaType?
    /// What protects it; nil where nothing does.
    public let protection: Protection?
    /// What was wrong with it and could be helped, and what was done about it.
    public let warnings: [ContentWarning]
    let fetcher: any Fetcher
    let serviceTable: ServiceTable
    private let readContents: (@Sendable () async throws -> [Link])?
    private let knownContents = LazyValue<[Link]>()
    private let searchCover: (@Sendable () async throws -> Link?)?
    private let knownCover = LazyValue<Link?>()

    /// - Parameters:
    ///   - fetcher: Closed with the publication.
    ///   - contents: Reads the table of contents when somebody asks for it; nil if the manifest has it.
    ///   - cover: Looks for the cover when somebody asks for it; nil if the manifest names it, or there is none.
    ///   - services: Makes what answers positions, searches and the like; see ``PublicationServices/standard``.
    public init(
        manifest: Manifest, fetcher: any Fetcher = EmptyFetcher(), mediaType: MediaType? = nil,
        protection: Protection? = nil,
        warnings: [ContentWarning] = [], contents: (@Sendable () async throws -> [Link])? = nil,
        cover: (@Sendable () async throws -> Link?)? = nil, services: PublicationServices = .standard
    ) {
        self.manifest = manifest
        self.fetcher = fetcher
        self.mediaType = mediaType
        self.protection = protection
        self.warnings = warnings
        readContents = contents
        searchCover = cover
        serviceTable = ServiceTable(services)
    }

    var serviceContext: PublicationServiceContext { PublicationServiceContext(self, fetcher: fetcher) }

    /// The same publication with another manifest or another root fetcher: for a use of its own, such as making an
    /// index.
    ///
    /// - Parameter change: May change both; a fetcher in front of the old one keeps using it.
    /// - Returns: A publication that shares what the fetcher holds: close one of the two, when both are done.
    public func copy(_ change: (_ manifest: inout Manifest, _ fetcher: inout any Fetcher) throws -> Void) rethrows
        -> Publication
    {
        try copy { manifest, fetcher, _ in try change(&manifest, &fetcher) }
    }

    /// The same publication with another manifest, another root fetcher or other services; each
    /// service is made by its factory for the copy.
    public func copy(
        _ change: (
            _ manifest: inout Manifest, _ fetcher: inout any Fetcher, _ services: inout PublicationServices
        ) throws -> Void
    ) rethrows -> Publication {
        var (manifest, fetcher, services) = (manifest, fetcher, serviceTable.services)
        try change(&manifest, &fetcher, &services)
        return Publication(
            manifest: manifest, fetcher: fetcher, mediaType: mediaType, protection: protection, warnings: warnings,
            contents: readContents, cover: searchCover, services: services)
    }

    /// The tree of fetchers that resources come through, for people who debug.
    public var fetcherTree: String { fetcher.tree }

    /// The first fetcher of type `type` in the tree that resources come through, such as the cache that the publication
    /// was opened with; nil where there is none. It stays the publication's own.
    public func fetcher<Wanted: Fetcher>(of type: Wanted.Type) -> Wanted? { fetcher.first(of: type) }

    /// Title, contributors, languages and the rest.
    public var metadata: Metadata { manifest.metadata }
    /// Links to what belongs to the publication without being part of it; an EPUB has none.
    public var links: [Link] { manifest.links }
    /// What is read from front to back. Side texts that an EPUB marks as not linear are among the ``resources``.
    public var readingOrder: [Link] { manifest.readingOrder }
    /// All that is not in the ``readingOrder``, such as images, style sheets and fonts.
    public var resources: [Link] { manifest.resources }
    /// A tree by ``Link/children``; empty where the publication has none. An href may point into a resource with a
    /// fragment. It is what opening the publication brought; ``contents()`` also reads what lies further away.
    public var tableOfContents: [Link] { manifest.tableOfContents }

    /// The table of contents, read once if ``tableOfContents`` is not all of it.
    ///
    /// - Throws: Errors of the storage. The next call tries again.
    /// - Complexity: Nothing for most publications. For a recording whose chapter titles lie among the sound, as many
    ///   requests as the storage's cost model says, at the first call.
    public func contents() async throws -> [Link] {
        guard let readContents else { return tableOfContents }
        return try await knownContents.value(readContents)
    }

    /// The link of the cover: ``coverLink``, or what a search in the book finds, once.
    ///
    /// - Throws: Errors of the storage. The next call tries again.
    /// - Complexity: Nothing for a publication that declares its cover. For an EPUB that does not, the start of an
    ///   image and up to six pages, at the first call.
    public func findCover() async throws -> Link? {
        if let coverLink { return coverLink }
        guard let searchCover else { return nil }
        return try await knownCover.value(searchCover)
    }

    /// Whether the manifest names a cover, or a search may find one.
    var mayHaveCover: Bool { coverLink != nil || searchCover != nil }

    /// The resource at `link`: a service's answer under `~readium/`, else a file of the publication. Nothing is read
    /// yet; a link that leads nowhere fails when it is read.
    ///
    /// - Parameter parameters: The values for a ``Link/templated`` link, not percent-encoded; variables without one
    ///   vanish from the address.
    /// - Returns: A resource that fails with `CocoaError(.fileReadInvalidFileName)` when the template is malformed or
    ///   none of its variables has a value, and when there are parameters and no template to take them.
    public func get(_ link: Link, parameters: [String: String] = [:]) -> any Resource {
        if let answer = answer(link, parameters: parameters) { return answer }
        if !link.templated, parameters.isEmpty { return fetcher.get(link) }
        do {
            return fetcher.get(try link.request(parameters))
        } catch {
            return FailureResource(link, error: error)
        }
    }

    /// The resource at `href`, with what the manifest says of it.
    public func get(_ href: String) -> any Resource { get(link(withHREF: href) ?? Link(href: href)) }

    /// Gives back the archive or folder behind the publication. Resources read after it fail with
    /// `URLError(.resourceUnavailable)`.
    public func close() async {
        await serviceTable.close()
        await fetcher.close()
    }
}
