/// What a publication is about (Readium Web Publication Manifest, subject object).
public struct Subject: Hashable, Sendable {
    /// The subject as it is shown.
    public var name: LocalizedString
    /// The subject as it is sorted.
    public var sortAs: LocalizedString?
    /// The code of the subject in ``scheme``.
    public var code: String?
    /// The address of the classification that ``code`` is from.
    public var scheme: String?
    /// Links to more on the subject.
    public var links: [Link]
    /// The members that have no property here, unchanged.
    public var otherProperties: [String: JSONValue] = [:]

    /// A subject with a name.
    public init(
        name: LocalizedString, sortAs: LocalizedString? = nil, code: String? = nil, scheme: String? = nil,
        links: [Link] = []
    ) {
        self.name = name
        self.sortAs = sortAs
        self.code = code
        self.scheme = scheme
        self.links = links
    }

    /// Reads a name or an object with one; nil if there is no name.
    public init?(json: JSONValue) {
        guard let name = json.displayName else { return nil }
        self.init(
            name: name, sortAs: json["sortAs"].flatMap(LocalizedString.init(json:)), code: json["code"]?.stringValue,
            scheme: json["scheme"]?.stringValue, links: [Link](json: json["links"]))
        otherProperties = json.members(besides: ["name", "sortAs", "code", "scheme", "links"])
    }

    /// A string if only an untranslated name is known, otherwise an object.
    public var json: JSONValue {
        let own: [String: JSONValue?] = [
            "name": name.json,
            "sortAs": sortAs?.json,
            "code": code.map(JSONValue.string),
            "scheme": scheme.map(JSONValue.string),
            "links": .nonEmpty(links.map(\.json)),
        ]
        let object = JSONValue.object(present: own, others: otherProperties)
        return object.isOnlyAName ? name.json : object
    }
}
