import FileProviderCore
import Foundation
import MemoryFileProvider
import SampleBooks
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

private let chapters: JSONValue = [
    ["href": "text/one.html", "type": "text/html"], ["href": "/text/two%20b.html", "type": "text/html"],
    ["href": "https://example.com/three.html", "type": "text/html"],
]

private let files = [("text/one.html", "one"), ("text/two b.html", "two")]

struct ReadiumPackageTests {
    private let manifest = manifestJSON([
        "links": [["rel": "self", "href": "https://example.com/manifest.json", "type": "application/webpub+json"]],
        "readingOrder": chapters,
        "toc": [["href": "./text/one.html#x", "title": "One"], ["href": "#", "title": "Heading"]],
    ])

    @Test(arguments: ["b.webpub", "b.zip"])
    func `a package has its entries, without itself`(name: String) async throws {
        let book = try await Shelf().open(name, [("manifest.json", manifest)] + files)
        #expect(book.mediaType == .readiumWebPub)
        #expect(
            book.readingOrder.map(\.href) == ["text/one.html", "text/two%20b.html", "https://example.com/three.html"])
        #expect(book.links.isEmpty && book.warnings.isEmpty)
        #expect(book.tableOfContents.map(\.href) == ["text/one.html#x", "#"])
        #expect(try await book.text("text/one.html#x") == "one")
        #expect(try await book.text("/text/two%20b.html") == "two")
        #expect(try await book.text("https://example.com/three.html") == "from https://example.com/three.html")
        #expect(
            book.fetcherTree == """
                RoutingFetcher
                  in the publication: ArchiveFetcher
                  elsewhere: ProxyFetcher
                """)
        await book.close()
        await #expect(throws: URLError.self) { try await book.get("text/one.html").read() }
    }

    @Test(arguments: ["b.webpub", "b"])
    func `a folder opens like the package`(name: String) async throws {
        let shelf = Shelf()
        try await shelf.spread(name, [("manifest.json", manifest)] + files)
        let book = try await shelf.open(name)
        #expect(book.readingOrder.count == 3)
        #expect(try await book.text("text/two%20b.html") == "two")
    }

    @Test(arguments: [
        ("b.audiobook", "audio/mpeg", MediaType.readiumAudiobook), ("b.divina", "image/png", .divina),
        ("b.lcpa", "audio/mpeg", .lcpProtectedAudiobook), ("b.lcpdf", "application/pdf", .lcpProtectedPDF),
    ])
    func `every kind of package opens`(name: String, type: String, mediaType: MediaType) async throws {
        let manifest = manifestJSON(["readingOrder": [["href": "part", "type": .string(type)]]])
        let book = try await Shelf().open(name, [("manifest.json", manifest), ("part", "bytes")])
        #expect(book.mediaType == mediaType)
        #expect(try await book.text("part") == "bytes")
    }

    @Test(.enabled(if: PDFDocument.isSupported))
    func `a package with one PDF document has its pages, unless the manifest counts them`() async throws {
        func open(_ metadata: [String: JSONValue]) async throws -> Publication {
            let manifest = manifestJSON(
                ["readingOrder": [["href": "a.pdf", "type": "application/pdf"]]], metadata: metadata)
            let shelf = Shelf()
            let data = try ZIPBuilder.data { zip in
                try zip.deflate("manifest.json", manifest)
                try zip.store("a.pdf", PDFBuilder.pages(2).build())
            }
            try await shelf.provider.writeContents(path: ProviderPath("b.webpub"), contents: data)
            return try await shelf.open("b.webpub")
        }
        let book = try await open(["title": "T"])
        #expect(book.metadata.numberOfPages == 2 && book.warnings.isEmpty)
        #expect(try await book.positions().map(\.locations.fragments) == [["page=1"], ["page=2"]])
        #expect(try await open(["title": "T", "numberOfPages": 7]).metadata.numberOfPages == 7)
    }

    @Test func `a document that is no PDF leaves the package without pages`() async throws {
        let manifest = manifestJSON(["readingOrder": [["href": "a.pdf", "type": "application/pdf"]]])
        for entries in [[("a.pdf", "bytes")], []] {
            let book = try await Shelf().open("b.webpub", [("manifest.json", manifest)] + entries)
            #expect(book.metadata.numberOfPages == nil && book.warnings.map(\.tag) == ["unread-pdf"])
        }
    }

    /// Pitfall 9: an EPUB that is a Readium package too. Its name decides, and where that tells nothing the package
    /// does.
    @Test(arguments: [("b.epub", MediaType.epub), ("b.webpub", .readiumWebPub), ("b.zip", .readiumWebPub)])
    func `a hybrid is what its name says`(name: String, type: MediaType) async throws {
        let epub = EPUBFixture(files: ["OEBPS/c1.xhtml": "text"]).allFiles.map { ($0.key, $0.value) }
        let both = [("mimetype", "application/epub+zip"), ("manifest.json", manifest)] + epub
        let book = try await Shelf().open(name, both)
        #expect(book.mediaType == type)
        #expect(book.readingOrder.first?.href == (type == .epub ? "OEBPS/c1.xhtml" : "text/one.html"))
    }

    /// Pitfall 10: pictures beside a `manifest.json` are a package, not a comic; but in a file that calls itself a
    /// comic they are one.
    @Test func `pictures with a manifest are no comic unless they say so`() async throws {
        let manifest = manifestJSON([
            "readingOrder": [["href": "2.png", "type": "image/png"], ["href": "1.png", "type": "image/png"]]
        ])
        let entries = [("1.png", "1"), ("2.png", "2"), ("manifest.json", manifest)]
        let divina = try await Shelf().open("b.zip", entries)
        #expect(divina.mediaType == .divina && divina.readingOrder.map(\.href) == ["2.png", "1.png"])
        let comic = try await Shelf().open("b.cbz", entries)
        #expect(comic.mediaType == .cbz && comic.readingOrder.map(\.href) == ["1.png", "2.png"])
    }

    @Test(arguments: [
        ("no.webpub", [("a.txt", "a")], "“no.webpub” contains no “manifest.json”"),
        ("bad.webpub", [("manifest.json", "{")], "“bad.webpub”: its “manifest.json”: "),
        ("list.webpub", [("manifest.json", "[]")], "“list.webpub” is damaged: its manifest has no metadata."),
    ])
    func `a package without a manifest is damaged`(name: String, entries: [(String, String)], sentence: String)
        async throws
    {
        let error = try #require(try await Shelf().failure(name, entries))
        #expect(error.code == .fileReadCorruptFile)
        #expect(error.sentence.hasPrefix(sentence))
    }

    @Test func `a file that is no archive says so in a sentence`() async throws {
        let shelf = Shelf()
        try await shelf.provider.writeContents(path: ProviderPath("b.webpub"), contents: Data("nonsense".utf8))
        let error = await #expect(throws: CocoaError.self) { try await shelf.open("b.webpub") }
        #expect(error?.code == .fileReadCorruptFile && error?.sentence.contains("is not a ZIP archive") == true)
    }

    /// What decrypts `text/one.html` as a protection would, by turning it to upper case.
    private struct UppercaseProtection: ContentProtection {
        func open(_ asset: PublicationAsset, warnings: WarningLog) async throws -> ProtectedAsset? {
            var asset = asset
            asset.fetcher = TransformingFetcher(asset.fetcher, label: "decrypted") { resource in
                resource.link.href == "text/one.html" ? BytesResource(resource.link, string: "ONE") : resource
            }
            return ProtectedAsset(asset: asset, protection: .unlocked(.lcp)) { $0.remove(.search) }
        }
    }

    @Test func `a protection lies between the package and what is routed`() async throws {
        let shelf = Shelf()
        try await shelf.pack("b.webpub", entries: [("manifest.json", manifest)] + files)
        var options = shelf.options
        options.protections = [UppercaseProtection()]
        let book = try await Publication.open(path: ProviderPath("b.webpub"), of: shelf.provider, options: options)
        #expect(try await book.text("text/one.html") == "ONE")
        #expect(try await book.text("text/two%20b.html") == "two")
        #expect(book.service(.search) == nil && book.service(.positions) != nil)
        #expect(
            book.fetcherTree == """
                RoutingFetcher
                  in the publication: TransformingFetcher
                    decrypted: ArchiveFetcher
                  elsewhere: ProxyFetcher
                """)
    }

    /// Pitfall 41: loose forms, wrong kinds and missing types.
    @Test func `what is of the wrong kind is passed over with a warning`() async throws {
        let manifest = manifestJSON(
            [
                "readingOrder": [
                    ["href": "a.html"], 3, ["href": "b.html", "type": "text/html", "rel": ["x", 1]],
                    ["href": "../up", "type": "a/b"],
                ],
                "resources": ["href": "c.css", "type": "text/css"], "toc": "none", "links": .null,
            ],
            metadata: [
                "duration": "long", "modified": "yesterday", "author": [["name": ["fr": "Zoé"]], 5, "Bob"],
                "language": "fr", "layout": 7,
                "conformsTo": "x:y", "subject": [[:]],
            ])
        let book = try await Shelf().open("odd.webpub", [("manifest.json", manifest)])
        #expect(book.readingOrder.map(\.href) == ["b.html"] && book.readingOrder[0].rels == ["x"])
        #expect(book.resources.map(\.href) == ["c.css"])
        #expect(book.metadata.title.string == "odd" && book.metadata.authors.map(\.name.string) == ["Zoé", "Bob"])
        #expect(
            Set(book.tags) == ["missing-title", "invalid-metadata", "invalid-link", "missing-type"])
        #expect(book.warnings.filter { $0.tag == "invalid-metadata" }.count == 3)
        #expect(book.warnings.contains { $0.message.contains("“a.html”") && $0.severity == .major })
        #expect(book.warnings.contains { $0.message.contains("“../up”") })
    }

    /// Pitfall 6: nothing to read is no comic and no audiobook, and opens all the same.
    @Test func `a missing reading order is a warning`() async throws {
        let book = try await Shelf().open("b.zip", [("manifest.json", manifestJSON([:]))])
        #expect(book.mediaType == .readiumWebPub)
        #expect(book.readingOrder.isEmpty && book.tags == ["missing-reading-order"])
    }

    @Test func `hostile lists end in a bounded number of warnings`() async throws {
        let many = JSONValue.array((0..<5_000).map { ["href": .string("\($0)")] })
        let book = try await Shelf().open("b.webpub", [("manifest.json", manifestJSON(["readingOrder": many]))])
        #expect(book.readingOrder.isEmpty && book.warnings.count <= WarningLog.maxCount + 1)
    }
}

