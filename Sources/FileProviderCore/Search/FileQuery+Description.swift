import Foundation

extension FileQuery: CustomStringConvertible {
    /// The query in the syntax of `init(format:_:)`, which can read it again, except for `GLOB` and tests, which
    /// predicates cannot express.
    public var description: String {
        switch self {
        case .all, .and([]): "TRUEPREDICATE"
        case .none, .or([]): "FALSEPREDICATE"
        case .name(let match): "name \(match)"
        case .path(let match): "path \(match)"
        case .url(let match): "url \(match)"
        case .mimeType(let match): "mimeType \(match)"
        case .entryTag(let match): "entryTag \(match)"
        case .type(let type): "type == \"\(type.rawValue)\""
        case .size(let comparison): "fileSize \(comparison.sign) \(comparison.value)"
        case .modified(let comparison): "modifiedDate \(comparison)"
        case .created(let comparison): "creationDate \(comparison)"
        case .serverDate(let comparison): "serverDate \(comparison)"
        case .hidden: "isHidden == TRUE"
        case .writable(true): "isWritable == TRUE"
        case .writable(false): "isReadOnly == TRUE"
        case .known(let key): "\(key.rawValue) != nil"
        case .and(let parts): parts.map { "(\($0))" }.joined(separator: " AND ")
        case .or(let parts): parts.map { "(\($0))" }.joined(separator: " OR ")
        case .not(let query): "NOT (\(query))"
        case .test(let test): test.description
        }
    }
}

extension FileQuery.Comparison {
    /// The value to compare with.
    public var value: Value {
        switch self {
        case .equal(let value), .less(let value), .atMost(let value), .greater(let value), .atLeast(let value): value
        }
    }

    fileprivate var sign: String {
        switch self {
        case .equal: "=="
        case .less: "<"
        case .atMost: "<="
        case .greater: ">"
        case .atLeast: ">="
        }
    }
}

extension FileQuery.Comparison: CustomStringConvertible {
    /// The operator and the value; a date as RFC 3339 if it is a whole second, else in seconds since 2001.
    public var description: String {
        guard let date = value as? Date else { return "\(sign) \(value)" }
        let seconds = date.timeIntervalSinceReferenceDate
        let text = date.formatted(Date.ISO8601FormatStyle())
        return DateText.parse(text) == date ? "\(sign) \"\(text)\"" : "\(sign) CAST(\(seconds), \"NSDate\")"
    }
}

extension TextMatch: CustomStringConvertible {
    /// The operator and the text in quotes.
    public var description: String {
        let words: [Kind: String] = [.equals: "==", .begins: "BEGINSWITH", .ends: "ENDSWITH", .contains: "CONTAINS"]
        let letters =
            (options.contains(.caseInsensitive) ? "c" : "") + (options.contains(.diacriticInsensitive) ? "d" : "")
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case "\n": "\\n"
            case "\r": "\\r"
            case "\t": "\\t"
            default: String(scalar)
            }
        }
        return
            "\(words[kind] ?? kind.rawValue.uppercased())\(letters.isEmpty ? "" : "[\(letters)]") \"\(escaped.joined())\""
    }
}
