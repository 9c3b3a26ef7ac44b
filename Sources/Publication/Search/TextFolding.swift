import Foundation

/// Brings texts into a form in which what readers take for the same is the same, byte for byte.
///
/// Compatibility characters, width, case and diacritics are folded by Unicode's decompositions and case mappings (close
/// to `NFKC_Casefold`, Unicode Standard, section 3.13, and to collation at primary strength). A small table of our own
/// makes one of quotation marks, hyphens and dashes; soft hyphens and other invisible characters vanish; white space
/// becomes one space.
struct TextFolding: Sendable {
    /// What counts as different.
    struct Rules: Hashable, Sendable {
        var isCaseSensitive = false
        var isDiacriticSensitive = false
        var isWidthSensitive = false
    }

    private let rules: Rules
    /// What ASCII becomes.
    private let ascii: [UInt8]
    /// For each scalar that occurred: its place in `bytes`, by 256 scalars.
    private var pages: [[UInt32]?] = Array(repeating: nil, count: 0x1100)
    /// Folded forms, each behind its length.
    private var bytes: [UInt8] = []

    init(_ rules: Rules = Rules()) {
        self.rules = rules
        ascii = (0..<128).map { value in
            let byte = UInt8(value)
            switch byte {
            case 0x09...0x0D, 0x20: return 0x20
            case UInt8(ascii: "`"): return UInt8(ascii: "'")
            case UInt8(ascii: "A")...UInt8(ascii: "Z") where !rules.isCaseSensitive: return byte | 0x20
            default: return byte
            }
        }
    }

    /// The folded form of `text`, which is UTF-8.
    mutating func fold(_ text: some Collection<UInt8>) -> FoldedText {
        text.withContiguousStorageIfAvailable { fold($0) } ?? Array(text).withUnsafeBufferPointer { fold($0) }
    }

    private mutating func fold(_ text: UnsafeBufferPointer<UInt8>) -> FoldedText {
        var result = FoldedText(length: text.count)
        result.bytes.reserveCapacity(text.count + 16)
        var next = 0
        // In front of the text and behind a space no space is needed.
        var endsInSpace = true
        while next < text.count {
            if text[next] < 0x80 {
                if endsInSpace, ascii[Int(text[next])] == 0x20 {
                    next += 1
                    continue
                }
                // ASCII runs in parallel to the original.
                result.align(to: next)
                let copied = result.append(
                    UnsafeBufferPointer(rebasing: text[next..<EightBytes.endOfASCII(in: text, from: next)]),
                    table: ascii,
                    behindSpace: endsInSpace)
                next += copied
                endsInSpace = result.bytes.last == 0x20
                continue
            }
            let (scalar, length) = Self.scalar(in: text, at: next)
            let start = Int(offset(of: scalar))
            // A form that is longer than its character counts from the character's start again and again.
            var room = 0
            for index in start + 1..<start + 1 + Int(bytes[start]) {
                let folded = bytes[index]
                if folded == 0x20, endsInSpace { continue }
                if room == 0 {
                    result.append(folded, from: next)
                    room = length
                } else {
                    result.bytes.append(folded)
                }
                room -= 1
                endsInSpace = folded == 0x20
            }
            next += length
        }
        return result
    }

    /// The scalar whose sequence begins at `index`; what is no sequence counts as U+FFFD.
    private static func scalar(in text: UnsafeBufferPointer<UInt8>, at index: Int) -> (scalar: UInt32, length: Int) {
        let first = text[index]
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1
        guard length > 1, index + length <= text.count else { return (0xFFFD, 1) }
        var value = UInt32(first) & (0xFF >> (UInt32(length) + 1))
        for offset in 1..<length {
            guard text[index + offset] & 0xC0 == 0x80 else { return (0xFFFD, 1) }
            value = value << 6 | UInt32(text[index + offset] & 0x3F)
        }
        return (value < 0x110000 ? value : 0xFFFD, length)
    }

