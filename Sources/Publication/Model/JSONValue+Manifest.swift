/// Reading and writing the loose forms that manifests use: one or many, absent or empty.
extension JSONValue {
    /// The strings of an array, or a single string; elements that are not strings are ignored.
    package var strings: [String] {
        switch self {
        case .string(let text): [text]
        case .array(let elements): elements.compactMap(\.stringValue)
        default: []
        }
    }

    /// The elements of an array, or the value itself as the only one.
    package var oneOrMany: [JSONValue] {
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
    package var positiveInteger: Int64? {
        integerValue.flatMap { $0 > 0 ? $0 : nil }
    }

    /// The number, nil if it is not above zero or has no end.
    static func positive(_ number: Double?) -> JSONValue? {
        guard let number, number > 0, number.isFinite else { return Optional.none }
        return JSONValue(number)
    }

    /// The number, nil if it is not above zero.
    static func positive(_ number: (some BinaryInteger)?) -> JSONValue? {
        guard let number, number > 0 else { return Optional.none }
        return Int64(exactly: number).map(JSONValue.integer)
    }

    /// Nil for no values, the value itself for one, an array for more.
    static func oneOrMany(_ values: [JSONValue]) -> JSONValue? {
        values.count > 1 ? .array(values) : values.first
    }

    /// Nil for no strings, a string for one, an array for more.
    package static func oneOrMany(_ strings: [String]) -> JSONValue? {
        oneOrMany(strings.map(JSONValue.string))
    }

    /// Nil for an empty array.
    package static func nonEmpty(_ values: [JSONValue]) -> JSONValue? {
        values.isEmpty ? nil : .array(values)
    }

    /// Nil for an empty object.
    static func nonEmpty(_ object: JSONValue) -> JSONValue? {
        object.objectValue?.isEmpty == true ? Optional.none : object
    }

    /// An object of the members that are there, and of `others` where none of them has the name.
    package static func object(present members: [String: JSONValue?], others: [String: JSONValue] = [:]) -> JSONValue {
        .object(others.merging(members.compactMapValues { $0 }) { _, known in known })
    }

    /// The members of this object that are not called like one of `keys`; none if this is no object.
    package func members(besides keys: Set<String>) -> [String: JSONValue] {
        (objectValue ?? [:]).filter { !keys.contains($0.key) }
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
