import Cryptography
import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

import Archives
import MediaTypes
@testable import Publication
import PublicationCache

private let identifier = "urn:uuid:36d5078e-ff7d-468e-a5f3-f47c14b91f2f"
private let font = Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 256) })

/// Obfuscates `data` by the book: the same as the way back, written down differently.
private func obfuscated(_ data: Data, key: [UInt8], length: Int) -> Data {
    Data(data.enumerated().map { $0.offset < length ? $0.element ^ key[$0.offset % key.count] : $0.element })
}

private let adobeKey: [UInt8] = [
    0x36, 0xD5, 0x07, 0x8E, 0xFF, 0x7D, 0x46, 0x8E, 0xA5, 0xF3, 0xF4, 0x7C, 0x14, 0xB9, 0x1F, 0x2F,
]

/// Sends a few bytes at a time.
private final class TricklingResource: Resource {
    let link: Link
    private let data: Data

    init(_ link: Link, data: Data) {
        self.link = link
        self.data = data
    }

    func length() async throws -> Int64 { Int64(data.count) }

    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        let range = (range ?? 0..<Int64(data.count)).clamped(to: 0..<Int64(data.count))
        try sink.begin(FileExtent(offset: range.lowerBound, count: Int64(range.count), size: Int64(data.count)))
        for start in stride(from: Int(range.lowerBound), to: Int(range.upperBound), by: 7) {
            try await sink.send(data[start..<min(start + 7, Int(range.upperBound))])
        }
    }
}

@Suite struct FontDeobfuscatorTests {
    /// Pitfall 35: the key's place is that of the byte in the font, wherever a range begins.
    @Test(arguments: FontDeobfuscator.Algorithm.allCases)
    func `every range of a font is made readable`(algorithm: FontDeobfuscator.Algorithm) async throws {
        let key = algorithm == .idpf ? Digest(.sha1, of: Data(identifier.utf8)).bytes : adobeKey
        let hidden = obfuscated(font, key: key, length: algorithm == .idpf ? 1040 : 1024)
        #expect(hidden != font)
        let deobfuscator = FontDeobfuscator(identifiers: [identifier], algorithms: ["a.otf": algorithm])
        for resource in [
            BytesResource(Link(href: "a.otf"), data: hidden), TricklingResource(Link(href: "a.otf"), data: hidden),
        ]
            as [any Resource]
        {
            let clear = deobfuscator.transformer(resource)
            #expect(try await clear.length() == 5_000)
            #expect(try await clear.read() == font)
            let ranges: [Range<Int64>] = [
                0..<1, 1..<19, 20..<40, 60..<2_000, 1_023..<1_025, 1_039..<1_041, 1_040..<5_000, 4_999..<9_000,
                6_000..<7_000,
            ]
            for range in ranges {
                let expected = font[Int(min(range.lowerBound, 5_000))..<Int(min(range.upperBound, 5_000))]
                #expect(try await clear.read(range) == Data(expected), "\(range)")
            }
        }
    }

    /// Pitfall 36: white space in identifiers does not count, and some identifiers give no key.
    @Test func `keys are made of what counts in an identifier`() {
        let key = FontDeobfuscator.idpfKey(identifier)
        #expect(FontDeobfuscator.idpfKey(" urn:uuid:36d5078e-ff7d-468e\n-a5f3-\tf47c14b91f2f\r\n") == key)
        #expect(FontDeobfuscator.idpfKey("urn:uuid:36D5078E-ff7d-468e-a5f3-f47c14b91f2f") != key)
        #expect(FontDeobfuscator.idpfKey(" \n") == nil)
        for text in [
            identifier, "URN:UUID:36D5078E-FF7D-468E-A5F3-F47C14B91F2F", "{36d5078e-ff7d-468e-a5f3-f47c14b91f2f} ",
            "36d5078eff7d468ea5f3f47c14b91f2f",
        ] {
            #expect(FontDeobfuscator.adobeKey(text) == adobeKey)
        }
        for text in [
            "", "urn:uuid:", "urn:isbn:9780316000000", "urn:uuid:36d5078e", identifier + "0",
            "36d5078e-ff7d-468e-a5f3-f47c14b91f2é",
        ] {
            #expect(FontDeobfuscator.adobeKey(text) == nil)
        }
    }

