import Testing

@testable import Publication

struct WordBoundariesTests {
    /// `text` with `|` at each boundary inside it.
    private static func marked(_ text: String, _ language: String?) -> String {
        let boundaries = WordBoundaries(language: language)
        let bytes = Array(text.utf8)
        var result = ""
        var offset = 0
        for scalar in text.unicodeScalars {
            if offset > 0, boundaries.isBoundary(offset, in: bytes) { result += "|" }
            result.unicodeScalars.append(scalar)
            offset += String(scalar).utf8.count
        }
        return result
    }

    @Test(arguments: [
        ("don't stop", "don't| |stop"), ("don’t", "don’t"), ("'twas'", "'|twas|'"), ("well-known", "well|-|known"),
        ("3rd_party", "3rd_party"), ("soft\u{AD}ware", "soft\u{AD}ware"), ("cafe\u{301}s", "cafe\u{301}s"),
        ("cafe\u{301}'s", "cafe\u{301}'s"), ("naïve,über", "naïve|,|über"), ("(a)", "(|a|)"),
        ("rock 'n' roll", "rock| |'|n|'| |roll"),
        ("Жук.", "Жук|."), ("x²", "x|²"),
    ])
    func `words end at spaces and punctuation`(text: String, marked: String) {
        #expect(Self.marked(text, "en") == marked)
    }

    @Test(arguments: [
        ("l'homme", "fr", "l|'|homme"), ("qu’il", "fr-CA", "qu|’|il"), ("dell’arte", "it", "dell|’|arte"),
        ("d'aigua", "ca", "d|'|aigua"), ("col·lecció", "ca", "col·lecció"), ("l'homme", "en", "l'homme"),
        ("l'homme", "", "l'homme"), ("L'homme", "FR_fr", "L|'|homme"), ("l'homme", "fra", "l'homme"),
    ])
    func `an apostrophe parts words in some languages`(text: String, language: String, marked: String) {
        #expect(Self.marked(text, language) == marked)
    }

    @Test(arguments: [
        ("猫が好き", "猫|が|好|き"), ("か\u{3099}き", "か\u{3099}|き"), ("ｶﾞｷ", "ｶﾞ|ｷ"), ("kanji漢字", "kanji|漢|字"),
        ("กินข้าว", "กิ|น|ข้|า|ว"), ("ភាសា", "ភា|សា"),
    ])
    func `scripts without spaces have a boundary behind each letter and its marks`(text: String, marked: String) {
        #expect(Self.marked(text, "ja") == marked)
    }

    @Test(arguments: ["हिन्दी", "مُحَمَّد", "שָׁלוֹם", "צה״ל", "한국어", "தமிழ்"])
    func `marks hold a word together`(word: String) {
        #expect(Self.marked(word, nil) == word)
        #expect(Self.marked("\(word) \(word)", nil) == "\(word)| |\(word)")
    }

    @Test(arguments: [
        ("It's a well-known 3rd_party: yes.", "en", 6), ("L'homme d'or", "fr", 4), ("L'homme d'or", "en", 2),
        ("猫が好き。", "ja", 4), ("か\u{3099}", "ja", 1), ("กิน", "th", 2), ("", "en", 0), (" — … ", "en", 0),
        ("cafe\u{301} au lait", "fr", 3), ("שָׁלוֹם עולם", "he", 2),
    ])
    func `words are counted`(text: String, language: String, count: Int) {
        #expect(WordBoundaries(language: language).count(in: text.utf8) == count)
    }

    @Test func `bytes that are no UTF-8 have boundaries, too`() {
        let boundaries = WordBoundaries(language: nil)
        for bytes: [UInt8] in [
            [0x80, 0x80, 0x80, 0x80, 0x80, 0x80], [0x61, 0xE3, 0x81], [0xFF, 0x61], [0xF4, 0xBF, 0xBF, 0xBF],
        ] {
            for offset in 0...bytes.count { _ = boundaries.isBoundary(offset, in: bytes) }
            #expect(boundaries.count(in: bytes) <= bytes.count)
            #expect(boundaries.isBoundary(0, in: bytes) && boundaries.isBoundary(bytes.count, in: bytes))
        }
    }
}
