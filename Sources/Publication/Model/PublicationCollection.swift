/// A group of links with its own role in a manifest, such as `pageList` or `landmarks` (Readium Web Publication
/// Manifest, core collection model).
public struct PublicationCollection: Hashable, Sendable {
    /// The metadata of the group, unchanged.
    public var metadata: [String: JSONValue]
    /// The links of the group.
    public var links: [Link]
    /// Groups inside this one by role.
    public var subcollections: [String: [PublicationCollection]]
    /// The other members, which hold no group, unchanged.
    public var otherProperties: [String: JSONValue] = [:]

    /// A group of links.
    public init(
        links: [Link], metadata: [String: JSONValue] = [:], subcollections: [String: [PublicationCollection]] = [:]
    ) {
        self.links = links
        self.metadata = metadata
        self.subcollections = subcollections
    }

    /// Reads an array of links, or an object with `links` or groups; nil if there are neither.
    public init?(json: JSONValue) {
        switch json {
        case .array:
            self.init(links: [Link](json: json))
        case .object(let members):
            let (collections, others) = Self.split(members.filter { $0.key != "links" && $0.key != "metadata" })
            self.init(
                links: [Link](json: json["links"]), metadata: json["metadata"]?.objectValue ?? [:],
                subcollections: collections)
            otherProperties = others
        default:
            return nil
        }
        if links.isEmpty, subcollections.isEmpty { return nil }
    }

    /// The collection object.
    public var json: JSONValue {
        let own: [String: JSONValue] = ["metadata": .object(metadata), "links": .array(links.map(\.json))]
        return .object(present: own, others: Self.members(for: subcollections, others: otherProperties))
    }
}

extension PublicationCollection {
    /// The collections among `members` by role, and the members that hold none.
    static func split(
        _ members: [String: JSONValue]
    ) -> (collections: [String: [PublicationCollection]], others: [String: JSONValue]) {
        var result: (collections: [String: [PublicationCollection]], others: [String: JSONValue]) = ([:], [:])
        for (role, value) in members {
            let collections = collections(for: value)
            if collections.isEmpty { result.others[role] = value } else { result.collections[role] = collections }
        }
        return result
    }

    /// Reads a role: an array of links, a collection object, or an array of links and collection objects. Loose links
    /// become one collection, which comes first.
    private static func collections(for value: JSONValue) -> [PublicationCollection] {
        let loose = PublicationCollection(json: .array(value.arrayValue ?? []))
        let objects = value.oneOrMany.filter { $0["href"] == nil }.compactMap(PublicationCollection.init(json:))
        let links = (loose?.links ?? []) + objects.filter(\.isPlain).flatMap(\.links)
        return (links.isEmpty ? [] : [PublicationCollection(links: links)]) + objects.filter { !$0.isPlain }
    }

    /// The members of a manifest or a collection that hold `subcollections`, and `others` where none of them has the
    /// name.
    static func members(
        for subcollections: [String: [PublicationCollection]], others: [String: JSONValue]
    ) -> [String: JSONValue] {
        let roles: [String: JSONValue] = subcollections.compactMapValues { collections in
            if collections.count == 1, !collections[0].isPlain { return collections[0].json }
            return .nonEmpty(collections.flatMap { $0.isPlain ? $0.links.map(\.json) : [$0.json] })
        }
        return roles.merging(others) { role, _ in role }
    }

    /// Whether the collection is only a list of links.
    private var isPlain: Bool { metadata.isEmpty && subcollections.isEmpty && otherProperties.isEmpty }
}
