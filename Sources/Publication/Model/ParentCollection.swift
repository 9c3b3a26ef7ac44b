/// A larger work that contains a publication, such as a series, with the publication's place in it (Readium Web
/// Publication Manifest, `belongsTo`).
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
    /// Links to the collection.
    public var links: [Link] = []
    /// The other members, such as the volume of a series, unchanged.
    public var otherProperties: [String: JSONValue] = [:]

    /// A collection with a name, and the publication's place in it.
    public init(name: LocalizedString?, position: Double? = nil, identifier: String? = nil) {
        self.name = name
        self.position = position
        self.identifier = identifier
    }

    /// Reads a name, a number or a non-empty object; nil for anything else.
    public init?(json: JSONValue) {
        self.init(
            name: json.displayName, position: json.doubleValue ?? json["position"]?.doubleValue,
            identifier: json["identifier"]?.stringValue)
        sortAs = json["sortAs"].flatMap(LocalizedString.init(json:))
        alternateIdentifiers = (json["altIdentifier"]?.oneOrMany ?? []).compactMap(AlternateIdentifier.init(json:))
        links = [Link](json: json["links"])
        otherProperties = json.members(besides: ["name", "sortAs", "identifier", "altIdentifier", "position", "links"])
        if self == ParentCollection(name: nil) { return nil }
    }

    /// A string if only an untranslated name is known, a number if only the position is, otherwise an object.
    public var json: JSONValue {
        let own: [String: JSONValue?] = [
            "name": name?.json,
            "sortAs": sortAs?.json,
            "identifier": identifier.map(JSONValue.string),
            "altIdentifier": .nonEmpty(alternateIdentifiers.map(\.json)),
            "position": position.map { JSONValue($0) },
            "links": .nonEmpty(links.map(\.json)),
        ]
        let object = JSONValue.object(present: own, others: otherProperties)
        guard object.objectValue?.count == 1 else { return object }
        return object["name"]?.stringValue.map(JSONValue.string) ?? object["position"] ?? object
    }
}
