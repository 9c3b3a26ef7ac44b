import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

import Archives
import MediaTypes
@testable import Publication
import PublicationCache

@Suite struct OddBookTests {
    /// Pitfalls 13, 21, 34 and 40, and what readers report of real books: Unicode forms, encodings, containers on one
    /// line, mimetypes with line breaks, missing and misnamed files.
    @Test(.timeLimit(.minutes(2)), arguments: OddBooks.all)
    func `a book that can be read is opened, and everything wrong with it is said once`(odd: OddCase) async throws {
        let book = try await odd.book.open()
        let warnings = book.warnings
        #expect(Set(warnings.map(\.tag)) == odd.tags, "\(warnings.map(\.message))")
        #expect(Set(warnings).count == warnings.count)
        // What is wrong; what was done about it.
        #expect(
            warnings.allSatisfy { $0.message.contains("; ") && $0.message.hasSuffix(".") }, "\(warnings.map(\.message))"
        )
        let first = try #require(book.readingOrder.first)
        #expect(try await book.get(first).readAsString().contains(OddBook.words))
        for link in book.readingOrder { _ = try await book.get(link).read() }
        #expect(!book.metadata.title.string.isEmpty)
        await book.close()
    }

    @Test func `there are many kinds of odd books`() {
        #expect(OddBooks.all.count >= 45)
        #expect(Set(OddBooks.all.map(\.name)).count == OddBooks.all.count)
    }

    @Test func `a missing chapter is worse than a missing style sheet`() async throws {
        func severity(_ change: (inout OddBook) -> Void) async throws -> ContentWarning.Severity? {
            try await OddBook.with(change).open().warnings.map(\.severity).max()
        }
        #expect(try await severity { $0.add("x", "gone.css", "text/css") } == .moderate)
        let chapter = try await severity {
            $0.add("x", "gone.xhtml", "application/xhtml+xml")
            $0.spine += #"<itemref idref="x"/>"#
        }
        #expect(chapter == .major)
        #expect(try await severity { $0.isMimetypeFirst = false } == .minor)
    }

    @Test func `a book without a title is called by its file's name`() async throws {
        let book = try await OddBook.with { $0.metadata = "" }.open(name: "White Whale.epub")
        #expect(book.metadata.title == "White Whale")
    }

    @Test func `addresses are spelt as the container has them, in the contents too`() async throws {
        let book = try await OddBook.with {
            $0.renamed["OEBPS/c1.xhtml"] = "OEBPS/C1.xhtml"
            $0.after = #"<guide><reference type="text" href="c1.XHTML#start"/></guide>"#
        }.open()
        #expect(book.readingOrder.map(\.href) == ["OEBPS/C1.xhtml", "OEBPS/c2.xhtml"])
        #expect(book.tableOfContents.first?.href == "OEBPS/C1.xhtml")
        #expect(book.manifest.links(inSubcollection: "landmarks").map(\.href) == ["OEBPS/C1.xhtml#start"])
    }

    @Test func `a stray ampersand costs no metadata`() async throws {
        let book = try await OddBook.with { $0.metadata += "<dc:publisher>Harper & Brothers</dc:publisher>" }.open()
        #expect(book.metadata.title == "Moby-Dick" && book.readingOrder.count == 2)
        #expect(book.metadata.publishers.map(\.name.string) == ["Harper & Brothers"])
    }

    @Test func `of text in Latin 1 that does not say so the letters are right`() async throws {
        let book = try await OddBook.with {
            $0.metadata = $0.metadata.replacing("Moby-Dick", with: "Möby-Dick")
            $0.package = $0.packageText.data(using: .isoLatin1)
        }.open()
        #expect(book.metadata.title == "Möby-Dick")
    }

    @Test func `an unpacked book is read like a packed one`() async throws {
        var files = EPUBFixture().allFiles
        files["OEBPS/c1.xhtml"] = OddBook.chapter
        files["mimetype"] = "application/epub+zip\n"
        let warnings = WarningLog()
        let manifest = try await EPUBParser().parse(
            fetcher: RecordingFetcher(files.mapValues { Data($0.utf8) }), warnings: warnings)
        #expect(manifest.readingOrder.count == 1)
        #expect(!warnings.all.map(\.tag).contains("missing-resource"))
    }

    /// What books give that are made with care: nothing but what is really odd about them.
    private static let expected: [String: Set<String>] = [:]

    @Test(.enabled(if: !BookCorpus.books.isEmpty, "the corpus is not here"), arguments: BookCorpus.books)
    func `real books give no warning that is not deserved`(url: URL) async throws {
        let reader = try CountingReader(try Data(contentsOf: url))
        let fetcher = ArchiveFetcher(try await ZIPArchive.open(reader))
        let warnings = WarningLog()
        let asset = PublicationAsset(path: reader.path, mediaType: .epub, form: .archive, fetcher: fetcher)
        #expect(try await DetectedProtection().open(asset, warnings: warnings)?.protection == nil)
        _ = try await EPUBParser().parse(asset, warnings: warnings)
        let name = url.lastPathComponent
        #expect(Set(warnings.all.map(\.tag)) == Self.expected[name] ?? [], "\(name): \(warnings.all.map(\.message))")
    }
}
