public import Foundation
public import MediaTypes
import Publication

extension Feed {
    /// The feed as an Atom document of OPDS 1.2: an acquisition feed if it has publications, otherwise a navigation
    /// feed.
    ///
    /// Groups become entries with a link `collection`, and facets become links. Texts in several languages are written
    /// in one. What OPDS 1.2 has no words for is left out. Reading orders and other collections are among it.
    /// - Parameter updated: The time of the feed and of entries whose metadata has none.
    /// - Complexity: Linear in the size of the feed; the document is made in memory.
    public func atom(updated: Date = Date()) -> Data {
        var writer = AtomWriter(updated: metadata.modified ?? updated)
        writer.write(self)
        return writer.xml.data
    }

    /// The media type of ``atom(updated:)``, with the kind of the feed.
    public var atomMediaType: MediaType {
        allPublications.isEmpty ? .opds1Navigation : .opds1Acquisition
    }
}

extension AtomWriter {
    fileprivate mutating func write(_ feed: Feed) {
        let title = feed.metadata.title.string
        let kind = feed.allPublications.isEmpty ? Self.navigationType : Self.acquisitionType
        xml.startTag("feed", Self.namespaces)
        let own = feed.link(withRel: "self")?.href
        head(title: title, id: Self.id([feed.metadata.identifier, own], content: title), updated: nil)
        if let subtitle = feed.metadata.subtitle?.string { xml.element("subtitle", text: subtitle) }
        writeAuthors(of: feed.metadata, title: title)
        writeCounts(of: feed.metadata)
        for link in feed.links { self.link(link, type: link.rels.contains("self") ? kind : nil) }
        for facet in feed.facets { write(facet) }
        for link in feed.navigation { navigation(link) }
        for (number, group) in feed.groups.enumerated() { write(group, number: number) }
        for publication in feed.publications { write(publication) }
        xml.endTag("feed")
    }

    private mutating func writeAuthors(of metadata: FeedMetadata, title: String) {
        var authors = (metadata.otherMetadata["author"]?.oneOrMany ?? []).compactMap(Contributor.init(json:))
        if authors.isEmpty { authors = [Contributor(name: LocalizedString(title.isEmpty ? Self.nameless : title))] }
        for author in authors { person("author", author) }
    }

    private mutating func writeCounts(of metadata: FeedMetadata) {
        if let total = metadata.numberOfItems { xml.element("opensearch:totalResults", text: String(total)) }
        guard let size = metadata.itemsPerPage, size > 0 else { return }
        xml.element("opensearch:itemsPerPage", text: String(size))
        guard let page = metadata.currentPage, page > 0 else { return }
        let (items, isTooLarge) = (page - 1).multipliedReportingOverflow(by: size)
        if !isTooLarge, items < Int.max { xml.element("opensearch:startIndex", text: String(items + 1)) }
    }

    private mutating func write(_ facet: Facet) {
        let group = facet.metadata.title.string
        for var link in facet.links {
            let isActive = link.rels.contains("self")
            link.rels = [CatalogRelation.facet]
            self.link(
                link, type: Self.acquisitionType,
                extra: [("opds:facetGroup", group), ("opds:activeFacet", isActive ? "true" : nil)])
        }
    }

    private mutating func write(_ group: FeedGroup, number: Int) {
        let target = group.links.firstWithRel("self") ?? group.links.first
        var link = Link(
            href: target?.href ?? "#group-\(number + 1)", type: target?.type, title: group.metadata.title.string,
            rels: [CatalogRelation.collection])
        link.properties.numberOfItems = group.metadata.numberOfItems
        for entry in group.navigation { navigation(entry, in: link) }
        for publication in group.publications { write(publication, in: link) }
    }

    private mutating func navigation(_ link: Link, in group: Link? = nil) {
        let facts = link.otherProperties
        var link = link
        let title = link.title ?? ""
        link.title = nil
        // Readers take an entry without a link to a feed for a publication.
        if link.rels.isEmpty || !link.isCatalogFeed { link.rels = [CatalogRelation.subsection] }
        xml.startTag("entry")
        head(
            title: title, id: Self.id([facts["identifier"]?.stringValue, link.href], content: title + link.href),
            updated: facts["modified"]?.stringValue.flatMap(Date.init(manifestText:)))
        self.link(link, type: Self.feedType)
        for alternate in link.alternates { self.link(alternate) }
        if let group { self.link(group, type: Self.feedType) }
        content(facts["description"]?.stringValue)
        xml.endTag("entry")
    }
}
