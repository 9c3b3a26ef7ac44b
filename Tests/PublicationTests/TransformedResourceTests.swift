import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

/// Pitfall 24: a transformer may change the length, and what the medium knew of the bytes before holds no more.
@Suite struct TransformedResourceTests {
    private static let chapter =
        "<html><head></head><body>\(String(repeating: "It was warm. ", count: 40_000))</body></html>"
    private static let style = "<style>p { color: red }</style>"
    private static let changed = chapter.replacing("</head>", with: style + "</head>")

    private func fetcher() async throws -> any Fetcher {
        let data = try ZIPBuilder.data { try $0.deflate("a.xhtml", Self.chapter) }
        var injector = HTMLInjector()
        injector.headEnd = [Self.style]
        return TransformingFetcher(
            ArchiveFetcher(try await ZIPArchive.open(try CountingReader(data))), transformer: injector.transformer)
    }

    private func check(_ resource: any Resource) async throws {
        let length = Int64(Self.changed.utf8.count)
        #expect(length > Int64(Self.chapter.utf8.count))
        #expect(resource.link.size == nil || resource.link.size == length)
        #expect(try await resource.length() == length)
        #expect(try await resource.read() == Data(Self.changed.utf8))
        #expect(try await resource.read(length - 7..<length + 9) == Data("</html>".utf8))
        #expect(try await resource.read(12..<25) == Data(Self.changed.utf8)[12..<25])
        // Nothing tells whether the transformer is still the same, so the archive's version is not passed on.
        #expect(try await resource.validator() == nil)
    }

    @Test func `lengths, ranges and versions are those of the changed bytes`() async throws {
        try await check(fetcher().get("a.xhtml"))
    }

    @Test func `a cache in front of a transformer keeps the changed bytes, and gives them again`() async throws {
        let room = try CacheRoom()
        for _ in 0..<2 { try await check(CachingFetcher(fetcher(), cache: room.cache(), scope: "book").get("a.xhtml")) }
        #expect(try room.files().count == 1)
    }

    @Test func `a transformer in front of a cache changes what is kept`() async throws {
        let room = try CacheRoom()
        var injector = HTMLInjector()
        injector.headEnd = [Self.style]
        for _ in 0..<2 {
            let data = try ZIPBuilder.data { try $0.deflate("a.xhtml", Self.chapter) }
            let archive = ArchiveFetcher(try await ZIPArchive.open(try CountingReader(data)))
            let cached = CachingFetcher(archive, cache: room.cache(), scope: "book")
            try await check(TransformingFetcher(cached, transformer: injector.transformer).get("a.xhtml"))
            #expect(try await cached.get("a.xhtml").readAsString() == Self.chapter)
        }
    }
}
