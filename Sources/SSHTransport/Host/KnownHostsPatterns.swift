/// Lists of patterns with `*`, `?` and a leading `!`, as ssh's files have them. Source: ssh_config(5), "PATTERNS".
enum SSHPatternList {
    enum Outcome: Equatable {
        case matched, unmatched
        /// A pattern with `!` fitted, which settles the whole list.
        case excluded
    }

    /// In bytes; ssh takes no longer pattern in a list either.
    private static let longestPattern = 1023

    /// Whether `text` fits one of the patterns, which commas part.
    ///
    /// - Parameter ignoringCase: Whether upper case in a pattern is lower case; `text` has to be in lower case then.
    static func matches(_ text: [UInt8], _ list: ArraySlice<UInt8>, ignoringCase: Bool = true) -> Outcome {
        matches(text, list.split(separator: UInt8(ascii: ",")), ignoringCase: ignoringCase)
    }

    /// The same for patterns that are apart already.
    static func matches(_ text: [UInt8], _ patterns: [ArraySlice<UInt8>], ignoringCase: Bool) -> Outcome {
        var outcome = Outcome.unmatched
        for pattern in patterns {
            let isNegated = pattern.first == UInt8(ascii: "!")
            let own = isNegated ? pattern.dropFirst() : pattern
            if own.count > longestPattern { return .unmatched }
            guard matchesOne(text, own, ignoringCase: ignoringCase) else { continue }
            if isNegated { return .excluded }
            outcome = .matched
        }
        return outcome
    }

    /// Whether `text` fits `pattern` from end to end.
    ///
    /// Only the last star is gone back to: what an earlier one took can stay as it is.
    static func matchesOne(_ text: [UInt8], _ pattern: ArraySlice<UInt8>, ignoringCase: Bool) -> Bool {
        var here = 0
        var mark = pattern.startIndex
        var star: (pattern: Int, text: Int)?
        while here < text.count {
            if mark < pattern.endIndex, pattern[mark] == UInt8(ascii: "*") {
                mark += 1
                star = (mark, here)
            } else if mark < pattern.endIndex, fits(text[here], pattern[mark], ignoringCase: ignoringCase) {
                mark += 1
                here += 1
            } else if let last = star {
                mark = last.pattern
                here = last.text + 1
                star = (mark, here)
            } else {
                return false
            }
        }
        return pattern[mark...].allSatisfy { $0 == UInt8(ascii: "*") }
    }

    private static func fits(_ byte: UInt8, _ pattern: UInt8, ignoringCase: Bool) -> Bool {
        pattern == UInt8(ascii: "?") || byte == pattern || ignoringCase && byte == lowered(pattern)
    }

    private static func lowered(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
