import FileProviderCore
import Foundation
import SampleBooks
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

private let byName = "the tracks are sorted by name."

/// A sound EPUB that was spoilt in one place, and the one warning that it gives.
struct SpoiltBook: Sendable, CustomTestStringConvertible {
    let book: OddBook
    let warning: ContentWarning

    var testDescription: String { warning.message }

    init(_ tag: String, _ message: String, change: (inout OddBook) -> Void) {
        warning = ContentWarning(tag, severity: .minor, message: message)
        book = OddBook.with(change)
    }

    static let all = [
        SpoiltBook("missing-type", "“OEBPS/style.css” has no media type in the manifest; it was guessed from the name.")
        {
            $0.items = $0.items.replacing(#"href="style.css" media-type="text/css""#, with: #"href="style.css""#)
        },
        SpoiltBook(
            "missing-type",
            "“OEBPS/c1.xhtml” and 2 more have no media type in the manifest; they were guessed from the names."
        ) {
            $0.items = $0.items.replacing(#"media-type="application/xhtml+xml""#, with: "")
        },
        SpoiltBook("odd-rendition", "“fixed” is not a value that EPUB defines for “rendition:layout”; it was ignored.")
        {
            $0.metadata += "<meta property='rendition:layout'>fixed</meta>"
        },
        SpoiltBook("odd-rendition", "“scrolled” is not a value that EPUB defines for “rendition:flow”; it was ignored.")
        {
            $0.metadata += "<meta property='rendition:flow'>scrolled</meta>"
        },
        SpoiltBook("odd-rendition", "“always” is not a value that EPUB defines for “rendition:spread”; it was ignored.")
        {
            $0.metadata += "<meta property='rendition:spread'>always</meta>"
        },
        SpoiltBook(
            "odd-rendition", "“square” is not a value that EPUB defines for “rendition:orientation”; it was ignored."
        ) {
            $0.metadata += "<meta property='rendition:orientation'>square</meta>"
        },
        SpoiltBook(
            "odd-rendition",
            "“rendition:flow-wide” in the reading order is not a property that EPUB defines; it was ignored."
        ) {
            $0.spine = #"<itemref idref="c1" properties="rendition:flow-wide rendition:align-x-center"/>"#
        },
        SpoiltBook("odd-rendition", "“big” is not a value that EPUB defines for “rendition:layout”; it was ignored.") {
            $0.container = Data(EPUBFixture.container.replacing("<rootfile ", with: #"<rootfile layout="big" "#).utf8)
        },
        SpoiltBook("odd-progression", "“down” is not a page progression direction; it was ignored.") {
            $0.spineAttributes = #"page-progression-direction="down""#
        },
        SpoiltBook("missing-language", "The book does not declare its language; none was assumed.") {
            $0.metadata = $0.metadata.replacing("<dc:language>en</dc:language>", with: "")
        },
        SpoiltBook("missing-identifier", "The book has no identifier; it was opened without one.") {
            $0.metadata = "<dc:title>Moby-Dick</dc:title><dc:language>en</dc:language>"
        },
    ]
}

/// Warnings of the parsers for EPUB, comics and audiobooks, word for word.
@Suite struct BookWarningTests {
    @Test(arguments: SpoiltBook.all)
    func `an EPUB that is odd in one way gives one warning`(spoilt: SpoiltBook) async throws {
        let book = try await spoilt.book.open()
        #expect(book.warnings == [spoilt.warning])
        #expect(book.readingOrder.first?.type == "application/xhtml+xml" && book.metadata.layout == .reflowable)
    }

    @Test func `all values that are defined give none`() async throws {
        let book = try await OddBook.with {
            for (name, value) in [
                ("layout", "reflowable"), ("orientation", "auto"), ("spread", "portrait"), ("flow", "scrolled-doc"),
            ] {
                $0.metadata += "<meta property='rendition:\(name)'>\(value)</meta>"
            }
            $0.spineAttributes = #"page-progression-direction="default""#
            let properties =
                "rendition:layout-pre-paginated rendition:spread-none rendition:page-spread-center rendition:flow-auto own:x"
            $0.spine = #"<itemref idref="c1" properties="\#(properties)"/>"#
        }.open()
        #expect(book.warnings == [])
    }

    private func open(_ name: String, _ files: [(String, String)]) async throws -> [ContentWarning] {
        try await Shelf().open(name, files).warnings
    }

    @Test func `strangers in a comic are told together`() async throws {
        let pages = [("1.png", "x"), ("notes.txt", "x"), ("x.acbf", "x"), (".DS_Store", "x"), ("Thumbs.db", "x")]
        #expect(try await open("c.cbz", pages).isEmpty)
        #expect(
            try await open("c.cbz", pages + [("odd.exe", "x")]) == [
                ContentWarning(
                    "unused-file", severity: .minor,
                    message: "“odd.exe” is neither picture nor known metadata; it was ignored.")
            ])
        #expect(
            try await open("c.cbz", pages + [("z/2.heic", "x"), ("z/1.html", "x")]) == [
                ContentWarning(
                    "unused-file", severity: .moderate,
                    message: "“z/1.html” and 1 more are neither picture nor known metadata; they were ignored.")
            ])
        let many = Dictionary(uniqueKeysWithValues: (0..<20_000).map { ("odd-\($0)", "") }).merging(["1.png": "x"]) {
            $1
        }
        let log = WarningLog()
        let asset = PublicationAsset(
            path: try ProviderPath("c.cbz"), mediaType: .cbz, form: .archive, fetcher: DictionaryFetcher(many))
        _ = try await ImageParser().parse(asset, warnings: log)
        #expect(
            log.all.map(\.message) == [
                "“odd-0” and 19999 more are neither picture nor known metadata; they were ignored."
            ])
    }

    @Test func `of several ComicInfo.xml one is read`() async throws {
        let files = [
            "1.png": "x", "a/b/ComicInfo.xml": "<", "a/comicinfo.xml": "<ComicInfo><Title>T</Title></ComicInfo>",
        ]
        let (fetcher, log) = (DictionaryFetcher(files), WarningLog())
        let asset = PublicationAsset(path: try ProviderPath("c.cbz"), mediaType: .cbz, form: .archive, fetcher: fetcher)
        let book = try await ImageParser().parse(asset, warnings: log)
        #expect(book?.manifest.metadata.title == "T" && fetcher.requests == ["a/comicinfo.xml"])
        let message =
            "The comic has 2 files called ComicInfo.xml; “a/comicinfo.xml” was used, which is nearest to the root."
        #expect(log.all == [ContentWarning("repeated-metadata", severity: .minor, message: message)])
    }

    @Test func `of a ComicInfo.xml that cannot be read it is told why`() async throws {
        let found = try await open("c.cbz", [("1.png", "x"), ("ComicInfo.xml", "<")])
        #expect(found.map(\.tag) == ["damaged-metadata"] && found.map(\.severity) == [.moderate])
        #expect(found[0].message.hasPrefix("“ComicInfo.xml”: "))
        #expect(found[0].message.hasSuffix("; the metadata in “ComicInfo.xml” were not used."))
        #expect(!found[0].message.contains(".;"))
    }

    @Test(
        arguments: [
            ([("l.m3u", "b.mp3\na.mp3")], nil), ([("l.pls", "x"), ("l.cue", "x")], nil),
            (
                [("l.m3u", "b.mp3\nc.mp3\na.mp3")],
                ContentWarning(
                    "wrong-playlist", severity: .moderate,
                    message: "“c.mp3” is in the playlist “l.m3u” but is not a track of the book; \(byName)")
            ),
            (
                [("l.m3u", "../b.mp3\nc.mp3\n#x\nhttp://example.com/a.mp3")],
                ContentWarning(
                    "wrong-playlist", severity: .moderate,
                    message:
                        "“../b.mp3” and 2 more are in the playlist “l.m3u” but are not tracks of the book; \(byName)")
            ),
            (
                [("l.m3u8", "b.mp3")],
                ContentWarning(
                    "wrong-playlist", severity: .moderate,
                    message: "The playlist “l.m3u8” does not name each track of the book once; \(byName)")
            ),
            (
                [("l.m3u", ""), ("m.m3u", "")],
                ContentWarning("several-playlists", severity: .minor, message: "The book has 2 playlists; \(byName)")
            ),
            (
                [("l.m3u", String(repeating: "#", count: 1 << 21))],
                ContentWarning(
                    "damaged-playlist", severity: .moderate, message: "The playlist “l.m3u” cannot be read; \(byName)")
            ),
            (
                [("booklet.docx", "x")],
                ContentWarning(
                    "unused-file", severity: .minor,
                    message: "“booklet.docx” is no part of an audiobook; it was ignored.")
            ),
        ] as [([(String, String)], ContentWarning?)])
    func `a playlist that does not fit is told`(files: [(String, String)], expected: ContentWarning?) async throws {
        #expect(try await open("x.zab", [("a.mp3", "x"), ("b.mp3", "x")] + files) == [expected].compactMap(\.self))
    }

    @Test func `a message that is too long keeps its end`() {
        let log = WarningLog()
        log.warn(
            "long", severity: .minor,
            message: "“" + String(repeating: "x", count: 100_000) + "” is wrong; it was left out.")
        #expect(log.all[0].message.unicodeScalars.count == 1_000)
        #expect(log.all[0].message.hasPrefix("“x") && log.all[0].message.hasSuffix("x” is wrong; it was left out."))
    }
}
