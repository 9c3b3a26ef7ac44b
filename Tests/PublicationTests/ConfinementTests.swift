import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import SampleBooks
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

/// Pitfall 20: nothing outside a fetcher's root is reachable, however it is written.
@Suite struct ConfinementTests {
    private static let files = [
        "/dir/x": "x", "/dir/dir/x": "x further down", "/dir/%2e%2e/x": "a name with percent signs",
        "/dir-other/x": "beside",
        "/dirx": "no folder", "/x": "above", "/secret": "secret",
    ]

    private func fetcher(_ folder: String) async throws -> ProviderFetcher {
        let shelf = try await MemoryShelf(Self.files.mapValues { Data($0.utf8) })
        return ProviderFetcher(shelf.provider, folder: try ProviderPath(folder))
    }

    @Test func `names that begin alike are told apart, and of folders of one name each has its own`() async throws {
        let fetcher = try await fetcher("/dir")
        #expect(try await fetcher.links().map(\.href) == ["%252e%252e/x", "dir/x", "x"])
        #expect(try await fetcher.get("x").readAsString() == "x")
        #expect(try await fetcher.get("dir/x").readAsString() == "x further down")
        for href in ["-other/x", "../dir-other/x", "../dirx", "../dir/x", "dir/dir/x", "/dir-other/x", "dirx"] {
            #expect(await failure(fetcher.get(href)) == .notFound, "\(href)")
        }
        // With the slash of an older form, `/dir/x` is below the root, and not the root's own path.
        #expect(try await fetcher.get("/dir/x").readAsString() == "x further down")
        let deeper = try await self.fetcher("/dir/dir")
        #expect(try await deeper.get("x").readAsString() == "x further down")
        #expect(await failure(deeper.get("dir/x")) == .notFound)
    }

    private static let ways = [
        "../secret", "/../secret", "./../secret", "dir/../../secret", "%2e%2e/secret", "%2E%2e/secret", ".%2e/secret",
        "%2e./secret",
        "%2e%2e%2fsecret", "..%2fsecret", "..%5csecret", "..\\secret", "dir%2f..%2f..%2fsecret", "%252e%252e/secret",
        "%252e%252e%252fsecret",
        "//secret", "///secret", "/dir/../../secret", "..;/secret", "..%00/secret", "%c0%ae%c0%ae/secret", "..?/secret",
        "..#/secret",
        "../secret?x", "../secret#x", "%2e%2e/secret?x#y", "x/../../secret", "....//secret", ".../secret",
    ]

    @Test(arguments: ways)
    func `no way of writing two dots leads out of a folder or an archive`(href: String) async throws {
        let shelf = try await MemoryShelf(Self.files.mapValues { Data($0.utf8) })
        let folder = ProviderFetcher(shelf.provider, folder: try ProviderPath("/dir"))
        #expect(await failure(folder.get(href)) == .notFound)
        let single = ProviderFetcher(shelf.provider, file: try ProviderPath("/dir/x"))
        #expect(await failure(single.get(href)) == .notFound)
        let data = try ZIPBuilder.data { zip in
            for name in ["dir/x", "../secret", "/secret", "dir/../../secret", "..\\secret"] {
                try zip.store(name, Data("secret".utf8))
            }
        }
        let archive = ArchiveFetcher(try await ZIPArchive.open(try CountingReader(data)))
        #expect(await failure(archive.get(href)) == .notFound)
    }

    @Test func `dots that are encoded once more are a name, which may exist`() async throws {
        let fetcher = try await fetcher("/dir")
        #expect(try await fetcher.get("%252e%252e/x").readAsString() == "a name with percent signs")
        #expect(await failure(fetcher.get("%2e%2e/x")) == .notFound)
    }

    @Test func `of routes that overlap the first one answers each time, and alone`() async throws {
        let (first, second) = (
            DictionaryFetcher(["a/b/c": "first"]), DictionaryFetcher(["a/b/c": "second", "a/d": "second"])
        )
        for _ in 0..<20 {
            let fetcher = RoutingFetcher([
                .init(first) { $0.href.hasPrefix("a/b/") }, .init(second) { $0.href.hasPrefix("a/") },
            ])
            #expect(try await fetcher.get("a/b/c").readAsString() == "first")
            #expect(try await fetcher.get("a/d").readAsString() == "second")
            #expect(await failure(fetcher.get("a/b/d")) == .notFound)
        }
        #expect(second.requests.allSatisfy { $0 == "a/d" })
    }
}
