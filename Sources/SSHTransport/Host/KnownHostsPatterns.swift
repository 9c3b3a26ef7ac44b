/// Lists of patterns with `*`, `?` and a leading `!`, as files of known hosts have them. Source: sshd(8),
/// "SSH_KNOWN_HOSTS FILE FORMAT".
///
/// fnmatch(3) takes the brackets around a host with a port for a set of characters.
enum KnownHostsPatterns {
    /// In bytes; ssh also rejects longer patterns in a list.
    private static let maxPatternLength = 1023

    /// Whether `text`, in lower case, matches one of the comma-separated patterns, and none of those with a `!`.
    static func matches(_ text: [UInt8], _ list: ArraySlice<UInt8>) -> Bool {
        var hasMatched = false
        for pattern in list.split(separator: UInt8(ascii: ",")) {
            let isNegated = pattern.first == UInt8(ascii: "!")
            let own = isNegated ? pattern.dropFirst() : pattern
            if own.count > maxPatternLength { return false }
            guard matchesOne(text, pattern: own) else { continue }
            if isNegated { return false }
            hasMatched = true
        }
        return hasMatched
    }

    /// Whether all of `text` matches `pattern`.
    ///
    /// Only the last star is revisited: the match of an earlier one can stay as it is.
    private static func matchesOne(_ text: [UInt8], pattern: ArraySlice<UInt8>) -> Bool {
        var here = 0
        var mark = pattern.startIndex
        var star: (pattern: Int, text: Int)?
        while here < text.count {
            if mark < pattern.endIndex, pattern[mark] == UInt8(ascii: "*") {
                mark += 1
                star = (mark, here)
            } else if mark < pattern.endIndex, fits(text[here], pattern[mark]) {
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

    private static func fits(_ byte: UInt8, _ pattern: UInt8) -> Bool {
        pattern == UInt8(ascii: "?") || byte == ((0x41...0x5A).contains(pattern) ? pattern | 0x20 : pattern)
    }
}
