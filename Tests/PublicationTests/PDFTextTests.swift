import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

import Archives
@testable import Publication

/// The text of PDF documents, page by page.
@Suite(.enabled(if: PDFDocument.isSupported && TextPDF.isReadable, "needs poppler-utils"))
struct PDFTextTests {
    private static let pages = ["The lamp burns\nall night.\n\nIt rains.", "", "A lamp, a lamp"]

    @Test func `paragraphs are told apart, and lines of one are joined`() async throws {
        let book = try await Publication.open(pdf: TextPDF.document(Self.pages))
        var elements: [ContentElement] = []
        for try await element in book.content() { elements.append(element) }
        #expect(elements.map(\.line) == ["p The lamp burns all night.", "p It rains.", "p A lamp, a lamp"])
        #expect(elements.map(\.locator.locations.page) == [1, 1, 3])
        #expect(elements.map(\.locator.locations.position) == [1, 1, 3])
        #expect(try await book.text() == "The lamp burns all night.\nIt rains.\nA lamp, a lamp")
        var iterator = book.content(from: elements[2].locator).makeAsyncIterator()
        #expect(try await iterator.next() == elements[2])
        #expect(try await iterator.next() == nil)
        for element in elements.reversed() { #expect(try await iterator.previous() == element) }
        #expect(try await book.text(from: elements[2].locator) == "A lamp, a lamp")
        await book.close()
    }

    @Test func `a page is read by itself, by ranges`() async throws {
        var pages = (1...400).map { "Page \($0)" }
        pages[200] = "The lamp burns"
        let reader = try CountingReader(TextPDF.document(pages), name: "book.pdf")
        let text = try await PDFPageText.read(200, of: FileFetcher(reader).resource)
        #expect(text.contains("The lamp burns") && !text.contains("Page"))
        #expect(reader.requests.count <= 8, "\(reader.requests)")
    }

    @Test func `a page that is not there or is damaged is an error, and others are read`() async throws {
        let resource = FileFetcher(try CountingReader(TextPDF.document(Self.pages), name: "book.pdf")).resource
        for index in [-1, 3, 1 << 40] {
            await #expect(throws: CocoaError.self) { _ = try await PDFPageText.read(index, of: resource) }
        }
        #expect(try await PDFPageText.read(2, of: resource).contains("A lamp"))
        for data in [Data(), Data("%PDF-1.7\n".utf8), TextPDF.document(Self.pages).prefix(200)] {
            let broken = FileFetcher(try CountingReader(Data(data), name: "book.pdf")).resource
            await #expect(throws: CocoaError.self) { _ = try await PDFPageText.read(0, of: broken) }
        }
    }

    @Test func `words of a page are found and counted`() async throws {
        let book = try await Publication.open(pdf: TextPDF.document(Self.pages))
        let hits = try await book.search("night. It").locators()
        #expect(hits.map(\.locations.page) == [1])
        let count = try await book.textCount(of: book.readingOrder[0])
        #expect(count.words == 5 + 2 + 4)
        await book.close()
    }
}
