import Archives
import FileProviderCore
import MediaTypes

/// A book: its manifest, and its resources, which are read in place.
public final class Publication: Sendable {
    /// The manifest as of opening the publication; it never changes.
    public let manifest: Manifest
    /// The format it was opened from; nil for a publication made by a program, or a folder of no certain format.
    public let mediaType: MediaType?
    /// The protection; nil if there is none.
    public let protection: Protection?
    /// Warnings about faults of the book, each with how it was handled.
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

    /// The same publication with another manifest or another root fetcher: for a separate use, such as making an
    /// index.
    ///
    /// - Parameter change: May change both; a fetcher that wraps the old one keeps using it.
    /// - Returns: A publication that shares the fetcher's storage: close one of the two, when both are done.
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

    /// The tree of fetchers that serves the resources, for debugging.
    public var fetcherTree: String { fetcher.tree }

    /// Returns the first fetcher of type `type` in the tree that serves the resources, such as the cache that the
    /// publication was opened with; nil if there is none. Don't close it; the publication does.
    public func fetcher<Wanted: Fetcher>(of type: Wanted.Type) -> Wanted? { fetcher.first(of: type) }

    /// Title, contributors, languages and the rest.
    public var metadata: Metadata { manifest.metadata }
    /// Links to resources that belong to the publication without being part of it; an EPUB has none.
    public var links: [Link] { manifest.links }
    /// The resources in reading order. Side texts that an EPUB marks as not linear are among the ``resources``.
    public var readingOrder: [Link] { manifest.readingOrder }
    /// The resources outside the ``readingOrder``, such as images, style sheets and fonts.
    public var resources: [Link] { manifest.resources }
    /// The table of contents as far as opening the publication read it, a tree by ``Link/children``; empty if there is
    /// none. An href may point into a resource with a fragment. ``contents()`` also reads parts that are stored
    /// elsewhere.
    public var tableOfContents: [Link] { manifest.tableOfContents }

    /// Returns the table of contents; reads it once if ``tableOfContents`` is incomplete.
    ///
    /// - Throws: Errors of the storage. The next call tries again.
    /// - Complexity: No request for most publications. For a recording whose chapter titles are stored among the sound,
    ///   as many requests as the storage's cost model says, at the first call.
    public func contents() async throws -> [Link] {
        guard let readContents else { return tableOfContents }
        return try await knownContents.value(readContents)
    }

    /// Returns the link of the cover: ``coverLink``, or the result of a search in the book, which is made once.
    ///
    /// - Throws: Errors of the storage. The next call tries again.
    /// - Complexity: No request for a publication that declares its cover. For an EPUB that does not, the start of an
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
    /// - Parameter parameters: The values for a ``Link/templated`` link, not percent-encoded; variables without a value
    ///   expand to nothing.
    /// - Returns: A resource that fails with `CocoaError(.fileReadInvalidFileName)` if the template is malformed or
    ///   none of its variables has a value, and if there are parameters but no template.
    public func get(_ link: Link, parameters: [String: String] = [:]) -> any Resource {
        if let answer = answer(link, parameters: parameters) { return answer }
        if !link.templated, parameters.isEmpty { return fetcher.get(link) }
        do {
            return fetcher.get(try link.request(parameters))
        } catch {
            return FailureResource(link, error: error)
        }
    }

    /// Returns the resource at `href`, with the properties of its link in the manifest.
    public func get(_ href: String) -> any Resource { get(link(withHREF: href) ?? Link(href: href)) }

    /// Gives back the archive or folder behind the publication. Resources read after it fail with
    /// `URLError(.resourceUnavailable)`.
    public func close() async {
        await serviceTable.close()
        await fetcher.close()
    }
}
