import FileProviderCore
import Foundation
import SampleBooks
import Testing

import Archives
import MediaTypes
@testable import Publication
import PublicationCache

struct ComicInfoTests {
    private let pages = ["10.png", "2.png", "1.png"].map { ($0, "x") }

    private func book(_ info: String, named name: String = "ComicInfo.xml") async throws -> Publication {
        try await Shelf().open("file.cbz", pages + [(name, "<?xml version=\"1.0\"?><ComicInfo>\(info)</ComicInfo>")])
    }

    @Test func `everything it says has its place`() async throws {
        let book = try await book(
            """
            <Title>The Title</Title><Series>The Series</Series><Number>2.5</Number><Count>12</Count><Volume>2018</Volume>
            <AlternateSeries>Other</AlternateSeries><AlternateNumber>1½</AlternateNumber><Summary>About &amp; so</Summary>
            <Year>2001</Year><Month>2</Month><Day>3</Day><LanguageISO>ja</LanguageISO><GTIN>978-3-16-148410-0</GTIN>
            <Genre>Drama, Manga,</Genre><Publisher>Ink, Inc.</Publisher><Imprint>Im</Imprint><Writer>A, B</Writer>
            <Penciller>C</Penciller><Inker>D</Inker><Colorist>E</Colorist><Letterer>F</Letterer><CoverArtist>G</CoverArtist>
            <Editor>H</Editor><Translator>I</Translator><Manga>YesAndRightToLeft</Manga><Notes>Tagged</Notes><PageCount>3</PageCount>
            """)
        let metadata = book.metadata
        #expect(metadata.title.string == "The Title" && metadata.description == "About & so")
        #expect(metadata.identifier == "urn:isbn:9783161484100" && metadata.languages == ["ja"])
        #expect(metadata.published == Date(manifestText: "2001-02-03") && metadata.readingProgression == .rtl)
        #expect(metadata.subjects.map(\.name.string) == ["Drama", "Manga"])
        let roles: [(ContributorRole, [String])] = [
            (.author, ["A", "B"]), (.penciler, ["C"]), (.inker, ["D"]), (.colorist, ["E"]), (.letterer, ["F"]),
            (.contributor, ["G"]),
            (.editor, ["H"]), (.translator, ["I"]), (.publisher, ["Ink, Inc."]), (.imprint, ["Im"]),
        ]
        for (role, names) in roles { #expect(metadata[role].map(\.name.string) == names) }
        #expect(metadata.contributors.map(\.roles) == [["cov"]])
        #expect(metadata.belongsToSeries.map { $0.name?.string } == ["The Series", "Other"])
        #expect(metadata.belongsToSeries[0].position == 2.5)
        #expect(metadata.belongsToSeries[0].otherProperties == ["numberOfItems": 12, "volume": 2018])
        #expect(metadata.belongsToSeries[1].otherProperties == ["comicinfo:AlternateNumber": "1½"])
        #expect(metadata.otherMetadata == ["comicinfo:Notes": "Tagged"])
        #expect(metadata.conformsTo == [ImageParser.profile] && metadata.numberOfPages == 3 && book.warnings.isEmpty)
    }

    /// Pitfall 45: pictures are numbered in their natural order; the name's case and the depth vary.
    @Test(arguments: ["ComicInfo.xml", "comicinfo.XML", "sub/folder/COMICINFO.xml"])
    func `pages are described in the order of the pictures`(name: String) async throws {
        let book = try await book(
            """
            <Pages><Page Image="1" Type="FrontCover" ImageWidth="800" ImageHeight="1200"/><Page Image="2" Type="Story" DoublePage="True"
            Bookmark="Chapter 1"/><Page Image="0" Type="InnerCover" ImageWidth="-1"/><Page Image="99"/><Page Image="x"/><Page/></Pages>
            """, named: name)
        #expect(book.readingOrder.map(\.href) == ["1.png", "2.png", "10.png"])
        #expect(book.readingOrder.map(\.rels) == [[], ["cover"], ["start"]])
        #expect(
            book.readingOrder[1].width == 800 && book.readingOrder[1].height == 1200
                && book.readingOrder[0].width == nil)
        #expect(book.readingOrder[2].properties.page == .center)
        #expect(book.tableOfContents == [Link(href: "10.png", title: "Chapter 1")])
        #expect(book.tags == ["invalid-page"])
    }

    @Test(arguments: [
        ("<Series>S</Series><Number>3</Number>", "S #3"), ("<Series>S</Series>", "S"), ("<Title> </Title>", "file"),
    ])
    func `a title is found somewhere`(info: String, title: String) async throws {
        #expect(try await book(info).metadata.title.string == title)
    }

