import Foundation
import MediaTypes
import Publication
import SafeXML

/// Reads the links of feeds and entries (RFC 4287, section 4.2.7; OPDS 1.2, section 5.2).
struct AtomLinkReader {
    let scope: AtomScope

    /// Returns the links among the children of an element, up to the limit.
    func links(in element: XMLElement) throws -> [Link] {
        try element.elements("link", .atom).prefix(max(0, scope.limits.linksPerEntry)).compactMap(link)
    }

    /// Nil if it has no address.
    func link(_ element: XMLElement) throws -> Link? {
        guard let reference = element.attribute("href") else { return nil }
        var link = Link(
            href: try scope.within(element).absolute(reference), type: element.value("type"),
            title: element.value("title").map(AtomText.collapsed),
            rels: (element.value("rel") ?? "").split(whereSeparator: \.isWhitespace).map { Self.relation(String($0)) })
        link.size = element.value("length").flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil }
        link.languages = element.value("hreflang").map { [$0] } ?? []
        link.properties = properties(of: element)
        if link.rels.contains(CatalogRelation.pageStream) {
            link.properties.pageStreaming = pageStreaming(element)
            link.templated = link.href.contains("{")
        } else if link.rels.contains(CatalogRelation.search) {
            link.templated = link.href.contains("{")
        }
        return link
    }

    /// The relation under its present name.
    private static func relation(_ text: String) -> String {
        let registry = "http://www.iana.org/assignments/relation/"
        return formerRelations[text] ?? (text.hasPrefix(registry) ? String(text.dropFirst(registry.count)) : text)
    }

    private static let formerRelations = [
        "http://opds-spec.org/cover": CatalogRelation.image,
        "http://opds-spec.org/thumbnail": CatalogRelation.thumbnail,
        "http://opds-spec.org/image-thumbnail": CatalogRelation.thumbnail,
        "x-stanza-cover-image": CatalogRelation.image,
        "x-stanza-cover-image-thumbnail": CatalogRelation.thumbnail,
        "http://opds-spec.org/group": CatalogRelation.collection,
    ]
}

// MARK: Properties

extension AtomLinkReader {
    private func properties(of element: XMLElement) -> Link.Properties {
        var properties = Link.Properties()
        properties.numberOfItems = element.value("count", .threading).flatMap(Self.count)
        guard !element.nodes.isEmpty else { return properties }
        properties.price = element.elements("price", .opds).lazy.compactMap(Self.price).first
        properties.indirectAcquisitions = steps(in: element, depth: 0)
        properties.availability = element.child("availability", .opds).flatMap(Self.availability)
        properties.holds = element.child("holds", .opds).flatMap(Self.holds)
        properties.copies = element.child("copies", .opds).flatMap(Self.copies)
        return properties
    }

    private static func holds(_ element: XMLElement) -> Holds? {
        let total = element.value("total").flatMap(count)
        let position = element.value("position").flatMap(count)
        return total == nil && position == nil ? nil : Holds(total: total, position: position)
    }

    private static func copies(_ element: XMLElement) -> Copies? {
        let total = element.value("total").flatMap(count)
        let available = element.value("available").flatMap(count)
        return total == nil && available == nil ? nil : Copies(total: total, available: available)
    }

    /// A number that is not below zero; nil for anything else.
    static func count(_ text: String) -> Int? { Int(text).flatMap { $0 >= 0 ? $0 : nil } }

    private static func price(_ element: XMLElement) -> Price? {
        guard let currency = element.value("currencycode", .opds) ?? element.value("currencyCode", .opds) else {
            return nil
        }
        let text = element.text
        return Price(currency: currency, text: text.contains(".") ? text : text.replacing(",", with: "."))
    }

    /// Nested steps. Deeper ones than any catalogue has are left out, because JSON could not hold them.
    private func steps(in element: XMLElement, depth: Int) -> [IndirectAcquisition] {
        guard depth < 8 else { return [] }
        return element.elements("indirectAcquisition", .opds).compactMap { step in
            step.value("type").map { IndirectAcquisition(type: $0, children: steps(in: step, depth: depth + 1)) }
        }
    }

    /// `status` is Library Simplified's name for the state.
    private static func availability(_ element: XMLElement) -> Availability? {
        let text = element.value("status", .opds) ?? element.value("state", .opds)
        guard let state = text.flatMap({ Availability.State(rawValue: $0.lowercased()) }) else { return nil }
        return Availability(
            state, since: element.value("since").flatMap(Date.init(manifestText:)),
            until: element.value("until").flatMap(Date.init(manifestText:)))
    }

    private func pageStreaming(_ element: XMLElement) -> PageStreaming? {
        guard let count = element.value("count", .pageStreaming).flatMap(Self.count), count > 0 else { return nil }
        return PageStreaming(
            count: count, lastRead: element.value("lastRead", .pageStreaming).flatMap(Self.count),
            lastReadDate: element.value("lastReadDate", .pageStreaming).flatMap(Date.init(manifestText:)))
    }
}

// MARK: Kinds

extension Link {
    /// Whether it is a cover or a smaller form of one.
    var isCatalogImage: Bool {
        rels.contains(CatalogRelation.image) || rels.contains(CatalogRelation.thumbnail)
    }

    /// Whether it leads to one publication of a catalogue.
    var isCatalogEntry: Bool {
        guard let type = type.flatMap({ MediaType($0) }), type.type == "application" else { return false }
        return type.subtype == "atom+xml" && type.parameters["type"]?.lowercased() == "entry"
            || type.subtype == "opds-publication+json"
    }

    /// Whether it leads from an entry of a navigation feed to another feed (OPDS 1.2, section 2.1).
    var isCatalogFeed: Bool {
        guard !isCatalogImage, acquisitionRelation == nil, Self.sidewaysRelations.isDisjoint(with: rels) else {
            return false
        }
        guard let mediaType = type.flatMap({ MediaType($0) }) else {
            return rels.contains { $0 == CatalogRelation.subsection || $0.hasPrefix("http://opds-spec.org/") }
        }
        guard mediaType.type == "application" else { return false }
        return mediaType.subtype == "opds+json" || mediaType.subtype == "atom+xml" && !isCatalogEntry
    }

    /// Relations of links that a publication may have, too.
    static let sidewaysRelations: Set<String> = [
        "self", "edit", "related", "author", "contributor", "series", "describedby", CatalogRelation.collection,
        CatalogRelation.up, CatalogRelation.start, CatalogRelation.search, CatalogRelation.facet, CatalogRelation.next,
        CatalogRelation.previous, CatalogRelation.first, CatalogRelation.last, CatalogRelation.pageStream,
    ]
}
