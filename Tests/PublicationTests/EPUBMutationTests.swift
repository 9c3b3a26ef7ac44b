import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

import Archives
import MediaTypes
@testable import Publication
import PublicationCache

/// Books whose documents were damaged by chance, the same in every run.
@Suite struct EPUBMutationTests {
    private static let smil = """
        <smil xmlns="http://www.w3.org/ns/SMIL" xmlns:epub="http://www.idpf.org/2007/ops"><body><seq epub:textref="c1.xhtml" epub:type="x">
        <par><text src="c1.xhtml#a"/><audio src="a.mp3" clipBegin="0:00:01.5" clipEnd="2s"/></par></seq></body></smil>
        """

    private static let documents: [String: String] = {
        var book = OddBook()
        book.items = book.items.replacing(
            #"href="c1.xhtml""#, with: #"href="c1.xhtml" media-overlay="o" fallback="c2""#)
        book.add("o", "o.smil", "application/smil+xml")
        book.add("f", "f.otf", "font/otf")
        return [
            "META-INF/container.xml": EPUBFixture.container, "OEBPS/content.opf": book.packageText,
            "OEBPS/nav.xhtml": OddBook.navigation,
            "OEBPS/c1.xhtml": OddBook.chapter, "OEBPS/c2.xhtml": OddBook.chapter, "OEBPS/style.css": "p{}",
            "OEBPS/o.smil": smil,
            "OEBPS/f.otf": String(repeating: "f", count: 2_000),
            "META-INF/encryption.xml": OddBooks.encryption("http://www.idpf.org/2008/embedding", "OEBPS/f.otf"),
        ]
    }()

    private static let bits = [
        "<", ">", "&", "\"", "/", "\u{0}", "%", "%2e%2e/", "../", "]]>", "<!--", "&x;", "\u{301}", "<!DOCTYPE a [",
        "\u{FEFF}", "é", "#",
        "?",
        "<ol><li>", "http://", "\\",
    ]

    /// Bytes replaced, removed and repeated.
    private static func spoil(_ text: String, numbers: inout SeededNumbers) -> Data {
        var bytes = Array(text.utf8)
        for _ in 0...(numbers.next() % 4) {
            let position = Int(numbers.next() >> 8) % (bytes.count + 1)
            let end = min(bytes.count, position + Int(numbers.next() >> 8) % 40)
            switch numbers.next() % 4 {
            case 0: bytes.removeSubrange(position..<end)
            case 1: bytes.insert(contentsOf: bits[Int(numbers.next() >> 8) % bits.count].utf8, at: position)
            case 2: bytes.insert(contentsOf: bytes[position..<end], at: position)
            default: if position < bytes.count { bytes[position] = UInt8(truncatingIfNeeded: numbers.next() >> 8) }
            }
        }
        return Data(bytes)
    }

    @Test(.timeLimit(.minutes(3)), arguments: 0..<8)
    func `a book damaged by chance opens, or is refused with a sentence`(seed: Int)
        async throws
    {
        var numbers = SeededNumbers(seed: UInt64(seed) + 1)
        var injector = HTMLInjector()
        injector.headEnd = ["<x/>"]
        injector.htmlAttributes = ["class": "y"]
        var opened = 0
        for _ in 0..<60 {
            let spoilt = Self.documents.mapValues {
                numbers.next() % 3 == 0 ? Self.spoil($0, numbers: &numbers) : Data($0.utf8)
            }
            let data = try ZIPBuilder.data { zip in
                for (name, content) in spoilt.sorted(by: { $0.key < $1.key }) { try zip.add(name, content) }
            }
            let reader = try CountingReader(data)
            let asset = PublicationAsset(
                path: reader.path, mediaType: .epub, form: .archive,
                fetcher: ArchiveFetcher(try await ZIPArchive.open(reader)))
            do {
                let warnings = WarningLog()
                let known = try await DetectedProtection().open(asset, warnings: warnings)
                guard let book = try await EPUBParser().parse(known?.asset ?? asset, warnings: warnings) else {
                    continue
                }
                opened += 1
                for link in book.manifest.readingOrder + book.manifest.resources {
                    for link in [link] + link.alternates where !link.isRemote {
                        _ = try? await injector.transformer(book.fetcher.get(link)).read()
                    }
                }
                for warning in warnings.all {
                    #expect(warning.message.hasSuffix(".") && !warning.message.contains("\u{0}"))
                }
            } catch {
                #expect(error is CocoaError && error.sentence.hasSuffix("."), "\(error)")
            }
        }
        #expect(opened > 30)
    }
}
