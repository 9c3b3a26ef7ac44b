/// Somebody who had a part in a publication (Readium Web Publication Manifest, contributor object).
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
    /// Where to find more by or about the contributor.
    public var links: [Link] = []
    /// Every member that has no property here, as it came.
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

/// The part that a contributor had, as the key of the manifest says.
public enum ContributorRole: String, Hashable, Sendable, CaseIterable {
    /// Who wrote it.
    case author
    /// Who translated it.
    case translator
    /// Who edited it.
    case editor
    /// Who drew it.
    case artist
    /// Who illustrated it.
    case illustrator
    /// Who lettered it.
    case letterer
    /// Who penciled it.
    case penciler
    /// Who coloured it.
    case colorist
    /// Who inked it.
    case inker
    /// Who reads it aloud.
    case narrator
    /// Who had another part in it.
    case contributor
    /// Who published it.
    case publisher
    /// The names under which the publishers did.
    case imprint
}
