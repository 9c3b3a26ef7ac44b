import Foundation

/// Finds a quotation again in a text that may have been edited a little.
struct QuotationFinder {
    /// How much of a quotation may differ.
    private static let maxDifference = 0.3
    /// Bytes of a quotation, and of each context, that are compared.
    private static let maxLength = 1_000
    private static let contextLength = 64
    private static let maxCandidates = 2_000
    /// Places that are compared byte by byte.
    private static let maxAligned = 16

    private let quotation: [UInt8]
    private let before: [UInt8]
    private let after: [UInt8]
    private var folding = TextFolding()

    /// - Returns: Nil where there is nothing to look for.
    init?(_ text: Locator.Text) {
        let words = Self.trimmed(folding.fold(Array((text.highlight ?? "").utf8)).bytes)
        quotation = Array(words.prefix(Self.maxLength))
        before = Array(Self.trimmed(folding.fold(Array((text.before ?? "").utf8)).bytes).suffix(Self.contextLength))
        // Behind the start of a long quotation stands the rest of it.
        let rest = words.count > Self.maxLength ? "" : text.after ?? ""
        after = Array(Self.trimmed(folding.fold(Array(rest.utf8)).bytes).prefix(Self.contextLength))
        if quotation.isEmpty, before.isEmpty, after.isEmpty { return nil }
    }

    private static func trimmed(_ bytes: [UInt8]) -> [UInt8] { bytes.last == 0x20 ? bytes.dropLast() : bytes }

    /// A part of a text that may be the quotation.
    struct Match {
        /// In the original text.
        var range: Range<Int>
        /// From 0 for the same words between the same words to 1 for others.
        var difference: Double
    }

    /// The best match in `text`: of several that are as good, the nearest to `expected`.
    mutating func find(in text: [UInt8], near expected: Int?) -> Match? {
        let folded = folding.fold(text)
        let scale = Double(max(1, folded.bytes.count))
        var best: (match: Match, score: Double)?
        for candidate in candidates(in: folded.bytes) {
            let range = folded.original(of: candidate.range, in: text)
            let distance = expected.map { Double(abs($0 - range.lowerBound)) / scale } ?? 0
            let difference =
                quotation.isEmpty
                ? contextDifference(candidate.range, folded.bytes)
                : 0.7 * candidate.difference + 0.3 * contextDifference(candidate.range, folded.bytes)
            let score = difference + 0.05 * distance
            if score < best?.score ?? .infinity { best = (Match(range: range, difference: difference), score) }
        }
        return best?.match
    }

    private struct Candidate {
        var range: Range<Int>
        var difference: Double
    }

    private func candidates(in text: [UInt8]) -> [Candidate] {
        if quotation.isEmpty { return borders(in: text) }
        let exact = Self.occurrences(of: quotation, in: text, limit: Self.maxCandidates)
        if !exact.isEmpty { return exact.map { Candidate(range: $0..<$0 + quotation.count, difference: 0) } }
        // Pieces of the quotation that are still there say where the rest may be.
        let length = max(6, min(24, quotation.count / 4))
        var votes: [Int: Int] = [:]
        for offset in stride(from: 0, through: max(0, quotation.count - length), by: length) {
            let piece = Array(quotation[offset..<min(quotation.count, offset + length)])
            guard piece.count >= 4 else { continue }
            for place in Self.occurrences(of: piece, in: text, limit: 64) {
                votes[max(0, place - offset) / 32, default: 0] += 1
            }
        }
        // The words around may have stayed where the quotation did not.
        if before.count >= 8 {
            for place in Self.occurrences(of: before, in: text, limit: 64) {
                votes[(place + before.count) / 32, default: 0] += 2
            }
        }
        let starts = votes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.maxAligned)
        return starts.compactMap { aligned(near: $0.key * 32, in: text) }
    }

    /// Places between the text before and the text after.
    private func borders(in text: [UInt8]) -> [Candidate] {
        let befores = before.isEmpty ? [] : Self.occurrences(of: before, in: text, limit: 64)
        let ends = befores.map { start -> Int in
            let end = start + before.count
            return end < text.count && text[end] == 0x20 ? end + 1 : end
        }
        let starts = after.isEmpty ? [] : Self.occurrences(of: after, in: text, limit: 64)
        return (ends + starts).map { Candidate(range: $0..<min(text.count, $0 + 1), difference: 0) }
    }

    /// The part of `text` around `start` that is most like the quotation; nil where none is.
    ///
    /// - Complexity: The product of both lengths: at most about two million steps.
    private func aligned(near start: Int, in text: [UInt8]) -> Candidate? {
        let slack = quotation.count / 3 + 32
        let window = max(0, start - slack)..<min(text.count, start + quotation.count + slack)
        guard !window.isEmpty else { return nil }
        // Edits up to each byte of the window, if the quotation may begin anywhere in it, and where it then begins.
        var row = Array(0...quotation.count)
        var origin = Array(repeating: window.lowerBound, count: quotation.count + 1)
        var best = (edits: quotation.count, range: window.lowerBound..<window.lowerBound)
        for position in window {
            var diagonal = (row[0], origin[0])
            row[0] = 0
            // What begins at the next byte.
            origin[0] = position + 1
            var above = (row[0], origin[0])
            for index in 1...quotation.count {
                let old = (row[index], origin[index])
                var choice = (diagonal.0 + (quotation[index - 1] == text[position] ? 0 : 1), diagonal.1)
                if old.0 + 1 < choice.0 { choice = (old.0 + 1, old.1) }
                if above.0 + 1 < choice.0 { choice = (above.0 + 1, above.1) }
                (row[index], origin[index]) = choice
                diagonal = old
                above = choice
            }
            if row[quotation.count] < best.edits {
                best = (row[quotation.count], origin[quotation.count]..<position + 1)
            }
        }
        let difference = Double(best.edits) / Double(quotation.count)
        return difference <= Self.maxDifference && !best.range.isEmpty
            ? Candidate(range: best.range, difference: difference) : nil
    }

    /// How much the text around `range` differs from what stood there.
    private func contextDifference(_ range: Range<Int>, _ text: [UInt8]) -> Double {
        var (same, all) = (0, 0)
        if !before.isEmpty {
            var found = text[max(0, range.lowerBound - before.count - 1)..<range.lowerBound]
            if found.last == 0x20 { found.removeLast() }
            same += zip(found.reversed(), before.reversed()).prefix { $0 == $1 }.count
            all += before.count
        }
        if !after.isEmpty {
            var found = text[range.upperBound..<min(text.count, range.upperBound + after.count + 1)]
            if found.first == 0x20 { found.removeFirst() }
            same += zip(found, after).prefix { $0 == $1 }.count
            all += after.count
        }
        return all == 0 ? 0 : 1 - Double(same) / Double(all)
    }

    private static func occurrences(of pattern: [UInt8], in text: [UInt8], limit: Int) -> [Int] {
        var found: [Int] = []
        var start = 0
        while found.count < limit, let next = SearchPattern.find(pattern, in: text, from: start) {
            found.append(next)
            start = next + 1
        }
        return found
    }
}
