import FileProviderCore
import Foundation
import Testing

import Archives
import MediaTypes
@testable import Publication
import PublicationCache

struct EPUBHostilityTests {
    @Test func `a book without a package is refused with a sentence`() async {
        var files = EPUBFixture().allFiles
        files["OEBPS/content.opf"] = nil
        for container in [nil, "<container/>", EPUBFixture.container] {
            files[ContainerDocument.href] = container
            let error = await fileError { _ = try await EPUBParser().parse(fetcher: DictionaryFetcher(files)) }
            #expect(error == .fileReadCorruptFile)
        }
    }

    @Test(arguments: [
        ("", "This is not well-formed XML"), ("<package/>", "has no manifest"),
        ("<html/>", "is not a package document"),
        ("<package><manifest/></package>", "has no spine"),
        ("<package><manifest/><spine/></package>", "nothing to read"),
        ("<package><manifest/><spine><itemref idref='x'/></spine></package>", "nothing to read"),
        (
            "<!DOCTYPE package [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><package><metadata>&x;</metadata></package>",
            "entity “x”"
        ),
    ])
    func `a package that cannot be read says why`(package: String, reason: String) async {
        let error = await parsingError(EPUBFixture(files: ["OEBPS/content.opf": package]))
        #expect(error?.code == .fileReadCorruptFile)
        #expect(error?.sentence.contains(reason) == true, "\(error?.sentence ?? "no error")")
        #expect(error?.sentence.contains("OEBPS/content.opf") == true)
    }

    @Test(arguments: [ContainerDocument.href, EncryptionDocument.href, "OEBPS/nav.xhtml", "OEBPS/toc.ncx"])
    func `entities from elsewhere are never read`(href: String) async throws {
        var book = EPUBFixture()
        book.items += """
            <item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
            <item id="x" href="toc.ncx" media-type="application/x-dtbncx+xml"/>
            """
        let doctype = "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/hostname'>]>"
        book.files[href] = "\(doctype)<a><nav><ol><li><a href='x'>&x;</a></li></ol></nav></a>"
        let manifest = try await book.manifest()
        #expect(manifest.tableOfContents.isEmpty)
    }

    @Test func `a lost connection is an error, not a book without contents`() async {
        final class Flaky: DictionaryFetcher, @unchecked Sendable {
            override func get(_ link: Link) -> any Resource {
                guard link.href.hasSuffix("nav.xhtml") else { return super.get(link) }
                return FailureResource(link, error: URLError(.networkConnectionLost))
            }
        }
        var book = EPUBFixture()
        book.items += #"<item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>"#
        let fetcher = Flaky(book.allFiles.mapValues { Data($0.utf8) })
        await #expect(throws: URLError.self) { try await EPUBParser().parse(fetcher: fetcher) }
    }

    @Test(.timeLimit(.minutes(1))) func `100,000 items are read without delay`() async throws {
        var book = EPUBFixture()
        let items = (0..<100_000).map { index in
            #"<item id="i\#(index)" href="text/c\#(index).xhtml" media-type="application/xhtml+xml" fallback="i\#(index + 1)"/>"#
        }
        book.items = items.joined(separator: "\n")
        book.spine = (0..<50_000).map { #"<itemref idref="i\#($0)"/>"# }.joined()
        let manifest = try await book.manifest()
        #expect(manifest.readingOrder.count == 50_000 && manifest.resources.count == 50_000)
    }

    @Test(.timeLimit(.minutes(1))) func `a book of 8,000 items opens without delay`() async throws {
        var book = EPUBFixture()
        book.items =
            (0..<8000).map { #"<item id="i\#($0)" href="chapter\#($0).xhtml" media-type="application/xhtml+xml"/>"# }
            .joined()
            + #"<item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>"#
        book.spine = (0..<8000).map { #"<itemref idref="i\#($0)"/>"# }.joined()
        let links = (0..<8000).map { "<li><a href='chapter\($0).xhtml'>Chapter \($0)</a></li>" }.joined()
        book.files["OEBPS/nav.xhtml"] = "<html><body><nav><ol>\(links)</ol></nav></body></html>"
        // The time limit tells whether the work grows with the square; a busy machine alone stays far below.
        #expect(try await book.manifest().tableOfContents.count == 8000)
    }

    @Test func `a package over the limit is refused`() async {
        let error = await parsingError(EPUBFixture(after: "<!--" + String(repeating: "x", count: 33 << 20) + "-->"))
        #expect(error?.code == .fileReadTooLarge)
    }

    @Test func `a table of contents that is nested too deeply is passed over`() async throws {
        var book = EPUBFixture()
        book.items += #"<item id="x" href="toc.ncx" media-type="application/x-dtbncx+xml"/>"#
        book.files["OEBPS/toc.ncx"] = "<ncx><navMap>" + String(repeating: "<navPoint>", count: 10_000)
        #expect(try await book.manifest().tableOfContents.isEmpty)
    }

    @Test func `one call asks for all that will be read`() async throws {
        // A book without any cover has its first page looked at.
        var book = EPUBFixture(
            version: "2.0", metadata: #"<dc:title>A Book</dc:title><meta name="cover" content="i"/>"#)
        book.items += #"<item id="i" href="i.gif" media-type="image/gif"/>"#
        let names = [
            "OEBPS/toc.ncx", "OEBPS/Nav.xhtml", "OEBPS/c1.xhtml", "OEBPS/i.gif", EncryptionDocument.href,
            DisplayOptions.hrefs[0],
        ]
        book.files = Dictionary(uniqueKeysWithValues: names.map { ($0, "<a/>") })
        let fetcher = RecordingFetcher(book.allFiles.mapValues { Data($0.utf8) })
        _ = try await EPUBParser().parse(fetcher: fetcher)
        let expected = [
            ContainerDocument.href, EncryptionDocument.href, DisplayOptions.hrefs[0], "OEBPS/content.opf",
            "OEBPS/toc.ncx",
            "OEBPS/Nav.xhtml",
        ]
        #expect(fetcher.prefetches.map(Set.init) == [Set(expected)])
        #expect(Set(fetcher.requests).isSubset(of: expected))
    }
}
