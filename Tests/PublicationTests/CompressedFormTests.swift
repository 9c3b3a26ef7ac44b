import FileProviderCore
import Foundation
import ProviderDoubles
import Publication
import SampleBooks
import Testing

private let chapter = Data(String(repeating: "The lamp hung on a brass arm above the page. ", count: 300).utf8)

private func noise(_ count: Int) -> Data {
    var numbers = SeededNumbers(seed: 11)
    return numbers.bytes(count)
}

private func fetcher(_ fill: (ZIPBuilder) throws -> Void) async throws -> (
    fetcher: ArchiveFetcher, reader: CountingReader
) {
    let reader = try CountingReader(try ZIPBuilder.data(fill))
    return (ArchiveFetcher(try await ZIPArchive.open(reader)), reader)
}

private func form(of resource: any Resource) async throws -> CompressedForm? {
    try await (resource as? any CompressedResource)?.compressedForm()
}

@Suite struct `The compressed form of a resource` {
    @Test(arguments: [chapter, noise(400_000)])
    func `is the deflate data of its entry, which costs one request`(content: Data) async throws {
        let (fetcher, reader) = try await fetcher { zip in
            try zip.store("before", noise(100_000))
            try zip.add("chapter.xhtml", content)
            try zip.store("after", noise(100_000))
        }
        let opened = reader.requests.count
        let form = try #require(try await form(of: fetcher.get("chapter.xhtml")))
        #expect(reader.requests.count == opened, "what it is costs nothing")
        #expect(form.uncompressedLength == Int64(content.count))
        #expect(form.checksum == Deflate.checksum(content))
        let sink = DataSink(limit: 1 << 20)
        try await form.stream(into: sink)
        #expect(sink.data == Deflate.pack(content))
        #expect(form.length == Int64(sink.data.count))
        #expect(reader.requests.count == opened + 1)
    }

    @Test func `is announced once, and waits for a slow sink`() async throws {
        let content = noise(400_000)
        let (fetcher, _) = try await fetcher { try $0.add("a", content) }
        let sink = ReluctantSink()
        try await form(of: fetcher.get("a"))?.stream(into: sink)
        #expect(sink.data == Deflate.pack(content))
        #expect(sink.begun == 1 && sink.waits > 0)
    }

    @Test func `is missing where the entry is stored, empty or elsewhere`() async throws {
        let (fetcher, _) = try await fetcher { zip in
            try zip.store("stored", chapter)
            try zip.store("empty", Data())
        }
        #expect(try await form(of: fetcher.get("stored")) == nil)
        #expect(try await form(of: fetcher.get("empty")) == nil)
        #expect(try await form(of: fetcher.get("missing")) == nil)
    }

    @Test func `survives routes, and is lost where the bytes are changed`() async throws {
        let (archive, _) = try await fetcher { try $0.add("a.xhtml", chapter) }
        let routed = RoutingFetcher(local: archive, remote: EmptyFetcher())
        #expect(try await form(of: routed.get("a.xhtml")) != nil)
        var injector = HTMLInjector()
        injector.headEnd = [HTMLInjector.style("p { margin: 0 }")]
        let changed = TransformingFetcher(archive, transformer: injector.transformer)
        #expect(try await form(of: changed.get("a.xhtml")) == nil)
    }

    @Test func `fails as reading does`() async throws {
        let (fetcher, reader) = try await fetcher { zip in
            var options = ZIPBuilder.Options()
            options.isEncrypted = true
            try zip.add("locked", chapter, options)
            options = ZIPBuilder.Options()
            options.claimedSize = 4_000_000_000
            try zip.add("bomb", chapter, options)
            try zip.add("good", chapter)
        }
        let opened = reader.requests.count
        await #expect { try await form(of: fetcher.get("locked")) } throws: { $0.resourceFailure == .forbidden }
        await #expect(throws: CocoaError.self) { try await form(of: fetcher.get("bomb")) }
        #expect(reader.requests.count == opened)
        let good = try #require(try await form(of: fetcher.get("good")))
        await fetcher.close()
        await #expect { try await good.stream(into: DiscardingSink()) } throws: { $0.resourceFailure == .unavailable }
        await #expect { try await form(of: fetcher.get("good")) } throws: { $0.resourceFailure == .unavailable }
    }
}
