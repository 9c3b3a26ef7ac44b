import Archives

/// Puts the hrefs of a manifest that lies in a package into the one form that all fetchers and callers compare:
/// relative to the package's root, without a slash in front, percent-encoded.
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

    /// As deep as JSON may be.
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
            // A template is no address yet, and a lone fragment is how tables of contents write a heading that leads
            // nowhere.
            if link.templated || link.isRemote || link.href.hasPrefix("#") { return link }
            guard let href = HREFBase.root.resolve(link.href) else {
                warnings.warn(
                    "invalid-link", severity: .moderate,
                    message: "“\(link.href)” in the manifest leads out of the package; it is left out."
                )
                return nil
            }
            link.href = href
            return link
        }
    }
}
