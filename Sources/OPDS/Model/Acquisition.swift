public import Foundation
public import Publication

/// A price (OPDS 1.2, section 5.2.2; OPDS 2.0, properties).
public struct Price: Hashable, Sendable {
    /// The code of the currency (ISO 4217), such as `EUR`.
    public var currency: String
    /// The amount in that currency; not below zero.
    public var value: Decimal

    /// A price in a currency.
    public init(currency: String, value: Decimal) {
        self.currency = currency
        self.value = value
    }

    /// Reads an object with `currency` and `value`, which may be a number or digits in a string; nil for anything
    /// else, for a value below zero, and for more than 24 characters.
    init?(json: JSONValue) {
        guard let currency = json["currency"]?.stringValue, let value = json["value"].flatMap(Self.amount) else {
            return nil
        }
        self.init(currency: currency, value: value)
    }

    /// Reads an amount with a decimal point, such as `9.99`; nil for anything else.
    init?(currency: String, text: String) {
        guard let value = Self.amount(text) else { return nil }
        self.init(currency: currency, value: value)
    }

    /// The object; nil if the value is no number or below zero.
    var json: JSONValue? {
        guard let number = Double(value.description), number.isFinite, number >= 0 else { return nil }
        return ["currency": .string(currency), "value": JSONValue(number)]
    }

    private static func amount(_ json: JSONValue) -> Decimal? {
        switch json {
        case .integer(let number): amount(String(number))
        // The shortest text of the number is what the catalogue wrote; `Decimal(_: Double)` would add digits.
        case .double(let number): amount(number.description)
        case .string(let text): amount(text)
        default: nil
        }
    }

    private static func amount(_ text: String) -> Decimal? {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        // No number of a price is longer. Other characters could spell hexadecimal numbers and infinity.
        guard text.utf8.count <= 24, text.utf8.allSatisfy({ "0123456789.".utf8.contains($0) }), Double(text) != nil
        else { return nil }
        return Decimal(string: text)
    }
}

/// What a link leads to after further steps, such as a licence that a book comes with (OPDS 1.2, section 5.2.3).
public struct IndirectAcquisition: Hashable, Sendable {
    /// The media type.
    public var type: String
    /// What that leads to in turn; if there are several, one of them.
    public var children: [IndirectAcquisition]

    /// A step with those after it.
    public init(type: String, children: [IndirectAcquisition] = []) {
        self.type = type
        self.children = children
    }

    /// Reads an acquisition object; nil if it has no type.
    init?(json: JSONValue) {
        guard let type = json["type"]?.stringValue else { return nil }
        self.init(type: type, children: (json["child"]?.oneOrMany ?? []).compactMap(IndirectAcquisition.init(json:)))
    }

    /// The acquisition object.
    var json: JSONValue {
        .object(present: ["type": .string(type), "child": .nonEmpty(children.map(\.json))])
    }

    /// The media types at the end of all steps, in order.
    public var finalTypes: [String] {
        children.isEmpty ? [type] : children.flatMap(\.finalTypes)
    }
}

/// Whether a publication can be acquired at present (OPDS 2.0, properties).
public struct Availability: Hashable, Sendable {
    /// The states of a publication in a library.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// All copies are out.
        case unavailable
        /// It can be acquired.
        case available
        /// The user has reserved it.
        case reserved
        /// The user has reserved it, and it can be acquired.
        case ready
    }

    /// The state.
    public var state: State
    /// When the state began.
    public var since: Date?
    /// When the state will end.
    public var until: Date?

    /// A state and its time.
    public init(_ state: State, since: Date? = nil, until: Date? = nil) {
        self.state = state
        self.since = since
        self.until = until
    }

    /// Reads an availability object; nil if it has no known state.
    init?(json: JSONValue) {
        guard let state = json["state"]?.stringValue.flatMap(State.init(rawValue:)) else { return nil }
        self.init(
            state, since: json["since"]?.stringValue.flatMap(Date.init(manifestText:)),
            until: json["until"]?.stringValue.flatMap(Date.init(manifestText:)))
    }

    /// The availability object.
    var json: JSONValue {
        .object(present: [
            "state": .string(state.rawValue),
            "since": since.map { .string($0.manifestText) },
            "until": until.map { .string($0.manifestText) },
        ])
    }
}

/// How many users have reserved a publication (OPDS 2.0, properties).
public struct Holds: Hashable, Sendable {
    /// The number of reservations.
    public var total: Int?
    /// The place of this user among them.
    public var position: Int?

    /// Reservations.
    public init(total: Int? = nil, position: Int? = nil) {
        self.total = total
        self.position = position
    }

    /// Reads an object with counts; nil if it has none.
    init?(json: JSONValue) {
        self.init(total: json["total"]?.count, position: json["position"]?.count)
        if total == nil, position == nil { return nil }
    }

    /// The object; nil without counts.
    var json: JSONValue? {
        .counts(["total": total, "position": position])
    }
}

/// How many copies of a publication a library has (OPDS 2.0, properties).
public struct Copies: Hashable, Sendable {
    /// The number of copies.
    public var total: Int?
    /// The number of copies that are not out.
    public var available: Int?

    /// Copies.
    public init(total: Int? = nil, available: Int? = nil) {
        self.total = total
        self.available = available
    }

    /// Reads an object with counts; nil if it has none.
    init?(json: JSONValue) {
        self.init(total: json["total"]?.count, available: json["available"]?.count)
        if total == nil, available == nil { return nil }
    }

    /// The object; nil without counts.
    var json: JSONValue? {
        .counts(["total": total, "available": available])
    }
}

extension JSONValue {
    /// An object of those counts that are known and not below zero; nil if there are none.
    fileprivate static func counts(_ counts: [String: Int?]) -> JSONValue? {
        let members = counts.compactMapValues { JSONValue.count($0) }
        return members.isEmpty ? Optional.none : .object(members)
    }
}
