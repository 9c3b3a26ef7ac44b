import FileProviderCore
import Foundation
import MemoryFileProvider
import Publication
import SampleBooks
import Synchronization
import Testing

private let acsmMediaType = MediaType(
    "application/vnd.adobe.adept+xml", name: "Adobe Content Server Manager", fileExtension: "acsm")

extension MediaType {
    fileprivate static var ACSM: MediaType? { acsmMediaType }
}

/// The final proposal's example of a format that an app adds; what reads has to be waited for.
private func sniffACSM(context: MediaType.SnifferContext) async throws -> MediaType? {
    if context.hasMediaType("application/vnd.adobe.adept+xml") || context.hasFileExtension("acsm") {
        return MediaType.ACSM
    }
    if try await context.contentAsXML?.documentElement?.localName == "fulfillmentToken" { return MediaType.ACSM }
    return nil
}

/// The first proposal's example.
private func sniffAcsm(context: Format.SnifferContext, inspectingContent: Bool) async throws -> Format? {
    guard let type = MediaType("application/vnd.adobe.adept+xml") else { return nil }
    let format = Format(mediaType: type, name: "ACSM", fileExtension: "acsm")
    if context.hasMediaType("application/vnd.adobe.adept+xml") || context.hasFileExtension("acsm") { return format }
    if inspectingContent, try await context.contentAsXML?.documentNode.tag == "fulfillmentToken" { return format }
    return nil
}

private let token = Data("<fulfillmentToken xmlns=\"http://ns.adobe.com/adept\"/>".utf8)

@Suite struct CustomSnifferTests {
    @Test func `the final proposal's example works, shared and case by case`() async throws {
        let provider = MemoryFileProvider()
        let path = try ProviderPath("download")
        try await provider.writeContents(path: path, contents: token)
        #expect(try await MediaType.of(path: path, of: provider) == .xml)
        let found = try await MediaType.of(path: path, of: provider, sniffers: MediaType.sniffers + [sniffACSM])
        #expect(found == .acsm && found?.name == "Adobe Content Server Manager")
        // A list of its own, because the shared one is every test's.
        let list = SnifferList(MediaType.sniffers.all)
        list.add(sniffACSM)
        #expect(try await MediaType.of(bytes: { token }, sniffers: list.all) == .acsm)
    }

    @Test func `the first proposal's example works, too`() async throws {
        let provider = MemoryFileProvider()
        let path = try ProviderPath("download")
        try await provider.writeContents(path: path, contents: token)
        let format = try await Format.guess(path: path, of: provider, sniffers: Format.defaultSniffers + [sniffAcsm])
        #expect(format?.name == "ACSM" && format?.mediaType == .acsm)
        let file = Format.File(path: path, of: provider, formatSniffers: Format.defaultSniffers + [sniffAcsm])
        #expect(try await file.format?.fileExtension == "acsm")
        #expect(try await Format.guess(fileExtensions: ["acsm"])?.mediaType == .acsm)
    }
}

@Suite struct FormatFileTests {
    /// How often content was looked at.
    private final class Looks: Sendable {
        let count = Atomic(0)
    }

