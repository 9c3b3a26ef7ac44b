import FileProviderCore
import Foundation
import SampleBooks
import Testing

import Archives
import MediaTypes
@testable import Publication
import PublicationCache

/// A text in an encoding, by iconv's name for it.
private func bytes(_ text: String, _ encoding: String) throws -> [UInt8] {
    try #require(TextEncoding(encoding)?.encoder()?.convert(Array(text.utf8)))
}

private func options(_ name: [UInt8], isUTF8: Bool = false) -> ZIPBuilder.Options {
    var options = ZIPBuilder.Options()
    (options.nameBytes, options.isUTF8) = (name, isUTF8)
    return options
}

/// Titles in the encodings that writers use without saying so.
private let titles: [(encoding: String, titles: [String])] = [
    ("CP932", ["第一話", "ドラゴン 第01巻", "表紙", "東京物語 上", "進撃の巨人 01", "あとがき", "ソの話"]),
    ("GB18030", ["第一章", "第1话", "第01卷", "封面", "火影忍者", "红楼梦", "第十二回 天下", "番外", "后记", "扉页"]),
    ("CP949", ["제1장", "1권", "표지", "제12화 시작", "부록", "목차"]), ("CP950", ["第一話", "第01卷", "封面", "紅樓夢", "後記", "第十二回"]),
    ("EUC-JP", ["第一話", "ドラゴン", "進撃の巨人", "あとがき"]),
    ("CP1251", ["Глава 1", "Том 1", "ГЛАВА 2", "Обложка", "Введение", "Мастер и Маргарита", "Часть"]),
    ("CP866", ["Глава 1", "Обложка", "Введение"]),
    ("KOI8-R", ["Глава 1", "Обложка", "Введение"]),
    ("ISO-8859-1", ["Chapître", "Übersicht", "São Paulo", "Épilogue", "año"]),
    ("CP437", ["Chapître", "über", "Häuser", "Pokémon", "año", "Études"]), ("CP850", ["São", "Introdução"]),
    ("CP1253", ["Κεφάλαιο", "Βιβλίο"]),
]

@Suite struct ZIPNameEncodingTests {
    /// A comic with two chapters, of which the names say no encoding.
    private func comic(_ title: String, _ encoding: String) throws -> Data {
        try ZIPBuilder.data { zip in
            for chapter in 1...2 {
                for page in 1...2 {
                    try zip.add("", Data("x".utf8), options(bytes("Book/\(title)\(chapter)/\(page).png", encoding)))
                }
            }
        }
    }

    private func open(_ data: Data, named name: String, zipNameEncoding: String? = nil) async throws -> Publication {
        let shelf = try await MemoryShelf(["/" + name: data])
        var options = OpeningOptions()
        options.zipNameEncoding = zipNameEncoding
        return try await Publication.open(path: ProviderPath("/" + name), of: shelf.provider, options: options)
    }

    @Test(arguments: titles) func `names are read as what they make most sense as`(encoding: String, titles: [String])
        async throws
    {
        for title in titles {
            let book = try await open(comic(title, encoding), named: "a.cbz")
            #expect(book.tableOfContents.map(\.title) == ["\(title)1", "\(title)2"], "\(encoding)")
            #expect(book.tags == ["assumed-encoding"])
            for link in book.readingOrder { #expect(try await book.get(link).readAsString() == "x") }
        }
    }

    @Test func `the warning names the encoding`() async throws {
        let book = try await open(comic("第一話", "CP932"), named: "a.cbz")
        let message =
            "“Book/第一話1/1.png” and 3 more in the archive do not declare the encoding of their names; they were read as Shift_JIS."
        #expect(book.warnings == [ContentWarning("assumed-encoding", severity: .minor, message: message)])
        let data = try ZIPBuilder.data { try $0.add("", Data("x".utf8), options(bytes("für.png", "CP437"))) }
        let one = "“für.png” in the archive does not declare the encoding of its name; it was read as IBM437."
        #expect(try await open(data, named: "a.cbz").warnings.map(\.message) == [one])
    }

    @Test func `what the caller says counts more than sense`() async throws {
        let data = try comic("Глава ", "CP1251")
        for (encoding, title) in [
            ("windows-1251", "Глава 1"), ("KOI8-R", "цКЮБЮ 1"), ("x-none", "Глава 1"), ("../x", "Глава 1"),
        ] {
            #expect(
                try await open(data, named: "a.cbz", zipNameEncoding: encoding).tableOfContents.first?.title == title)
        }
    }

