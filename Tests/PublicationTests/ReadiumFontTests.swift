import Cryptography
import FileProviderCore
import Foundation
import MemoryFileProvider
import SampleBooks
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

private let identifier = "urn:uuid:36d5078e-ff7d-468e-a5f3-f47c14b91f2f"
private let font = Data((0..<3_000).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ $0 / 256) })
private let pages: JSONValue = [["href": "a.html", "type": "text/html"]]

/// Obfuscated fonts in Readium packages, which their manifests tell of.
@Suite struct ReadiumFontTests {
    private func hidden(_ algorithm: FontDeobfuscator.Algorithm) -> Data {
        let adobe: [UInt8] = [
            0x36, 0xD5, 0x07, 0x8E, 0xFF, 0x7D, 0x46, 0x8E, 0xA5, 0xF3, 0xF4, 0x7C, 0x14, 0xB9, 0x1F, 0x2F,
        ]
        let key = algorithm == .idpf ? Digest(.sha1, of: Data(identifier.utf8)).bytes : adobe
        let length = algorithm == .idpf ? 1_040 : 1_024
        return Data(font.enumerated().map { $0.offset < length ? $0.element ^ key[$0.offset % key.count] : $0.element })
    }

    private func encrypted(_ algorithm: String) -> JSONValue { ["encrypted": ["algorithm": .string(algorithm)]] }

    private func manifest(
        _ order: JSONValue, _ algorithm: FontDeobfuscator.Algorithm,
        metadata: [String: JSONValue] = ["identifier": .string(identifier)],
        context: [String: JSONValue] = [:]
    ) -> String {
        let fonts: JSONValue = [
            ["href": "/fonts/f%C3%B6nt.otf", "type": "font/otf", "properties": encrypted(algorithm.rawValue)],
            ["href": "fonts/plain.otf", "type": "font/otf"],
        ]
        return manifestJSON(
            context.merging(["readingOrder": order, "resources": fonts]) { $1 },
            metadata: metadata.merging(["title": "Set"]) { $1 })
    }

    private func shelf(_ name: String, _ manifest: String, _ algorithm: FontDeobfuscator.Algorithm) async throws
        -> Shelf
    {
        let shelf = Shelf()
        let data = try ZIPBuilder.data { zip in
            try zip.deflate("manifest.json", manifest)
            try zip.add("fonts/fönt.otf", hidden(algorithm))
            try zip.store("fonts/plain.otf", font)
            for part in ["a.html", "1.mp3", "1.png"] { try zip.deflate(part, "part") }
        }
        try await shelf.provider.writeContents(path: ProviderPath(name), contents: data)
        return shelf
    }

    private func expectReadable(_ book: Publication) async throws {
        let link = try #require(book.resources.first)
        for resource in [book.get(link), book.get("fonts/f%C3%B6nt.otf"), book.get(Link(href: "/fonts/fönt.otf"))] {
            #expect(try await resource.length() == 3_000)
            #expect(try await resource.read() == font)
            for range in [0..<1, 1..<19, 15..<2_000, 1_023..<1_025, 1_039..<1_041, 1_040..<3_000, 2_999..<9_000]
                as [Range<Int64>]
            {
                let expected = font[Int(range.lowerBound)..<Int(min(range.upperBound, 3_000))]
                #expect(try await resource.read(range) == expected, "\(range)")
            }
        }
        #expect(try await book.get("fonts/plain.otf").read(10..<20) == font[10..<20])
    }

    @Test(
        arguments: [
            ("b.webpub", pages), ("b.audiobook", [["href": "1.mp3", "type": "audio/mpeg"]]),
            ("b.divina", [["href": "1.png", "type": "image/png"]]),
        ] as [(String, JSONValue)], FontDeobfuscator.Algorithm.allCases)
    func `fonts of a package are readable in every range, and it is not protected`(
        package: (name: String, order: JSONValue), algorithm: FontDeobfuscator.Algorithm
    ) async throws {
        let book = try await shelf(package.name, manifest(package.order, algorithm), algorithm).open(package.name)
        #expect(book.protection == nil && book.warnings.isEmpty)
        #expect(
            book.fetcherTree == """
                RoutingFetcher
                  in the publication: TransformingFetcher
                    deobfuscation: ArchiveFetcher
                  elsewhere: ProxyFetcher
                """)
        try await expectReadable(book)
        await book.close()
    }

    @Test(arguments: FontDeobfuscator.Algorithm.allCases)
    func `fonts beside a manifest are readable, too`(algorithm: FontDeobfuscator.Algorithm) async throws {
        let shelf = Shelf()
        let text = manifest(pages, algorithm, context: ["@context": .string(Manifest.defaultContext)])
        try await shelf.spread("b", [("manifest.json", text), ("fonts/plain.otf", "")])
        try await shelf.provider.writeContents(path: ProviderPath("b/fonts/fönt.otf"), contents: hidden(algorithm))
        try await shelf.provider.writeContents(path: ProviderPath("b/fonts/plain.otf"), contents: font, overwrite: true)
        try await expectReadable(try await shelf.open("b/manifest.json"))
    }

    @Test func `Adobe's key may come from a further identifier`() async throws {
        let metadata: [String: JSONValue] = [
            "identifier": "urn:isbn:9780316000000", "altIdentifier": [.string(identifier)],
        ]
        let book = try await shelf("b.webpub", manifest(pages, .adobe, metadata: metadata), .adobe).open("b.webpub")
        try await expectReadable(book)
    }

    @Test func `without an identifier fonts are refused with a sentence, and a warning says so`() async throws {
        let book = try await shelf("b.webpub", manifest(pages, .idpf, metadata: [:]), .idpf).open("b.webpub")
        #expect(book.warnings.map(\.tag) == ["missing-obfuscation-key"])
        let error = await #expect(throws: CocoaError.self) { _ = try await book.get(book.resources[0]).read(0..<10) }
        #expect(error?.sentence.contains("obfuscated with the identifier") == true)
        #expect(try await book.text("a.html") == "part")
    }

    /// LCP 1.0, section 2.3: obfuscation comes before encryption, so that it is undone behind it.
    @Test func `of a protected package fonts are made readable behind what decrypts`() async throws {
        let order: JSONValue = [
            [
                "href": "a.html", "type": "text/html",
                "properties": encrypted("http://www.w3.org/2001/04/xmlenc#aes256-cbc"),
            ]
        ]
        let data = try ZIPBuilder.data { zip in
            try zip.deflate("manifest.json", manifest(order, .idpf))
            try zip.deflate("license.lcpl", "{}")
            try zip.add("fonts/fönt.otf", hidden(.idpf))
            try zip.store("fonts/plain.otf", font)
            try zip.deflate("a.html", "noise")
        }
        let shelf = Shelf()
        try await shelf.provider.writeContents(path: ProviderPath("b.webpub"), contents: data)
        let book = try await shelf.open("b.webpub")
        #expect(book.protection?.scheme == .lcp)
        #expect(
            book.fetcherTree.contains("deobfuscation: TransformingFetcher\n      decryption: ArchiveFetcher"),
            "\(book.fetcherTree)")
        #expect(await failure(book.get("a.html")) == .forbidden)
        try await expectReadable(book)
    }
}
