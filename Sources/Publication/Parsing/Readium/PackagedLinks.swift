import Archives

/// Converts the hrefs of a packaged manifest to the one form that all fetchers and callers compare: relative to the
/// package's root, without a leading slash, percent-encoded.
struct PackagedLinks {
    private let warnings: WarningLog

    init(_ warnings: WarningLog) {
        self.warnings = warnings
    }

    func normalize(_ manifest: inout Manifest) {
        manifest.links = links(manifest.links)
        manifest.readingOrder = links(manifest.readingOrder)
        manifest.resources = links(manifest.resources)
        manifest.tableOfContents = links(manifest.tableOfContents)
        manifest.subcollections = manifest.subcollections.mapValues { $0.map(collection) }
    }

    /// JSON's limit bounds the depth.
    private func collection(_ collection: PublicationCollection) -> PublicationCollection {
        var collection = collection
        collection.links = links(collection.links)
        collection.subcollections = collection.subcollections.mapValues { $0.map(self.collection) }
        return collection
    }

    private func links(_ links: [Link]) -> [Link] {
        links.compactMap { link in
            var link = link
            link.alternates = self.links(link.alternates)
            link.children = self.links(link.children)
            // A template is not an address yet, and tables of contents use a lone fragment for a heading that leads
            // nowhere.
            if link.templated || link.isRemote || link.href.hasPrefix("#") { return link }
            guard let href = HREFBase.root.resolve(link.href) else {
                warnings.warn(
                    "invalid-link", severity: .moderate,
                    message: "“\(link.href)” in the manifest leads out of the package; it was left out."
                )
                return nil
            }
            link.href = href
            return link
        }
    }
}
