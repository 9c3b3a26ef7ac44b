import Foundation
import Publication

/// Writes Atom documents of OPDS 1.2.
struct AtomWriter {
    /// The author of a feed that has no title either: Atom demands one (RFC 4287, section 4.1.1).
    static let nameless = "OPDS"

    /// The media types of feeds in the order of parameters that OPDS 1.2 has, because clients compare texts.
    static let feedType = "application/atom+xml;profile=opds-catalog"
    static let navigationType = feedType + ";kind=navigation"
    static let acquisitionType = feedType + ";kind=acquisition"

    var xml = MarkupWriter.document()
    /// The time of everything that has none.
    let updated: Date

    static let namespaces: [MarkupWriter.Attribute] = [
        ("xmlns", AtomNamespace.atom.names[0]), ("xmlns:dcterms", AtomNamespace.dublinCore.names[0]),
        ("xmlns:opds", AtomNamespace.opds.names[0]), ("xmlns:opensearch", AtomNamespace.openSearch.names[0]),
        ("xmlns:opf", AtomNamespace.packages.names[0]), ("xmlns:pse", AtomNamespace.pageStreaming.names[0]),
        ("xmlns:schema", AtomNamespace.schema.names[0]), ("xmlns:thr", AtomNamespace.threading.names[0]),
    ]

    init(updated: Date) { self.updated = updated }

    /// Writes the elements that feeds and entries must have (RFC 4287, sections 4.1.1 and 4.1.2).
    mutating func head(title: String, id: String, updated: Date?) {
        xml.element("id", text: id)
        xml.element("title", text: title)
        xml.element("updated", text: (updated ?? self.updated).manifestText)
    }

    /// Returns the first candidate that is a URI, as an `atom:id` must be; else a UUID made of `content`, which is the
    /// same each time.
    static func id(_ candidates: [String?], content: @autoclosure () -> String) -> String {
        candidates.lazy.compactMap(\.self).first(where: isURI) ?? uuid(of: content())
    }

    /// Whether a text begins with a scheme and holds no white space (RFC 3987).
    static func isURI(_ text: String) -> Bool {
        let scheme = text.utf8.prefix { $0 != UInt8(ascii: ":") }
        guard scheme.count < text.utf8.count, let first = scheme.first, (0x61...0x7A).contains(first | 0x20) else {
            return false
        }
        return scheme.allSatisfy { isAlphanumeric($0) || "+-.".utf8.contains($0) }
            && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !"<>\"{}|\\^`".utf8.contains($0) }
    }

    /// A UUID of version 8 (RFC 9562, section 5.8) from two FNV-1a hashes, which need not be hard to forge.
    private static func uuid(of text: String) -> String {
        var bytes: [UInt8] = []
        for seed in [0xCBF2_9CE4_8422_2325, 0x6C62_272E_07BB_0142] as [UInt64] {
            let hash = text.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: hash >> (56 - 8 * $0)) }
        }
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        let groups = [digits[0..<4], digits[4..<6], digits[6..<8], digits[8..<10], digits[10..<16]]
        return "urn:uuid:" + groups.map { $0.joined() }.joined(separator: "-")
    }
}

// MARK: Links

extension AtomWriter {
    /// Writes a link once for each of its relations, because Atom allows one; if the publication can be acquired with
    /// it or it is a cover, only under that relation, and relations such as `self` go before those to a feed.
    ///
    /// - Parameter extra: Further attributes.
    mutating func link(_ link: Link, type: String? = nil, extra: [MarkupWriter.Attribute] = []) {
        let rels = relations(of: link)
        let written: [String?] = rels.isEmpty ? [nil] : rels
        for rel in written {
            let attributes = self.attributes(of: link, rel: rel, type: type) + extra
            if hasChildren(link) {
                xml.startTag("link", attributes)
                children(of: link.properties)
                xml.endTag("link")
            } else {
                xml.emptyTag("link", attributes)
            }
        }
    }

