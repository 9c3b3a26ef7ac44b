public import Foundation
import Publication

extension FeedPublication {
    /// The publication as an Atom entry document of OPDS 1.2, of the media type
    /// ``/MediaTypes/MediaType/opds1Entry``. What OPDS 1.2 has no words for is left out.
    ///
    /// - Parameter updated: The time of the entry if the metadata has none.
    public func atomEntry(updated: Date = Date()) -> Data {
        var writer = AtomWriter(updated: updated)
        writer.write(self, attributes: AtomWriter.namespaces, isDocument: true)
        return writer.xml.data
    }
}

extension AtomWriter {
    /// Writes a publication as an entry.
    ///
    /// - Parameters:
    ///   - group: The link to the group that the publication is in.
    ///   - isDocument: Whether no feed is around the entry.
    mutating func write(
        _ publication: FeedPublication, in group: Link? = nil, attributes: [MarkupWriter.Attribute] = [],
        isDocument: Bool = false
    ) {
        let metadata = publication.metadata
        xml.startTag("entry", attributes + [("schema:additionalType", metadata.type)])
        let title = metadata.title.string
        let hrefs = publication.links.map(\.href).joined(separator: "\n")
        head(
            title: title, id: Self.id([metadata.identifier], content: title + "\n" + hrefs),
            updated: metadata.modified)
        writePeople(of: metadata, isDocument: isDocument)
        writeTerms(of: metadata)
        for subject in metadata.subjects { write(subject) }
        for series in metadata.belongsToSeries { write(series: series) }
        for link in publication.links { self.link(link) }
        for (index, image) in publication.images.enumerated() { write(image: image, isFirst: index == 0) }
        if let group { link(group) }
        content(metadata.description)
        xml.endTag("entry")
    }

    private mutating func writePeople(of metadata: Metadata, isDocument: Bool) {
        for author in metadata.authors { person("author", author) }
        if metadata.authors.isEmpty, isDocument {
            // An entry document needs an author, which may be that of the feed it is from (RFC 4287, section 4.1.2).
            xml.startTag("source")
            person("author", Contributor(name: LocalizedString(Self.nameless)))
            xml.endTag("source")
        }
        for role in ContributorRole.allCases where role != .author && role != .publisher {
            for contributor in metadata[role] {
                let code = contributor.roles.first ?? AtomRole.code(of: role)
                person("contributor", contributor, role: role == .contributor ? code : AtomRole.code(of: role))
            }
        }
    }

    private mutating func writeTerms(of metadata: Metadata) {
        if let subtitle = metadata.subtitle?.string { xml.element("schema:alternativeHeadline", text: subtitle) }
        for language in metadata.languages { xml.element("dcterms:language", text: language) }
        for publisher in metadata.publishers { xml.element("dcterms:publisher", text: publisher.name.string) }
        if let published = metadata.published?.manifestText {
            let midnight = "T00:00:00Z"
            let day = published.hasSuffix(midnight) ? String(published.dropLast(midnight.count)) : published
            xml.element("dcterms:issued", text: day)
        }
        for identifier in metadata.alternateIdentifiers {
            xml.element("dcterms:identifier", text: identifier.value)
        }
        if let identifier = metadata.identifier, !Self.isURI(identifier) {
            xml.element("dcterms:identifier", text: identifier)
        }
        if let pages = metadata.numberOfPages { xml.element("dcterms:extent", text: "\(pages) pages") }
        if let rights = metadata.otherMetadata["rights"]?.stringValue { xml.element("rights", text: rights) }
    }

    private mutating func write(_ subject: Subject) {
        let name = subject.name.string
        let label = subject.code != nil || subject.scheme == nil ? name : nil
        let scheme = subject.scheme.flatMap { Self.isURI($0) ? $0 : nil }
        xml.emptyTag("category", [("term", subject.code ?? name), ("label", label), ("scheme", scheme)])
    }

    private mutating func write(series: ParentCollection) {
        guard let name = series.name?.string else { return }
        let position = series.position.map { JSONValue($0).jsonString }
        xml.emptyTag("schema:Series", [("schema:name", name), ("schema:position", position)])
    }

    /// Images of OPDS 2.0 have no relation: the first is the cover, others are forms of it.
    private mutating func write(image: Link, isFirst: Bool) {
        var image = image
        if !image.isCatalogImage { image.rels = [isFirst ? CatalogRelation.image : CatalogRelation.thumbnail] }
        link(image)
    }
}
