public import Foundation

/// The description of a publication and its resources as data (Readium Web Publication Manifest).
public struct Manifest: Hashable, Sendable {
    /// The JSON-LD context of a Readium Web Publication Manifest.
    public static let defaultContext = "https://readium.org/webpub-manifest/context.jsonld"

    /// The JSON-LD contexts.
    public var context: [String]
    /// The metadata of the publication as a whole.
    public var metadata: Metadata
    /// Links to related resources, among them the manifest itself (`self`).
    public var links: [Link]
    /// The resources that are read one after the other.
    public var readingOrder: [Link]
    /// The other resources of the publication.
    public var resources: [Link]
    /// The table of contents, a tree by ``Link/children``.
    public var tableOfContents: [Link]
    /// Other groups of links by role.
    public var subcollections: [String: [PublicationCollection]]
    /// The other members, which hold no group of links, unchanged.
    public var otherProperties: [String: JSONValue] = [:]

    /// A manifest put together by a program.
    public init(
        context: [String] = [Manifest.defaultContext], metadata: Metadata, links: [Link] = [],
        readingOrder: [Link] = [], resources: [Link] = [], tableOfContents: [Link] = [],
        subcollections: [String: [PublicationCollection]] = [:]
    ) {
        self.context = context
        self.metadata = metadata
        self.links = links
        self.readingOrder = readingOrder
        self.resources = resources
        self.tableOfContents = tableOfContents
        self.subcollections = subcollections
    }

    /// The links of all groups with the role `role`, such as `pageList`.
    public func links(inSubcollection role: String) -> [Link] {
        (subcollections[role] ?? []).flatMap(\.links)
    }
}

extension Manifest {
    /// The largest manifest that is read by default: 16 MiB.
    public static let defaultMaximumSize = 16 << 20

    /// Reads a manifest. Members of the wrong kind are ignored.
    ///
    /// Links without a media type are left out of the reading order and the resources, because the manifest requires
    /// one there. The reading order may have its old name `spine` and, as in an OPDS publication, may be missing.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if there are no metadata with a title.
    public init(json: JSONValue) throws {
        guard let metadata = json["metadata"], metadata.objectValue != nil else {
            throw CocoaError.unreadable("The document is not a Readium manifest: it has no metadata.")
        }
        let (collections, others) = PublicationCollection.split(json.members(besides: Self.keys))
        self.init(
            context: json["@context"]?.strings ?? [],
            metadata: try Metadata(json: metadata),
            links: [Link](json: json["links"]),
            readingOrder: [Link](json: json["readingOrder"] ?? json["spine"]).filter { $0.type != nil },
            resources: [Link](json: json["resources"]).filter { $0.type != nil },
            tableOfContents: [Link](json: json["toc"]),
            subcollections: collections)
        otherProperties = others
    }

    /// Reads a manifest from JSON text. Errors are those of ``JSONValue/init(data:maximumSize:)`` and
    /// ``init(json:)``; `maximumSize` is in bytes.
    public init(data: Data, maximumSize: Int = Manifest.defaultMaximumSize) throws {
        try self.init(json: JSONValue(data: data, maximumSize: maximumSize))
    }

    /// Reads a manifest from JSON text, with the limits and errors of ``init(data:maximumSize:)``.
    public init(jsonString: String, maximumSize: Int = Manifest.defaultMaximumSize) throws {
        try self.init(data: Data(jsonString.utf8), maximumSize: maximumSize)
    }

    /// The manifest as JSON; ``JSONValue/data`` turns it into text.
    public var json: JSONValue {
        let own: [String: JSONValue?] = [
            "@context": .oneOrMany(context),
            "metadata": metadata.json,
            "links": .nonEmpty(links.map(\.json)),
            "readingOrder": .array(readingOrder.map(\.json)),
            "resources": .nonEmpty(resources.map(\.json)),
            "toc": .nonEmpty(tableOfContents.map(\.json)),
        ]
        return .object(
            present: own, others: PublicationCollection.members(for: subcollections, others: otherProperties))
    }

    private static let keys: Set<String> = [
        "@context", "metadata", "links", "readingOrder", "spine", "resources", "toc",
    ]
}
