import Carrel
import Foundation
import Testing

/// The names of Readium's composite fetcher proposal: those that are kept compile here as they are called there.
///
/// `FileFetcher` is `ProviderFetcher`, for files of any provider; `Resource.Transformer` is `ResourceTransformer`, and
/// `Resource.Error` the errors of the storage with `resourceFailure`, which has the proposal's five cases.
@Suite struct KeptNamesOfFetchersTests {
    private func resources(_ texts: [String: String]) -> ProxyFetcher {
        ProxyFetcher { link -> any Resource in
            if let text = texts[link.href] { return BytesResource(link, string: text) }
            return FailureResource(link, error: FileError.make(.fileReadNoSuchFile, path: link.href))
        }
    }

    @Test func `a resource`() async throws {
        let fetcher: any Fetcher = resources(["a.txt": "hello"])
        #expect(try await fetcher.links().isEmpty)
        let resource: any Resource = fetcher.get(Link(href: "a.txt"))
        let link: Link = resource.link
        #expect(link.href == "a.txt")
        #expect(try await resource.length() == 5)
        #expect(try await resource.read() == Data("hello".utf8))
        #expect(try await resource.read(1..<3) == Data("el".utf8))
        #expect(try await resource.readAsString() == "hello")
        #expect(try await resource.readAsString(encoding: .utf8) == "hello")
        await resource.close()
        await fetcher.close()
    }

    @Test func `kinds of failures`() async {
        let kinds: [ResourceFailure] = [.badRequest, .notFound, .forbidden, .unavailable, .other]
        #expect(Set(kinds).count == 5)
        await #expect { try await self.resources([:]).get("b.txt").read() } throws: { $0.resourceFailure == .notFound }
    }

    @Test func `leaf fetchers`() async throws {
        let provider = MemoryFileProvider()
        try await provider.createFolder(path: ProviderPath("a"))
        try await provider.writeContents(path: ProviderPath("a/b.txt"), contents: Data("b".utf8))
        let files = ProviderFetcher(provider, folder: .root)
        #expect(try await files.links().map(\.href) == ["a/b.txt"])
        #expect(try await files.get("a/b.txt").readAsString() == "b")
        let archive = ArchiveFetcher(try await FolderArchive.open(provider, path: .root))
        #expect(try await archive.links().map(\.href) == ["a/b.txt"])
        let web = HTTPFetcher(baseURL: URL(string: "https://example.org/"), registry: ProviderRegistry())
        #expect(try await web.links().isEmpty)
        #expect(try await ProxyFetcher(string: { $0.href }).get("x").readAsString() == "x")
        let fetchers: [any Fetcher] = [files, archive, web, EmptyFetcher()]
        for fetcher in fetchers { await fetcher.close() }
    }

    @Test func `composite fetchers`() async throws {
        let route = RoutingFetcher.Route(resources(["a": "1"]), accepts: { $0.href == "a" })
        #expect(route.accepts(Link(href: "a")) && route.fetcher is ProxyFetcher)
        let routing = RoutingFetcher([route, RoutingFetcher.Route(resources(["b": "2"]))])
        #expect(try await routing.get("a").readAsString() == "1")
        #expect(try await routing.get("b").readAsString() == "2")
        let inOut = RoutingFetcher(local: resources(["a": "in"]), remote: resources(["https://h/a": "out"]))
        #expect(try await inOut.get("https://h/a").readAsString() == "out")
        let transformer: ResourceTransformer = { BytesResource($0.link, string: "changed") }
        #expect(try await TransformingFetcher(routing, transformer: transformer).get("a").readAsString() == "changed")
        #expect(try await TransformingFetcher(routing, transformers: []).get("a").readAsString() == "1")
        let cache = ResourceCache(
            folder: FileManager.default.temporaryDirectory.appending(path: "carrel-none"), capacity: 1 << 20)
        let caching: any Fetcher = CachingFetcher(routing, cache: cache, scope: "x")
        #expect(caching.children.count == 1)
    }

    @Test func `the publication in front of them`() async throws {
        let manifest = try Manifest(
            jsonString: #"{"metadata": {"title": "T"}, "readingOrder": [{"href": "a", "type": "text/plain"}]}"#)
        let publication = Publication(manifest: manifest, fetcher: resources(["a": "1"]))
        #expect(try await publication.get("a").readAsString() == "1")
        let changed = publication.copy { manifest, fetcher in
            manifest.metadata.title = "U"
            fetcher = TransformingFetcher(fetcher, transformer: { BytesResource($0.link, string: "2") })
        }
        #expect(try await changed.get(changed.readingOrder[0]).readAsString() == "2")
        #expect(changed.metadata.title.string == "U")
        await publication.close()
    }
}
