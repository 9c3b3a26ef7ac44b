import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

/// Corners of the specification, and mistakes that others have made. Pitfall 15's and 17's costs are in
/// `SniffingCostTests`.
@Suite struct SniffingPitfallTests {
    private func of(_ data: Data, _ types: [String] = [], _ extensions: [String] = []) async throws -> MediaType? {
        try await MediaType.of(bytes: { data }, mediaTypes: types, fileExtensions: extensions)
    }

    private func of(_ text: String, _ types: [String] = [], _ extensions: [String] = []) async throws -> MediaType? {
        try await of(Data(text.utf8), types, extensions)
    }

    private func zip(_ names: String...) throws -> Data {
        try ZIPBuilder.data { zip in for name in names { try zip.store(name, Data("x".utf8)) } }
    }

    /// Pitfall 1: a repeated parameter, no type, an equals sign in a value, quotes.
    @Test func `media types of every shape are read without a trap`() {
        #expect(MediaType("text/html;charset=utf-8;charset=ascii")?.encoding == .utf8)
        #expect(MediaType(";") == nil)
        #expect(MediaType("text/plain;a=b=c")?.parameters == ["a": "b=c"])
        #expect(MediaType("text/html;charset=\"utf-8\"") == MediaType("text/html;charset=UTF-8"))
    }

    /// Pitfall 2: containing is one-sided, and of parameters only `charset` is free of case.
    @Test func `parameters count from one side`() throws {
        let plain = try #require(MediaType("text/html"))
        let utf8 = try #require(MediaType("text/html;charset=utf-8"))
        #expect(plain.contains(utf8) && !utf8.contains(plain) && utf8.contains("text/html;charset=UTF-8"))
        #expect(!MediaType.opds1.contains("application/atom+xml;profile=OPDS-CATALOG"))
    }

