import FileProviderCore
import Foundation
import Synchronization
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

/// One that counts how often it is closed.
private final class ClosingFetcher: Fetcher {
    let closings = Mutex(0)

    func links() async throws -> [Link] { [Link(href: "a")] }

    func get(_ link: Link) -> any Resource { BytesResource(link, string: link.href) }

    func close() async { closings.withLock { $0 += 1 } }
}

@Suite struct RoutingFetcherTests {
    @Test func `the first route that accepts a link answers`() async throws {
        let fetcher = RoutingFetcher([
            .init(DictionaryFetcher(["a": "one"])) { $0.href == "a" },
            .init(DictionaryFetcher(["a": "two", "b": "two"])),
        ])
        #expect(try await fetcher.get("a").readAsString() == "one")
        #expect(try await fetcher.get("b").readAsString() == "two")
        #expect(try await fetcher.links().map(\.href) == ["a", "a", "b"])
    }

    /// Pitfall 23: no route is a resource that is not there, and every child is closed, once.
    @Test func `without a route nothing is there, and each fetcher is closed once`() async throws {
        let child = ClosingFetcher()
        let fetcher = RoutingFetcher([.init(child) { $0.href == "a" }, .init(child) { $0.href == "b" }])
        await #expect { try await fetcher.get("c").read() } throws: { $0.resourceFailure == .notFound }
        await #expect { try await fetcher.get("c").length() } throws: { $0.resourceFailure == .notFound }
        await fetcher.close()
        #expect(child.closings.withLock { $0 } == 1)
    }

    /// Pitfall 22: what lies in the publication has a relative address here, with or without a slash in front.
    @Test(arguments: [
        ("a/b.xhtml", false), ("/a/b.xhtml", false), ("a%3Ab.xhtml", false), ("a/b:c.xhtml", false), ("#x", false),
        ("?q=a:b", false),
        ("https://example.org/a", true), ("HTTP://example.org", true), ("//example.org/a", true),
        ("data:text/plain,a", true), ("", false),
        ("1:a", false),
    ])
    func `an address with a scheme or an authority leads elsewhere`(_ href: String, _ isRemote: Bool) async throws {
        let fetcher = RoutingFetcher(
            local: ProxyFetcher(string: { _ in "here" }), remote: ProxyFetcher(string: { _ in "elsewhere" }))
        #expect(try await fetcher.get(href).readAsString() == (isRemote ? "elsewhere" : "here"))
    }

    @Test func `what is going to be read is told to the routes that have it`() async throws {
        let (local, remote) = (RecordingFetcher(["a": "1"]), RecordingFetcher(["https://example.org/b": "2"]))
        let fetcher = RoutingFetcher(local: local, remote: remote)
        try await fetcher.prefetch(hrefs: ["a", "https://example.org/b", "c"])
        #expect(local.prefetches == [["a", "c"]])
        #expect(remote.prefetches == [["https://example.org/b"]])
    }
}

@Suite struct TransformingFetcherTests {
    @Test func `transformers are applied in order, and may leave a resource as it is`() async throws {
        let fetcher = TransformingFetcher(
            DictionaryFetcher(["a": "x", "b": "x"]),
            transformers: [
                { $0.link.href == "a" ? BytesResource($0.link, string: "first") : $0 },
                { $0 is BytesResource && $0.link.href == "a" ? BytesResource($0.link, string: "second") : $0 },
            ])
        #expect(try await fetcher.get("a").readAsString() == "second")
        #expect(try await fetcher.get("b").readAsString() == "x")
        #expect(try await fetcher.links().count == 2)
    }

    @Test func `closing and looking ahead go through`() async throws {
        let (child, recording) = (ClosingFetcher(), RecordingFetcher(["a": "1"]))
        await TransformingFetcher(child, transformer: { $0 }).close()
        #expect(child.closings.withLock { $0 } == 1)
        try await TransformingFetcher(recording, transformer: { $0 }).prefetch(hrefs: ["a"])
        #expect(recording.prefetches == [["a"]])
    }
}

@Suite struct HTTPFetcherTests {
    /// Pitfall 20: a book must not reach into the files of who reads it.
    @Test(arguments: ["file:///etc/passwd", "sftp://host/a", "a/b", "", "ftp://host/a", "javascript:alert(1)"])
    func `only addresses of web servers are asked for`(_ href: String) async throws {
        await #expect { try await HTTPFetcher(registry: ProviderRegistry()).get(href).read() } throws: {
            $0.resourceFailure == .badRequest && $0.sentence.contains("not an http or https address")
        }
    }

    @Test(arguments: ["http://127.0.0.1:8080/a", "http://localhost/a", "https://[::1]/a", "https://nas.local/a"])
    func `a book that others read reaches no private host`(_ href: String) async throws {
        let fetcher = HTTPFetcher(registry: ProviderRegistry(), refusesPrivateHosts: true)
        await #expect { try await fetcher.get(href).read() } throws: {
            $0.resourceFailure == .forbidden && $0.sentence.contains("private network")
        }
        // Only the registry refuses it, which has no provider.
        await #expect { try await HTTPFetcher(registry: ProviderRegistry()).get(href).read() } throws: {
            $0.resourceFailure != .forbidden
        }
    }

    @Test func `relative addresses count from the base`() async throws {
        let registry = ProviderRegistry()
        let asked = Mutex<[String]>([])
        let refuse: ProviderRegistration.Connect = { url, _ in
            asked.withLock { $0.append(url.absoluteString) }
            throw FileError.make(.fileReadNoSuchFile, path: url.path)
        }
        try registry.register(ProviderRegistration(type: "web", schemes: ["https"], connect: refuse))
        let fetcher = HTTPFetcher(baseURL: URL(string: "https://example.org/books/manifest.json"), registry: registry)
        for href in ["a.mp3", "/b.mp3", "https://example.com/c"] {
            await #expect { try await fetcher.get(href).read() } throws: { $0.resourceFailure == .notFound }
        }
        #expect(
            asked.withLock { $0 } == [
                "https://example.org/books/a.mp3", "https://example.org/b.mp3", "https://example.com/c",
            ])
    }
}

@Suite struct FetcherTreeTests {
    @Test func `a tree is printed with what each branch is for`() {
        let fetcher = RoutingFetcher(
            local: TransformingFetcher(EmptyFetcher(), label: "decryption", transformer: { $0 }), remote: EmptyFetcher()
        )
        #expect(
            fetcher.tree == """
                RoutingFetcher
                  in the publication: TransformingFetcher
                    decryption: EmptyFetcher
                  elsewhere: EmptyFetcher
                """)
    }
}
