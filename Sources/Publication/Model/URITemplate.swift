import FileProviderCore
import Foundation

/// A template for addresses with variables to fill in, such as `search{?query,page}` (RFC 6570, all four levels).
public struct URITemplate: Hashable, Sendable {
    /// The template as written.
    public let string: String
    /// The names of the variables, each once, in the order in which they stand.
    public let variables: [String]
    private let parts: [Part]

    /// Reads a template.
    ///
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` for an unpaired brace, and for an expression that is empty, has
    ///   an operator that RFC 6570 reserves, or a name or modifier that it does not allow.
    public init(_ string: String) throws {
        self.string = string
        parts = try URITemplateParser(string).parse()
        var seen: Set<String> = []
        variables = parts.flatMap(\.names).filter { seen.insert($0).inserted }
    }

    /// Returns the address with `values` filled in.
    ///
    /// Variables without a value, and those with an empty list or map, expand to nothing; an empty string does not.
    /// Characters that an address cannot hold are percent-encoded in UTF-8, in literals too.
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` if a prefix of a list or a map is requested (RFC 6570, section
    ///   2.4.1).
    public func expand(_ values: [String: Value]) throws -> String {
        try parts.reduce(into: "") { result, part in
            switch part {
            case .literal(let text): result += URITemplateEncoding.encode(text, .reserved)
            case .expression(let expression): result += try expression.expand(values, in: string)
            }
        }
    }

    /// The value of a variable.
    public enum Value: Sendable {
        /// One text.
        case string(String)
        /// Several texts.
        case list([String])
        /// Texts by name, in order.
        case map([(name: String, text: String)])

        /// Whether the variable counts as one without a value (RFC 6570, section 2.3).
        var isUndefined: Bool {
            switch self {
            case .string: false
            case .list(let texts): texts.isEmpty
            case .map(let members): members.isEmpty
            }
        }
    }

    enum Part: Hashable, Sendable {
        case literal(String)
        case expression(URITemplateExpression)

        var names: [String] {
            switch self {
            case .literal: []
            case .expression(let expression): expression.variables.map(\.name)
            }
        }
    }

    static func malformed(_ template: String, _ reason: String) -> CocoaError {
        FileError.make(
            .fileReadInvalidFileName, path: template, sentence: "The address template “\(template)” \(reason).")
    }
}

extension URITemplate.Value: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// A literal in quotes is one text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An array literal is a list.
    public init(arrayLiteral elements: String...) { self = .list(elements) }
    /// A dictionary literal is a map, in the order in which it is written.
    public init(dictionaryLiteral elements: (String, String)...) { self = .map(elements.map { (name: $0, text: $1) }) }
}

/// Percent-encoding as RFC 6570 asks for it (section 3.2.1).
enum URITemplateEncoding {
    /// The characters that are not encoded.
    enum AllowedCharacters: Hashable, Sendable {
        /// Unreserved characters only.
        case unreserved
        /// Reserved characters too, and percent-encoded triplets.
        case reserved
    }

    static func encode(_ text: String, _ allowed: AllowedCharacters) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            let stays =
                PercentEncoding.isUnreserved(byte)
                || allowed == .reserved && (reserved.contains(byte) || PercentEncoding.escape(bytes[index...]) != nil)
            if stays { result.append(byte) } else { PercentEncoding.append(byte, to: &result) }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The first `length` characters. A percent-encoded triplet counts as one character if it stays encoded.
    static func prefix(_ text: String, _ length: Int, _ allowed: AllowedCharacters) -> String {
        var result = String.UnicodeScalarView()
        var rest = Substring(text).unicodeScalars
        for _ in 0..<length {
            let isEncoded =
                allowed == .reserved && PercentEncoding.escape(Array(Substring(rest).utf8.prefix(3))[...]) != nil
            let character = rest.prefix(isEncoded ? 3 : 1)
            if character.isEmpty { break }
            result.append(contentsOf: character)
            rest = rest.dropFirst(character.count)
        }
        return String(result)
    }

    /// RFC 3986, section 2.2.
    private static let reserved = Set(":/?#[]@!$&'()*+,;=".utf8)
}
