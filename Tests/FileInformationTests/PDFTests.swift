@testable import FileInformation
import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Publication
import SampleBooks
import Testing

@Suite struct PDFTests {
    /// Poppler's programs are run where they are; continuous integration has them.
    static let isPopplerWanted =
        ["/usr/bin/pdftoppm", "/usr/bin/pdfinfo"].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
        || ProcessInfo.processInfo.environment["CI"] == "true"

    @Test(.enabled(if: isPopplerWanted)) func `a document tells its title, its pages and when it was made`()
        async throws
    {
        let properties = try await CountingReader(PDFFixture.document(pages: 3), "a.pdf").properties()
        #expect(properties["title"] == "Lamp: a book" && properties["author"] == "Carrel")
        #expect(properties["numberOfPages"] == 3 && properties["encrypted"] == false)
        #expect(properties["created"] == .date(Date(timeIntervalSince1970: 1_714_558_830)))
        #expect(properties["pageSize"]?.description.hasPrefix("200 x 100") == true)
    }

    @Test(.enabled(if: isPopplerWanted)) func `any page is a picture as large as wanted`() async throws {
        let data = PDFFixture.document(pages: 3)
        let first = try await CountingReader(data, "a.pdf").thumbnail(100)
        #expect(first.width == 100 && first.height == 50 && first.mediaType == "image/jpeg")
        #expect(first.data.starts(with: [0xFF, 0xD8]))
        let third = try await CountingReader(data, "a.pdf").thumbnail(500, page: 3)
        #expect(third.width == 500 && third.height == 250)
        for page in [4, 0, -1] {
            #expect(
                await fileError { try await CountingReader(data, "a.pdf").thumbnail(page: page) } == .fileReadNoSuchFile
            )
        }
        let converted = try await Thumbnail.convertToImage(pdf: CountingReader(data, "a.pdf"), page: 2, dimension: 64)
        #expect(converted.width == 64)
    }

    @Test(.enabled(if: isPopplerWanted && PDFDocument.isSupported))
    func `a page of a large document is drawn from what it consists of`() async throws {
        let data = PDFBuilder.pages(400, bytesEach: 50_000).build()
        for page in [1, 200] {
            let reader = try CountingReader(data, "a.pdf")
            let thumbnail = try await reader.thumbnail(100, page: page)
            #expect(thumbnail.height == 100 && thumbnail.mediaType == "image/jpeg")
            #expect(
                reader.requests.count <= 8 && reader.bytes <= 512 << 10,
                "\(reader.requests.count) requests, \(reader.bytes) bytes")
        }
    }

    @Test(.enabled(if: isPopplerWanted && PDFDocument.isSupported))
    func `a page of an open document is a picture`() async throws {
        let data = PDFFixture.document(pages: 3)
        let document = BytesResource(Link(href: "a%20b.pdf"), data: data)
        let page = try await Thumbnail.convertToImage(pdfPage: 2, of: document, dimension: 64)
        #expect(page.width == 64 && page.height == 32)
        let same = try await Thumbnail.convertToImage(pdf: CountingReader(data, "a.pdf"), page: 2, dimension: 64)
        #expect(page == same)
        for number in [4, 0, .min] {
            #expect(
                await fileError { try await Thumbnail.convertToImage(pdfPage: number, of: document) }
                    == .fileReadNoSuchFile)
        }
    }

    @Test(.enabled(if: isPopplerWanted && PDFDocument.isSupported))
    func `the cover of a document is its first page`() async throws {
        let provider = MemoryFileProvider()
        let path = try ProviderPath("a.pdf")
        let data = PDFFixture.document(pages: 2)
        try await provider.writeContents(path: path, contents: data)
        let book = try await Publication.open(path: path, of: provider)
        let cover = try #require(try await book.cover(dimension: 300))
        #expect(cover.mediaType == "image/jpeg")
        #expect(cover.data == (try await CountingReader(data, "a.pdf").thumbnail(300).data))
        await book.close()
    }

    @Test(.enabled(if: isPopplerWanted)) func `what is no PDF file is damaged`() async throws {
        let whole = PDFFixture.document()
        for data in [Data(), Data("Once upon a time".utf8), Data(whole.prefix(100))] {
            #expect(await fileError { try await CountingReader(data, "a.pdf").properties() } == .fileReadCorruptFile)
            #expect(await fileError { try await CountingReader(data, "a.pdf").thumbnail() } == .fileReadCorruptFile)
        }
    }

    @Test func `without Poppler, one sentence names the package`() async throws {
        let tools = PDFTools(searchPath: "/nowhere:relative")
        let error = await #expect(throws: CocoaError.self) {
            try await tools.thumbnail(CountingReader(PDFFixture.document(), "a.pdf"), ThumbnailRequest())
        }
        #expect(error?.code == .featureUnsupported && error?.sentence.contains("poppler-utils") == true)
        #expect(error?.underlying as? POSIXError == POSIXError(.ENOENT))
    }

    @Test func `lines of pdfinfo become properties, whatever is in them`() {
        let properties = PDFInfoText(
            """
            Title:           A: b
            no colon here
            Title:           another
            Author:
            CreationDate:    2024-05-01T10:20:30+02
            ModDate:         yesterday
            Pages:           many
            Encrypted:       yes (print:yes copy:no)
            """
        ).properties
        #expect(properties["title"] == "A: b" && properties["author"] == nil && properties["numberOfPages"] == nil)
        #expect(
            properties["created"] == .date(Date(timeIntervalSince1970: 1_714_551_630)) && properties["modified"] == nil)
        #expect(properties["encrypted"] == true)
    }
}
