import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

import Archives
import MediaTypes
@testable import Publication
import PublicationCache

/// Requests, bytes and time.
@Suite struct SniffingCostTests {
    private func sniff(
        _ reader: any FileReader, _ name: String = "file", types: [String] = [], ignoringHints: Bool = false
    ) async throws
        -> SniffedType?
    {
        try await MediaType.sniff(
            path: ProviderPath(name), of: ReadOnlyProvider(reader), mediaTypes: types, ignoringHints: ignoringHints)
    }

    /// Five gigabytes: dots behind `head` and before `tail`, and a hole between them.
    private func large(_ head: Data, tail: Data = Data(), mimeType: String? = nil) throws -> CountingReader {
        let dots = Data(repeating: 0x2E, count: 128 << 10)
        let hole = SparseData(hole: 5_000_000_000 - Int64(head.count + tail.count + 2 * dots.count))
        return try CountingReader(
            .joined([SparseData(head + dots), hole, SparseData(dots + tail)]), name: "file", mimeType: mimeType)
    }

    @Test(arguments: [
        ("a.epub", [], MediaType.epub), ("a.PDF", [], .pdf), ("a.cbz", [], .cbz), ("a.mp3", [], .mp3),
        ("a.css", [], .css),
        ("a", ["application/epub+zip"], .epub), ("a.zip", ["application/webpub+zip"], .readiumWebPub),
        ("a.epub", ["application/octet-stream"], .epub), ("a.mp3", ["text/plain"], .mp3),
        ("a.lcpdf", ["application/epub+zip"], .lcpProtectedPDF),
    ])
    func `hints that name a format cost no request`(_ name: String, _ types: [String], _ expected: MediaType)
        async throws
    {
        let reader = try large(Data())
        #expect(try await sniff(reader, name, types: types) == SniffedType(mediaType: expected, basis: .hint))
        #expect(reader.requests.isEmpty)
    }

    @Test func `an EPUB without hints costs one request`() async throws {
        let book = try ZIPBuilder.data { zip in
            try zip.store("mimetype", Data("application/epub+zip".utf8))
            try zip.store("big", Data(repeating: 7, count: 3_000_000))
            try zip.deflate("META-INF/container.xml", "<container/>")
        }
        let reader = try CountingReader(book, name: "book")
        #expect(try await sniff(reader) == SniffedType(mediaType: .epub, basis: .content))
        #expect(reader.requests.count == 1)
        #expect(reader.bytes == 65_536)
        #expect(reader.sizeRequests == 0)
        #expect(reader.isClosed)
    }

    /// Pitfall 15: whatever a large file looks like, it is not downloaded to find out.
    @Test(
        arguments: [
            ("a PDF", Data("%PDF-1.7\n".utf8), .pdf), ("an image of a disk", Data(repeating: 0, count: 40_000), nil),
            ("JSON", Data(#"{"metadata":{"title":"x"},"#.utf8), nil),
            ("XML", Data("<?xml version=\"1.0\"?><a><b>".utf8), .xml),
            ("HTML", Data("<!DOCTYPE HTML><p>".utf8), .html), ("a ZIP archive", Data("PK\u{3}\u{4}".utf8), .zip),
            ("a RAR archive", Data("Rar!\u{1A}\u{7}\u{1}\u{0}".utf8), .rar),
            ("text", Data("Once upon a time".utf8), nil),
            ("nothing known", Data([1, 2, 3, 4]), nil), ("an open comment", Data("<!-- ".utf8), nil),
        ] as [(String, Data, MediaType?)])
    func `a file of five gigabytes costs two requests and 80 KiB`(_ look: String, _ head: Data, _ expected: MediaType?)
        async throws
    {
        let reader = try large(head)
        #expect(try await sniff(reader)?.mediaType == expected, "\(look)")
        #expect(reader.requests.count <= 2)
        #expect(reader.bytes <= 80 << 10)
        #expect(reader.isClosed)
    }

    @Test func `an EPUB of five gigabytes, damaged in front, costs two requests`() async throws {
        let small = try SampleBook.small()
        let reader = try large(Data("PK\u{3}\u{4}".utf8), tail: small)
        // Its offsets count from the start of the small one, as those of an archive with something in front of it do.
        #expect(try await sniff(reader)?.mediaType == .epub)
        #expect(reader.requests.count == 2, "\(reader.requests)")
        #expect(reader.bytes <= 80 << 10, "\(reader.bytes)")
    }

    @Test func `the server's type is heard once it was told, and costs nothing more`() async throws {
        let reader = try large(Data("%PDF-1.7".utf8), mimeType: "application/divina+zip")
        #expect(try await sniff(reader) == SniffedType(mediaType: .divina, basis: .hint))
        #expect(reader.requests.count == 1)
        let general = try large(Data("%PDF-1.7".utf8), mimeType: "application/octet-stream")
        #expect(try await sniff(general) == SniffedType(mediaType: .pdf, basis: .content))
        let ignored = try large(Data("%PDF-1.7".utf8), mimeType: "application/divina+zip")
        #expect(try await sniff(ignored, ignoringHints: true) == SniffedType(mediaType: .pdf, basis: .content))
    }

    @Test func `a server that does not answer is given up in time, and nothing goes on`() async throws {
        let reader = SilentReader()
        let sniffed = try await MediaType.sniff(
            path: ProviderPath("a.txt"), of: ReadOnlyProvider(reader), timeLimit: .milliseconds(20))
        #expect(sniffed == SniffedType(mediaType: .text, basis: .hint))
        #expect(reader.begun > 0 && reader.running == 0 && reader.closings > 0)
        let nothing = try await MediaType.sniff(path: ProviderPath("a"), of: ReadOnlyProvider(reader), timeLimit: .zero)
        #expect(nothing == nil)
        #expect(reader.running == 0)
    }

    @Test func `a cancelled caller gets away at once, and nothing goes on`() async throws {
        let reader = SilentReader()
        let task = Task { try await MediaType.sniff(path: ProviderPath("a"), of: ReadOnlyProvider(reader)) }
        while reader.begun == 0 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(reader.running == 0 && reader.closings > 0)
    }

    /// Pitfall 17: each form of the content is made once for all sniffers and both rounds, and what was opened is
    /// closed.
    @Test func `content is read once however many sniffers ask`() async throws {
        let archive = try ZIPBuilder.data { zip in
            try zip.store("filler", Data(repeating: 1, count: 200_000))
            try zip.deflate("manifest.json", #"{"metadata":{"title":"x"}}"#)
        }
        let curious: MediaType.Sniffer = { context in
            _ = try await (
                context.contentAsRWPM, context.contentAsArchive, context.contentAsJSON, context.contentAsString
            )
            _ = try await (context.contentAsXML, context.readArchiveEntry(at: "manifest.json"))
            return nil
        }
        let reader = try CountingReader(archive, name: "x")
        let content = SniffedContent(reader)
        let sniffing = SnifferRun(
            mediaTypes: [], fileExtensions: [], sniffers: Array(repeating: curious, count: 20) + MediaType.sniffers.all)
        #expect(try await sniffing.run(content)?.mediaType == .readiumWebPub)
        #expect(reader.requests.count == 1, "the manifest lies in the end that was read")
        let opened = try await content.archive()
        await content.close()
        #expect(opened?.isClosed == true && reader.isClosed)
    }

    @Test func `what the storage says is no answer about the format`() async throws {
        let reader = try CountingReader(SampleBook.small(), fault: .lost(from: 0))
        await #expect(throws: URLError.self) { _ = try await sniff(reader) }
        #expect(reader.isClosed)
    }
}
