public import Publication

/// A part of a feed with a title: publications, or links to other feeds (OPDS 2.0, groups).
public struct FeedGroup: Hashable, Sendable {
    /// The metadata of the group.
    public var metadata: FeedMetadata
    /// Links of the group; `self` leads to all of it.
    public var links: [Link]
    /// Links to other feeds.
    public var navigation: [Link]
    /// The publications.
    public var publications: [FeedPublication]

    /// A group with a title.
    public init(
        title: LocalizedString, links: [Link] = [], navigation: [Link] = [], publications: [FeedPublication] = []
    ) {
        metadata = FeedMetadata(title: title)
        self.links = links
        self.navigation = navigation
        self.publications = publications
    }

    /// Reads a group; nil if `json` is no object.
    init?(json: JSONValue, base: CatalogBase) {
        guard json.objectValue != nil else { return nil }
        metadata = FeedMetadata(json: json["metadata"] ?? .null)
        links = base.links(json["links"])
        navigation = base.entries(json["navigation"])
        publications = [FeedPublication](json: json["publications"], base: base)
    }

    /// The group object.
    public var json: JSONValue {
        .object(present: [
            "metadata": metadata.json,
            "links": .nonEmpty(links.map(\.json)),
            "navigation": .nonEmpty(navigation.map(\.json)),
            "publications": .nonEmpty(publications.map(\.json)),
        ])
    }
}

/// A list of links to the same publications in another order, or to parts of them (OPDS 1.2, section 4; OPDS 2.0,
/// facets).
///
/// The active link has the relation `self`. The number of items behind a link is `numberOfItems` of its properties.
public struct Facet: Hashable, Sendable {
    /// The metadata; the title is the name of the list, such as "Language".
    public var metadata: FeedMetadata
    /// The links, each with a title.
    public var links: [Link]

    /// A facet with a title.
    public init(title: LocalizedString, links: [Link] = []) {
        metadata = FeedMetadata(title: title)
        self.links = links
    }

    /// Reads a facet; nil if `json` is no object with a link.
    init?(json: JSONValue, base: CatalogBase) {
        metadata = FeedMetadata(json: json["metadata"] ?? .null)
        links = base.entries(json["links"])
        if links.isEmpty { return nil }
    }

    /// The link that is active.
    public var activeLink: Link? {
        links.firstWithRel("self")
    }

    /// The facet object.
    public var json: JSONValue {
        .object(present: ["metadata": metadata.json, "links": .array(links.map(\.json))])
    }
}