    /// Pitfall 3: an entry has the feed's parameters, too.
    @Test func `an OPDS 1 entry is told before the feed`() async throws {
        #expect(
            try await MediaType.of(mediaTypes: ["application/atom+xml;profile=opds-catalog;type=entry;charset=utf-8"])
                == .opds1Entry)
        #expect(
            try await MediaType.of(mediaTypes: ["application/atom+xml;profile=opds-catalog;kind=navigation"]) == .opds1)
    }

    /// Pitfall 4: the declared type contains the hint; a hint that says less is none.
    @Test func `a hint may say more than was asked for, not less`() {
        let context = SnifferContext(mediaTypes: ["application/atom+xml", "text/html;charset=utf-8"])
        #expect(context.hasMediaType("text/html"))
        #expect(!context.hasMediaType(.opds1) && !context.hasMediaType("text/html;charset=ascii"))
    }

    /// Pitfall 5: where proposal and toolkits differ; the decision is recorded in `Documentation/Decisions`.
    @Test func `disputed names have one answer`() async throws {
        #expect(MediaType.jpeg.fileExtension == "jpeg")
        #expect(MediaType.opdsAuthentication.isOPDS)
        #expect(try await MediaType.of(fileExtensions: ["xhtml"]) == .html)
        #expect(try await MediaType.of(mediaTypes: ["application/xhtml+xml"]) == .html)
        #expect(try await MediaType.of(mediaTypes: ["application/x-cbr"]) == .cbz)
    }

    /// Pitfall 5: many comics are in another archive than their name says.
    @Test(
        arguments: [([], ["cbr"]), (["application/x-cbr"], []), (["application/vnd.comicbook-rar"], ["cbr"])]
            as [([String], [String])])
    func `a comic is in the archive that its bytes are`(_ types: [String], _ extensions: [String]) async throws {
        #expect(try await of("Rar!\u{1A}\u{7}\u{0} and so on", types, extensions) == .cbr)
        #expect(try await of(zip("1.jpg"), types, extensions) == .cbz)
        #expect(try await of(zip("1.jpg", "readme.nfo"), types, extensions) == .cbz)
        #expect(try await of(Data([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]), types, extensions) == .cb7)
        #expect(try await of("Rar!\u{1A}\u{7}\u{0}", ["application/octet-stream"], ["rar"]) == .rar)
    }

    /// Pitfall 6: no list is of one kind for being empty.
    @Test func `empty things are nothing in particular`() async throws {
        #expect(try await of(ZIPBuilder.data { _ in }) == .zip)
        #expect(try await of(ZIPBuilder.data { try $0.store("folder/", Data()) }) == .zip)
        #expect(try await of(#"{"metadata":{"title":"x"}}"#) == .json)
        #expect(try await of(#"{"metadata":{"title":"x"},"readingOrder":[]}"#) == .json)
        let manifest = try ZIPBuilder.data {
            try $0.deflate("manifest.json", #"{"metadata":{"title":"x"},"readingOrder":[]}"#)
        }
        #expect(try await of(manifest) == .readiumWebPub)
    }

    /// Pitfall 7: what systems leave in archives, names in capitals, and files without an extension.
    @Test func `leftovers in archives are passed over, strangers are not`() async throws {
        #expect(
            try await of(zip("a/", "a/1.JPG", "a/.DS_Store", "a/Thumbs.db", "__MACOSX/a/._1.JPG", "__MACOSX/notes"))
                == .cbz)
        #expect(try await of(zip("1.MP3", "LIST.M3U")) == .zab)
        #expect(try await of(zip("1.jpg", "README")) == .zip)
    }

    /// Pitfall 8: notes beside the pages make no comic.
    @Test func `an archive of XML alone is no comic`() async throws {
        #expect(try await of(zip("a.xml", "b.acbf")) == .zip)
        #expect(try await of(zip("a.xml", "1.webp")) == .cbz)
    }

    /// Pitfall 9: an EPUB that is a web publication, too; and names of containers.
    @Test func `a hybrid is what its name says, and a container's name stops nobody`() async throws {
        let hybrid = try ZIPBuilder.data { zip in
            try zip.store("mimetype", Data("application/epub+zip".utf8))
            try zip.deflate("manifest.json", #"{"metadata":{"title":"x"}}"#)
        }
        #expect(try await of(hybrid) == .readiumWebPub)
        #expect(try await of(hybrid, [], ["epub"]) == .epub)
        for (types, extensions) in [
            (["application/zip"], ["zip"]), (["application/octet-stream"], []), (["text/plain"], ["txt"]),
        ] {
            #expect(try await of(SampleBook.small(), types, extensions) == .epub)
        }
        #expect(
            try await of(#"{"metadata":{"title":"x","@type":"http://schema.org/Audiobook"}}"#, ["application/json"])
                == .readiumAudiobookManifest)
        #expect(try await of("<feed xmlns='http://www.w3.org/2005/Atom'/>", ["text/xml"], ["xml"]) == .opds1)
    }

    /// Pitfall 10: packages are told before free-form archives.
    @Test func `pictures with a manifest are a package`() async throws {
        let order = #"[{"href":"1.jpg","type":"image/jpeg"}]"#
        let package = try ZIPBuilder.data { zip in
            try zip.store("1.jpg", Data("x".utf8))
            try zip.deflate("manifest.json", #"{"metadata":{"title":"x"},"readingOrder":"# + order + "}")
        }
        #expect(try await of(package) == .divina)
        #expect(try await of(zip("1.jpg", "manifest.json")) == .zip)
    }

    /// Pitfall 11: the proposal takes any packed web site for LPF; it has to be at the root.
    @Test func `a packed web site is LPF, as the proposal has it`() async throws {
        #expect(try await of(zip("index.html", "style.css")) == .lpf)
        #expect(try await of(zip("site/index.html")) == .zip)
    }

    /// Pitfall 12: `@context` is a string or an array, in which objects may be.
    @Test func `contexts are found in any form`() async throws {
        for context in [
            #""https://www.w3.org/ns/pub-context""#, #"[{"language":"en"},"https://www.w3.org/ns/pub-context"]"#,
        ] {
            let data = try ZIPBuilder.data { try $0.deflate("publication.json", "{\"@context\":" + context + "}") }
            #expect(try await of(data) == .lpf)
        }
        let other = try ZIPBuilder.data {
            try $0.deflate("publication.json", #"{"@context":{"a":"https://www.w3.org/ns/pub-context"}}"#)
        }
        #expect(try await of(other) == .zip)
    }

    /// Pitfall 13: `mimetype` with a line break, behind a byte order mark, deflated, or late in the archive.
    @Test(arguments: [
        "application/epub+zip", "application/epub+zip\n", "\u{FEFF}application/epub+zip", " application/epub+zip \r\n",
    ])
    func `an EPUB is known by a mimetype that is nearly right`(_ mimetype: String) async throws {
        let late = try ZIPBuilder.data { zip in
            try zip.deflate("META-INF/container.xml", "<container/>")
            try zip.deflate("mimetype", mimetype)
        }
        #expect(try await of(late) == .epub)
        let lying = try ZIPBuilder.data { zip in
            var options = ZIPBuilder.Options()
            options.claimedChecksum = 1
            try zip.add("mimetype", Data(mimetype.utf8), options)
        }
        #expect(try await of(lying) == .zip, "what cannot be read says nothing")
    }

    /// Pitfall 13: near is not the same.
    @Test(arguments: [
        "application/epub+zipx", "application/epub", "Application/Epub+Zip",
        String(repeating: " ", count: 100) + "application/epub+zip",
    ])
    func `another mimetype is no EPUB`(_ mimetype: String) async throws {
        #expect(try await of(ZIPBuilder.data { try $0.deflate("mimetype", mimetype) }) == .zip)
    }

    /// Pitfall 14: a signature as long as what was read.
    @Test func `eight bytes are enough for RAR`() async throws {
        #expect(try await of(Data([0x52, 0x61, 0x72, 0x21, 0x1A, 0x07, 0x01, 0x00])) == .rar)
        #expect(try await of(Data([0x52, 0x61, 0x72, 0x21, 0x1A, 0x07, 0x00])) == .rar)
        #expect(try await of(Data([0x52, 0x61, 0x72, 0x21, 0x1A, 0x07])) == nil)
    }

    /// Pitfall 15: what stands before the declaration, and capitals.
    @Test(arguments: [
        "\n\n<?xml version='1.0'?><html/>", "\u{FEFF} <html/>", "<!doctype html><p>",
        " <!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\"><html>",
        "<!-- a --><!-- b --><!DocType Html>", "<html lang=en><p>unquoted",
        "<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.1//EN' 'x'><html>&nbsp;",
    ])
    func `HTML is known as people write it`(_ text: String) async throws {
        #expect(try await of(text) == .html)
    }

    /// Pitfall 15: and what only looks like it.
    @Test(arguments: [
        "<!doctype htmlx>", "<htmlx lang=en>", "html", "<!-- <html> no end", "<p>a paragraph", "&lt;html>",
    ])
    func `what is no HTML is not taken for it`(_ text: String) async throws {
        #expect(try await of(text) != .html)
    }

    /// Pitfall 15: other encodings, with and without a mark.
    @Test func `text in UTF-16 is read as well`() async throws {
        let manifest = #"{"metadata":{"title":"é","@type":"http://schema.org/Audiobook"}}"#
        for text in ["<?xml version=\"1.0\" encoding=\"UTF-16\"?><html/>", "<!DOCTYPE html><p>é", manifest] {
            for (encoding, mark) in [
                (String.Encoding.utf16LittleEndian, [UInt8]([0xFF, 0xFE])), (.utf16BigEndian, [0xFE, 0xFF]),
            ] {
                let bytes = try #require(text.data(using: encoding))
                #expect(
                    try await of(Data(mark) + bytes) == (text == manifest ? .readiumAudiobookManifest : .html),
                    "\(text)")
                #expect(try await of(bytes) == (text == manifest ? .readiumAudiobookManifest : .html), "\(text)")
            }
        }
        #expect(
            try await of(
                Data("<!-- caf".utf8) + [0xE9] + Data(" --><feed xmlns='http://www.w3.org/2005/Atom'/>".utf8),
                ["application/xml;charset=iso-8859-1"]) == .opds1)
    }

    /// Pitfall 15: JSON as people write it.
    @Test(arguments: ["\n\n", "\u{FEFF}", "// a comment\n", "/* a\ncomment */ "])
    func `a manifest with comments and trailing commas is one`(_ start: String) async throws {
        let manifest =
            start + #"{"metadata":{"title":"x", /* one */ "@type":"http://schema.org/Audiobook",}, "readingOrder":[],}"#
            + "\n"
        #expect(try await of(manifest) == .readiumAudiobookManifest)
        #expect(try await of(ZIPBuilder.data { try $0.deflate("manifest.json", manifest) }) == .readiumAudiobook)
    }

    /// Pitfall 15: JSON made to exhaust the parser.
    @Test func `deep and endless JSON is nothing known`() async throws {
        #expect(try await of(String(repeating: "[", count: 200_000)) == nil)
        #expect(try await of("[" + String(repeating: "{\"a\":", count: 5_000)) == nil)
        #expect(try await of("[" + String(repeating: "1,", count: 2_600_000)) == nil)
    }

    /// Pitfall 16: hints that name a format are believed; whoever knows better says so.
    @Test func `a wrong name is believed unless hints are not to count`() async throws {
        let provider = try ReadOnlyProvider(CountingReader(SampleBook.small(), name: "book"))
        let path = try ProviderPath("book.pdf")
        #expect(try await MediaType.sniff(path: path, of: provider) == SniffedType(mediaType: .pdf, basis: .hint))
        let inside = try await MediaType.sniff(
            path: path, of: provider, mediaTypes: ["application/pdf"], ignoringHints: true)
        #expect(inside == SniffedType(mediaType: .epub, basis: .content))
        let plain = try ReadOnlyProvider(CountingReader(zip("a.txt"), name: "book"))
        let epub = try ProviderPath("book.epub")
        #expect(
            try await MediaType.sniff(path: epub, of: plain, ignoringHints: true)
                == SniffedType(mediaType: .zip, basis: .content))
        let empty = try ReadOnlyProvider(CountingReader(Data(), name: "book"))
        #expect(
            try await MediaType.sniff(path: epub, of: empty, ignoringHints: true)
                == SniffedType(mediaType: .epub, basis: .hint))
    }

    /// Pitfall 17: and the hints are there in the second round, as the proposal has it.
    @Test func `a sniffer may ask for hints and content together`() async throws {
        let both: MediaType.Sniffer = { context in
            guard context.hasFileExtension("foo"), try await context.containsArchiveEntry(at: "foo.xml") else {
                return nil
            }
            return .smil
        }
        let data = try zip("foo.xml", "1.jpg")
        #expect(try await MediaType.of(bytes: { data }, fileExtensions: ["foo"], sniffers: [both]) == .smil)
        #expect(try await MediaType.of(bytes: { data }, fileExtensions: ["bar"], sniffers: [both]) == .zip)
    }
}
