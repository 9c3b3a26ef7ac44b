import Foundation

/// What is searched for, folded, and how it is found in a folded text.
struct SearchPattern: Sendable {
    private let bytes: [UInt8]
    private let options: SearchOptions
    private var folding: TextFolding

    /// - Returns: Nil for a query of which nothing is left, such as one of white space.
    init?(_ query: String, _ options: SearchOptions) {
        var folding = TextFolding(
            TextFolding.Rules(
                isCaseSensitive: options.isCaseSensitive, isDiacriticSensitive: options.isDiacriticSensitive,
                isWidthSensitive: options.isWidthSensitive))
        var bytes = folding.fold(Array(query.utf8)).bytes
        if bytes.last == 0x20 { bytes.removeLast() }
        guard !bytes.isEmpty else { return nil }
        (self.bytes, self.options, self.folding) = (bytes, options, folding)
    }

    /// The places in `text` that match, in order and apart from each other.
    ///
    /// - Parameters:
    ///   - limit: How many are looked for at most.
    ///   - language: A BCP 47 tag, whose rules divide words; nil if none is known.
    /// - Complexity: Linear in the text for usual queries.
    mutating func matches(in text: [UInt8], limit: Int, language: String?) throws -> [Range<Int>] {
        let folded = folding.fold(text)
        try Task.checkCancellation()
        let boundaries = WordBoundaries(language: language)
        var matches: [Range<Int>] = []
        var start = 0
        while matches.count < limit, let found = Self.find(bytes, in: folded.bytes, from: start) {
            let range = folded.original(of: found..<found + bytes.count, in: text)
            start = found + 1
            // `ﬀ` is one place, though it folds to two letters that match `f`.
            if let last = matches.last, range.lowerBound < last.upperBound { continue }
            if TextFolding.isContinued(folded.bytes, at: found + bytes.count) { continue }
            if options.wholeWords {
                guard boundaries.isBoundary(range.lowerBound, in: text),
                    boundaries.isBoundary(range.upperBound, in: text)
                else { continue }
            }
            matches.append(range)
            start = found + bytes.count
        }
        return matches
    }

    /// Where `pattern` first occurs at or behind `start`.
    static func find(_ pattern: [UInt8], in text: [UInt8], from start: Int) -> Int? {
        guard text.count - start >= pattern.count else { return nil }
        return text.withUnsafeBytes { text in
            pattern.withUnsafeBytes { pattern -> Int? in
                guard let base = text.baseAddress, let wanted = pattern.baseAddress else { return nil }
                var next = start
                let last = text.count - pattern.count
                while next <= last {
                    guard let found = memchr(base + next, Int32(pattern[0]), last - next + 1) else { return nil }
                    let offset = UnsafeRawPointer(found) - base
                    if memcmp(base + offset, wanted, pattern.count) == 0 { return offset }
                    next = offset + 1
                }
                return nil
            }
        }
    }
}