    @Test(
        arguments: [
            ("<Year>2001</Year>", "2001"), ("<Year>2001</Year><Month>12</Month>", "2001-12"), ("<Year>-1</Year>", nil),
            ("<Month>1</Month>", nil), ("<Year>2001</Year><Month>13</Month><Day>1</Day>", "2001"),
            ("<Year>99999999999999999999</Year>", nil), ("<Year>2020</Year><Month>2</Month><Day>30</Day>", "2020-02"),
            ("<Year>2021</Year><Month>2</Month><Day>29</Day>", "2021-02"),
            ("<Year>2020</Year><Month>2</Month><Day>29</Day>", "2020-02-29"),
        ] as [(String, String?)])
    func `dates may be cut short`(info: String, date: String?) async throws {
        #expect(try await book(info).metadata.published == date.flatMap { Date(manifestText: $0) })
    }

    @Test(arguments: [
        ("<Title>Été</Title><Series>A & B</Series></ComicInfo>", String.Encoding.utf8, "malformed-document"),
        ("<Title>Été</Title><Series>S</Series></ComicInfo>", .isoLatin1, "unusual-encoding"),
        ("<Title>Été</Title><Series>S\u{2}</Series></ComicInfo>", .utf8, "malformed-document"),
        ("<Title>Été</Title><Series>S</Series>", .utf8, "malformed-document"),
        ("<Title>Été</Title><Series>S", .utf8, "malformed-document"),
        ("<Title>Été</ComicInfo>", .utf8, "malformed-document"),
    ])
    func `one that is not quite XML is read as far as it makes sense`(
        _ text: String, _ encoding: String.Encoding, _ tag: String
    ) async throws {
        let document = try #require(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><ComicInfo>\(text)".data(using: encoding))
        let shelf = try await MemoryShelf([
            "/file.cbz": ZIPBuilder.data { zip in
                try zip.store("1.png", Data("x".utf8))
                try zip.add("ComicInfo.xml", document)
            }
        ])
        let book = try await Publication.open(path: ProviderPath("/file.cbz"), of: shelf.provider)
        #expect(book.metadata.title.string == "Été" && book.tags == [tag], "\(book.warnings.map(\.message))")
        if text.contains("Series") {
            #expect(["A & B", "S"].contains(book.metadata.belongsToSeries.first?.name?.string ?? ""))
        }
    }

    @Test func `in Latin 1 and not well-formed, it is read too`() async throws {
        let document = try #require("<ComicInfo><Title>Été & co</Title><br></ComicInfo>".data(using: .isoLatin1))
        let shelf = try await MemoryShelf([
            "/file.cbz": ZIPBuilder.data { zip in
                try zip.store("1.png", Data("x".utf8))
                try zip.add("ComicInfo.xml", document)
            }
        ])
        let book = try await Publication.open(path: ProviderPath("/file.cbz"), of: shelf.provider)
        #expect(book.metadata.title.string == "Été & co" && book.tags == ["unusual-encoding", "malformed-document"])
    }

    @Test func `a character that is cut off costs no other one`() async throws {
        for end in ["</Summary></ComicInfo>", ""] {
            var document = Data(
                "<?xml version='1.0' encoding='utf-8'?><ComicInfo><Title>Été, мир</Title><Summary>日本".utf8)
            document = document.dropLast() + Data(end.utf8)
            let shelf = try await MemoryShelf([
                "/file.cbz": ZIPBuilder.data { zip in
                    try zip.store("1.png", Data("x".utf8))
                    try zip.add("ComicInfo.xml", document)
                }
            ])
            let book = try await Publication.open(path: ProviderPath("/file.cbz"), of: shelf.provider)
            #expect(book.metadata.title.string == "Été, мир" && book.tags == ["malformed-document"])
            #expect(book.metadata.description == "日\u{FFFD}")
        }
    }

    @Test func `an entity of its own that is text is put in`() async throws {
        let document = "<!DOCTYPE ComicInfo [<!ENTITY co 'Acme'>]><ComicInfo><Title>&co; One</Title></ComicInfo>"
        let book = try await Shelf().open("file.cbz", pages + [("ComicInfo.xml", document)])
        #expect(book.metadata.title.string == "Acme One" && book.warnings.isEmpty)
    }

    @Test(arguments: ["<", "", "<!DOCTYPE x [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><x>&a;</x>"])
    func `a damaged one is passed over with a warning`(document: String) async throws {
        let book = try await Shelf().open("file.cbz", pages + [("ComicInfo.xml", document)])
        #expect(book.tags == ["damaged-metadata"])
        #expect(book.metadata.title.string == "file" && book.coverLink?.href == "1.png")
    }
}
