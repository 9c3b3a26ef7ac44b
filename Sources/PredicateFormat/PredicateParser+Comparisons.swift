import FileProviderCore
import Foundation

/// What a comparison asks for, after its key.
private enum PredicateOperator {
    case equal, notEqual, less, atMost, greater, atLeast
    case text(TextMatch.Kind)
    case within, between

    static let signs: [String: PredicateOperator] = [
        "==": .equal, "=": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .atMost, "=<": .atMost,
        ">": .greater,
        ">=": .atLeast, "=>": .atLeast,
    ]
    static let words: [String: PredicateOperator] = [
        "BEGINSWITH": .text(.begins), "ENDSWITH": .text(.ends), "CONTAINS": .text(.contains), "LIKE": .text(.like),
        "IN": .within,
        "BETWEEN": .between,
    ]

    /// The operator with the same meaning when its sides are exchanged; nil if there is none.
    var mirrored: PredicateOperator? {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .atMost: .atLeast
        case .greater: .less
        case .atLeast: .atMost
        case .text, .within, .between: nil
        }
    }

    /// What makes a comparison with a value of it; nil for an operator that is no such comparison.
    func comparison<Value>(with type: Value.Type) -> ((Value) -> FileQuery.Comparison<Value>)? {
        switch self {
        case .equal: FileQuery.Comparison.equal
        case .less: FileQuery.Comparison.less
        case .atMost: FileQuery.Comparison.atMost
        case .greater: FileQuery.Comparison.greater
        case .atLeast: FileQuery.Comparison.atLeast
        case .notEqual, .text, .within, .between: nil
        }
    }
}

extension PredicateParser {
    mutating func comparison() throws -> FileQuery {
        let start = current.position
        let left = try operand()
        let position = current.position
        let (sign, options) = try comparisonOperator()
        let valuePlace = current.position
        let right = try operand()
        switch (left, right) {
        case (.key(let key), .value(let value)):
            return try Condition(key: key, position: position, options: options, valuePlace: valuePlace).query(
                sign, value)
        case (.key(let key), .list(let values)):
            return try Condition(key: key, position: position, options: options, valuePlace: valuePlace).query(
                sign, values)
        case (.value(let value), .key(let key)):
            guard let sign = sign.mirrored else {
                throw PredicateError.make("the key has to be in front of this operator", at: position)
            }
            return try Condition(key: key, position: position, options: options, valuePlace: start).query(sign, value)
        case (.key, .key):
            throw PredicateError.make("a key is compared with a value, not with another key", at: valuePlace)
        default: throw PredicateError.make("one side of a comparison has to be a key", at: start)
        }
    }

    private mutating func comparisonOperator() throws -> (PredicateOperator, TextMatch.Options) {
        let word = current.text.uppercased()
        let found =
            current.kind == .sign
            ? PredicateOperator.signs[word] : current.kind == .word ? PredicateOperator.words[word] : nil
        guard let found else {
            if word == "MATCHES" {
                throw refusal("“MATCHES” is not supported: a regular expression may take forever; use LIKE")
            }
            throw refusal("an operator such as “==” or “CONTAINS” is expected instead of \(shown)")
        }
        try advance()
        guard try take(sign: "[") else { return (found, []) }
        var options: TextMatch.Options = []
        switch current.kind == .word ? current.text.lowercased() : "" {
        case "c": options = .caseInsensitive
        case "d": options = .diacriticInsensitive
        case "cd", "dc": options = [.caseInsensitive, .diacriticInsensitive]
        default: throw refusal("an operator takes [c], [d] or [cd], not \(shown)")
        }
        try advance()
        try expect(sign: "]")
        return (found, options)
    }
}

/// A key with the options of its operator, and the places of operator and value in the text.
private struct Condition {
    let key: FileQuery.Key
    /// The position of the operator.
    let position: Int
    let options: TextMatch.Options
    let valuePlace: Int

    func query(_ sign: PredicateOperator, _ values: [PredicateValue]) throws -> FileQuery {
        switch sign {
        case .within: return .or(try values.map { try query(.equal, $0) })
        case .between:
            guard values.count == 2 else { throw PredicateError.make("BETWEEN takes two values", at: valuePlace) }
            return .and([try query(.atLeast, values[0]), try query(.atMost, values[1])])
        default: throw PredicateError.make("several values are allowed only after IN and BETWEEN", at: valuePlace)
        }
    }

