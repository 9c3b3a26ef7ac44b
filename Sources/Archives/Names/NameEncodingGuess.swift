/// Guesses the encoding of names from the names alone, by how plausible they are in each encoding.
///
/// Each byte beyond ASCII counts: characters that are frequent in titles are worth more than rare ones, letters should
/// match their neighbours in script and case, and box-drawing characters never fit. A few characters are enough for
/// most languages; if no encoding is clearly better than code page 437, that is chosen.
package struct NameEncodingGuess {
    /// The plausibility of a name: the sum, and the number of bytes beyond ASCII that contributed.
    private typealias Score = (sum: Double, bytes: Int)

    /// The most bytes of names that are examined.
    private static let maxBytes = 16 << 10
    /// The lowest plausible score per byte.
    private static let minScore = 0.6
    /// The lead over code page 437 that another encoding needs.
    private static let minLead = 0.1

    /// The different parts of paths that are not ASCII.
    private let parts: [[UInt8]]

    /// - Parameter names: Paths, as bytes. A slash is a slash in each of the encodings.
    package init(_ names: [[UInt8]]) {
        var (seen, parts, count): (Set<[UInt8]>, [[UInt8]], Int) = ([], [], 0)
        for name in names where count < Self.maxBytes {
            for part in name.split(separator: UInt8(ascii: "/")) where part.contains(where: { $0 >= 0x80 }) {
                guard part.count <= 1_024, seen.insert(Array(part)).inserted else { continue }
                parts.append(Array(part))
                count += part.count
            }
        }
        self.parts = parts
    }

    /// Returns the most probable encoding of the names.
    package func encoding() -> NameEncoding {
        let scores = NameEncoding.known.compactMap { encoding in score(encoding).map { (encoding, $0) } }
        let usual = scores.first { $0.0 == .codePage437 }?.1 ?? -.infinity
        // On a tie the first wins, which is the more usual one.
        var best: (encoding: NameEncoding, score: Double) = (.codePage437, max(usual + Self.minLead, Self.minScore))
        for (encoding, score) in scores where encoding != .codePage437 && score > best.score {
            best = (encoding, score)
        }
        return best.encoding
    }

    /// Returns the score per byte; nil if a name is invalid in the encoding.
    private func score(_ encoding: NameEncoding) -> Double? {
        guard !parts.isEmpty, let decoder = NameDecoder(encoding) else { return nil }
        var total: Score = (0, 0)
        for part in parts {
            guard let text = decoder.text(of: part) else { return nil }
            let scalars = Array(text.unicodeScalars)
            guard
                let score = encoding.form == .single
                    ? Self.letters(scalars) : Self.ideographs(part, scalars, encoding.form)
            else {
                return nil
            }
            total = (total.sum + score.sum, total.bytes + score.bytes)
        }
        return total.bytes == 0 ? nil : total.sum / Double(total.bytes)
    }
}

// MARK: One byte a character

extension NameEncodingGuess {
    private static func letters(_ text: [Unicode.Scalar]) -> Score {
        var score: Score = (0, 0)
        var index = 0
        while index < text.count {
            let word = text[index...].prefix {
                $0.properties.isAlphabetic || $0.properties.generalCategory == .nonspacingMark
            }
            if word.isEmpty {
                if !text[index].isASCII {
                    score.bytes += 1
                    score.sum += FrequentCharacters.signs.contains(text[index]) ? 0.2 : -1
                }
                index += 1
            } else {
                add(word, to: &score)
                index = word.endIndex
            }
        }
        return score
    }

    private static func add(_ word: ArraySlice<Unicode.Scalar>, to score: inout Score) {
        let others = word.filter { !$0.isASCII }
        guard let first = word.first, !others.isEmpty else { return }
        score.bytes += others.count
        let isMixed =
            word.contains { script(of: $0) != script(of: first) } || first.properties.generalCategory == .nonspacingMark
        // A capital within a word, and the sigma that ends one.
        let isMisplaced = zip(word, word.dropFirst()).contains {
            $0.properties.isLowercase && $1.properties.isUppercase || $0 == "\u{3C2}"
        }
        if isMixed || isMisplaced {
            score.sum -= Double(others.count)
        } else if script(of: first) != .latin {
            // Two letters of another alphabet occur by chance.
            score.sum += others.reduce(0) {
                $0 + (word.count < 3 ? 0.3 : FrequentCharacters.letters.contains($1) ? 1.5 : 1.1)
            }
        } else if word.count == 1 {
            score.sum += 0.3
        } else if others.count * 2 > word.count {
            // No language has so many accents.
            score.sum -= 0.5 * Double(others.count)
        } else {
            score.sum += others.reduce(0) { $0 + (FrequentCharacters.accents.contains($1) ? 1.5 : 0.9) }
        }
    }

