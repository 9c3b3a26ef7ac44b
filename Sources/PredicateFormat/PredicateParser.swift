import FileProviderCore
import Foundation

extension FileQuery {
    /// Reads the text of a predicate: the part of `NSPredicate(format:)`'s grammar that `Documentation/Searching.md`
    /// lists.
    ///
    /// - Parameters:
    ///   - format: At most 65,536 bytes; brackets and `NOT` nest 64 deep at most.
    ///   - arguments: The values of `%@` (texts, numbers, `Bool`, `Date`, arrays of these, nil), `%K` (a key's name),
    ///     `%d` and `%f`.
    /// - Throws: `CocoaError(.formatting)` with a sentence that says what is wrong and where: for anything outside that
    ///   part, and for a wrong number of arguments.
    public init(format: String, _ arguments: (any Sendable)?...) throws {
        try self.init(format: format, argumentArray: arguments)
    }

    /// Reads the text of a predicate with its arguments in an array.
    ///
    /// - Throws: As `init(format:_:)`.
    public init(format: String, argumentArray: [(any Sendable)?]) throws {
        var parser = try PredicateParser(format, argumentArray)
        self = try parser.parse()
    }
}

/// Reads a predicate's words from left to right, by recursive descent.
struct PredicateParser {
    static let maxLength = 65_536
    static let maxDepth = 64

    private var lexer: PredicateLexer
    /// The next word.
    private(set) var current: PredicateToken
    private var arguments: ArraySlice<(any Sendable)?>
    private var depth = 0

    init(_ text: String, _ arguments: [(any Sendable)?]) throws {
        guard text.utf8.count <= Self.maxLength else {
            throw PredicateError.make("a predicate may have at most \(Self.maxLength) bytes", at: 1)
        }
        lexer = PredicateLexer(text)
        current = try lexer.token()
        self.arguments = arguments[...]
    }

    mutating func parse() throws -> FileQuery {
        let query = try alternatives()
        guard current.kind == .end else { throw refusal("“AND”, “OR” or the end is expected instead of \(shown)") }
        guard arguments.isEmpty else { throw refusal("there are \(arguments.count) more arguments than the text uses") }
        return query
    }

    private mutating func alternatives() throws -> FileQuery {
        var parts = [try conjunction()]
        while try take("OR", "||") { parts.append(try conjunction()) }
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    private mutating func conjunction() throws -> FileQuery {
        var parts = [try negation()]
        while try take("AND", "&&") { parts.append(try negation()) }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    private mutating func negation() throws -> FileQuery {
        let start = current.position
        if try take("NOT", "!") { return .not(try nested(at: start) { try $0.negation() }) }
        guard try take(sign: "(") else { return try simple() }
        let query = try nested(at: start) { try $0.alternatives() }
        guard try take(sign: ")") else {
            throw refusal("the bracket of character \(start) is not closed before \(shown)")
        }
        return query
    }

    private mutating func nested(at position: Int, _ body: (inout Self) throws -> FileQuery) throws -> FileQuery {
        guard depth < Self.maxDepth else {
            throw PredicateError.make("the predicate nests deeper than \(Self.maxDepth) levels", at: position)
        }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }

    private mutating func simple() throws -> FileQuery {
        if try take("TRUEPREDICATE") { return .all }
        if try take("FALSEPREDICATE") { return .none }
        return try comparison()
    }

    // MARK: Words

    /// Consumes the next word if it is `keyword`, in any case, or `sign`; returns whether it was.
    mutating func take(_ keyword: String, _ sign: String? = nil) throws -> Bool {
        let isThere =
            current.kind == .word && current.text.uppercased() == keyword
            || sign != nil && current.kind == .sign && current.text == sign
        if isThere { try advance() }
        return isThere
    }

    mutating func take(sign: String) throws -> Bool {
        guard current.kind == .sign, current.text == sign else { return false }
        try advance()
        return true
    }

    mutating func expect(sign: String) throws {
        guard try take(sign: sign) else { throw refusal("“\(sign)” is expected instead of \(shown)") }
    }

    mutating func advance() throws { current = try lexer.token() }

    /// Returns the argument for the next `%`.
    mutating func argument() throws -> (any Sendable)? {
        guard let argument = arguments.popFirst() else { throw refusal("no argument is given for “\(current.text)”") }
        return argument
    }

    func refusal(_ reason: String) -> CocoaError { PredicateError.make(reason, at: current.position) }

    /// The next word, for a sentence.
    var shown: String {
        switch current.kind {
        case .end: "the end"
        case .text: "the text “\(PredicateError.shortened(current.text))”"
        default: "“\(PredicateError.shortened(current.text))”"
        }
    }
}
