import FileProviderCore
import Testing

@Suite struct TextEncodingTests {
    @Test(arguments: [
        ("windows-1251", "Книги", [0xCA, 0xED, 0xE8, 0xE3, 0xE8] as [UInt8]),
        ("KOI8-R", "Книги", [0xEB, 0xCE, 0xC9, 0xC7, 0xC9]),
        ("ISO-8859-1", "Bücher", [0x42, 0xFC, 0x63, 0x68, 0x65, 0x72]), ("Shift_JIS", "本", [0x96, 0x7B]),
        ("gb18030", "书", [0xCA, 0xE9]),
        ("EUC-KR", "책", [0xC3, 0xA5]), ("Big5", "書", [0xAE, 0xD1]), ("IBM437", "ü", [0x81]),
        ("utf-8", "ü", [0xC3, 0xBC]),
        ("windows-1252", "", []), ("windows-1252", "a\0b", [0x61, 0, 0x62]),
        // An encoding with states ends in the one in which it began.
        ("ISO-2022-JP", "本", [0x1B, 0x24, 0x42, 0x4B, 0x5C, 0x1B, 0x28, 0x42]),
        // An accent may follow a letter.
        ("windows-1258", "A", [0x41]),
    ])
    func `text is converted both ways`(name: String, text: String, bytes: [UInt8]) throws {
        let encoding = try #require(TextEncoding(name))
        #expect(encoding.name == name)
        #expect(try #require(encoding.decoder()).convert(bytes) == Array(text.utf8))
        #expect(try #require(encoding.encoder()).convert(Array(text.utf8)) == bytes)
    }

    @Test func `what has no counterpart is nil, and the next text is right again`() throws {
        let shiftJIS = try #require(TextEncoding("Shift_JIS"))
        let decoder = try #require(shiftJIS.decoder())
        for _ in 1...2 {
            // A character of which half is missing, and a byte that begins none.
            #expect(decoder.convert([0x96]) == nil && decoder.convert([0xFF]) == nil)
            #expect(decoder.convert([0x96, 0x7B]) == Array("本".utf8))
        }
        let encoder = try #require(TextEncoding("windows-1251")?.encoder())
        for _ in 1...2 {
            #expect(encoder.convert(Array("日本".utf8)) == nil && encoder.convert([0xD0]) == nil)
            #expect(encoder.convert(Array("Я".utf8)) == [0xDF])
        }
    }

    @Test(arguments: [
        "", "no-such-set", "latin1//translit", "koi8-r//", "a b", "utf-8\n", "\0",
        String(repeating: "a", count: 10_000),
    ])
    func `a name that this system does not know is refused`(name: String) { #expect(TextEncoding(name) == nil) }
}