    private enum Script { case latin, greek, cyrillic, hebrew, arabic, thai, other }

    private static func script(of scalar: Unicode.Scalar) -> Script {
        switch scalar.value {
        case 0..<0x250, 0x1E00..<0x1F00: .latin
        case 0x370..<0x400: .greek
        case 0x400..<0x530: .cyrillic
        case 0x590..<0x600: .hebrew
        case 0x600..<0x700: .arabic
        case 0xE00..<0xE80: .thai
        default: .other
        }
    }
}

// MARK: Two bytes a character

extension NameEncodingGuess {
    /// Nil where bytes and characters don't match one to one.
    private static func ideographs(_ bytes: [UInt8], _ text: [Unicode.Scalar], _ form: NameEncoding.Form) -> Score? {
        var score: Score = (0, 0)
        var position = 0
        for (index, scalar) in text.enumerated() {
            guard position < bytes.count else { return nil }
            let length = form.length(of: bytes[position...])
            let character = bytes[position...].prefix(length)
            position += length
            guard character.count == length else { return nil }
            if character[character.startIndex] < 0x80 { continue }
            score.bytes += length
            guard length == 2 else {
                score.sum -= length == 1 ? 0.4 : Double(length)
                continue
            }
            let (lead, trail) = (character[character.startIndex], character[character.startIndex + 1])
            var value = form.value(UInt16(lead) << 8 | UInt16(trail))
            if value >= 0, FrequentCharacters.ideographs.contains(scalar) { value += 1 }
            let isAfterLetter = index > 0 && isLetter(text[index - 1])
            let isBeforeLetter = index + 1 < text.count && isLetter(text[index + 1])
            // A Latin word with a letter read as half of a character, or two letters as one.
            if trail < 0x80 ? isAfterLetter || isBeforeLetter : isAfterLetter && isBeforeLetter { value -= 2.5 }
            score.sum += 2 * value
        }
        return position == bytes.count ? score : nil
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { scalar.isASCII && scalar.properties.isAlphabetic }
}

extension NameEncoding.Form {
    /// Returns how many bytes the first character of `bytes` takes.
    fileprivate func length(of bytes: ArraySlice<UInt8>) -> Int {
        guard let first = bytes.first, first >= 0x80 else { return 1 }
        switch self {
        case .shiftJIS: return (0xA1...0xDF).contains(first) ? 1 : 2
        case .eucJP: return first == 0x8F ? 3 : 2
        case .gb18030: return bytes.dropFirst().first.map { (0x30...0x39).contains($0) } == true ? 4 : 2
        default: return 2
        }
    }

    /// Returns the value of a two-byte character by its place in the table: in all of them frequent ones come first.
    fileprivate func value(_ code: UInt16) -> Double {
        switch (self, code) {
        case (.shiftJIS, 0x829F...0x82F1), (.shiftJIS, 0x8340...0x8396): 1.6
        case (.shiftJIS, 0x8140...0x81FC), (.shiftJIS, 0x824F...0x829A): 0.5
        case (.shiftJIS, 0x889F...0x9872): 1
        case (.eucJP, 0xA4A1...0xA5FE): 1.8
        case (.eucJP, 0xA1A1...0xA1FE), (.eucJP, 0xA3A1...0xA3FE): 0.5
        case (.eucJP, 0xB0A1...0xCFD3): 1
        case (.gb18030, _) where code & 0xFF < 0xA1: -0.5
        case (.gb18030, 0xA1A1...0xA1FE), (.gb18030, 0xA3A1...0xA3FE): 0.5
        case (.gb18030, 0xB0A1...0xD7F9): 1
        case (.gb18030, 0xD8A1...0xF7FE): 0
        case (.gb18030, _): -0.5
        case (.eucKR, _) where code & 0xFF < 0xA1: -0.5
        case (.eucKR, 0xA1A1...0xA1FE), (.eucKR, 0xA3A1...0xA3FE): 0.5
        // Chinese text would rarely stay within this range.
        case (.eucKR, 0xB0A1...0xC8FE): 1.1
        case (.big5, 0xA140...0xA2FE): 0.5
        case (.big5, 0xA440...0xC67E): 1
        case (.big5, 0xC940...0xF9D5): -0.3
        default: -1
        }
    }
}
