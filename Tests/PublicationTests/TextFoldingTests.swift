import Foundation
import SampleBooks
import Testing

@testable import Publication

struct TextFoldingTests {
    private static func fold(_ text: String, _ rules: TextFolding.Rules = TextFolding.Rules()) -> String {
        var folding = TextFolding(rules)
        return String(decoding: folding.fold(Array(text.utf8)).bytes, as: UTF8.self)
    }

    private static func rules(isCase: Bool = false, diacritics: Bool = false, width: Bool = false) -> TextFolding.Rules
    {
        TextFolding.Rules(isCaseSensitive: isCase, isDiacriticSensitive: diacritics, isWidthSensitive: width)
    }

    @Test(arguments: [
        ("Lamp LAMP", "lamp lamp"), ("STRASSE", "strasse"), ("straße", "strasse"), ("STRAẞE", "strasse"),
        ("ΟΔΥΣΣΕΥΣ", "οδυσσευσ"), ("οδυσσευς", "οδυσσευσ"), ("Жук", "жук"), ("ſ", "s"), ("\u{212A}", "k"),
    ])
    func `upper and lower case are the same`(text: String, folded: String) {
        #expect(Self.fold(text) == folded)
    }

    @Test(arguments: [
        ("café", "cafe"), ("cafe\u{301}", "cafe"), ("Ångström", "angstrom"), ("ὈΔΥΣΣΕΎΣ", "οδυσσευσ"), ("Łódź", "lodz"),
        ("Ø", "o"), ("Œuvre", "oeuvre"), ("æ", "ae"), ("Việt", "viet"), ("o\u{328}\u{304}", "o"), ("ılık", "ilik"),
        ("İstanbul", "istanbul"), ("i\u{307}", "i"),
    ])
    func `letters with and without accents are the same, composed or not`(text: String, folded: String) {
        #expect(Self.fold(text) == folded)
        #expect(Self.fold(text.decomposedStringWithCanonicalMapping) == folded)
        #expect(Self.fold(text.precomposedStringWithCanonicalMapping) == folded)
    }

    @Test(arguments: [
        ("ﬁn", "fin"), ("oﬃce", "office"), ("ﬅ", "st"), ("½", "1\u{2044}2"), ("№ 5", "no 5"), ("㎏", "kg"), ("…", "..."),
        ("Ａｂｃ１２", "abc12"), ("ｶﾞｷﾞ", "ガギ".decomposedStringWithCanonicalMapping), ("x²", "x2"), ("Ⅷ", "viii"), ("℃", "°c"),
        ("ｶﾀｶﾅ", "カタカナ"),
    ])
    func `compatibility forms and widths are the same`(text: String, folded: String) {
        #expect(Array(Self.fold(text).unicodeScalars) == Array(folded.unicodeScalars))
    }

