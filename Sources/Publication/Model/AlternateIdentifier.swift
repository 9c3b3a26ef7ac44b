/// A further identifier of a publication, a contributor or a series (Readium Web Publication Manifest,
/// `altIdentifier`).
public struct AlternateIdentifier: Hashable, Sendable {
    /// The identifier.
    public var value: String
    /// The address of the scheme that ``value`` follows, if it is not a URI by itself.
    public var scheme: String?

    /// An identifier, with the scheme it follows.
    public init(_ value: String, scheme: String? = nil) {
        self.value = value
        self.scheme = scheme
    }

    init?(json: JSONValue) {
        guard let value = json.stringValue ?? json["value"]?.stringValue else { return nil }
        self.init(value, scheme: json["scheme"]?.stringValue)
    }

    var json: JSONValue {
        guard let scheme else { return .string(value) }
        return ["value": .string(value), "scheme": .string(scheme)]
    }
}
