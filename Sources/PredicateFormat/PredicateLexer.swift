import FileProviderCore
import Foundation

/// A word of a predicate's text.
struct PredicateToken: Equatable {
    enum Kind: Equatable {
        /// A key, a keyword or a constant.
        case word
        /// A text in quotes, without them and with its escapes resolved.
        case text
        case integer(Int64)
        case decimal(Double)
        /// An operator or a bracket.
        case sign
        /// `%` and the letters behind it.
        case argument
        case end
    }

    var kind: Kind
    /// As it is written; of a text, what it says.
    var text: String
    /// Characters from the start on, counted from 1.
    var position: Int
}

/// Cuts a predicate's text into words.
struct PredicateLexer {
    private let text: [Unicode.Scalar]
    private var next = 0

    init(_ text: String) {
        self.text = Array(text.unicodeScalars)
    }

    /// The next word.
    ///
    /// - Throws: `CocoaError(.formatting)` for a text without an end, an unknown escape, a malformed number, or a sign
    ///   that is none.
    mutating func token() throws -> PredicateToken {
        while next < text.count, text[next].properties.isWhitespace { next += 1 }
        let start = next
        guard start < text.count else { return PredicateToken(kind: .end, text: "", position: start + 1) }
        switch text[start] {
        case "\"", "'": return try quoted()
        case "%": return argument()
        case let scalar
        where scalar.isDigit
            || ("-+".unicodeScalars.contains(scalar) && next + 1 < text.count && text[next + 1].isDigit):
            return try number()
        case let scalar where scalar.isWordStart:
            while next < text.count, text[next].isWordStart || text[next].isDigit || text[next] == "." { next += 1 }
            return made(.word, from: start)
        default: return try sign()
        }
    }

    private func made(_ kind: PredicateToken.Kind, from start: Int) -> PredicateToken {
        PredicateToken(kind: kind, text: string(text[start..<next]), position: start + 1)
    }

    private func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    private mutating func sign() throws -> PredicateToken {
        let start = next
        for length in [2, 1] where start + length <= text.count {
            guard Self.signs.contains(string(text[start..<(start + length)])) else { continue }
            next += length
            return made(.sign, from: start)
        }
        throw PredicateError.make("“\(text[start])” does not belong in a predicate", at: start + 1)
    }

    private static let signs: Set<String> = [
        "==", "!=", "<>", "<=", "=<", ">=", "=>", "&&", "||", "=", "<", ">", "!", "(", ")", "[", "]", "{", "}", ",",
    ]

    private mutating func argument() -> PredicateToken {
        let start = next
        next += 1
        if next < text.count, text[next] == "@" {
            next += 1
        } else {
            while next < text.count, text[next].isASCIILetter { next += 1 }
        }
        return made(.argument, from: start)
    }

    private mutating func number() throws -> PredicateToken {
        let start = next
        next += 1
        while next < text.count, text[next].isDigit || text[next].isWordStart || text[next] == "." || isExponentSign {
            next += 1
        }
        let written = string(text[start..<next])
        if let integer = Int64(written) { return made(.integer(integer), from: start) }
        let hasOnlyDecimalSigns = written.unicodeScalars.allSatisfy {
            $0.isDigit || "+-.eE".unicodeScalars.contains($0)
        }
        guard hasOnlyDecimalSigns, written.contains(where: { ".eE".contains($0) }), let number = Double(written),
            number.isFinite
        else {
            throw PredicateError.make(
                "“\(PredicateError.shortened(written))” is not a valid number", at: start + 1)
        }
        return made(.decimal(number), from: start)
    }

    private var isExponentSign: Bool {
        "+-".unicodeScalars.contains(text[next]) && "eE".unicodeScalars.contains(text[next - 1])
    }

    private mutating func quoted() throws -> PredicateToken {
        let start = next
        let quote = text[next]
        next += 1
        var content = String.UnicodeScalarView()
        while next < text.count, text[next] != quote {
            if text[next] == "\\" { content.append(try escaped()) } else { content.append(text[next]) }
            next += 1
        }
        guard next < text.count else {
            throw PredicateError.make("the text that starts here has no end", at: start + 1)
        }
        next += 1
        return PredicateToken(kind: .text, text: String(content), position: start + 1)
    }

    /// What the backslash here and the character behind it stand for; stops at the last character of it.
    private mutating func escaped() throws -> Unicode.Scalar {
        let start = next
        next += 1
        guard next < text.count else { throw PredicateError.make("nothing follows the backslash", at: start + 1) }
        switch text[next] {
        case "\\", "\"", "'": return text[next]
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u" where next + 4 < text.count:
            let digits = text[(next + 1)...(next + 4)]
            guard digits.allSatisfy(\.properties.isASCIIHexDigit), let value = UInt32(string(digits), radix: 16),
                let scalar = Unicode.Scalar(value)
            else { break }
            next += 4
            return scalar
        default: break
        }
        throw PredicateError.make(
            "“\\\(text[next])” is not a known escape; write a backslash as “\\\\”", at: start + 1)
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
    fileprivate var isASCIILetter: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }
    fileprivate var isWordStart: Bool { isASCIILetter || self == "_" }
}

/// Why a predicate's text is refused.
enum PredicateError {
    /// - Parameter position: Characters from the start on, counted from 1.
    static func make(_ reason: String, at position: Int) -> CocoaError {
        CocoaError(
            .formatting,
            userInfo: [NSLocalizedDescriptionKey: "The predicate is refused at character \(position): \(reason)."])
    }

    /// A word of the text in a size that suits a sentence.
    static func shortened(_ text: String) -> String { text.count > 40 ? text.prefix(40) + "…" : text }
}
