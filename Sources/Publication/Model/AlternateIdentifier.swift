/// A further identifier of a publication, a contributor or a series (Readium Web Publication Manifest,
/// `altIdentifier`).
public struct AlternateIdentifier: Hashable, Sendable {
    /// The identifier.
    public var value: String
    /// The address of the scheme that ``value`` follows, if it is not a URI by itself.
    public var scheme: String?
    /// The members that have no property here, unchanged.
    public var otherProperties: [String: JSONValue] = [:]

    /// An identifier, with the scheme it follows.
    public init(_ value: String, scheme: String? = nil) {
        self.value = value
        self.scheme = scheme
    }

    init?(json: JSONValue) {
        guard let value = json.stringValue ?? json["value"]?.stringValue else { return nil }
        self.init(value, scheme: json["scheme"]?.stringValue)
        otherProperties = json.members(besides: ["value", "scheme"])
    }

    var json: JSONValue {
        if scheme == nil, otherProperties.isEmpty { return .string(value) }
        return .object(
            present: ["value": .string(value), "scheme": scheme.map(JSONValue.string)], others: otherProperties)
    }
}
