import Carrel
import Foundation
import FoundationNetworking
import ProviderDoubles
import SampleBooks
import Testing

/// An answer of Foundation's own client. (An app conforms the class itself, in one line.)
private struct Answer: HTTPResponseHead {
    let response: HTTPURLResponse

    var url: URL? { response.url }

    func value(forHTTPHeaderField field: String) -> String? { response.value(forHTTPHeaderField: field) }
}

/// The journey that the house is built for: the same book by the same code, wherever it lies.
@Suite struct BookTests {
    /// Writes the sample book into a folder of `provider` and reads it there.
    private func readBook(_ provider: any FileProvider, in folder: ProviderPath) async throws {
        let path = try folder.appending("lamp.epub")
        try await provider.writeContents(path: path, contents: SampleBook.small(.epub3))
        let sniffed = try await MediaType.sniff(path: path, of: provider, ignoringHints: true)
        #expect(sniffed == SniffedType(mediaType: .epub, basis: .content))
        let book = try await Publication.open(path: path, of: provider)
        #expect(book.metadata.title.string == "The Lamp at the Carrel")
        #expect(book.readingOrder.count == 3)
        #expect(book.tableOfContents.map(\.title).count == 3)
        for link in book.readingOrder {
            let text = try await book.get(link).readAsString()
            #expect(text.contains("</html>"))
        }
        let cover = try #require(book.coverLink)
        #expect(try await book.get(cover).length() > 0)
        await book.close()
        await #expect(throws: URLError.self) { _ = try await book.get(cover).read() }
    }

    @Test(.serialized, arguments: TestStorage.all + TestServers.ftps.map(TestStorage.ftp))
    func `a book is read where it lies, without being downloaded`(_ storage: TestStorage) async throws {
        try await storage.use { provider, folder in try await readBook(provider, in: folder) }
    }

