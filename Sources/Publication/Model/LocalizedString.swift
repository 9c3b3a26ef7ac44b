/// A text in one or more languages, such as the title of a translated book.
///
/// In the Readium Web Publication Manifest it is a string, or an object from BCP 47 language tags to strings.
public struct LocalizedString: Hashable, Sendable {
    /// The tag of a text whose language is not known: `und` (BCP 47, section 4.1).
    public static let undetermined = "und"

    /// The texts by language tag. Never empty.
    public let translations: [String: String]

    /// A text in an unknown language.
    public init(_ string: String) {
        translations = [Self.undetermined: string]
    }

    /// Texts by BCP 47 language tag; nil if there are none.
    public init?(_ translations: [String: String]) {
        guard !translations.isEmpty else { return nil }
        self.translations = translations
    }

    /// The text to use when nothing is known about the reader: the one without a language, else English, else the
    /// first in the order of the tags.
    public var string: String {
        translations[Self.undetermined] ?? bestMatch(for: "en") ?? sorted.first?.value ?? ""
    }

    /// The text for a reader who prefers `languages` in this order, otherwise ``string``.
    ///
    /// Case plays no part, and if `pt-BR` is not there any `pt` is taken (RFC 4647, section 3.4, widened).
    public func string(for languages: [String]) -> String {
        languages.lazy.compactMap(bestMatch).first ?? string
    }

    private func bestMatch(for language: String) -> String? {
        let language = language.lowercased()
        let primary = language.prefix { $0 != "-" }
        return sorted.first { $0.key.lowercased() == language }?.value
            ?? sorted.first { $0.key.lowercased().prefix { $0 != "-" } == primary }?.value
    }

    private var sorted: [(key: String, value: String)] {
        translations.sorted { $0.key < $1.key }
    }
}

extension LocalizedString {
    /// Reads either form; nil if `json` is neither or holds no text. Members that are not strings are ignored.
    public init?(json: JSONValue) {
        switch json {
        case .string(let text): self.init(text)
        case .object(let members): self.init(members.compactMapValues(\.stringValue))
        default: return nil
        }
    }

    /// A string if there is only a text without a language, otherwise an object.
    public var json: JSONValue {
        if translations.count == 1, let text = translations[Self.undetermined] { return .string(text) }
        return .object(translations.mapValues(JSONValue.string))
    }
}

extension LocalizedString: ExpressibleByStringLiteral, CustomStringConvertible {
    /// A text in an unknown language, tagged ``undetermined``.
    public init(stringLiteral value: String) { self.init(value) }

    /// The same as ``string``.
    public var description: String { string }
}
