/// Something larger that a publication is part of, such as a series, with its place in it (Readium Web Publication
/// Manifest, `belongsTo`).
public struct ParentCollection: Hashable, Sendable {
    /// The name as it is shown; a volume may have a number only.
    public var name: LocalizedString?
    /// The name as it is sorted.
    public var sortAs: LocalizedString?
    /// A URI that identifies the collection.
    public var identifier: String?
    /// Further identifiers.
    public var alternateIdentifiers: [AlternateIdentifier] = []
    /// The place of the publication in the collection; may be zero, negative or a fraction.
    public var position: Double?
    /// Where to find the collection.
    public var links: [Link] = []
    /// Every other member, such as the volume of a series, as it came.
    public var otherProperties: [String: JSONValue] = [:]

    /// A collection with a name, and the publication's place in it.
    public init(name: LocalizedString?, position: Double? = nil, identifier: String? = nil) {
        self.name = name
        self.position = position
        self.identifier = identifier
    }

    /// Reads a name, a number or an object with one of them; nil if there is neither.
    public init?(json: JSONValue) {
        self.init(
            name: json.displayName, position: json.doubleValue ?? json["position"]?.doubleValue,
            identifier: json["identifier"]?.stringValue)
        guard name != nil || position != nil else { return nil }
        sortAs = json["sortAs"].flatMap(LocalizedString.init(json:))
        alternateIdentifiers = (json["altIdentifier"]?.oneOrMany ?? []).compactMap(AlternateIdentifier.init(json:))
        links = [Link](json: json["links"])
        otherProperties = (json.objectValue ?? [:]).filter { !Self.keys.contains($0.key) }
    }

    /// A string if only an untranslated name is known, otherwise an object.
    public var json: JSONValue {
        let known: [String: JSONValue] = [
            "name": name?.json,
            "sortAs": sortAs?.json,
            "identifier": identifier.map(JSONValue.string),
            "altIdentifier": .nonEmpty(alternateIdentifiers.map(\.json)),
            "position": position.map { JSONValue($0) },
            "links": .nonEmpty(links.map(\.json)),
        ].compactMapValues { $0 }
        let object = JSONValue.object(known.merging(otherProperties) { known, _ in known })
        return object.isOnlyAName ? known["name"] ?? object : object
    }

    private static let keys: Set<String> = ["name", "sortAs", "identifier", "altIdentifier", "position", "links"]
}
