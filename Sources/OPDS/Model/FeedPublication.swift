public import Foundation
public import Publication

/// A publication in a catalogue: what it is, and how to get it (OPDS 1.2, section 5; OPDS 2.0, publications).
public struct FeedPublication: Hashable, Sendable {
    /// The metadata. Titles are text, whatever characters they hold; the description may hold HTML.
    public var metadata: Metadata
    /// Links, among them those through which the publication can be acquired; see ``acquisitions``.
    public var links: [Link]
    /// Covers and smaller forms of them.
    public var images: [Link]
    /// The other members of the object, such as the reading order of a full manifest, unchanged. Relative addresses
    /// in them stay relative.
    public var otherCollections: [String: JSONValue] = [:]

    /// A publication with its links.
    public init(metadata: Metadata, links: [Link] = [], images: [Link] = []) {
        self.metadata = metadata
        self.links = links
        self.images = images
    }
}

extension FeedPublication {
    /// Reads an OPDS 2.0 publication, or a manifest of Readium's.
    ///
    /// Members of the wrong kind and malformed links are left out. A missing title becomes an empty one.
    /// - Parameter baseURL: The address of the document. Relative addresses become absolute with it; nil leaves them
    ///   as they are.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if `json` is not an object with metadata or a link.
    public init(json: JSONValue, baseURL: URL? = nil) throws {
        try self.init(json: json, base: CatalogBase(baseURL))
    }

    init(json: JSONValue, base: CatalogBase) throws {
        let members = json["metadata"]?.objectValue
        links = base.links(json["links"])
        guard members != nil || !links.isEmpty else {
            throw CocoaError.noCatalog("The JSON document is no OPDS 2.0 publication: it has no metadata and no link.")
        }
        metadata = try base.absolute(Metadata(json: Self.titled(members ?? [:])))
        images = base.links(json["images"])
        otherCollections = json.members(besides: Self.keys)
    }

    /// Adds the title that metadata must have.
    private static func titled(_ members: [String: JSONValue]) -> JSONValue {
        var members = members
        members["title"] = (members["title"].flatMap(LocalizedString.init(catalog:)) ?? "").json
        return .object(members)
    }

    /// The OPDS 2.0 publication.
    ///
    /// The public schema also requires an acquisition link and, if there are images, a bitmap among them.
    public var json: JSONValue {
        let own: [String: JSONValue?] = [
            "metadata": metadata.json,
            "links": .array(links.map(\.json)),
            "images": .nonEmpty(images.map(\.json)),
        ]
        return .object(present: own, others: otherCollections)
    }

    private static let keys: Set<String> = ["metadata", "links", "images"]
}

extension FeedPublication {
    /// The links through which the publication or a sample of it can be acquired, in the catalogue's order.
    public var acquisitions: [Link] {
        links.filter { $0.acquisitionRelation != nil }
    }

    /// The largest image that is not marked as a thumbnail, else the largest one; nil if there are none. Of images of
    /// unknown or the same size, the first.
    public var cover: Link? {
        let covers = images.filter { !$0.rels.contains(CatalogRelation.thumbnail) }
        return (covers.isEmpty ? images : covers).reduce(nil as Link?) { best, next in
            guard let best, best.area >= next.area else { return next }
            return best
        }
    }

    /// The image marked as a thumbnail, else the smallest one of known size, else the ``cover``.
    public var thumbnail: Link? {
        if let marked = images.firstWithRel(CatalogRelation.thumbnail) { return marked }
        return images.filter { $0.area > 0 }.min { $0.area < $1.area } ?? cover
    }
}

extension Link {
    /// Pixels; zero if the size is not known. A `Double`, because a catalogue may claim any numbers.
    fileprivate var area: Double { Double(width ?? 0) * Double(height ?? 0) }
}

extension Array where Element == FeedPublication {
    /// Reads an array of publications or a single one. Malformed ones are left out.
    init(json: JSONValue?, base: CatalogBase) {
        self = (json?.oneOrMany ?? []).compactMap { try? FeedPublication(json: $0, base: base) }
    }
}