    func query(_ sign: PredicateOperator, _ value: PredicateValue) throws -> FileQuery {
        switch sign {
        case .notEqual: return .not(try query(.equal, value))
        case .within, .between:
            throw PredicateError.make("IN and BETWEEN take values in braces, or an array", at: valuePlace)
        case .equal where value == .null: return .not(.known(key))
        default: break
        }
        switch key {
        case .name: return .name(try text(sign, value))
        case .path: return .path(try text(sign, value))
        case .url: return .url(try text(sign, value))
        case .mimeType: return .mimeType(try text(sign, value))
        case .entryTag: return .entryTag(try text(sign, value))
        case .type: return .type(try fileType(sign, value: value))
        case .fileSize: return .size(try size(sign, value))
        case .creationDate: return .created(try date(sign, value))
        case .modifiedDate: return .modified(try date(sign, value))
        case .serverDate: return .serverDate(try date(sign, value))
        case .isWritable: return .writable(try bool(sign, value))
        case .isReadOnly: return .writable(try !bool(sign, value))
        case .isHidden: return try bool(sign, value) ? .hidden : .not(.hidden)
        case .isDirectory: return try kind(.directory, sign, value)
        case .isRegularFile: return try kind(.regular, sign, value)
        case .isSymLink: return try kind(.symbolicLink, sign, value)
        }
    }

    private func kind(_ type: FileType, _ sign: PredicateOperator, _ value: PredicateValue) throws -> FileQuery {
        try bool(sign, value) ? .type(type) : .not(.type(type))
    }

    // MARK: Values

    private func text(_ sign: PredicateOperator, _ value: PredicateValue) throws -> TextMatch {
        guard case .text(let text) = value else { throw unfit(value, expected: "text") }
        switch sign {
        case .equal: return TextMatch(.equals, text, options: options)
        case .text(let kind): return TextMatch(kind, text, options: options)
        default: throw PredicateError.make("texts such as “\(key.rawValue)” have no order here", at: position)
        }
    }

    private func fileType(_ sign: PredicateOperator, value: PredicateValue) throws -> FileType {
        try refuseOptions()
        guard case .equal = sign else { throw PredicateError.make("“type” is compared by ==, != and IN", at: position) }
        guard case .text(let text) = value, let type = FileType(rawValue: text) else {
            throw unfit(value, expected: "\"file\", \"directory\", \"symlink\" or \"other\"")
        }
        return type
    }

    private func size(_ sign: PredicateOperator, _ value: PredicateValue) throws -> FileQuery.Comparison<Int64> {
        try ordered(sign) {
            switch value {
            case .integer(let size): return size
            case .decimal(let number):
                if let size = Int64(exactly: number) { return size }
                fallthrough
            default: throw unfit(value, expected: "a whole number of bytes")
            }
        }
    }

    private func date(_ sign: PredicateOperator, _ value: PredicateValue) throws -> FileQuery.Comparison<Date> {
        try ordered(sign) {
            switch value {
            case .date(let date): date
            case .text(let text): try PredicateParser.date(text, at: valuePlace)
            default: throw unfit(value, expected: "a date")
            }
        }
    }

    private func bool(_ sign: PredicateOperator, _ value: PredicateValue) throws -> Bool {
        try refuseOptions()
        guard case .equal = sign else {
            throw PredicateError.make("“\(key.rawValue)” is compared by ==, != and IN", at: position)
        }
        switch value {
        case .bool(let bool): return bool
        case .integer(0): return false
        case .integer(1): return true
        default: throw unfit(value, expected: "TRUE or FALSE")
        }
    }

    /// Reports a wrong operator before a value that does not fit.
    private func ordered<Value>(_ sign: PredicateOperator, _ value: () throws -> Value) throws
        -> FileQuery.Comparison<Value>
    {
        try refuseOptions()
        guard let comparison = sign.comparison(with: Value.self) else {
            throw PredicateError.make("“\(key.rawValue)” is not a text, so this operator does not apply", at: position)
        }
        return comparison(try value())
    }

    private func refuseOptions() throws {
        guard options.isEmpty else {
            throw PredicateError.make("[c] and [d] are for texts; “\(key.rawValue)” is not one", at: position)
        }
    }

    private func unfit(_ value: PredicateValue, expected: String) -> CocoaError {
        PredicateError.make("“\(key.rawValue)” is compared with \(expected), not with \(value.shown)", at: valuePlace)
    }
}
