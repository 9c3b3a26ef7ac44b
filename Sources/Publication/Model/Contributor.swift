/// A person or company that had a part in a publication (Readium Web Publication Manifest, contributor object).
public struct Contributor: Hashable, Sendable {
    /// The name as it is shown.
    public var name: LocalizedString
    /// The name as it is sorted, such as "Melville, Herman".
    public var sortAs: LocalizedString?
    /// A URI that identifies the contributor.
    public var identifier: String?
    /// Further identifiers.
    public var alternateIdentifiers: [AlternateIdentifier] = []
    /// Roles that the manifest has no key for, usually MARC relator codes.
    public var roles: [String] = []
    /// Links to more by or about the contributor.
    public var links: [Link] = []
    /// The members that have no property here, unchanged.
    public var otherProperties: [String: JSONValue] = [:]

    /// A contributor with a name.
    public init(
        name: LocalizedString, sortAs: LocalizedString? = nil, identifier: String? = nil, roles: [String] = []
    ) {
        self.name = name
        self.sortAs = sortAs
        self.identifier = identifier
        self.roles = roles
    }

    /// Reads a name or an object with one; nil if there is no name.
    public init?(json: JSONValue) {
        guard let name = json.displayName else { return nil }
        self.init(
            name: name, sortAs: json["sortAs"].flatMap(LocalizedString.init(json:)),
            identifier: json["identifier"]?.stringValue, roles: json["role"]?.strings ?? [])
        alternateIdentifiers = (json["altIdentifier"]?.oneOrMany ?? []).compactMap(AlternateIdentifier.init(json:))
        links = [Link](json: json["links"])
        otherProperties = json.members(besides: ["name", "sortAs", "identifier", "altIdentifier", "role", "links"])
    }

    /// A string if only an untranslated name is known, otherwise an object.
    public var json: JSONValue {
        let own: [String: JSONValue?] = [
            "name": name.json,
            "sortAs": sortAs?.json,
            "identifier": identifier.map(JSONValue.string),
            "altIdentifier": .nonEmpty(alternateIdentifiers.map(\.json)),
            "role": .oneOrMany(roles),
            "links": .nonEmpty(links.map(\.json)),
        ]
        let object = JSONValue.object(present: own, others: otherProperties)
        return object.isOnlyAName ? name.json : object
    }
}

/// The part that a contributor had. The raw value is the manifest's key.
public enum ContributorRole: String, Hashable, Sendable, CaseIterable {
    /// A person who wrote it.
    case author
    /// A person who translated it.
    case translator
    /// A person who edited it.
    case editor
    /// A person who drew it.
    case artist
    /// A person who illustrated it.
    case illustrator
    /// A person who lettered it.
    case letterer
    /// A person who penciled it.
    case penciler
    /// A person who coloured it.
    case colorist
    /// A person who inked it.
    case inker
    /// A person who reads it aloud.
    case narrator
    /// A person who had another part in it.
    case contributor
    /// A person or company that published it.
    case publisher
    /// A name under which a publisher published it.
    case imprint
}