struct ReadiumManifestTests {
    private func shelf(selfLink: String) async throws -> Shelf {
        let shelf = Shelf()
        try await shelf.spread("books", [("secret.html", "secret")])
        let links: JSONValue = [["rel": "self", "href": .string(selfLink), "type": "application/webpub+json"]]
        try await shelf.spread(
            "books/b",
            [("manifest.json", manifestJSON(["links": links, "readingOrder": chapters]))] + files)
        return shelf
    }

    @Test func `a manifest leads to the files beside it`() async throws {
        let book = try await shelf(selfLink: "manifest.json").open("books/b/manifest.json")
        #expect(book.mediaType == .readiumWebPubManifest)
        #expect(book.links.firstWithRel("self") != nil)
        #expect(try await book.text("text/one.html") == "one")
        #expect(try await book.text("https://example.com/three.html") == "from https://example.com/three.html")
        #expect(
            book.fetcherTree == """
                RoutingFetcher
                  in the publication: ProviderFetcher
                  elsewhere: ProxyFetcher
                """)
        await #expect(throws: CocoaError.self) { try await book.get("missing.html").read() }
        await #expect(throws: CocoaError.self) { try await book.get("../secret.html").read() }
        await book.close()
        await #expect(throws: URLError.self) { try await book.get("text/one.html").read() }
    }

    /// Pitfall 43: hrefs count from the self link without its last name, where nothing lies beside the manifest.
    @Test func `what does not lie beside a manifest counts from its own address`() async throws {
        let shelf = try await shelf(selfLink: "https://example.com/books/b/manifest.json?v=1")
        let book = try await shelf.open("books/b/manifest.json")
        #expect(try await book.text("text/one.html") == "one")
        #expect(try await book.text("text/elsewhere.html") == "from https://example.com/books/b/text/elsewhere.html")
        #expect(try await book.text("../up.html") == "from https://example.com/books/up.html")
        #expect(try await book.get("text/one.html").length() == 3)
        #expect(
            book.fetcherTree == """
                RoutingFetcher
                  in the publication: ManifestFolder
                    beside the manifest: ProviderFetcher
                    else at https://example.com/books/b/: ProxyFetcher
                  elsewhere: ProxyFetcher
                """)
    }

    @Test func `a self link without a web address leads nowhere`() async throws {
        let shelf = try await shelf(selfLink: "file:///etc/manifest.json")
        let book = try await shelf.open("books/b/manifest.json")
        await #expect(throws: CocoaError.self) { try await book.get("passwd").read() }
        #expect(shelf.requests.isEmpty)
    }

    @Test(.enabled(if: !Corpus.manifests.isEmpty, "there is no corpus"), arguments: Corpus.manifests)
    func `public manifests open`(file: URL) async throws {
        let shelf = Shelf()
        try await shelf.provider.writeContents(path: ProviderPath("m.json"), contents: Data(contentsOf: file))
        let book = try await shelf.open("m.json")
        #expect(book.mediaType?.isRWPM == true && book.warnings.isEmpty)
        let first = try #require(book.readingOrder.first)
        let isRemote = first.isRemote
        let home = "https://readium.org/webpub-manifest/examples/MobyDick/"
        #expect(try await book.get(first).readAsString() == "from \(isRemote ? first.href : home + first.href)")
    }

    @Test func `a manifest that says what it is by its context only opens too`() async throws {
        let shelf = Shelf()
        let manifest = manifestJSON(["@context": .string(Manifest.defaultContext), "readingOrder": chapters])
        try await shelf.spread("b", [("x.json", manifest), ("other.json", manifestJSON(["readingOrder": chapters]))])
        #expect(try await shelf.open("b/x.json").readingOrder.count == 3)
        await #expect(throws: CocoaError.self) { try await shelf.open("b/other.json") }
    }

    @Test func `a fetcher of the app's own comes in front of the remote one`() async throws {
        let shelf = try await shelf(selfLink: "manifest.json")
        var options = shelf.options
        options.remote = {
            TransformingFetcher(ProxyFetcher { BytesResource($0, string: "kept") }, label: "offline") { $0 }
        }
        let book = try await Publication.open(
            path: ProviderPath("books/b/manifest.json"), of: shelf.provider, options: options)
        #expect(try await book.text("https://example.com/three.html") == "kept")
        #expect(book.fetcherTree.contains("elsewhere: TransformingFetcher\n    offline: ProxyFetcher"))
    }
}
