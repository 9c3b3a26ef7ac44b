import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import SampleBooks
import Synchronization
import Testing

import Archives
import MediaTypes
@testable import Publication
import PublicationCache

/// The trees that Readium's composite fetcher proposal draws, each as it is made for a publication of that kind, and
/// read through.
@Suite struct FetcherTreeExampleTests {
    private static let aes = "http://www.w3.org/2001/04/xmlenc#aes256-cbc"

    // MARK: CBZ and ZAB

    @Test(arguments: [("pages.cbz", "1.png"), ("parts.zab", "1.mp3")])
    func `a comic and a packed audiobook need their archive only`(_ name: String, _ entry: String) async throws {
        let book = try await Shelf().open(name, [(entry, "bytes")])
        #expect(book.fetcherTree == "ArchiveFetcher")
        #expect(try await book.text(entry) == "bytes")
        await book.close()
    }

    // MARK: Audiobook manifest

    /// A web server in memory, which can be taken away.
    private struct Web {
        let provider = MemoryFileProvider()
        let isOffline = MutexValue(false)

        func registry() throws -> ProviderRegistry {
            let (provider, isOffline) = (provider, isOffline)
            let registry = ProviderRegistry()
            try registry.register(
                ProviderRegistration(type: "web", schemes: ["https"]) { url, _ in
                    if isOffline.value.withLock({ $0 }) { throw URLError(.notConnectedToInternet) }
                    return ProviderLocation(provider: provider, path: try ProviderPath(url.path))
                })
            return registry
        }
    }

    private func audiobook(_ track: String) -> Manifest {
        var metadata = Metadata(title: "Heard")
        metadata.conformsTo = [AudioParser.profile]
        return Manifest(metadata: metadata, readingOrder: [Link(href: track, mediaType: .mp3)])
    }