    /// Where the folded form of `scalar` is in ``bytes``.
    private mutating func offset(of scalar: UInt32) -> UInt32 {
        let (page, index) = (Int(scalar >> 8), Int(scalar & 0xFF))
        if let known = pages[page]?[index], known != 0 { return known - 1 }
        let offset = UInt32(bytes.count)
        // `ẞ` is its own upper case, so that the way up and down again would not lead to `ss`.
        let plain = scalar == 0x1E9E && !rules.isCaseSensitive ? 0xDF : scalar
        let folded = Unicode.Scalar(plain).map { fold($0) } ?? []
        bytes.append(UInt8(min(folded.count, 255)))
        bytes.append(contentsOf: folded.prefix(255))
        if pages[page] == nil { pages[page] = Array(repeating: 0, count: 256) }
        pages[page]?[index] = offset + 1
        return offset
    }

    /// The folded form of one scalar beyond ASCII.
    private func fold(_ scalar: Unicode.Scalar) -> [UInt8] {
        if let own = Self.own(scalar) { return own }
        var text = Self.decomposed(String(scalar), isCompatible: !rules.isWidthSensitive)
        // Up and down again makes one of `ß`, `ẞ` and `ss`, and of the sigmas.
        if !rules.isCaseSensitive {
            let lowercase = Self.decomposed(text.uppercased().lowercased(), isCompatible: !rules.isWidthSensitive)
            // In upper case a ligature is two letters, which it is only where compatibility forms don't count.
            let isLigature = (0xFB00...0xFB17).contains(scalar.value)
            if !rules.isWidthSensitive || !isLigature { text = lowercase }
            text = String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "ς" ? "σ" : $0 }))
        }
        var result: [UInt8] = []
        for scalar in text.unicodeScalars {
            if !rules.isDiacriticSensitive, Self.isDiacritic(scalar) { continue }
            if scalar.isASCII {
                result.append(ascii[Int(scalar.value)])
            } else if let own = Self.own(scalar) {
                result += own
            } else if !rules.isDiacriticSensitive, let plain = Self.plainLetters[scalar] {
                result += Array(plain.utf8)
            } else {
                result += Array(String(scalar).utf8)
            }
        }
        return result
    }

    private static func decomposed(_ text: String, isCompatible: Bool) -> String {
        isCompatible ? text.decomposedStringWithCompatibilityMapping : text.decomposedStringWithCanonicalMapping
    }

    /// A mark that is written above, below or through a letter and does not make another one of it to most readers.
    ///
    /// Marks of scripts in which they are letters (vowel signs of India and South-East Asia, the marks of kana) stay:
    /// they have other combining classes.
    private static func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.canonicalCombiningClass.rawValue {
        case 1, 10...36, 200...240: true
        default: false
        }
    }

    /// Whether the character in front of `offset` of a folded text goes on with a mark that makes another letter of it:
    /// `が` is folded to `か` and its mark, and `é` to `e` and its accent if accents count.
    static func isContinued(_ text: [UInt8], at offset: Int) -> Bool {
        guard offset < text.count, text[offset] >= 0xC2 else { return false }
        let value = text.withUnsafeBufferPointer { scalar(in: $0, at: offset).scalar }
        guard let scalar = Unicode.Scalar(value) else { return false }
        return [7, 8].contains(scalar.properties.canonicalCombiningClass.rawValue) || isDiacritic(scalar)
    }

    /// Our own table: nil where Unicode's rules hold.
    private static func own(_ scalar: Unicode.Scalar) -> [UInt8]? {
        switch scalar.value {
        case 0x00AD, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x206F, 0xFEFF, 0xFE00...0xFE0F, 0x034F, 0x180E:
            []
        case 0x2018...0x201B, 0x2032, 0x2039, 0x203A, 0x02BC, 0x00B4, 0x055A: [UInt8(ascii: "'")]
        case 0x201C...0x201F, 0x2033, 0x00AB, 0x00BB, 0x300C...0x300F, 0x301D...0x301F: [UInt8(ascii: "\"")]
        case 0x2010...0x2015, 0x2212, 0x058A, 0x2E3A, 0x2E3B, 0xFE58, 0xFE63, 0xFF0D: [UInt8(ascii: "-")]
        // Decomposed, a syllable would be found at the start of another one that has a final consonant.
        case 0xAC00...0xD7A3: Array(String(scalar).utf8)
        case 0x0085, 0x00A0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: [0x20]
        default: nil
        }
    }

    /// Letters that are written with a stroke or as two in one, which Unicode does not take apart.
    private static let plainLetters: [Unicode.Scalar: String] = [
        "ı": "i", "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ħ": "h", "Ħ": "H", "æ": "ae", "Æ": "AE",
        "œ": "oe", "Œ": "OE",
    ]
}

