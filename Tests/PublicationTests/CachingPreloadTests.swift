import FileProviderCore
import Foundation
import SampleBooks
import Synchronization
import Testing

import Archives
import MediaTypes
import Publication
@testable import PublicationCache

private let block = Int(CacheHeader.usualBlock)

@Suite struct `Preloading into a cache` {
    private let room: CacheRoom
    private let medium: CountedMedium
    private let total: Int64
    private let links: [Link]

    init() throws {
        room = try CacheRoom()
        var items: [String: Data] = [:]
        for index in 0..<9 { items["\(index).mp3"] = Data.seeded(index * block / 2 + 17, seed: UInt64(index + 1)) }
        medium = CountedMedium(items)
        total = Int64(items.values.reduce(0) { $0 + $1.count })
        links = items.keys.sorted().map { Link(href: $0) }
    }

    private func fetcher() -> CachingFetcher { CachingFetcher(medium, cache: room.cache(), scope: "book") }

    private func publication(_ links: [Link]) -> Publication {
        var manifest = Manifest(metadata: Metadata(title: "Book"))
        manifest.readingOrder = links
        return Publication(manifest: manifest)
    }

    /// What the cache has without the medium.
    private func keptBytes() async -> Int64 {
        medium.change { $0.isOffline = true }
        defer { medium.change { $0.isOffline = false } }
        let offline = fetcher()
        var kept: Int64 = 0
        for (name, item) in medium.state.withLock({ $0.items }) {
            for start in stride(from: 0, to: item.data.count, by: block) {
                let range = Int64(start)..<Int64(min(start + block, item.data.count))
                if await readingFails(offline.get(name), range: range) == nil { kept += Int64(range.count) }
            }
        }
        return kept
    }

    @Test(arguments: [nil, 5, 4_000_000, .max] as [Int64?])
    func `loads everything, counts all bytes, and then needs nobody`(claimed: Int64?) async throws {
        let progress = ProgressReporter()
        var links = links
        for index in links.indices { links[index].size = claimed }
        // The same resource in other words counts once.
        links.append(Link(href: "/3.mp3#t=10"))
        try await fetcher().preload(publication(links), progress: progress)
        #expect(progress.completed == total)
        #expect(progress.total == total)
        #expect(medium.requests.reduce(0) { $0 + $1.range.count } == Int(total))
        medium.change { $0.isOffline = true }
        let offline = fetcher()
        for (name, item) in medium.state.withLock({ $0.items }) {
            #expect(try await offline.get(name).read() == item.data)
        }
        #expect(try await offline.links().count == 9)
        #expect(try await room.cache().isPinned(scope: "book"))
    }

    @Test func `a publication preloads itself, and its cache is reached`() async throws {
        let book = publication(links).copy { _, fetcher in
            fetcher = TransformingFetcher(
                RoutingFetcher(local: self.fetcher(), remote: EmptyFetcher()), label: "changed", transformers: [])
        }
        let seen = CollectedValues<Publication.PreloadProgress>()
        try await book.preload { seen.append($0) }
        #expect(seen.values.last == Publication.PreloadProgress(completed: total, total: total))
        #expect(seen.values.last?.fractionCompleted == 1)
        let fractions = seen.values.map(\.fractionCompleted)
        #expect(fractions == fractions.sorted() && fractions.count <= 1001, "\(fractions)")
        #expect(seen.values.allSatisfy { $0.total == total && (0...1).contains($0.fractionCompleted) })
        let cache = try #require(book.cachingFetcher)
        #expect(cache.scope == "book" && book.fetcher(of: EmptyFetcher.self) != nil)
        #expect(book.fetcher(of: ArchiveFetcher.self) == nil)
        #expect(try await room.cache().isPinned(scope: "book"))
        try await cache.unpin()
        #expect(try await !room.cache().isPinned(scope: "book"))
    }

