/// A pattern as pieces with stars in between; every condition on a text is one.
///
/// Each piece is searched once, at the earliest place. That is right because a star matches the rest: no backtracking
/// is needed.
struct WildcardPattern: Sendable {
    private let pieces: [Piece]

    init(_ kind: TextMatch.Kind, _ text: [UInt32]) {
        switch kind {
        case .equals: pieces = [Piece(literal: text)]
        case .begins: pieces = [Piece(literal: text), Piece(literal: [])]
        case .ends: pieces = [Piece(literal: []), Piece(literal: text)]
        case .contains: pieces = [Piece(literal: []), Piece(literal: text), Piece(literal: [])]
        case .like, .glob:
            var reader = WildcardReader(text, takesSets: kind == .glob)
            pieces = reader.pieces()
        }
    }

    func matches(_ text: [UInt32]) -> Bool {
        guard let first = pieces.first, let last = pieces.last, first.fits(text, at: 0) else { return false }
        if pieces.count == 1 { return text.count == first.count }
        var position = first.count
        for piece in pieces[1..<(pieces.count - 1)] {
            guard let found = piece.first(in: text, from: position) else { return false }
            position = found + piece.count
        }
        return text.count - last.count >= position && last.fits(text, at: text.count - last.count)
    }

    /// The element for one character.
    enum Element: Sendable {
        case one(UInt32)
        case any
        case set([ClosedRange<UInt32>], isNegated: Bool)

        func matches(_ scalar: UInt32) -> Bool {
            switch self {
            case .one(let own): own == scalar
            case .any: true
            case .set(let ranges, let isNegated): ranges.contains { $0.contains(scalar) } != isNegated
            }
        }
    }

    /// The part between two stars.
    struct Piece: Sendable {
        private let elements: [Element]
        /// The characters, if there are no wildcards, and how far a partial match can be reused (Knuth, Morris, Pratt).
        private let literal: (text: [UInt32], failures: [Int])?
        var count: Int { elements.count }

        init(_ elements: [Element]) {
            self.elements = elements
            let text = elements.compactMap { if case .one(let scalar) = $0 { scalar } else { nil } }
            literal = text.count == elements.count ? (text, Self.failures(of: text)) : nil
        }

        init(literal: [UInt32]) {
            self.init(literal.map { .one($0) })
        }

        private static func failures(of text: [UInt32]) -> [Int] {
            var failures = [Int](repeating: 0, count: text.count)
            var length = 0
            for index in text.indices.dropFirst() {
                while length > 0, text[length] != text[index] { length = failures[length - 1] }
                if text[length] == text[index] { length += 1 }
                failures[index] = length
            }
            return failures
        }

        func fits(_ text: [UInt32], at start: Int) -> Bool {
            guard text.count - start >= count else { return false }
            return elements.indices.allSatisfy { elements[$0].matches(text[start + $0]) }
        }

        func first(in text: [UInt32], from start: Int) -> Int? {
            guard text.count - start >= count else { return nil }
            guard let literal, !literal.text.isEmpty else {
                return (start...(text.count - count)).first { fits(text, at: $0) }
            }
            var length = 0
            for index in start..<text.count {
                while length > 0, literal.text[length] != text[index] { length = literal.failures[length - 1] }
                if literal.text[length] == text[index] { length += 1 }
                if length == count { return index + 1 - count }
            }
            return nil
        }
    }
}

/// Reads the characters of a pattern.
private struct WildcardReader {
    private let text: [UInt32]
    private let takesSets: Bool
    private var position = 0
    /// False once a `[` is not closed, since no later one is then: otherwise a text full of them would be read again
    /// from each.
    private var hasSets: Bool

    init(_ text: [UInt32], takesSets: Bool) {
        self.text = text
        self.takesSets = takesSets
        hasSets = takesSets
    }

    /// Returns the pieces between the stars; adjacent stars are one.
    mutating func pieces() -> [WildcardPattern.Piece] {
        var pieces: [WildcardPattern.Piece] = []
        var elements: [WildcardPattern.Element] = []
        var followsStar = false
        while position < text.count {
            let isStar = text[position] == Mark.star
            if !isStar {
                elements.append(element())
            } else {
                if !followsStar { pieces.append(WildcardPattern.Piece(elements)) }
                elements = []
                position += 1
            }
            followsStar = isStar
        }
        return pieces + [WildcardPattern.Piece(elements)]
    }

    private mutating func element() -> WildcardPattern.Element {
        switch text[position] {
        case Mark.question:
            position += 1
            return .any
        case Mark.open where hasSets:
            if let set = set() { return set }
            hasSets = false
            position += 1
            return .one(Mark.open)
        default: return .one(scalar())
        }
    }

    /// Returns one character, or the one behind a backslash; a backslash at the end is itself.
    private mutating func scalar() -> UInt32 {
        if text[position] == Mark.backslash, position + 1 < text.count { position += 1 }
        position += 1
        return text[position - 1]
    }

    /// Returns the set that starts here; nil, with nothing read, if it is not closed.
    private mutating func set() -> WildcardPattern.Element? {
        let start = position
        position += 1
        let isNegated = position < text.count && [Mark.exclamation, Mark.caret].contains(text[position])
        if isNegated { position += 1 }
        var ranges: [ClosedRange<UInt32>] = []
        var isFirst = true
        while position < text.count {
            if text[position] == Mark.close, !isFirst {
                position += 1
                return .set(ranges, isNegated: isNegated)
            }
            isFirst = false
            let low = scalar()
            var high = low
            if position + 1 < text.count, text[position] == Mark.hyphen, text[position + 1] != Mark.close {
                position += 1
                high = scalar()
            }
            if low <= high { ranges.append(low...high) }
        }
        position = start
        return nil
    }

    private enum Mark {
        static let star = UInt32(UInt8(ascii: "*"))
        static let question = UInt32(UInt8(ascii: "?"))
        static let open = UInt32(UInt8(ascii: "["))
        static let close = UInt32(UInt8(ascii: "]"))
        static let exclamation = UInt32(UInt8(ascii: "!"))
        static let caret = UInt32(UInt8(ascii: "^"))
        static let hyphen = UInt32(UInt8(ascii: "-"))
        static let backslash = UInt32(UInt8(ascii: "\\"))
    }
}