/// A folded text, and where each byte of it comes from.
struct FoldedText: Sendable {
    /// The place from which on folded and original bytes run in parallel.
    private struct Point {
        var folded: Int32
        var original: Int32
    }

    fileprivate(set) var bytes: [UInt8] = []
    private var points: [Point] = []
    /// Bytes of the original.
    private let length: Int
    /// Original minus folded offset at the last point.
    private var shift = 0

    fileprivate init(length: Int) { self.length = length }

    @inline(__always)
    fileprivate mutating func append(_ byte: UInt8, from original: Int) {
        align(to: original)
        bytes.append(byte)
    }

    /// Appends what `table` makes of `ascii`, up to a second white space in a row.
    ///
    /// - Returns: How many bytes of `ascii` that were; 1 or more unless the first one is a second white space.
    fileprivate mutating func append(_ ascii: UnsafeBufferPointer<UInt8>, table: [UInt8], behindSpace: Bool) -> Int {
        let start = bytes.count
        bytes.append(contentsOf: ascii)
        let count = bytes.withUnsafeMutableBufferPointer { bytes in
            table.withUnsafeBufferPointer { table in
                var wasSpace = behindSpace
                for index in start..<bytes.count {
                    let folded = table[Int(bytes[index])]
                    let isSpace = folded == 0x20
                    if isSpace, wasSpace { return index - start }
                    bytes[index] = folded
                    wasSpace = isSpace
                }
                return bytes.count - start
            }
        }
        bytes.removeLast(bytes.count - start - count)
        return count
    }

    /// Has the next byte come from `original`, and those behind it from the ones behind that.
    @inline(__always)
    fileprivate mutating func align(to original: Int) {
        if original - bytes.count != shift {
            shift = original - bytes.count
            points.append(Point(folded: Int32(bytes.count), original: Int32(original)))
        }
    }

    /// The part of the original that became `range`, to whole characters.
    ///
    /// - Parameter text: The original.
    func original(of range: Range<Int>, in text: [UInt8]) -> Range<Int> {
        func isStart(_ offset: Int) -> Bool { offset >= text.count || text[offset] & 0xC0 != 0x80 }
        func character(_ folded: Int) -> Int {
            var start = offset(folded)
            while start > 0, !isStart(start) { start -= 1 }
            return start
        }
        let start = character(range.lowerBound)
        var end = offset(range.upperBound)
        // All of the last character, also where only a part of its folded form was found. Marks behind it that became
        // nothing belong to it.
        let last = range.isEmpty ? start : character(range.upperBound - 1)
        if end <= last { end = last + 1 }
        while !isStart(end) { end += 1 }
        // White space that vanished in front of the next character does not belong to what was found.
        while end > start + 1, MarkupText.isSpace(text[end - 1]), range.upperBound > 0,
            bytes[range.upperBound - 1] != 0x20
        {
            end -= 1
        }
        return start..<min(end, length)
    }

    private func offset(_ folded: Int) -> Int {
        if folded >= bytes.count { return length }
        guard let index = ContentDocument.last(of: points, where: { Int($0.folded) <= folded }) else { return folded }
        let point = points[index]
        let original = Int(point.original) + folded - Int(point.folded)
        // A character that became longer must not reach beyond the next one.
        return index + 1 < points.count ? min(original, Int(points[index + 1].original)) : min(original, length)
    }
}
