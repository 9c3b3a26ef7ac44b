import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

/// Pitfall 16: what servers call files of which they know nothing.
@Suite struct ServedTypeTests {
    private static let manifest = #"{"metadata":{"title":"x"},"readingOrder":[{"href":"1.mp3","type":"audio/mpeg"}]}"#

    private func sniff(_ data: Data, servedAs type: String, name: String = "book") async throws -> SniffedType? {
        let reader = try CountingReader(data, name: "file", mimeType: type)
        return try await MediaType.sniff(path: ProviderPath(name), of: ReadOnlyProvider(reader))
    }

    @Test(arguments: [
        "application/octet-stream", "binary/octet-stream", "application/x-download", "application/force-download",
        "application/zip",
        "application/x-zip", "application/x-zip-compressed", "multipart/x-zip", "application/json", "application/xml",
        "text/xml",
        "text/plain", "text/plain; charset=UTF-8", "application/x-rar", "application/unknown", "nonsense", "", "*/*",
    ])
    func `a server's word for any file is made finer by what is in it`(type: String) async throws {
        let epub = SniffedType(mediaType: .epub, basis: .content)
        #expect(try await sniff(SampleBook.small(), servedAs: type) == epub)
        #expect(try await sniff(SampleBook.small(), servedAs: type, name: "book.zip") == epub)
        #expect(try await sniff(Data(Self.manifest.utf8), servedAs: type)?.mediaType == .readiumAudiobookManifest)
        #expect(try await sniff(Data("%PDF-1.7\n".utf8), servedAs: type)?.mediaType == .pdf)
        #expect(
            try await sniff(ZIPBuilder.data { try $0.store("1.jpg", Data("x".utf8)) }, servedAs: type)?.mediaType
                == .cbz)
    }

    @Test(arguments: ["application/zip", "text/html", "application/pdf", "image/jpeg", "application/octet-stream"])
    func `a name that says what it is goes before the server's word`(type: String) async throws {
        let found = try await sniff(SampleBook.small(), servedAs: type, name: "book.epub")
        #expect(found == SniffedType(mediaType: .epub, basis: .hint))
    }
}
