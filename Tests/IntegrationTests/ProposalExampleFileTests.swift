import Carrel
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

/// The examples of Readium's media type proposals that have a path of this machine.
@Suite struct ProposalExampleFileTests {
    private static let acsm = MediaType(
        "application/vnd.adobe.adept+xml", name: "Adobe Content Server Manager", fileExtension: "acsm")

    private func withFile(_ name: String, _ content: Data, _ body: (String) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: name)
        try content.write(to: file)
        try await body(file.path)
    }

    @Test(arguments: ["application/epub+zip", nil])
    func `sniffing the media type of a file`(known: String?) async throws {
        try await withFile("lamp", SampleBook.small()) { path in
            let mediaType = try await MediaType.of(
                path: path,
                mediaTypes: [known]
            )
            #expect(mediaType == .epub)
        }
    }

    @Test func `supporting a custom media type`() async throws {
        let sniffACSM: MediaType.Sniffer = { context in
            try await context.contentAsXML?.documentElement?.localName == "fulfillmentToken" ? Self.acsm : nil
        }
        try await withFile("download", Data("<fulfillmentToken xmlns=\"http://ns.adobe.com/adept\"/>".utf8)) {
            acsmPath in
            let mediaType = try await MediaType.of(path: acsmPath, sniffers: MediaType.sniffers + [sniffACSM])
            #expect(mediaType == Self.acsm && mediaType?.name == "Adobe Content Server Manager")
            let format = try await Format.guess(path: acsmPath, sniffers: MediaType.sniffers + [sniffACSM])
            #expect(format?.fileExtension == "acsm")
        }
    }

    @Test func `a book of this machine is opened by its path, and by its URL`() async throws {
        try await withFile("a lamp%.epub", SampleBook.small()) { path in
            let registry = try ProviderRegistry.withBuiltInProviders()
            for book in [
                try await Publication.open(path),
                try await Publication.open(URL(fileURLWithPath: path), registry: registry),
            ] {
                #expect(book.metadata.title.string == SampleBook.title)
                #expect(try await book.cover()?.mediaType == "image/svg+xml")
                await book.close()
            }
        }
        await #expect { try await Publication.open("/no such folder/a.epub") } throws: { $0.isNoSuchFile }
    }

    @Test func `importing a new publication in the bookshelf from a local file`() async throws {
        try await withFile("lamp", SampleBook.small()) { localPath in
            let file = try Format.File(path: localPath)
            let publication = try await Publication.open(file)
            #expect(publication.metadata.title.string == SampleBook.title)
            #expect(try await file.format?.mediaType.string == "application/epub+zip")
            await publication.close()
        }
    }
}
