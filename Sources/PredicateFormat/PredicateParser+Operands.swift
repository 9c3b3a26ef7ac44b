import FileProviderCore
import Foundation

/// A side of a comparison.
enum PredicateOperand {
    case key(FileQuery.Key)
    case value(PredicateValue)
    /// The values in braces, or an array as argument.
    case list([PredicateValue])
}

/// A value to compare a key with.
enum PredicateValue: Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case decimal(Double)
    case text(String)
    case date(Date)

    /// The value in words, for a sentence.
    var shown: String {
        switch self {
        case .null: "nil"
        case .bool(let value): value ? "TRUE" : "FALSE"
        case .integer(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .text(let text): "the text “\(PredicateError.shortened(text))”"
        case .date: "a date"
        }
    }
}

extension PredicateParser {
    private static let constants: [String: PredicateValue] = [
        "TRUE": .bool(true), "YES": .bool(true), "FALSE": .bool(false), "NO": .bool(false), "NIL": .null, "NULL": .null,
    ]
    /// Words of the whole grammar that are not supported here, and what to use instead.
    private static let refused: [String: String] = [
        "ANY": "an item has no lists", "SOME": "an item has no lists", "ALL": "an item has no lists",
        "NONE": "an item has no lists",
        "SUBQUERY": "an item has no lists", "FUNCTION": "there are no functions", "TERNARY": "there are no functions",
        "SELF": "say which key of the item is meant",
    ]

    mutating func operand() throws -> PredicateOperand {
        switch current.kind {
        case .word where current.text.uppercased() != "CAST" && Self.constants[current.text.uppercased()] == nil:
            return .key(try key())
        case .sign where current.text == "{": return .list(try list())
        case .argument where current.text == "%K":
            guard let name = try argument() as? String else { throw refusal("“%K” takes a key's name") }
            guard let key = FileQuery.Key(named: name) else { throw unknownKey(name) }
            try advance()
            return .key(key)
        case .argument: return try argumentOperand()
        default: return .value(try value())
        }
    }

    private mutating func key() throws -> FileQuery.Key {
        let word = current.text
        if let reason = Self.refused[word.uppercased()] { throw refusal("“\(word)” is not supported: \(reason)") }
        let name = word.uppercased().hasPrefix("SELF.") ? String(word.dropFirst(5)) : word
        guard let key = FileQuery.Key(named: name) else { throw unknownKey(name) }
        try advance()
        return key
    }

    private func unknownKey(_ name: String) -> CocoaError {
        let keys = FileQuery.Key.allCases.map(\.rawValue).joined(separator: ", ")
        return refusal("“\(PredicateError.shortened(name))” is not a key; the keys are \(keys)")
    }

    private mutating func value() throws -> PredicateValue {
        let value: PredicateValue
        switch current.kind {
        case .text: value = .text(current.text)
        case .integer(let integer): value = .integer(integer)
        case .decimal(let decimal): value = .decimal(decimal)
        case .word where current.text.uppercased() == "CAST": return try cast()
        case .word:
            guard let constant = Self.constants[current.text.uppercased()] else {
                throw refusal("a value is expected instead of \(shown)")
            }
            value = constant
        case .argument:
            guard case .value(let given) = try argumentOperand() else {
                throw refusal("one value is expected here, not an array")
            }
            return given
        case .sign, .end: throw refusal("a key or a value is expected instead of \(shown)")
        }
        try advance()
        return value
    }

    /// `{a, b}`.
    private mutating func list() throws -> [PredicateValue] {
        try expect(sign: "{")
        if try take(sign: "}") { return [] }
        var values: [PredicateValue] = []
        repeat { values.append(try value()) } while try take(sign: ",")
        try expect(sign: "}")
        return values
    }

    /// Reads `CAST(…, "NSDate")`: a text as ``DateText`` reads it, or seconds since 2001.
    private mutating func cast() throws -> PredicateValue {
        try advance()
        try expect(sign: "(")
        let start = current.position
        let date: Date
        switch try value() {
        case .date(let value): date = value
        case .integer(let seconds): date = Date(timeIntervalSinceReferenceDate: Double(seconds))
        case .decimal(let seconds): date = Date(timeIntervalSinceReferenceDate: seconds)
        case .text(let text): date = try Self.date(text, at: start)
        case let value: throw PredicateError.make("\(value.shown) cannot be converted to a date", at: start)
        }
        try expect(sign: ",")
        guard current.kind == .text, current.text == "NSDate" else {
            throw refusal("CAST makes “NSDate” only, not \(shown)")
        }
        try advance()
        try expect(sign: ")")
        return .date(date)
    }

    static func date(_ text: String, at position: Int) throws -> Date {
        guard let date = DateText.parse(text) else {
            throw PredicateError.make(
                "“\(PredicateError.shortened(text))” is not a date; write 2026-01-31 or 2026-01-31T08:30:00Z",
                at: position)
        }
        return date
    }

    // MARK: Arguments

    private static let integerForms: Set<String> = [
        "%d", "%i", "%u", "%ld", "%li", "%lu", "%lld", "%lli", "%llu", "%qd", "%qi", "%qu",
    ]
    private static let decimalForms: Set<String> = ["%f", "%lf", "%g", "%lg"]

    private mutating func argumentOperand() throws -> PredicateOperand {
        let form = current.text
        guard form == "%@" || Self.integerForms.contains(form) || Self.decimalForms.contains(form) else {
            throw refusal("“\(PredicateError.shortened(form))” is not supported; use %@, %K, %d or %f")
        }
        let given = try argument()
        if form == "%@", let array = given as? [any Sendable] {
            let values = try array.map { try converted($0) }
            try advance()
            return .list(values)
        }
        let value = try converted(given)
        switch value {
        case .integer: break
        case .decimal where form == "%@" || Self.decimalForms.contains(form): break
        case _ where form == "%@": break
        default: throw refusal("“\(form)” takes a number, not \(value.shown)")
        }
        try advance()
        return .value(value)
    }

    private func converted(_ argument: (any Sendable)?) throws -> PredicateValue {
        switch argument {
        case nil: return .null
        case let value as Bool: return .bool(value)
        case let value as String: return .text(value)
        case let value as Substring: return .text(String(value))
        case let value as Date: return .date(value)
        case let value as any BinaryInteger:
            guard let integer = Int64(exactly: value) else { throw refusal("\(value) is larger than any file") }
            return .integer(integer)
        case let value as any BinaryFloatingPoint: return .decimal(Double(value))
        case let value as FileType: return .text(value.rawValue)
        case .some(let value): throw refusal("an argument of the type \(type(of: value)) is not supported")
        }
    }
}