    private func relations(of link: Link) -> [String] {
        if let telling = link.rels.first(where: AcquisitionRelation.isAcquisition) {
            return [telling == CatalogRelation.preview ? AcquisitionRelation.sample.rawValue : telling]
        }
        let single = [CatalogRelation.pageStream, CatalogRelation.thumbnail, CatalogRelation.image]
        if let telling = single.first(where: { link.rels.contains($0) }) { return [telling] }
        // Alone, the others would make a feed of what the link is not.
        let sideways = link.rels.filter { Link.sidewaysRelations.contains($0) }
        return sideways.isEmpty ? link.rels : sideways
    }

    private func attributes(of link: Link, rel: String?, type: String?) -> [MarkupWriter.Attribute] {
        let properties = link.properties
        var attributes: [MarkupWriter.Attribute] = [
            ("rel", rel), ("href", link.href), ("type", (link.type ?? type).flatMap(Self.mediaType)),
            ("title", link.title), ("hreflang", link.languages.first(where: Self.isLanguage)),
            ("length", link.size.flatMap { $0 > 0 ? String($0) : nil }),
            ("thr:count", properties.numberOfItems.map { String($0) }),
        ]
        if rel == CatalogRelation.pageStream, let streaming = properties.pageStreaming {
            let pages: [MarkupWriter.Attribute] = [
                ("pse:count", String(streaming.count)), ("pse:lastRead", streaming.lastRead.map { String($0) }),
                ("pse:lastReadDate", streaming.lastReadDate?.manifestText),
            ]
            attributes += pages
        }
        return attributes
    }

    /// Nil if Atom would not allow it (RFC 4287, appendix B).
    private static func mediaType(_ text: String) -> String? {
        let text = AtomText.collapsed(text)
        return text.split(separator: "/", maxSplits: 1).count == 2 && !text.hasPrefix("/") ? text : nil
    }

    /// Whether Atom allows it as a language tag (RFC 4287, appendix B).
    private static func isLanguage(_ tag: String) -> Bool {
        let parts = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.allSatisfy { (1...8).contains($0.count) && $0.allSatisfy(Self.isAlphanumeric) }
            && parts[0].allSatisfy { !(0x30...0x39).contains($0) }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
    }

    private func hasChildren(_ link: Link) -> Bool {
        ["price", "indirectAcquisition", "availability", "holds", "copies"].contains { link.properties[$0] != nil }
    }

    private mutating func children(of properties: Link.Properties) {
        if let price = properties.price {
            xml.element("opds:price", [("currencycode", price.currency)], text: price.value.description)
        }
        for step in properties.indirectAcquisitions { write(step) }
        if let availability = properties.availability {
            xml.emptyTag(
                "opds:availability",
                [
                    ("status", availability.state.rawValue), ("since", availability.since?.manifestText),
                    ("until", availability.until?.manifestText),
                ])
        }
        if let holds = properties.holds {
            xml.emptyTag(
                "opds:holds",
                [("total", holds.total.map { String($0) }), ("position", holds.position.map { String($0) })])
        }
        if let copies = properties.copies {
            xml.emptyTag(
                "opds:copies",
                [("total", copies.total.map { String($0) }), ("available", copies.available.map { String($0) })])
        }
    }

    private mutating func write(_ step: IndirectAcquisition) {
        xml.startTag("opds:indirectAcquisition", [("type", step.type)])
        for child in step.children { write(child) }
        xml.endTag("opds:indirectAcquisition")
    }
}

// MARK: People and texts

extension AtomWriter {
    /// Writes a person, with a role if the element needs one.
    mutating func person(_ element: String, _ person: Contributor, role: String? = nil) {
        xml.startTag(element, [("opf:role", role), ("opf:file-as", person.sortAs?.string)])
        xml.element("name", text: person.name.string)
        let addresses = [person.identifier, person.links.first?.href].compactMap(\.self)
        if let uri = addresses.first(where: Self.isURI) { xml.element("uri", text: uri) }
        xml.endTag(element)
    }

    /// Writes the content of an entry, which must have one if it has no alternate link (RFC 4287, section 4.1.2).
    mutating func content(_ description: String?) {
        let description = description ?? ""
        let type = AtomText.looksLikeHTML(description) ? "html" : "text"
        xml.element("content", [("type", type)], text: description)
    }
}
