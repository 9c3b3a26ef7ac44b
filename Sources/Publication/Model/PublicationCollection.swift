/// A group of links with a role of its own in a manifest, such as `pageList` or `landmarks` (Readium Web Publication
/// Manifest, core collection model).
public struct PublicationCollection: Hashable, Sendable {
    /// What is known about the group, as it came.
    public var metadata: [String: JSONValue]
    /// The links of the group.
    public var links: [Link]
    /// Groups inside this one by role.
    public var subcollections: [String: [PublicationCollection]]

    /// A group of links.
    public init(
        links: [Link], metadata: [String: JSONValue] = [:], subcollections: [String: [PublicationCollection]] = [:]
    ) {
        self.links = links
        self.metadata = metadata
        self.subcollections = subcollections
    }

    /// Reads an array of links, or an object with `links`; nil if there are no links.
    public init?(json: JSONValue) {
        switch json {
        case .array:
            self.init(links: [Link](json: json))
        case .object(let members):
            let others = members.filter { $0.key != "links" && $0.key != "metadata" }
            self.init(
                links: [Link](json: json["links"]), metadata: json["metadata"]?.objectValue ?? [:],
                subcollections: Self.collections(in: others))
        default:
            return nil
        }
        if links.isEmpty { return nil }
    }

    /// The collection object.
    public var json: JSONValue {
        let own: [String: JSONValue] = ["metadata": .object(metadata), "links": .array(links.map(\.json))]
        return .object(own.merging(Self.members(for: subcollections)) { own, _ in own })
    }
}

extension PublicationCollection {
    /// The collections among `members` by role. Members that hold none are passed over.
    static func collections(in members: [String: JSONValue]) -> [String: [PublicationCollection]] {
        members.compactMapValues { value in
            let collections = collections(for: value)
            return collections.isEmpty ? nil : collections
        }
    }

    /// A role has an array of links, a collection object, or an array of links and collection objects.
    private static func collections(for value: JSONValue) -> [PublicationCollection] {
        let loose = PublicationCollection(json: .array(value.arrayValue ?? []))
        let objects = value.oneOrMany.filter { $0["href"] == nil }
        return [loose].compactMap { $0 } + objects.compactMap(PublicationCollection.init(json:))
    }

    /// The members of a manifest or a collection that hold `subcollections`.
    static func members(for subcollections: [String: [PublicationCollection]]) -> [String: JSONValue] {
        subcollections.compactMapValues { collections in
            if collections.count == 1, !collections[0].isPlain { return collections[0].json }
            return .nonEmpty(
                collections.flatMap { $0.isPlain ? $0.links.map(\.json) : [$0.json] })
        }
    }

    /// Whether it is nothing but a list of links.
    private var isPlain: Bool { metadata.isEmpty && subcollections.isEmpty }
}