    @Test(arguments: [
        ("“lamp”", #""lamp""#), ("„lamp“", #""lamp""#), ("«lamp»", #""lamp""#), ("「灯」", #""灯""#), ("‘lamp’", "'lamp'"),
        ("‹lamp›", "'lamp'"), ("`lamp´", "'lamp'"), ("5′ 6″", #"5' 6""#), ("don’t", "don't"), ("co‐op", "co-op"),
        ("co\u{2011}op", "co-op"), ("a – b — c", "a - b - c"), ("−1", "-1"),
    ])
    func `quotation marks, hyphens and dashes are the same`(text: String, folded: String) {
        #expect(Self.fold(text) == folded)
    }

    @Test(arguments: [
        ("soft\u{AD}ware", "software"), ("a\u{200B}b\u{2060}c\u{FEFF}", "abc"),
        ("a\u{A0}b\u{202F}c\u{3000}d", "a b c d"),
        (" a \t\r\n\u{A0}\u{2009}b ", "a b "), ("\u{200E}a\u{200F}", "a"), ("❤\u{FE0F}", "❤"), ("", ""), ("\u{AD}", ""),
    ])
    func `invisible characters vanish, and white space is one space`(text: String, folded: String) {
        #expect(Self.fold(text) == folded)
    }

    @Test(arguments: [
        ("שָׁלוֹם", "שלום"), ("\u{FB2A}ם", "שם"), ("مُحَمَّد", "محمد"), ("السَّلامُ", "السلام"),
    ])
    func `points of Hebrew and harakat of Arabic vanish`(text: String, folded: String) {
        #expect(Self.fold(text) == folded)
    }

    @Test(arguments: [
        ("कि", "क"), ("की", "कि"), ("क़", "क"), ("हिन्दी", "हिनदी"), ("กิน", "กน"), ("ข้าว", "ขาว"), ("が", "か"), ("ぱ", "は"),
        ("ば", "ぱ"), ("가", "각"), ("は", "ハ"),
    ])
    func `marks that make another letter stay`(text: String, other: String) {
        #expect(Self.fold(text) != Self.fold(other))
        #expect(Self.fold(text) == Self.fold(text.precomposedStringWithCanonicalMapping))
    }

    @Test func `each rule can be left out`() {
        #expect(Self.fold("É", Self.rules(isCase: true)) == "E")
        #expect(Self.fold("ß", Self.rules(isCase: true)) == "ß" && Self.fold("ẞ", Self.rules(isCase: true)) == "ẞ")
        #expect(Self.fold("Łı", Self.rules(isCase: true)) == "Li")
        let accents = Self.rules(diacritics: true)
        #expect(Self.fold("É", accents) == Self.fold("e\u{301}", accents) && Self.fold("é", accents) != "e")
        #expect(Self.fold("Ł", accents) == "ł" && Self.fold("ﬁ", accents) == "fi")
        #expect(Self.fold("مُ", accents) != "م")
        let width = Self.rules(width: true)
        #expect(Self.fold("Ａ", width) == "ａ" && Self.fold("ｶ", width) == "ｶ" && Self.fold("É", width) == "e")
        #expect(Self.fold("ﬁ", Self.rules(isCase: true, width: true)) == "ﬁ")
        let all = Self.rules(isCase: true, diacritics: true, width: true)
        #expect(Self.fold("É“ＡＢ” ẞ\u{AD}", all) == "E\u{301}\"ＡＢ\" ẞ")
    }

    @Test func `bytes that are no UTF-8 fold to something and lead back into the text`() throws {
        for bytes: [UInt8] in [
            [0x80], [0x61, 0xC3], [0xE2, 0x82, 0x61], [0xF4, 0x90, 0x80, 0x80], [0xC0, 0xAF], [0xFF],
        ] {
            var folding = TextFolding()
            let folded = folding.fold(bytes)
            for start in folded.bytes.indices {
                let range = folded.original(of: start..<start + 1, in: bytes)
                #expect(!range.isEmpty && range.upperBound <= bytes.count)
            }
        }
    }

    @Test(arguments: [
        ("ﬁx", "f", "ﬁ"), ("ﬁx", "i", "ﬁ"), ("a½x", "2", "½"), ("½", "2", "½"), ("½\u{AD}x", "2", "½\u{AD}"),
        ("½x", "x", "x"),
        ("e\u{301}x", "e", "e\u{301}"), ("a\u{AD}b", "ab", "a\u{AD}b"), ("straße", "s", "s"), ("ß", "s", "ß"),
        ("a  b", "a", "a"), ("x\u{A0}\u{A0}y", "x y", "x\u{A0}\u{A0}y"), ("ﷺ", "الله", "ﷺ"),
    ])
    func `a hit inside a character is the whole character`(text: String, query: String, hit: String) throws {
        var pattern = try #require(SearchPattern(query, SearchOptions()))
        let bytes = Array(text.utf8)
        let found = try pattern.matches(in: bytes, limit: 10, language: nil)
        let first = try #require(found.first)
        #expect(Array(bytes[first]) == Array(hit.utf8))
    }

    // MARK: Random texts

    private static let pieces = [
        "a", "B", "é", "e\u{301}", "ß", "ẞ", "ﬁ", "½", "İ", "ı", "Σ", "ς", "Ａ", "ｶﾞ", "カ", "か\u{3099}", "が", "か", "“",
        "—",
        "\u{AD}", "\u{A0}", " ", "\n", "\u{200B}", "שָׁ", "מ", "مُ", "कि", "क", "กิ", "…", "æ", "각", "가", "😀", "㎏", "s", "i",
        "1",
    ]

    private static func text(_ count: Int, _ numbers: inout SeededNumbers) -> [String] {
        (0..<count).map { _ in pieces[Int(numbers.next() % UInt64(pieces.count))] }
    }

    /// The forms of the characters of `text` that do not vanish.
    private static func forms(_ text: String, _ rules: TextFolding.Rules) -> [Int] {
        text.unicodeScalars.map { Self.fold("." + String($0), rules).utf8.count - 1 }.filter { $0 > 0 }
    }

    @Test(arguments: [false, true]) func `every hit, folded again, is what was looked for`(isSensitive: Bool) throws {
        var options = SearchOptions()
        options.isDiacriticSensitive = isSensitive
        let rules = Self.rules(diacritics: isSensitive)
        var numbers = SeededNumbers(seed: isSensitive ? 12 : 11)
        var hits = 0
        for _ in 0..<1_500 {
            let parts = Self.text(40, &numbers)
            let text = Array(parts.joined().utf8)
            let start = Int(numbers.next() % 38)
            let query = parts[start...start + Int(numbers.next() % 3)].joined()
            guard var pattern = SearchPattern(query, options) else { continue }
            let wanted = Self.fold("." + query, rules).dropFirst()
            let needle = Array(String(wanted).trimmingCharacters(in: .whitespaces).utf8)
            let found = try pattern.matches(in: text, limit: 1_000, language: nil)
            #expect(!found.isEmpty, "\(query) in \(parts)")
            hits += found.count
            var last = 0
            for range in found {
                let part = String(decoding: text[range], as: UTF8.self)
                #expect(range.lowerBound >= last && range.upperBound <= text.count && !part.contains("\u{FFFD}"))
                last = range.upperBound
                let again = Array(Self.fold(part, rules).utf8)
                // Only a part of what the first or the last character becomes may have been looked for.
                let forms = Self.forms(part, rules)
                let offset = SearchPattern.find(needle, in: again, from: 0) ?? again.count
                let rest = again.count - offset - needle.count
                #expect(offset < forms.first ?? 0 && rest < forms.last ?? 0, "\(query) gives \(part) in \(parts)")
            }
        }
        #expect(hits > 1_500)
    }
}
