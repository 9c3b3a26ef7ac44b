/// Where words begin and end, closely to Unicode Standard Annex #29, by the language of the text.
///
/// Scripts that are written without spaces have a boundary between any two characters: what is a word there only a
/// dictionary tells. An apostrophe between letters belongs to the word, except in languages that join words with it.
struct WordBoundaries: Sendable {
    private let splitsAtApostrophe: Bool

    /// - Parameter language: A BCP 47 tag.
    init(language: String?) {
        let primary = language?.lowercased().prefix { $0 != "-" && $0 != "_" } ?? ""
        splitsAtApostrophe = ["fr", "it", "ca", "oc", "lij", "nap", "scn", "vec", "pms", "fur"].contains(primary)
    }

    /// Whether there is a boundary at `offset` of `text`, which is UTF-8.
    func isBoundary(_ offset: Int, in text: [UInt8]) -> Bool {
        guard offset > 0, offset < text.count else { return true }
        let after = Self.scalar(at: offset, in: text)
        let before = Self.base(before: offset, in: text)
        let (left, right) = (Self.kind(before.scalar), Self.kind(after.scalar))
        // A mark is part of the character before it.
        if right == .mark { return left == .other }
        if left == .single || right == .single { return true }
        if left == .word, right == .word { return false }
        // A joiner holds letters on both sides together: don't, l·l.
        if left == .word, right == .joiner {
            return splits(after.scalar) || Self.kind(Self.scalar(at: offset + after.length, in: text).scalar) != .word
        }
        if left == .joiner, right == .word {
            return splits(before.scalar) || Self.kind(Self.base(before: before.start, in: text).scalar) != .word
        }
        return true
    }

    /// The number of words in `text`; of a script without spaces each letter counts as one.
    func count(in text: some Sequence<UInt8>) -> Int {
        let text = Array(text)
        var count = 0
        var offset = 0
        while offset < text.count {
            let (scalar, length) = Self.scalar(at: offset, in: text)
            let kind = Self.kind(scalar)
            if kind == .single || kind == .word && isBoundary(offset, in: text) { count += 1 }
            offset += max(1, length)
        }
        return count
    }

    private func splits(_ scalar: UInt32) -> Bool { splitsAtApostrophe && scalar != 0xB7 }

    private enum Kind { case word, mark, joiner, single, other }

    private static func kind(_ value: UInt32) -> Kind {
        if value < 0x80 {
            switch value {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: return .word
            case 0x27: return .joiner
            default: return .other
            }
        }
        switch value {
        case 0x2019, 0xB7, 0x05F4, 0x2027: return .joiner
        case 0xAD, 0x200B...0x200F, 0x2060: return .mark
        case 0x3099, 0x309A, 0xFF9E, 0xFF9F: return .mark
        // Ideographs, kana, and the scripts of South-East Asia that are written without spaces.
        case 0x0E01...0x0E3A, 0x0E40...0x0E4E, 0x0E81...0x0EDF, 0x1000...0x109F, 0x1780...0x17D3, 0x3041...0x30FF,
            0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0xFF66...0xFF9D, 0x20000...0x3FFFD:
            return isMark(value) ? .mark : .single
        default: break
        }
        guard let scalar = Unicode.Scalar(value) else { return .other }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return .mark
        case .decimalNumber, .letterNumber, .connectorPunctuation: return .word
        default: return scalar.properties.isAlphabetic ? .word : .other
        }
    }

    /// Whether the character of South-East Asia is a vowel sign or a tone that is written at a letter.
    private static func isMark(_ value: UInt32) -> Bool {
        guard value < 0x3000, let scalar = Unicode.Scalar(value) else { return false }
        return [.nonspacingMark, .spacingMark].contains(scalar.properties.generalCategory)
    }

    private static func scalar(at offset: Int, in text: [UInt8]) -> (scalar: UInt32, length: Int) {
        guard offset < text.count else { return (0, 0) }
        let first = text[offset]
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1
        guard length > 1, offset + length <= text.count else { return (first < 0x80 ? UInt32(first) : 0xFFFD, 1) }
        var value = UInt32(first) & (0xFF >> (UInt32(length) + 1))
        for index in offset + 1..<offset + length { value = value << 6 | UInt32(text[index] & 0x3F) }
        return (value, length)
    }

    /// The last character before `offset` that is no mark; 0 where there is none.
    private static func base(before offset: Int, in text: [UInt8]) -> (scalar: UInt32, start: Int) {
        var end = offset
        while end > 0 {
            var start = end - 1
            while start > 0, text[start] & 0xC0 == 0x80, end - start < 4 { start -= 1 }
            let scalar = scalar(at: start, in: text).scalar
            if kind(scalar) != .mark { return (scalar, start) }
            end = start
        }
        return (0, 0)
    }
}