    @Test func `an audiobook on the web is kept for reading it offline`() async throws {
        let (web, folder) = (Web(), try TemporaryFolder())
        try await web.provider.writeContents(path: ProviderPath("1.mp3"), contents: Data("sound".utf8))
        let cache = ResourceCache(folder: folder.url, capacity: 1 << 20)
        func open() throws -> Publication {
            let remote = HTTPFetcher(
                baseURL: URL(string: "https://example.org/manifest.json"), registry: try web.registry())
            return Publication(
                manifest: audiobook("1.mp3"), fetcher: CachingFetcher(remote, cache: cache, scope: "heard"))
        }
        let book = try open()
        #expect(
            book.fetcherTree == """
                CachingFetcher
                  behind the cache: HTTPFetcher
                """)
        #expect(try await book.text("1.mp3") == "sound")
        await book.close()
        web.isOffline.value.withLock { $0 = true }
        let offline = try open()
        #expect(try await offline.text("1.mp3") == "sound")
        await #expect(throws: URLError.self) { _ = try await offline.get("2.mp3").read() }
        await offline.close()
    }

    @Test func `the cache stands in an opened audiobook where the web does`() async throws {
        let (web, folder) = (Web(), try TemporaryFolder())
        try await web.provider.writeContents(path: ProviderPath("1.mp3"), contents: Data("sound".utf8))
        let (registry, shelf) = (try web.registry(), Shelf())
        try await shelf.spread("shelf", [("told.json", audiobook("https://example.org/1.mp3").json.jsonString)])
        var options = OpeningOptions()
        options.mediaTypes = ["application/audiobook+json"]
        let cache = ResourceCache(folder: folder.url, capacity: 1 << 20)
        options.remote = { CachingFetcher(HTTPFetcher(registry: registry), cache: cache, scope: "told") }
        let book = try await Publication.open(
            path: ProviderPath("shelf/told.json"), of: shelf.provider, options: options)
        #expect(
            book.fetcherTree == """
                RoutingFetcher
                  in the publication: ProviderFetcher
                  elsewhere: CachingFetcher
                    behind the cache: HTTPFetcher
                """)
        #expect(try await book.get(book.readingOrder[0]).readAsString() == "sound")
        web.isOffline.value.withLock { $0 = true }
        #expect(try await book.get(book.readingOrder[0]).readAsString() == "sound")
        await book.close()
    }

    // MARK: LCP protected packages

    @Test(arguments: [("b.lcpa", "1.mp3", "audio/mpeg"), ("b.lcpdf", "1.pdf", "application/pdf")])
    func `a protected package is decrypted in front of its archive, and what lies elsewhere is not`(
        _ name: String, _ href: String, _ type: String
    ) async throws {
        let encrypted: JSONValue = [
            "encrypted": ["algorithm": .string(Self.aes), "scheme": "http://readium.org/2014/01/lcp"]
        ]
        let manifest = manifestJSON([
            "readingOrder": [["href": .string(href), "type": .string(type), "properties": encrypted]],
            "resources": [["href": "https://example.com/more.html", "type": "text/html"]],
        ])
        let shelf = Shelf()
        try await shelf.pack(name, entries: [("manifest.json", manifest), ("license.lcpl", "{}"), (href, "noise")])
        let locked = try await shelf.open(name)
        #expect(
            locked.fetcherTree == """
                RoutingFetcher
                  in the publication: TransformingFetcher
                    decryption: ArchiveFetcher
                  elsewhere: ProxyFetcher
                """)
        #expect(locked.protection?.isLocked == true)
        #expect(await failure(locked.get(href)) == .forbidden)
        #expect(try await locked.text("https://example.com/more.html") == "from https://example.com/more.html")
        await locked.close()
    }

    // MARK: EPUB

    private static let identifier = "urn:uuid:36d5078e-ff7d-468e-a5f3-f47c14b91f2f"
    private static let font = Data((0..<2_000).map { UInt8(truncatingIfNeeded: $0 &* 29) })

    /// A book with a locked chapter and an obfuscated font.
    private static func book() throws -> OddBook {
        let key = try #require(FontDeobfuscator.idpfKey(identifier))
        let encrypted = [(aes, "OEBPS/c1.xhtml"), (FontDeobfuscator.Algorithm.idpf.rawValue, "OEBPS/f.otf")].map {
            algorithm, uri in
            """
            <EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#"><EncryptionMethod Algorithm="\(algorithm)"/>
            <CipherData><CipherReference URI="\(uri)"/></CipherData></EncryptedData>
            """
        }
        let encryption =
            "<encryption xmlns=\"urn:oasis:names:tc:opendocument:xmlns:container\">\(encrypted.joined())</encryption>"
        return OddBook.with { book in
            book.add("f", "f.otf", "font/otf")
            let hidden = font.enumerated().map {
                $0.offset < 1_040 ? $0.element ^ key[$0.offset % key.count] : $0.element
            }
            book.files["OEBPS/f.otf"] = Data(hidden)
            book.files["META-INF/encryption.xml"] = Data(encryption.utf8)
        }
    }

    private static let tree = """
        TransformingFetcher
          injection: RoutingFetcher
            in the publication: TransformingFetcher
              deobfuscation: TransformingFetcher
                decryption: ArchiveFetcher
            elsewhere: HTTPFetcher
        """

    private static func inject(into fetcher: any Fetcher) -> any Fetcher {
        var injector = HTMLInjector()
        injector.headEnd = [HTMLInjector.stylesheet("reader.css")]
        return TransformingFetcher(fetcher, label: "injection", transformer: injector.transformer)
    }

    /// The font comes out right in every range, the style sheet is in the chapter, and the locked one says that it is.
    private func expectWorks(_ book: Publication) async throws {
        #expect(book.fetcherTree == Self.tree)
        for range in [0..<2_000, 19..<21, 1_030..<1_050] as [Range<Int64>] {
            #expect(
                try await book.get("OEBPS/f.otf").read(range)
                    == Self.font[Int(range.lowerBound)..<Int(range.upperBound)])
        }
        let chapter = try await book.text("OEBPS/c2.xhtml")
        #expect(chapter.contains(#"href="reader.css"/></head>"#) && chapter.contains(OddBook.words))
        #expect(await failure(book.get("OEBPS/c1.xhtml")) == .forbidden)
        await book.close()
    }

    @Test func `an EPUB's tree is injected into by opening it so`() async throws {
        var options = OpeningOptions()
        options.transform = { _, fetcher in fetcher = Self.inject(into: fetcher) }
        try await expectWorks(try await Self.book().open(options: options))
    }

    @Test func `an EPUB's tree is injected into by a parser of the app's own`() async throws {
        struct InjectingParser: PublicationParser {
            func parse(_ asset: PublicationAsset, warnings: WarningLog) async throws -> PublicationBuilder? {
                guard var builder = try await EPUBParser().parse(asset, warnings: warnings) else { return nil }
                builder.fetcher = FetcherTreeExampleTests.inject(into: builder.fetcher)
                return builder
            }
        }
        var options = OpeningOptions()
        options.parsers = [InjectingParser()]
        try await expectWorks(try await Self.book().open(options: options))
    }

    @Test func `an EPUB's tree is injected into in a copy of the publication`() async throws {
        let book = try await Self.book().open()
        let copy = book.copy { _, fetcher in fetcher = Self.inject(into: fetcher) }
        #expect(try await !book.text("OEBPS/c2.xhtml").contains("reader.css"))
        try await expectWorks(copy)
    }
}
