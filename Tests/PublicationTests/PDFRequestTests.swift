import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

import Archives
import MediaTypes
@testable import Publication
import PublicationCache

/// What a remote file costs: requests, and the bytes asked for.
@Suite(.enabled(if: PDFDocument.isSupported)) struct PDFRequestTests {
    /// A book of about 50 MB: 1,000 pages of 50 kB, and an outline of 200 items at the end.
    private static let book: PDFBuilder = {
        var file = PDFBuilder.pages(1_000, bytesEach: 50_000, catalog: "/Outlines 2003 0 R")
        file.add("<< /First 2004 0 R >>")
        for index in 0..<200 {
            file.add(
                "<< /Title (Chapter \(index)) /Dest [\(3 + 10 * index) 0 R /Fit] \(index < 199 ? "/Next \(2005 + index) 0 R" : "") >>"
            )
        }
        let info = file.add("<< /Title (A Large Book) >>")
        file.trailer = "/Info \(info) 0 R"
        return file
    }()

    @Test(arguments: [false, true])
    func `a book of 50 MB opens with a few requests`(isPacked: Bool) async throws {
        let data = isPacked ? Self.book.buildPacked() : Self.book.build()
        #expect(data.count > 50_000_000)
        let reader = try CountingReader(data, name: "book.pdf")
        let document = try await PDFDocument.open(reader)
        #expect(document.pageCount == 1_000)
        #expect(document.details.title == "A Large Book")
        #expect(document.outline.count == 200)
        #expect(document.outline.last?.page == 995)
        #expect(document.warnings == [])
        #expect(reader.sizeRequests == 0)
        #expect(reader.requests.count <= 4, "\(reader.requests)")
        #expect(reader.bytes <= 256 << 10)
    }

    @Test func `opening as a publication asks for nothing more`() async throws {
        let reader = try CountingReader(Self.book.build(), name: "book.pdf")
        let asset = PublicationAsset(
            path: reader.path, mediaType: .pdf, form: .file, fetcher: FileFetcher(CachedFileReader(reader)))
        let builder = try await PDFParser().parse(asset, warnings: WarningLog())
        #expect(builder?.manifest.readingOrder.first?.size == Int64(Self.book.build().count))
        #expect(reader.sizeRequests == 0)
        #expect(reader.requests.count <= 4, "\(reader.requests)")
        #expect(reader.bytes <= 256 << 10)
    }

    @Test func `sizes of some pages cost these pages`() async throws {
        let reader = try CountingReader(Self.book.build(), name: "book.pdf")
        let document = try await PDFDocument.open(reader)
        let before = reader.requests.count
        #expect(try await document.pageSizes(500..<504).count == 4)
        #expect(reader.requests.count - before <= 4)
    }

    /// A book of about 50 MB whose tree of pages has a hundred nodes, each in front of its ten pages.
    private static func scattered(claiming count: Int = 1_000, hasOutline: Bool = false) -> Data {
        var file = PDFBuilder()
        var numbers = SeededNumbers(seed: 5)
        let nodes = (0..<100).map { 3 + 21 * $0 }
        let outline = "/Outlines << /First << /Title (Last) /Dest [2101 0 R] >> >>"
        file.add("<< /Type /Catalog /Pages 2 0 R \(hasOutline ? outline : "") >>")
        let kids = nodes.map { "\($0) 0 R" }.joined(separator: " ")
        file.add("<< /Type /Pages /Count \(count) /Kids [\(kids)] /MediaBox [0 0 300 400] >>")
        for node in nodes {
            let pages = (0..<10).map { node + 1 + 2 * $0 }
            let kids = pages.map { "\($0) 0 R" }.joined(separator: " ")
            file.add("<< /Type /Pages /Parent 2 0 R /Count 10 /Kids [\(kids)] >>")
            for page in pages {
                file.add("<< /Type /Page /Parent \(node) 0 R /Contents \(page + 1) 0 R >>")
                file.add(stream: numbers.bytes(50_000))
            }
        }
        return file.build()
    }

    @Test func `a tree of pages all over the file is not gathered for the number of pages`() async throws {
        let reader = try CountingReader(Self.scattered(), name: "book.pdf")
        let document = try await PDFDocument.open(reader)
        #expect(document.pageCount == 1_000)
        #expect(document.firstPage?.width == 300)
        #expect(document.warnings == [])
        #expect(reader.requests.count <= 20, "\(reader.requests)")
        #expect(reader.bytes <= 1 << 20)
        let before = reader.requests.count
        #expect(try await document.pageSizes(20..<24).count == 4)
        #expect(reader.requests.count - before <= 12)
        #expect(try await document.pageSizes(998..<1_000).map(\.height) == [400, 400])
    }

    @Test(arguments: [1_000, 700])
    func `an outline that leads into such a tree has it gathered, and counted`(claim: Int) async throws {
        let reader = try CountingReader(Self.scattered(claiming: claim, hasOutline: true), name: "book.pdf")
        let document = try await PDFDocument.open(reader)
        #expect(document.outline == [.init(title: "Last", page: 999)])
        #expect(document.pageCount == 1_000)
        #expect(document.tags == (claim == 1_000 ? [] : ["wrong-page-count"]))
        #expect(reader.requests.count <= 120)
    }

    @Test(arguments: [99, 1_000_000, -1])
    func `a number that such a tree cannot have is not believed`(claim: Int) async throws {
        let document = try await PDFDocument.open(Self.scattered(claiming: claim))
        #expect(document.pageCount == 1_000)
        #expect(document.tags == ["wrong-page-count"])
    }

    @Test func `waiting for the file is no work`() async throws {
        let reader = try CountingReader(Self.scattered(), pause: .milliseconds(100), name: "book.pdf")
        let resource = FileFetcher(CachedFileReader(reader)).get("book.pdf")
        #expect(try await PDFDocument.open(resource, seconds: 0.5).pageCount == 1_000)
        // All but the first one wait.
        #expect(reader.requests.count > 6)
        #expect(await fileError { _ = try await PDFDocument.open(resource, seconds: 0) } == .fileReadTooLarge)
    }

    @Test func `a small file is read in two requests`() async throws {
        let reader = try CountingReader(PDFBuilder.pages(10, bytesEach: 9_000).build(), name: "book.pdf")
        #expect(try await PDFDocument.open(reader).pageCount == 10)
        #expect(reader.requests.count <= 2, "\(reader.requests)")
    }

    @Test func `a cancelled opening stops waiting for the file`() async throws {
        let data = PDFBuilder.pages(10, bytesEach: 90_000).build()
        let reader = try CountingReader(data, pause: .seconds(600), name: "book.pdf")
        let task = Task { try await PDFDocument.open(reader) }
        while reader.requests.count < 2 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a cancelled opening does not wait for a thread`() async throws {
        let data = PDFBuilder.pages(10, bytesEach: 90_000).build()
        // As many as there are threads; their second requests are made on these.
        var others: [Task<PDFDocument, any Error>] = []
        for _ in 0..<4 {
            let reader = try CountingReader(data, pause: .seconds(600), name: "book.pdf")
            others.append(Task { try await PDFDocument.open(reader) })
            while reader.requests.count < 2 { await Task.yield() }
        }
        let reader = try CountingReader(data, name: "book.pdf")
        let task = Task { try await PDFDocument.open(reader) }
        while reader.requests.isEmpty { await Task.yield() }
        // Time to get into the queue.
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        for other in others { other.cancel() }
    }
}