    @Test func `a large book costs at most three requests and 130 kilobytes up to its first chapter`() async throws {
        let server = try #require(TestServers.named("Apache, Basic"), "the servers are not up; run bash Tests/run.sh")
        let file = server.data.appending(path: "large-\(UInt64.random(in: 0 ... .max)).epub")
        defer { try? FileManager.default.removeItem(at: file) }
        try SampleBook.large(textFirst: true, to: file, images: 40)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        let options = TestServers.options()
        let provider = try server.provider(options)
        _ = try await provider.attributesOfItem(path: .root)
        let (requests, bytes) = (options.counters[.requests], options.counters[.bytesIn])
        let book = try await Publication.open(path: ProviderPath(file.lastPathComponent), of: provider)
        let chapter = try await book.get(#require(book.readingOrder.first)).read()
        #expect(chapter.count > 10_000)
        #expect(options.counters[.requests] - requests <= 3)
        #expect(options.counters[.bytesIn] - bytes <= 130_000)
        await book.close()
    }

    @Test(arguments: [false, true]) func `a recording of 500 MB costs at most six requests and 1 MiB`(isMovieLast: Bool)
        async throws
    {
        let server = try #require(TestServers.named("Apache, Basic"), "the servers are not up; run bash Tests/run.sh")
        let file = server.data.appending(path: "large-\(UInt64.random(in: 0 ... .max)).m4b")
        defer { try? FileManager.default.removeItem(at: file) }
        var recording = SampleSound.MP4()
        recording.list = (0..<100).map { (Double($0) * 360, "Chapter \($0 + 1)") }
        (recording.duration, recording.sound, recording.tables) = (36_000, 500_000_000, 12_000_000)
        (recording.isMovieLast, recording.cover) = (isMovieLast, SparseData(hole: 2_000_000))
        try recording.bytes.write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        let options = TestServers.options()
        let provider = try server.provider(options)
        _ = try await provider.attributesOfItem(path: .root)
        let (requests, bytes) = (options.counters[.requests], options.counters[.bytesIn])
        let book = try await Publication.open(path: ProviderPath(file.lastPathComponent), of: provider)
        #expect(
            try await book.contents().count == 100 && book.metadata.duration == 36_000
                && book.coverLink?.size == 2_000_000)
        await book.close()
        #expect(options.counters[.requests] - requests <= 6, "\(options.counters[.requests] - requests)")
        #expect(options.counters[.bytesIn] - bytes <= 1 << 20, "\(options.counters[.bytesIn] - bytes)")
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/pdftoppm"), "needs poppler-utils"))
    func `the cover of a PDF file of 180 MB costs at most eight requests and 2 MiB`() async throws {
        let server = try #require(TestServers.named("Apache, Basic"), "the servers are not up; run bash Tests/run.sh")
        let file = server.data.appending(path: "large-\(UInt64.random(in: 0 ... .max)).pdf")
        defer { try? FileManager.default.removeItem(at: file) }
        try LargePDF.scans().write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        let options = TestServers.options()
        let provider = try server.provider(options)
        _ = try await provider.attributesOfItem(path: .root)
        let (requests, bytes) = (options.counters[.requests], options.counters[.bytesIn])
        let path = try ProviderPath(file.lastPathComponent)
        let cover = try await provider.thumbnailOfFile(path: path, dimension: 200, generators: .withBuiltInGenerators())
        #expect(cover.height == 200 && cover.mediaType == "image/jpeg")
        #expect(options.counters[.requests] - requests <= 8)
        #expect(options.counters[.bytesIn] - bytes <= 2 << 20)
    }

    @Test func `a web page and a catalogue entry are told by what they are, not by what they are called`() async throws
    {
        let provider = MemoryFileProvider()
        let samples: [(String, MediaType)] = [
            ("<!DOCTYPE html><title>x</title>", .html),
            (#"{"metadata":{"title":"x"},"links":[],"readingOrder":[{"href":"a","type":"text/html"}]}"#, .json),
            ("%PDF-1.7\n", .pdf), ("<?xml version=\"1.0\"?><feed xmlns=\"http://www.w3.org/2005/Atom\"/>", .opds1),
        ]
        for (index, sample) in samples.enumerated() {
            let path = try ProviderPath("file-\(index)")
            try await provider.writeContents(path: path, contents: Data(sample.0.utf8))
            let found = try await MediaType.sniff(path: path, of: provider)
            #expect(found?.mediaType == sample.1)
        }
    }

    @Test func `files and HTTP answers are recognised in one call`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "book")
        try SampleBook.small(.epub2, to: file)
        #expect(try await MediaType.of(path: file.path) == .epub)
        #expect(try await Format.guess(path: file.path) == .epub)
        let data = try Data(contentsOf: file)
        #expect(try await MediaType.of(headers: ["content-type": "application/octet-stream"], body: { data }) == .epub)
        let named = ["Content-Disposition": "attachment; filename*=UTF-8''my%20comic.cbz; filename=\"x.pdf\""]
        #expect(try await MediaType.of(headers: named, body: { throw CancellationError() }) == .cbz)
        #expect(
            try await MediaType.of(headers: ["Content-Type": "application/pdf"], body: { throw CancellationError() })
                == .pdf)
    }

    @Test func `an answer of Foundation's own client is asked in one call`() async throws {
        let url = try #require(URL(string: "https://example.org/download"))
        let fields = [
            "Content-Type": "application/octet-stream", "Content-Disposition": "attachment; filename=\"my comic.cbz\"",
        ]
        let response = Answer(
            response: try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: fields)))
        #expect(try await response.sniffMediaType { throw CancellationError() } == .cbz)
        #expect(try await response.guessFormat { throw CancellationError() } == .cbz)
    }

    @Test func `a local file keeps its format`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "format-\(UInt64.random(in: 0 ... .max))")
        defer { try? FileManager.default.removeItem(at: file) }
        try SampleBook.small(.epub2, to: file)
        #expect(try await Format.File(path: file.path).format == .epub)
    }

    /// The example that Readium's media type proposal has of a format that an app adds.
    @Test func `an app's own sniffer is asked as well`() async throws {
        let acsm = MediaType(
            "application/vnd.adobe.adept+xml", name: "Adobe Content Server Message", fileExtension: "acsm")
        let sniffer: MediaType.Sniffer = { context in
            try await context.contentAsXML?.name == "fulfillmentToken" ? acsm : nil
        }
        let token = Data("<fulfillmentToken xmlns=\"http://ns.adobe.com/adept\"/>".utf8)
        #expect(try await MediaType.of(bytes: { token }, sniffers: MediaType.sniffers + [sniffer]) == acsm)
        #expect(try await MediaType.of(bytes: { token }) == .xml)
    }

    @Test(arguments: [
        ("empty.epub", Data(), "is empty"), ("text.epub", Data("just text".utf8), "ZIP"),
        ("unknown", Data([1, 2, 3]), "not a book"),
        ("x.pdf", Data("%PDF-1.7".utf8), "PDF"),
    ])
    func `what is no book ends in a sentence`(_ name: String, _ data: Data, _ word: String) async throws {
        let provider = MemoryFileProvider()
        let path = try ProviderPath(name)
        try await provider.writeContents(path: path, contents: data)
        let error = await #expect(throws: CocoaError.self) { _ = try await Publication.open(path: path, of: provider) }
        #expect(error?.localizedDescription.contains(word) == true, "\(error?.localizedDescription ?? "")")
    }
}
