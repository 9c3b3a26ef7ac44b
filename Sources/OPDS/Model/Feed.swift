public import Foundation
public import Publication

/// A page of a catalogue: publications, links to other pages, or both. One value for OPDS 1.2 and OPDS 2.0, built like
/// the latter.
public struct Feed: Hashable, Sendable {
    /// The metadata of the feed as a whole.
    public var metadata: FeedMetadata
    /// Links of the feed, such as `self`, `next`, `search` and `start`; see ``CatalogRelation``.
    public var links: [Link]
    /// Links to other feeds, each with a title.
    public var navigation: [Link] = []
    /// Other orders of the publications and parts of them.
    public var facets: [Facet] = []
    /// Groups of publications or of links, each with a title.
    public var groups: [FeedGroup] = []
    /// The publications that are in no group.
    public var publications: [FeedPublication] = []
    /// The members that have no property here, unchanged.
    public var otherProperties: [String: JSONValue] = [:]

    /// A feed with a title; everything else can be set afterwards.
    public init(title: LocalizedString, links: [Link] = []) {
        metadata = FeedMetadata(title: title)
        self.links = links
    }

    /// The first of ``links`` with the relation `rel`; `prev` counts as ``CatalogRelation/previous``.
    public func link(withRel rel: String) -> Link? {
        links(withRel: rel).first
    }

    /// Those of ``links`` with the relation `rel`; `prev` counts as ``CatalogRelation/previous``.
    public func links(withRel rel: String) -> [Link] {
        let names = rel == CatalogRelation.previous ? [rel, "prev"] : [rel]
        return links.filter { link in names.contains { link.rels.contains($0) } }
    }

    /// The publications of the feed and of its groups, in the order in which a page would show them.
    public var allPublications: [FeedPublication] {
        groups.flatMap(\.publications) + publications
    }

    /// The navigation links of the feed and of its groups, in the order in which a page would show them.
    public var allNavigation: [Link] {
        navigation + groups.flatMap(\.navigation)
    }
}

extension Feed {
    /// Reads an OPDS 2.0 feed.
    ///
    /// Members of the wrong kind and malformed publications, links, facets and groups are left out. A missing title
    /// becomes an empty one.
    /// - Parameter baseURL: The address of the document. Relative addresses become absolute with it; nil leaves them
    ///   as they are.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if `json` is not an object with one of the members `metadata`,
    ///   `links`, `navigation`, `publications`, `groups` and `facets`.
    public init(json: JSONValue, baseURL: URL? = nil) throws {
        try self.init(json: json, base: CatalogBase(baseURL))
    }

    init(json: JSONValue, base: CatalogBase) throws {
        guard Self.keys.contains(where: { json[$0] != nil }) else {
            throw CocoaError.noCatalog("The JSON document is not an OPDS 2.0 feed: it has no part of one.")
        }
        metadata = FeedMetadata(json: json["metadata"] ?? .null)
        links = base.links(json["links"])
        navigation = base.entries(json["navigation"])
        facets = (json["facets"]?.oneOrMany ?? []).compactMap { Facet(json: $0, base: base) }
        groups = (json["groups"]?.oneOrMany ?? []).compactMap { FeedGroup(json: $0, base: base) }
        publications = [FeedPublication](json: json["publications"], base: base)
        otherProperties = json.members(besides: Self.keys)
    }

    /// The OPDS 2.0 feed.
    ///
    /// The public schema also requires a `self` link, a title of each navigation link, and at least one publication,
    /// navigation link or group. A feed without any, such as a search that found nothing, is written with an empty
    /// list of publications.
    public var json: JSONValue {
        let isEmpty = publications.isEmpty && navigation.isEmpty && groups.isEmpty
        let own: [String: JSONValue?] = [
            "metadata": metadata.json,
            "links": .array(links.map(\.json)),
            "navigation": .nonEmpty(navigation.map(\.json)),
            "facets": .nonEmpty(facets.map(\.json)),
            "groups": .nonEmpty(groups.map(\.json)),
            "publications": isEmpty ? .array([]) : .nonEmpty(publications.map(\.json)),
        ]
        return .object(present: own, others: otherProperties)
    }

    private static let keys: Set<String> = ["metadata", "links", "navigation", "facets", "groups", "publications"]
}