    @Test func `a file finds its format out once, and keeps it when it is moved`() async throws {
        let provider = MemoryFileProvider()
        try await provider.writeContents(path: ProviderPath("download"), contents: SampleBook.small())
        try await provider.createFolder(path: ProviderPath("shelf"))
        let looks = Looks()
        let counting: MediaType.Sniffer = { context in
            if context.hasContent { looks.count.add(1, ordering: .relaxed) }
            return nil
        }
        let source = try #require(URL(string: "https://example.org/books/download"))
        let file = Format.File(
            path: try ProviderPath("download"), of: provider, sourceURL: source,
            formatSniffers: [counting] + Format.defaultSniffers.all)
        #expect(looks.count.load(ordering: .relaxed) == 0)
        try await withThrowingTaskGroup(of: Format?.self) { group in
            for _ in 0..<20 { group.addTask { try await file.format } }
            for try await format in group { #expect(format == .epub) }
        }
        #expect(looks.count.load(ordering: .relaxed) == 1)
        let moved = try await file.move(to: ProviderPath("shelf/lamp"))
        #expect(try await moved.format == .epub)
        #expect(looks.count.load(ordering: .relaxed) == 1)
        #expect(moved.sourceURL == source && moved.path.string == "/shelf/lamp")
        #expect(try await provider.attributesOfItem(path: ProviderPath("shelf/lamp")).isRegularFile)
        await #expect(throws: CocoaError.self) { _ = try await file.move(to: ProviderPath("elsewhere")) }
    }

    @Test func `what is not there can be asked for again`() async throws {
        let provider = MemoryFileProvider()
        let file = Format.File(path: try ProviderPath("later"), of: provider)
        await #expect(throws: CocoaError.self) { _ = try await file.format }
        try await provider.writeContents(path: file.path, contents: Data("%PDF-1.4".utf8))
        #expect(try await file.format == .pdf)
    }

    @Test func `the address of a download is a hint`() async throws {
        let file = Format.File(
            path: try ProviderPath("not-there"), of: MemoryFileProvider(),
            sourceURL: URL(string: "https://example.org/a.cbz?x=1"))
        #expect(try await file.format == .cbz)
        let typed = Format.File(
            path: try ProviderPath("not-there"), of: MemoryFileProvider(), mediaTypes: ["application/epub+zip"])
        #expect(try await typed.format == .epub)
    }
}

@Suite struct HTTPResponseSniffingTests {
    private struct Answer: HTTPResponseHead {
        var url: URL?
        var fields: [String: String]

        func value(forHTTPHeaderField field: String) -> String? { fields[field] }
    }

    private let unread: @Sendable () async throws -> Data = { throw CocoaError(.featureUnsupported) }

    @Test(
        arguments: [
            ("attachment; filename=book.cbz", .cbz), ("attachment; filename=\"a; b.cbz\"", .cbz),
            ("inline;FileName = x.cbz ; a=b", .cbz),
            ("attachment; filename*=UTF-8''na%C3%AFve%20plan.cbz; filename=\"x.pdf\"", .cbz),
            ("attachment; filename=\"x.pdf\"; filename*=iso-8859-1'en'%A3%20rates.cbz", .cbz),
            ("attachment; filename*=nonsense; filename=x.cbz", .cbz),
            ("attachment; filename*=UTF-8''bad%; filename=x.cbz", .cbz),
            ("attachment; filename=\"C:\\\\comics\\\\x.cbz\"", .cbz),
            ("attachment; filename=\"../../x.CBZ\"", .cbz), ("filename=x.cbz", .cbz),
            ("attachment; filename=\"x.y\\\"z.cbz\"", .cbz),
            ("attachment", .pdf), ("attachment; filename=book", .pdf), ("attachment; filename=.cbz", .pdf),
            ("attachment; filename=\"\"", .pdf),
            ("attachment; filename=a.cbz/b", .pdf), ("", .pdf),
        ] as [(String, MediaType)])
    func `the suggested name comes before the address`(_ disposition: String, _ expected: MediaType) async throws {
        let answer = Answer(url: URL(string: "https://example.org/x.pdf"), fields: ["Content-Disposition": disposition])
        #expect(try await answer.sniffMediaType(body: unread) == expected)
        #expect(try await answer.guessFormat(body: unread)?.mediaType == expected)
    }

    @Test func `hints are taken in order, and the body last`() async throws {
        let url = URL(string: "https://example.org/x.mp3")
        let typed = Answer(url: url, fields: ["Content-Type": "audio/flac"])
        #expect(try await typed.sniffMediaType(mediaTypes: ["audio/aac"], body: unread) == .flac)
        let general = Answer(url: url, fields: ["Content-Type": "application/octet-stream"])
        #expect(try await general.sniffMediaType(mediaTypes: ["audio/aac"], body: unread) == .aac)
        #expect(try await general.sniffMediaType(fileExtensions: ["aac"], body: unread) == .mp3)
        let bare = Answer(url: nil, fields: [:])
        #expect(try await bare.sniffMediaType(fileExtensions: ["aac"], body: unread) == .aac)
        #expect(try await bare.sniffMediaType { token } == .xml)
        await #expect(throws: CocoaError.self) { _ = try await bare.sniffMediaType(body: unread) }
    }

    @Test func `headers in a dictionary do as well, in any case`() async throws {
        #expect(try await MediaType.of(headers: ["content-TYPE": "application/epub+zip"], body: unread) == .epub)
        let book = try SampleBook.small()
        #expect(try await MediaType.of(headers: ["Content-Type": "application/zip"], body: { book }) == .epub)
    }
}