    @Test func `a name that is no text in the encoding stays in code page 437`() async throws {
        let data = try ZIPBuilder.data { zip in
            try zip.add("", Data("x".utf8), options(bytes("表.png", "CP932")))
            try zip.add("", Data("y".utf8), options([0xA0] + Array(".png".utf8)))
        }
        let book = try await open(data, named: "a.cbz", zipNameEncoding: "Shift_JIS")
        #expect(Set(book.readingOrder.map(\.href)) == [HREF.encode("表.png"), HREF.encode("á.png")])
    }

    @Test func `UTF-8, the bit that says so, and Info-ZIP's field come first`() async throws {
        let raw = try bytes("話.png", "CP932")
        let field =
            [1] + withUnsafeBytes(of: Deflate.checksum(Data(raw)).littleEndian) { Array($0) } + Array("灯.png".utf8)
        let data = try ZIPBuilder.data { zip in
            try zip.add("", Data("x".utf8), options(Array("größe.png".utf8)))
            try zip.add("", Data("x".utf8), options(Array("Größe 2.png".utf8), isUTF8: true))
            var withField = options(raw)
            withField.directoryExtra = [0x75, 0x70, UInt8(field.count), 0] + field
            try zip.add("", Data("x".utf8), withField)
        }
        let book = try await open(data, named: "a.cbz", zipNameEncoding: "windows-1251")
        #expect(Set(book.readingOrder.map(\.href)) == Set(["größe.png", "Größe 2.png", "灯.png"].map(HREF.encode)))
        #expect(book.warnings.isEmpty)
    }

    // MARK: A book's own addresses

    /// A book whose first chapter lies under a name in `encoding`.
    private func book(_ name: String, _ encoding: String, folder: String = "OEBPS") throws -> Data {
        var book = OddBook()
        book.items = book.items.replacing("c1.xhtml", with: name)
        let package = book.packageText
        return try ZIPBuilder.data { zip in
            try zip.store("mimetype", Data("application/epub+zip".utf8))
            try zip.deflate("META-INF/container.xml", EPUBFixture.container.replacing("OEBPS", with: folder))
            for (path, text) in [
                ("content.opf", package), (name, OddBook.chapter), ("c2.xhtml", OddBook.chapter), ("style.css", "p{}"),
                ("nav.xhtml", OddBook.navigation.replacing("c1.xhtml", with: name)),
            ] {
                try zip.add("", Data(text.utf8), options(bytes("\(folder)/\(path)", encoding)))
            }
        }
    }

    @Test(arguments: titles) func `the addresses of a book decide`(encoding: String, titles: [String]) async throws {
        for name in titles.map({ $0.replacing(" ", with: "_") + ".xhtml" }) {
            // Whatever the caller thinks.
            let opened = try await open(book(name, encoding), named: "a.epub", zipNameEncoding: "IBM852")
            #expect(opened.readingOrder.map(\.href) == [HREF.encode("OEBPS/\(name)"), "OEBPS/c2.xhtml"], "\(encoding)")
            #expect(try await opened.get(opened.readingOrder[0]).readAsString() == OddBook.chapter)
            #expect(opened.tags == ["assumed-encoding"], "\(opened.warnings.map(\.message))")
        }
    }

    @Test(arguments: [
        ("ISO-8859-2", "Žluťoučký"), ("CP1254", "Şöğüt"), ("MACINTOSH", "Été"), ("CP1257", "Šķēršļi"),
        ("ISO-8859-5", "Глава"),
        ("MAC-CYRILLIC", "Глава"), ("CP857", "Şiğ"),
    ])
    func `addresses tell encodings that names alone do not`(encoding: String, title: String) async throws {
        let opened = try await open(book(title + ".xhtml", encoding), named: "a.epub")
        #expect(opened.readingOrder.map(\.href) == [HREF.encode("OEBPS/\(title).xhtml"), "OEBPS/c2.xhtml"])
        #expect(try await opened.get(opened.readingOrder[0]).readAsString() == OddBook.chapter)
        #expect(opened.tags == ["assumed-encoding"], "\(opened.warnings.map(\.message))")
    }

