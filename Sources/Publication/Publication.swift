/// A book: what its manifest says, and its resources, read where they lie.
public final class Publication: Sendable {
    /// As it was made when the publication was opened; it never changes.
    public let manifest: Manifest
    private let fetcher: any Fetcher

    /// - Parameter fetcher: Closed with the publication.
    public init(manifest: Manifest, fetcher: any Fetcher = EmptyFetcher()) {
        self.manifest = manifest
        self.fetcher = fetcher
    }

    /// Title, contributors, languages and the rest.
    public var metadata: Metadata { manifest.metadata }
    /// Links to what belongs to the publication without being part of it; an EPUB has none.
    public var links: [Link] { manifest.links }
    /// What is read from front to back. Side texts that an EPUB marks as not linear are among the ``resources``.
    public var readingOrder: [Link] { manifest.readingOrder }
    /// All that is not in the ``readingOrder``, such as images, style sheets and fonts.
    public var resources: [Link] { manifest.resources }
    /// A tree by ``Link/children``; empty where the publication has none. An href may point into a resource with a fragment.
    public var tableOfContents: [Link] { manifest.tableOfContents }

    /// The resource at `link`. Nothing is read yet; a link that leads nowhere fails when it is read.
    public func get(_ link: Link) -> any Resource { fetcher.get(link) }

    /// The resource at `href`, with what the manifest says of it.
    public func get(_ href: String) -> any Resource { get(link(withHREF: href) ?? Link(href: href)) }

    /// The manifest's link for `href`: in the reading order, the resources or the links, their alternates and children; on a second try
    /// without query and fragment.
    public func link(withHREF href: String) -> Link? {
        let href = href.hasPrefix("/") ? String(href.dropFirst()) : href
        let all = [readingOrder, resources, links]
        if let found = all.lazy.compactMap({ Self.find(href, in: $0) }).first { return found }
        let bare = href.prefix { $0 != "?" && $0 != "#" }
        return bare.count == href.count ? nil : all.lazy.compactMap { Self.find(String(bare), in: $0) }.first
    }

    /// The first link with that relation: in the reading order, the resources or the links.
    public func link(withRel rel: String) -> Link? {
        readingOrder.firstWithRel(rel) ?? resources.firstWithRel(rel) ?? links.firstWithRel(rel)
    }

    /// The cover image, where the manifest names one.
    public var coverLink: Link? { link(withRel: "cover") }

    /// Gives back the archive or folder behind the publication. Resources read after it fail with `ResourceError.unavailable`.
    public func close() async { await fetcher.close() }

    private static func find(_ href: String, in links: [Link]) -> Link? {
        if let found = links.firstWithHREF(href) { return found }
        for link in links where !link.alternates.isEmpty || !link.children.isEmpty {
            if let found = find(href, in: link.alternates) ?? find(href, in: link.children) { return found }
        }
        return nil
    }
}