    @Test func `Adobe's way takes the first identifier that is a UUID`() {
        let deobfuscator = FontDeobfuscator(identifiers: ["urn:isbn:1", identifier])
        #expect(deobfuscator.hasKey(for: .adobe) && deobfuscator.hasKey(for: .idpf))
        #expect(!FontDeobfuscator(identifiers: []).hasKey(for: .idpf))
    }

    @Test func `a font without a key is refused with a sentence, and what is not obfuscated passes`() async throws {
        let deobfuscator = FontDeobfuscator(
            identifiers: ["urn:uuid:"], algorithms: ["a b.otf": .adobe, "a%20b.otf": .adobe])
        for href in ["a%20b.otf", "/a%20b.otf", "a b.otf", "x/../a%20b.otf#x"] {
            let refused = deobfuscator.transformer(BytesResource(Link(href: href), data: font))
            let error = await #expect(throws: CocoaError.self) { _ = try await refused.read() }
            #expect(error?.sentence.contains("obfuscated") == true)
        }
        let plain = BytesResource(Link(href: "b.otf"), data: font)
        #expect(deobfuscator.transformer(plain) === plain)
        var link = Link(href: "c.otf")
        link.properties.encryption = Encryption(algorithm: "http://ns.adobe.com/pdf/enc#RC")
        #expect(deobfuscator.transformer(BytesResource(link, data: font)) is FailureResource)
    }

    /// Pitfall 36: obfuscated and then packed is the usual case, and no protection.
    @Test(arguments: FontDeobfuscator.Algorithm.allCases)
    func `a book's fonts are readable, and the book is not protected`(algorithm: FontDeobfuscator.Algorithm)
        async throws
    {
        let key = algorithm == .idpf ? Digest(.sha1, of: Data(identifier.utf8)).bytes : adobeKey
        let hidden = obfuscated(font, key: key, length: algorithm == .idpf ? 1040 : 1024)
        let book = try await OddBook.with {
            $0.add("f", "fönt.otf", "font/otf")
            $0.files["OEBPS/fönt.otf"] = hidden
            $0.files["META-INF/encryption.xml"] = Data(
                OddBooks.encryption(algorithm.rawValue, "OEBPS/f%C3%B6nt.otf").utf8)
        }.open()
        #expect(book.protection == nil && book.warnings.isEmpty)
        #expect(try await book.get("OEBPS/f%C3%B6nt.otf").read() == font)
        #expect(try await book.get("OEBPS/fönt.otf").read(100..<1_200) == font[100..<1_200])
        #expect(
            book.fetcherTree.contains("in the publication: TransformingFetcher\n    deobfuscation: ArchiveFetcher"),
            "\(book.fetcherTree)")
    }

    @Test(
        .enabled(if: !BookCorpus.books.isEmpty, "the corpus is not here"),
        arguments: [
            ("wasteland-otf-obf.epub", "EPUB/OldStandard-Regular.obf.otf", [0x4F, 0x54, 0x54, 0x4F]),
            ("wasteland-woff-obf.epub", "EPUB/OldStandard-Regular.obf.woff", [0x77, 0x4F, 0x46, 0x46]),
        ] as [(String, String, [UInt8])])
    func `the fonts of real books begin as fonts do`(name: String, href: String, magic: [UInt8]) async throws {
        let url = try #require(BookCorpus.books.first { $0.lastPathComponent == name })
        let archive = try await ZIPArchive.open(try CountingReader(try Data(contentsOf: url)))
        let asset = PublicationAsset(
            path: try ProviderPath(name), mediaType: .epub, form: .archive, fetcher: ArchiveFetcher(archive))
        let book = try #require(try await EPUBParser().parse(asset, warnings: WarningLog()))
        #expect(try await book.fetcher.get(href).read(0..<4) == Data(magic))
        let whole = try await book.fetcher.get(href).read()
        #expect(try await book.fetcher.get(href).read(1_000..<1_100) == whole[1_000..<1_100])
    }
}
