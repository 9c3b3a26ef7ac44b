import FileProviderCore
import Foundation
import SampleBooks
import Testing

import Archives
import MediaTypes
@testable import Publication
import PublicationCache

/// Pitfall 34: what is made to become large, in each document that opening a book reads.
@Suite(.timeLimit(.minutes(1))) struct EPUBBombTests {
    private static let documents = [
        ContainerDocument.href, EncryptionDocument.href, "OEBPS/content.opf", "OEBPS/nav.xhtml", "OEBPS/toc.ncx",
        DisplayOptions.hrefs[0],
    ]

    private static let laughs: String = {
        let levels = (1...9).map { "<!ENTITY l\($0) '\(String(repeating: "&l\($0 - 1);", count: 10))'>" }.joined()
        return "<!DOCTYPE a [<!ENTITY l0 'haha'>\(levels)]>"
    }()

    /// A sound book with both kinds of contents, in which the document at `href` is another.
    private func book(_ href: String, _ document: Data) -> OddBook {
        OddBook.with { book in
            book.add("ncx", "toc.ncx", "application/x-dtbncx+xml", data: OddBook.ncx)
            book.spineAttributes = #"toc="ncx""#
            if href == ContainerDocument.href { book.container = document } else { book.files[href] = document }
            if href == "OEBPS/content.opf" { book.package = document }
        }
    }

    /// Opens to a book whose words are right, or is refused with a sentence that names the document.
    private func check(_ href: String, _ document: Data) async throws {
        do {
            let book = try await book(href, document).open()
            #expect(try await book.get("OEBPS/c1.xhtml").readAsString().contains(OddBook.words))
            let titles = [book.metadata.title.string] + book.tableOfContents.compactMap(\.title)
            #expect(!titles.contains { $0.contains("haha") || $0.utf8.count > 1_000 })
            await book.close()
        } catch {
            #expect(OpeningFailure(error) == .parsingFailed, "\(error)")
            #expect(error.sentence.contains(href), "\(error.sentence)")
            #expect(error.sentence.utf8.count < 1_000)
        }
    }

    @Test(arguments: documents)
    func `entities that multiply are never spelt out`(href: String) async throws {
        for use in [
            "<a>&l9;</a>", "<a b='&l9;'/>",
            "<a><navMap><navPoint><navLabel><text>&l9;</text></navLabel></navPoint></navMap></a>",
        ] {
            try await check(href, Data((Self.laughs + use).utf8))
        }
    }

    @Test(arguments: documents)
    func `a document over its limit is not taken apart`(href: String) async throws {
        let comment = Data("<a><!--".utf8) + Data(repeating: UInt8(ascii: "x"), count: 33 << 20) + Data("--></a>".utf8)
        try await check(href, comment)
    }

    @Test(arguments: documents)
    func `a document of nothing but elements ends at a limit`(href: String) async throws {
        try await check(href, Data(String(repeating: "<a>", count: 200_000).utf8))
        try await check(href, Data(("<a>" + String(repeating: "<b/>", count: 1_100_000) + "</a>").utf8))
    }
}
