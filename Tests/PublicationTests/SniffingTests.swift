import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import SafeXML
import SampleBooks
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

/// What content is taken for. Cases by name are in `SniffingPitfallTests`.
@Suite struct SniffingTests {
    static let archived: [(String, [(String, String)], MediaType?)] = [
        (
            "audiobook by type",
            [("manifest.json", #"{"metadata":{"@type":"http://schema.org/Audiobook","title":"x"}}"#)], .readiumAudiobook
        ),
        (
            "audiobook by its reading order",
            [("manifest.json", #"{"metadata":{"title":"x"},"readingOrder":[{"href":"a","type":"audio/mpeg"}]}"#)],
            .readiumAudiobook
        ),
        (
            "DiViNa",
            [("manifest.json", #"{"metadata":{"title":"x"},"readingOrder":[{"href":"a","type":"image/jpeg"}]}"#)],
            .divina
        ),
        ("web publication", [("manifest.json", #"{"metadata":{"title":"x"}}"#)], .readiumWebPub),
        ("no manifest", [("manifest.json", #"{"title":"x"}"#)], .zip),
        ("a manifest further down", [("a/manifest.json", #"{"metadata":{"title":"x"}}"#)], .zip),
        (
            "protected audiobook",
            [
                ("license.lcpl", "{}"),
                ("manifest.json", #"{"metadata":{"@type":"http://schema.org/Audiobook","title":"x"}}"#),
            ],
            .lcpProtectedAudiobook
        ),
        (
            "protected PDF",
            [
                ("license.lcpl", "{}"),
                (
                    "manifest.json",
                    #"{"metadata":{"title":"x"},"readingOrder":[{"href":"a","type":"application/pdf"}]}"#
                ),
            ],
            .lcpProtectedPDF
        ),
        ("EPUB", [("mimetype", "application/epub+zip"), ("META-INF/container.xml", "")], .epub),
        ("another mimetype", [("mimetype", "application/vnd.oasis.opendocument.text")], .zip),
        (
            "LPF",
            [
                (
                    "publication.json",
                    #"{"@context":["https://schema.org","https://www.w3.org/ns/pub-context",{"language":"en"}]}"#
                )
            ],
            .lpf
        ),
        ("LPF by its entry page", [("index.html", "<html/>"), ("a.css", "")], .lpf),
        ("comic", [("1/01.JPG", "x"), ("1/02.jxl", "x"), ("ComicInfo.xml", "x")], .cbz),
        ("sound", [("01.m4b", "x"), ("list.m3u8", "x")], .zab),
        ("playlists alone", [("list.m3u8", "x")], .zip),
        ("pictures and sound", [("1.png", "x"), ("1.mp3", "x")], .zip),
        ("documents", [("a.txt", "x")], .zip),
    ]

    @Test(arguments: archived)
    func `an archive is what is in it`(_ what: String, _ files: [(String, String)], _ expected: MediaType?) async throws
    {
        let data = try ZIPBuilder.data { zip in for (name, text) in files { try zip.deflate(name, text) } }
        #expect(try await MediaType.of(bytes: { data }) == expected, "\(what)")
        // Without the sniffers by signature nothing of this changes.
        #expect(try await MediaType.of(bytes: { data }, sniffers: MediaType.standardSniffers) == expected, "\(what)")
    }

    @Test(arguments: archived.filter { $0.2 != .zip && $0.2 != nil })
    func `a folder is what is in it`(_ what: String, _ files: [(String, String)], _ expected: MediaType?) async throws {
        let provider = MemoryFileProvider()
        for (name, text) in files {
            let path = try ProviderPath("book/" + name)
            if let parent = path.parent { try await provider.createFolderWithParents(path: parent) }
            try await provider.writeContents(path: path, contents: Data(text.utf8))
        }
        #expect(try await MediaType.of(folder: ProviderPath("book"), of: provider) == expected, "\(what)")
    }

    @Test func `a folder of other things is no publication`() async throws {
        let provider = MemoryFileProvider()
        try await provider.writeContents(path: ProviderPath("a.txt"), contents: Data("x".utf8))
        #expect(try await MediaType.of(folder: .root, of: provider) == nil)
    }

    @Test(
        arguments: [
            (#"{"metadata":{"title":"x","@type":"http://schema.org/Audiobook"}}"#, .readiumAudiobookManifest),
            (
                #"{"metadata":{"title":"x"},"readingOrder":[{"href":"a","type":"audio/aac"}]}"#,
                .readiumAudiobookManifest
            ),
            (#"{"metadata":{"title":"x"},"readingOrder":[{"href":"a","type":"image/webp"}]}"#, .divinaManifest),
            (
                #"{"metadata":{"title":"x"},"links":[{"rel":"self","href":"a","type":"application/webpub+json"}]}"#,
                .readiumWebPubManifest
            ),
            (
                #"{"metadata":{"title":"x"},"links":[{"rel":["a","self"],"href":"a","type":"application/opds+json"}]}"#,
                .opds2
            ),
            (
                #"{"metadata":{"title":"x"},"links":[{"rel":"http://opds-spec.org/acquisition/buy","href":"a"}]}"#,
                .opds2Publication
            ),
            (#"{"id":"a","title":"b","authentication":[]}"#, .opdsAuthentication),
            (#"{"id":"a","issued":"b","provider":"c","encryption":{}}"#, .lcpLicenseDocument),
            (#"{"id":"a","issued":"b","provider":"c"}"#, .json),
            (#"{"@context":"https://www.w3.org/ns/wp-context"}"#, .w3cWPUBManifest),
            (
                #"{"@context":["https://schema.org",{"language":"en"},"https://www.w3.org/ns/wp-context"]}"#,
                .w3cWPUBManifest
            ),
            (#"{"metadata":{"title":"x"}}"#, .json), ("[1,2]", .json), ("{", nil), ("[nonsense", nil),
            (#"<feed xmlns="http://www.w3.org/2005/Atom"/>"#, .opds1),
            (#"<a:entry xmlns:a="http://www.w3.org/2005/Atom"/>"#, .opds1Entry),
            ("<feed/>", .xml), ("<entry xmlns=\"x\">", .xml), ("<html/>", .html), ("<HTML><body>", .html),
            ("<html xmlns='http://www.w3.org/1999/xhtml'><head>", .html), ("<abc>", .xml), ("< a", nil),
            ("%PDF-1.4", .pdf), ("%PDF", nil),
            ("\u{FEFF}\n %PDF-2.0", .pdf), ("see %PDF-1.4", nil), ("", nil), ("Once upon a time", nil),
        ] as [(String, MediaType?)])
    func `a document is what it says`(_ text: String, _ expected: MediaType?) async throws {
        #expect(try await MediaType.of(bytes: { Data(text.utf8) }) == expected)
    }

    @Test(arguments: BookCorpus.books)
    func `real books are EPUBs by content`(_ url: URL) async throws {
        let data = try Data(contentsOf: url)
        let reader = try CountingReader(data, name: "book")
        let found = try await MediaType.sniff(path: ProviderPath("book"), of: ReadOnlyProvider(reader))
        #expect(found == SniffedType(mediaType: .epub, basis: .content))
        #expect(reader.requests.count == 1)
    }

    @Test(arguments: Corpus.manifests)
    func `real manifests are manifests by content`(_ url: URL) async throws {
        let found = try await MediaType.of(bytes: { try Data(contentsOf: url) })
        #expect(found == .readiumWebPubManifest || found == .readiumAudiobookManifest)
    }

    @Test(
        arguments: [
            (["fruit/grapes"], [], "fruit/grapes"), (["invalid", "fruit/grapes"], [], "fruit/grapes"),
            (["application/octet-stream"], [], nil),
            ([], ["css"], "text/css"), (["text/plain"], ["js"], "text/javascript"),
            (["application/zip"], ["nobody-knows"], "application/zip"),
            (["text/html; charset=utf-8"], [], "text/html"), ([], [".EPUB"], "application/epub+zip"),
            (["application/x-cbr"], [], "application/vnd.comicbook+zip"),
            ([], ["cbr"], "application/vnd.comicbook-rar"), ([], [], nil),
        ] as [([String], [String], String?)])
    func `hints alone are made the best of`(_ types: [String], _ extensions: [String], _ expected: String?) async throws
    {
        #expect(try await MediaType.of(mediaTypes: types, fileExtensions: extensions)?.string == expected)
    }

    @Test func `a canonical form is what sniffing the text gives`() async throws {
        for text in [
            "text/html;charset=utf-8", "application/x-cbz",
            "application/atom+xml;profile=opds-catalog;kind=acquisition", "image/x-bmp",
        ] {
            let type = try #require(MediaType(text))
            #expect(try await MediaType.of(mediaTypes: [text]) == type.canonicalized)
        }
        #expect(MediaType.opds1Navigation.canonicalized == .opds1)
        #expect(MediaType.opds1Acquisition.isOPDS)
    }

    @Test func `a context of its own tells a sniffer's tests what they need`() async throws {
        let zip = try ZIPBuilder.data { zip in
            try zip.deflate("a/1.txt", "one")
            try zip.deflate("a/2.txt", "two")
        }
        let context = MediaType.SnifferContext(
            mediaTypes: ["Text/Plain;charset=utf-8"], fileExtensions: ["Zip"], bytes: zip)
        #expect(
            context.hasContent && context.hasFileExtension("x", "zip")
                && context.hasMediaType("text/html", "text/plain"))
        #expect(context.hasMediaType(.text) && !context.hasMediaType(.html) && context.encoding == .utf8)
        #expect(try await context.read(0..<4) == Data("PK\u{3}\u{4}".utf8))
        #expect(try await context.read()?.count == zip.count)
        #expect(try await context.containsArchiveEntry(at: "a/1.txt"))
        #expect(try await context.readArchiveEntry(at: "a/2.txt") == Data("two".utf8))
        #expect(try await context.readArchiveEntry(at: "b") == nil)
        #expect(try await context.archiveEntriesAllSatisfy { $0.fileExtension == "txt" })
        #expect(try await !context.archiveEntriesAllSatisfy { $0.path == "a/1.txt" })
        var streamed = Data()
        for try await piece in try #require(context.stream()) { streamed += piece }
        #expect(streamed == zip)
        #expect(try await context.contentAsString == nil)
        #expect(try await context.contentAsJSON == nil)
        #expect(try await context.contentAsXML == nil)
        await context.close()
        let json = MediaType.SnifferContext(bytes: Data(#"{"a":1,"b":null}"#.utf8))
        #expect(try await json.containsJSONKeys("a"))
        #expect(try await !json.containsJSONKeys("a", "b"))
        #expect(try await !json.containsJSONKeys())
        #expect(try await !json.archiveEntriesAllSatisfy { _ in true })
        let text = MediaType.SnifferContext(mediaTypes: ["text/plain;charset=iso-8859-1"], bytes: Data([0x63, 0xE9]))
        #expect(try await text.contentAsString == "cé")
        let xml = MediaType.SnifferContext(bytes: Data("<a><b>deep</b></a>".utf8))
        #expect(try await xml.contentAsXML?.first("b")?.text == "deep")
        let hints = MediaType.SnifferContext(fileExtensions: ["a"])
        #expect(!hints.hasContent && hints.stream() == nil)
        #expect(try await hints.read() == nil)
        #expect(try await hints.contentAsArchive == nil)
    }

    @Test func `the shared list may be changed while it is read`() async throws {
        let list = SnifferList(MediaType.standardSniffers)
        let mine: MediaType.Sniffer = { $0.hasFileExtension("mine") ? .css : nil }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask { list.add(mine) }
                group.addTask { _ = list.all.count }
            }
        }
        #expect(list.all.count == MediaType.standardSniffers.count + 50)
        #expect(try await MediaType.of(fileExtensions: ["mine"], sniffers: list.all) == .css)
        list.all = []
        #expect(try await MediaType.of(fileExtensions: ["mine"], sniffers: list.all) == nil)
    }
}
