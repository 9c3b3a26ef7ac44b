import Foundation
import Publication
import SafeXML

/// Reads a feed (RFC 4287, section 4.1.1; OPDS 1.2, sections 2 to 4).
struct AtomFeedReader {
    private let outerScope: AtomScope

    init(url: URL?, limits: CatalogLimits) {
        outerScope = AtomScope(url: url, limits: limits)
    }

    /// - Throws: `CocoaError(.fileReadTooLarge)` over a limit.
    func feed(_ root: XMLElement) throws -> Feed {
        let scope = outerScope.within(root)
        var feed = Feed(title: LocalizedString(root.child("title", .atom).map(AtomText.line) ?? ""))
        try readMetadata(of: root, scope, into: &feed.metadata)
        try readLinks(of: root, scope, into: &feed)
        try readEntries(of: root, scope, into: &feed)
        return feed
    }

    private func readMetadata(of root: XMLElement, _ scope: AtomScope, into metadata: inout FeedMetadata) throws {
        metadata.identifier = root.childText("id", .atom)
        metadata.modified = root.childText("updated", .atom).flatMap(Date.init(manifestText:))
        metadata.subtitle = root.child("subtitle", .atom).map(AtomText.line).flatMap(AtomText.present)
            .map { LocalizedString($0) }
        metadata.numberOfItems = count("totalResults", in: root)
        metadata.itemsPerPage = count("itemsPerPage", in: root).flatMap { $0 > 0 ? $0 : nil }
        if let start = count("startIndex", in: root), let size = metadata.itemsPerPage {
            metadata.currentPage = Self.page(of: start, size: size)
        }
        let title = metadata.title.string
        let authors = try root.elements("author", .atom).prefix(100)
            .compactMap { try AtomPersonReader(scope: scope).person($0) }
            // Feeds need an author; the writer names the feed itself.
            .filter { ![title, AtomWriter.nameless].contains($0.name.string) }
        if !authors.isEmpty { metadata.otherMetadata["author"] = .array(authors.map(\.json)) }
    }

    private func count(_ name: String, in root: XMLElement) -> Int? {
        root.childText(name, .openSearch).flatMap(AtomLinkReader.count)
    }

    /// The first item has the index 1 (OpenSearch 1.1); some catalogues count from 0.
    private static func page(of start: Int, size: Int) -> Int {
        let isFromZero = size > 1 && start.isMultiple(of: size)
        return (isFromZero ? start : max(start, 1) - 1) / size + 1
    }
}

// MARK: Links and facets

extension AtomFeedReader {
    private func readLinks(of root: XMLElement, _ scope: AtomScope, into feed: inout Feed) throws {
        let reader = AtomLinkReader(scope: scope)
        var facets: [String: Int] = [:]
        for element in root.elements("link", .atom) {
            guard let link = try reader.link(element) else { continue }
            if link.rels.contains(CatalogRelation.facet) {
                try scope.countEntry()
                let group = element.value("facetGroup", .opds).map(AtomText.collapsed) ?? ""
                let index = facets[group] ?? feed.facets.count
                facets[group] = index
                if index == feed.facets.count { feed.facets.append(Facet(title: LocalizedString(group))) }
                feed.facets[index].links.append(facet(link, isActive: element.value("activeFacet", .opds) == "true"))
            } else if feed.links.count < scope.limits.linksPerEntry {
                feed.links.append(link)
            }
        }
        for relation in ["icon", "logo"] {
            guard let address = root.childText(relation, .atom) else { continue }
            feed.links.append(Link(href: try scope.absolute(address), rels: [relation]))
        }
    }

    private func facet(_ link: Link, isActive: Bool) -> Link {
        var link = link
        link.rels.removeAll { $0 == CatalogRelation.facet }
        if isActive { link.rels.append("self") }
        return link
    }
}

// MARK: Entries and groups

extension AtomFeedReader {
    private func readEntries(of root: XMLElement, _ scope: AtomScope, into feed: inout Feed) throws {
        var groups: [String: Int] = [:]
        for element in root.elements("entry", .atom) {
            try scope.countEntry()
            let (entry, collection) = try AtomEntryReader(scope: scope).entry(element)
            guard let collection else {
                switch entry {
                case .navigation(let link): feed.navigation.append(link)
                case .publication(let publication): feed.publications.append(publication)
                }
                continue
            }
            let index = groups[collection.href] ?? feed.groups.count
            groups[collection.href] = index
            if index == feed.groups.count { feed.groups.append(group(of: collection)) }
            switch entry {
            case .navigation(let link): feed.groups[index].navigation.append(link)
            case .publication(let publication): feed.groups[index].publications.append(publication)
            }
        }
    }

    private func group(of collection: Link) -> FeedGroup {
        var link = collection
        link.rels = ["self"]
        link.title = nil
        link.properties.numberOfItems = nil
        var group = FeedGroup(title: LocalizedString(collection.title ?? ""), links: [link])
        group.metadata.numberOfItems = collection.properties.numberOfItems
        return group
    }
}