    @Test func `a name that is UTF-8 by chance is what the addresses say, beside others`() async throws {
        let name = "目录.xhtml"
        #expect(try String(validating: bytes(name, "GB18030"), as: UTF8.self) != nil)
        var book = OddBook()
        book.items = book.items.replacing("c1.xhtml", with: name).replacing("c2.xhtml", with: "第一章.xhtml")
        let package = book.packageText
        let data = try ZIPBuilder.data { zip in
            try zip.deflate("META-INF/container.xml", EPUBFixture.container)
            for (path, text) in [("content.opf", package), (name, "a"), ("第一章.xhtml", "b"), ("style.css", "p{}")] {
                try zip.add("", Data(text.utf8), options(bytes("OEBPS/\(path)", "GB18030")))
            }
        }
        let opened = try await open(data, named: "a.epub")
        #expect(opened.readingOrder.map(\.href) == ["OEBPS/目录.xhtml", "OEBPS/第一章.xhtml"].map(HREF.encode))
        for (link, text) in zip(opened.readingOrder, ["a", "b"]) {
            #expect(try await opened.get(link).readAsString() == text)
        }
    }

    @Test func `so do those of a Readium package`() async throws {
        let manifest = manifestJSON(["readingOrder": [["href": "c/São.html", "type": "text/html"]]])
        let data = try ZIPBuilder.data { zip in
            try zip.deflate("manifest.json", manifest)
            try zip.add("", Data("x".utf8), options(bytes("c/São.html", "CP850")))
        }
        let opened = try await open(data, named: "a.webpub", zipNameEncoding: "windows-1251")
        #expect(try await opened.get(#require(opened.readingOrder.first)).readAsString() == "x")
        #expect(opened.tags == ["assumed-encoding"], "\(opened.warnings.map(\.message))")
    }

    @Test func `the folder of the package may have such a name, too`() async throws {
        let opened = try await open(book("第一話.xhtml", "CP932", folder: "本"), named: "a.epub")
        #expect(opened.readingOrder.map(\.href) == ["本/第一話.xhtml", "本/c2.xhtml"].map(HREF.encode))
        #expect(opened.tags == ["assumed-encoding"], "\(opened.warnings.map(\.message))")
    }

    @Test func `addresses that have the bytes of such a name as escapes lead to it`() async throws {
        var book = OddBook()
        let name = try bytes("第一話.xhtml", "CP932")
        let escaped = name.map { "%" + String(Int($0) + 0x100, radix: 16).dropFirst() }.joined()
        book.items = book.items.replacing("c1.xhtml", with: escaped)
        let package = book.packageText
        let data = try ZIPBuilder.data { zip in
            try zip.store("mimetype", Data("application/epub+zip".utf8))
            try zip.deflate("META-INF/container.xml", EPUBFixture.container)
            for (path, text) in [
                ("content.opf", package), ("c2.xhtml", OddBook.chapter), ("style.css", "p{}"),
                ("nav.xhtml", OddBook.navigation),
            ] { try zip.deflate("OEBPS/" + path, text) }
            try zip.add("", Data(OddBook.chapter.utf8), options(Array("OEBPS/".utf8) + name))
        }
        let opened = try await open(data, named: "a.epub")
        #expect(opened.readingOrder.map(\.href) == [HREF.encode("OEBPS/第一話.xhtml"), "OEBPS/c2.xhtml"])
    }

    @Test func `an archive whose directory is missing is read in the same way`() async throws {
        let whole = try comic("第一話", "CP932")
        let end = try #require(whole.firstRange(of: [0x50, 0x4B, 1, 2] as [UInt8]))
        let opened = try await open(whole[..<end.lowerBound], named: "a.cbz")
        #expect(opened.tableOfContents.map(\.title) == ["第一話1", "第一話2"])
        #expect(Set(opened.tags) == ["assumed-encoding", "repaired-archive"])
    }

    @Test(.timeLimit(.minutes(1))) func `many names are decided without delay`() throws {
        let name = try bytes("第話/表紙", "CP932")
        let names = (0..<200_000).map { name + Array("\($0).png".utf8) }
        #expect(NameEncodingGuess(names).encoding().name == "Shift_JIS")
    }

    @Test func `bytes at random are code page 437`() {
        var numbers = SeededNumbers(seed: 3)
        for _ in 0..<200 {
            let names = (0..<8).map { _ in numbers.bytes(24).map { $0 | 0x80 } }
            #expect(NameEncodingGuess(names).encoding() == .codePage437)
        }
        for names in [[], [Array("a".utf8)]] { #expect(NameEncodingGuess(names).encoding() == .codePage437) }
    }
}
