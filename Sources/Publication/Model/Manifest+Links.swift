public import Foundation

extension Manifest {
    /// The base of relative hrefs: the address of the `self` link without its last path segment, query and fragment.
    ///
    /// - Returns: Nil if there is no `self` link, or its address is not absolute.
    public var baseURL: URL? {
        guard let href = links.firstWithRel("self")?.href, let url = URL(string: href), url.scheme != nil,
            url.host() != nil || url.path().hasPrefix("/")
        else { return nil }
        return URL(string: "./", relativeTo: url)?.absoluteURL
    }

    /// Returns the manifest for use outside a package: without links to itself, so that hrefs are resolved against the
    /// package's root and not against the address where the manifest was made.
    public func packaged() -> Manifest {
        var manifest = self
        manifest.links.removeAll { $0.rels.contains("self") }
        return manifest
    }

    /// Returns the link for `href`. Searches the reading order, the resources and the links, their alternates and then
    /// their children; then again without query and fragment. Ignores a leading slash of `href`.
    ///
    /// - Complexity: Visits all links, in the worst case twice.
    public func link(withHREF href: String) -> Link? {
        let href = href.hasPrefix("/") ? String(href.dropFirst()) : href
        if let found = find(href) { return found }
        guard let cut = href.utf8.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
            return nil
        }
        return find(String(href[..<cut]))
    }

    /// Returns the first link with that relation: in the reading order, the resources or the links.
    public func link(withRel rel: String) -> Link? {
        readingOrder.firstWithRel(rel) ?? resources.firstWithRel(rel) ?? links.firstWithRel(rel)
    }

    /// Returns the links with that relation: those in the reading order, the resources, the links.
    public func links(withRel rel: String) -> [Link] {
        (readingOrder + resources + links).filterByRel(rel)
    }

    private func find(_ href: String) -> Link? {
        [readingOrder, resources, links].lazy.compactMap { Self.find(href, in: $0) }.first
    }

    private static func find(_ href: String, in links: [Link]) -> Link? {
        if let found = links.firstWithHREF(href) { return found }
        for link in links where !link.alternates.isEmpty || !link.children.isEmpty {
            if let found = find(href, in: link.alternates) ?? find(href, in: link.children) { return found }
        }
        return nil
    }
}
