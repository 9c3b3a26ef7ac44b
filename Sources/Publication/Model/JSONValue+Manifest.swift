/// Reading and writing the loose forms that manifests use: one or many, absent or empty.
extension JSONValue {
    /// The strings of an array, or one lone string; whatever is no string is passed over.
    var strings: [String] {
        switch self {
        case .string(let text): [text]
        case .array(let elements): elements.compactMap(\.stringValue)
        default: []
        }
    }

    /// The elements of an array, or the value itself as the only one.
    var oneOrMany: [JSONValue] {
        switch self {
        case .array(let elements): elements
        case .null: []
        default: [self]
        }
    }

    /// A number above zero, which is what sizes, lengths and counts must be; nil for anything else.
    var positiveNumber: Double? {
        doubleValue.flatMap { $0 > 0 ? $0 : nil }
    }

    /// A whole number above zero; nil for anything else.
    var positiveInteger: Int64? {
        integerValue.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Nil for no values, the value itself for one, an array for more.
    static func oneOrMany(_ values: [JSONValue]) -> JSONValue? {
        values.count > 1 ? .array(values) : values.first
    }

    /// Nil for no strings, a string for one, an array for more.
    static func oneOrMany(_ strings: [String]) -> JSONValue? {
        oneOrMany(strings.map(JSONValue.string))
    }

    /// Nil for an empty array.
    static func nonEmpty(_ values: [JSONValue]) -> JSONValue? {
        values.isEmpty ? nil : .array(values)
    }

    /// An object of the members that are there.
    static func object(present members: [String: JSONValue?]) -> JSONValue {
        .object(members.compactMapValues { $0 })
    }

    /// The name in a contributor, subject or collection, each of which is a name or an object with one.
    var displayName: LocalizedString? {
        if let text = stringValue { return LocalizedString(text) }
        return self["name"].flatMap(LocalizedString.init(json:))
    }

    /// Whether this object could as well be written as a string.
    var isOnlyAName: Bool {
        objectValue?.count == 1 && self["name"]?.stringValue != nil
    }
}