    @Test func `a publication without a cache says so`() async throws {
        await #expect { try await publication(links).preload() } throws: {
            ($0 as? CocoaError)?.code == .featureUnsupported
                && $0.sentence.contains("“Book” was opened without a cache")
        }
    }

    @Test func `goes on where it was stopped`() async throws {
        let (reached, never) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        medium.change { state in
            state.afterPiece = { piece in
                guard piece == 5 else { return }
                reached.continuation.yield()
                for await _ in never.stream {}
            }
        }
        let ended = AsyncStream<(any Error)?>.makeStream()
        let progress = fetcher().preload(links) { ended.continuation.yield($0) }
        for await _ in reached.stream { break }
        progress.cancel()
        for await error in ended.stream {
            #expect((error as? CocoaError)?.code == .userCancelled)
            break
        }
        medium.change { $0.afterPiece = nil }
        let kept = await keptBytes()
        #expect(kept > 0 && kept < total)
        let before = medium.requests.count
        try await fetcher().preload(links)
        #expect(medium.requests.dropFirst(before).reduce(0) { $0 + $1.range.count } == Int(total - kept))
        let count = medium.requests.count
        let done = ProgressReporter()
        try await fetcher().preload(links, progress: done)
        #expect(medium.requests.count == count)
        #expect(done.completed == total && done.total == total)
    }

    @Test func `tells Foundation's Progress`() async throws {
        let ended = AsyncStream<(any Error)?>.makeStream()
        let progress = fetcher().preload(links) { ended.continuation.yield($0) }
        for await error in ended.stream {
            #expect(error == nil)
            break
        }
        #expect(progress.completedUnitCount == total && progress.totalUnitCount == total)
        #expect(progress.fractionCompleted == 1 && progress.kind == .file)
    }

    @Test func `of a whole publication tells Foundation's Progress in one call`() async throws {
        var cover = Link(href: "0.mp3")
        cover.alternates = [Link(href: "1.mp3")]
        var manifest = Manifest(metadata: Metadata(title: "Book"))
        (manifest.readingOrder, manifest.resources) = (Array(links[2...]), [cover])
        let ended = AsyncStream<(any Error)?>.makeStream()
        let progress = fetcher().preload(Publication(manifest: manifest)) { ended.continuation.yield($0) }
        for await error in ended.stream {
            #expect(error == nil)
            break
        }
        #expect(
            progress.completedUnitCount == total && progress.totalUnitCount == total && progress.fractionCompleted == 1)
        #expect(await keptBytes() == total)
        medium.change { $0.isOffline = true }
        #expect(try await fetcher().links().count == 9)
    }

    @Test func `loads the rest where one cannot be loaded, and says which`() async throws {
        let missing = [Link(href: "gone"), Link(href: "away")]
        await #expect {
            try await fetcher().preload(missing + links)
        } throws: { error in
            error.itemErrors.count == 2 && error.itemErrors.allSatisfy { $0.isNoSuchFile }
                && error.sentence.contains("2 items")
        }
        await #expect { try await fetcher().preload(missing.dropLast() + links) } throws: { $0.isNoSuchFile }
        #expect(medium.requests.reduce(0) { $0 + $1.range.count } == Int(total))
    }

    @Test func `adds up what many links claim, however much it is`() async throws {
        var links = (0..<9_000).map { Link(href: "gone/\($0)") }
        for index in links.indices { links[index].size = .max }
        let progress = ProgressReporter()
        let wanted = links
        medium.change { $0.isOffline = true }
        await #expect {
            try await fetcher().preload(wanted, progress: progress)
        } throws: { error in
            !error.itemErrors.isEmpty && error.itemErrors.allSatisfy(\.isTransient)
        }
        #expect(progress.completed == 0)
    }

    @Test func `loads no more than four at once`() async throws {
        let running = Mutex((now: 0, peak: 0))
        let medium = medium
        let counted = ProxyFetcher { link in
            GuardedResource(medium.get(link)) { change in
                running.withLock { running in
                    running.now += change
                    running.peak = max(running.peak, running.now)
                }
            }
        }
        try await CachingFetcher(counted, cache: room.cache(), scope: "x").preload(links)
        #expect(running.withLock { $0.peak } <= 4)
        #expect(running.withLock { $0.now } == 0)
    }
}

/// Tells when a read begins and ends.
private final class GuardedResource: Resource {
    let link: Link
    private let base: any Resource
    private let tell: @Sendable (Int) -> Void

    init(_ base: any Resource, _ tell: @escaping @Sendable (Int) -> Void) {
        (link, self.base, self.tell) = (base.link, base, tell)
    }

    func length() async throws -> Int64 { try await base.length() }

    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        tell(1)
        defer { tell(-1) }
        try await base.stream(range, into: sink)
    }
}
