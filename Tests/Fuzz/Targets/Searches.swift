import Foundation

@testable import Publication

/// First byte: the options. Then a line with what is searched for, and the text: as it is, and eight times.
func fuzzSearch(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    var input = FuzzInput(data, size: size)
    guard let choice = input.byte() else { return 0 }
    let query = input.line()
    // A chapter's text is always UTF-8.
    let text = Array(String(decoding: input.bytes, as: UTF8.self).utf8)
    let search = FuzzSearch(choice, query)
    search.check(text)
    search.check(Array(repeatElement(text + [UInt8(ascii: "\n")], count: 8).joined()))
    if query.utf8.count <= 200 { checkQuotation(query, in: text) }
    return 0
}

private struct FuzzSearch {
    private let query: String
    private let options: SearchOptions
    private let language: String?
    private let limit: Int

    init(_ choice: UInt8, _ query: String) {
        self.query = query
        var options = SearchOptions()
        options.isCaseSensitive = choice & 1 != 0
        options.isDiacriticSensitive = choice & 2 != 0
        options.isWidthSensitive = choice & 4 != 0
        options.wholeWords = choice & 8 != 0
        self.options = options
        language = choice & 16 != 0 ? "fr" : nil
        limit = choice & 32 != 0 ? 3 : 100_000
    }

    /// What is found has the query in it, whole characters of it, in order, and nothing is passed over.
    func check(_ text: [UInt8]) {
        var folding = TextFolding(
            TextFolding.Rules(
                isCaseSensitive: options.isCaseSensitive, isDiacriticSensitive: options.isDiacriticSensitive,
                isWidthSensitive: options.isWidthSensitive))
        let wanted = trimmed(folding.fold(Array(query.utf8)).bytes)
        guard var pattern = SearchPattern(query, options) else {
            precondition(wanted.isEmpty, "“\(query)” is not searched for.")
            return
        }
        let hits = matches(&pattern, text)
        precondition(hits.count <= limit, "There are more hits than allowed.")
        var end = 0
        for hit in hits {
            precondition(hit.lowerBound >= end && !hit.isEmpty && hit.upperBound <= text.count, "Hits overlap.")
            end = hit.upperBound
            precondition(isStart(hit.lowerBound, text) && isStart(end, text), "A hit begins or ends in a character.")
            let found = trimmed(folding.fold(text[hit]).bytes)
            // At both ends a character may fold to more than what is searched for.
            precondition(
                found == wanted
                    || text[hit].contains { $0 >= 0x80 } && SearchPattern.find(wanted, in: found, from: 0) != nil,
                "A hit is not what was searched for.")
            guard options.wholeWords else { continue }
            let words = WordBoundaries(language: language)
            precondition(
                words.isBoundary(hit.lowerBound, in: text) && words.isBoundary(end, in: text), "A hit cuts a word.")
        }
        let isThere = isIn(folding.fold(text).bytes, wanted)
        precondition(options.wholeWords || isThere != hits.isEmpty, "A search and the folded text disagree.")
    }

    /// Whether `wanted` is in `text` without a mark behind it that makes another letter of its last one.
    private func isIn(_ text: [UInt8], _ wanted: [UInt8]) -> Bool {
        var start = 0
        while let found = SearchPattern.find(wanted, in: text, from: start) {
            if !TextFolding.isContinued(text, at: found + wanted.count) { return true }
            start = found + 1
        }
        return false
    }

    private func matches(_ pattern: inout SearchPattern, _ text: [UInt8]) -> [Range<Int>] {
        do {
            return try pattern.matches(in: text, limit: limit, language: language)
        } catch {
            preconditionFailure("A search of a text fails: \(error)")
        }
    }
}

private func checkQuotation(_ query: String, in text: [UInt8]) {
    guard var finder = QuotationFinder(Locator.Text(highlight: query)),
        let match = finder.find(in: text, near: text.count / 2)
    else { return }
    precondition(
        match.range.upperBound <= text.count && isStart(match.range.lowerBound, text)
            && isStart(match.range.upperBound, text), "A quotation begins or ends in a character.")
    precondition((0...1).contains(match.difference), "A quotation differs by \(match.difference).")
}

private func trimmed(_ bytes: [UInt8]) -> [UInt8] { bytes.last == 0x20 ? bytes.dropLast() : bytes }

private func isStart(_ offset: Int, _ text: [UInt8]) -> Bool { offset == text.count || text[offset] & 0xC0 != 0x80 }
