import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Synchronization
import Testing

import Archives
import MediaTypes
import Publication
@testable import PublicationCache

private let block = Int(CacheHeader.usualBlock)

@Suite struct `A fetcher with a cache` {
    private let room: CacheRoom
    private let bytes = Data.seeded(5 * block + 777)
    private let medium: CountedMedium

    init() throws {
        room = try CacheRoom()
        medium = CountedMedium(["a.mp3": bytes, "b.txt": Data("short".utf8), "empty": Data()])
    }

    private func fetcher(
        _ cache: ResourceCache? = nil, _ policy: CachingPolicy = CachingPolicy(), scope: String = "book"
    ) -> CachingFetcher {
        CachingFetcher(medium, cache: cache ?? room.cache(), scope: scope, policy: policy)
    }

    private func range(_ start: Int, _ end: Int) -> Range<Int64> { Int64(start)..<Int64(end) }

    @Test func `gives the medium's bytes for ranges of every alignment, from the medium and from disk`() async throws {
        var edges = [
            0, 1, 4096, block - 1, block, block + 1, 3 * block, 3 * block + 5, 5 * block, bytes.count - 1, bytes.count,
        ]
        for pass in 0..<3 {
            let fetcher = fetcher()
            let resource = fetcher.get("a.mp3")
            edges.shuffle()
            for (start, end) in edges.flatMap({ start in edges.map { (start, $0) } }) where start <= end {
                #expect(try await resource.read(range(start, end)) == bytes[start..<end])
            }
            #expect(try await resource.read() == bytes)
            #expect(try await resource.read(range(-5 + bytes.count, bytes.count + 99)) == bytes.suffix(5))
            #expect(try await resource.read(range(bytes.count + 3, bytes.count + 99)).isEmpty)
            #expect(try await resource.read(Int64.max - 9..<Int64.max).isEmpty)
            #expect(try await resource.length() == Int64(bytes.count))
            if pass == 0 { #expect(medium.requests.reduce(0) { $0 + $1.range.count } == bytes.count) }
        }
        // Each byte was asked for once, in all three sessions together.
        #expect(medium.requests.reduce(0) { $0 + $1.range.count } == bytes.count)
    }

    @Test func `keeps nothing of what claims to be too long`() async throws {
        let claiming = ProxyFetcher { ClaimingResource($0) }
        let resource = CachingFetcher(claiming, cache: room.cache(), scope: "claims").get(Link(href: "long"))
        #expect(try await resource.length() == ClaimingResource.claimed)
        for start in [0, 1 << 58] as [Int64] { #expect(try await resource.read(start..<start + 9) == Data(count: 9)) }
        #expect(try room.files().isEmpty)
    }

    @Test func `asks for missing blocks only, and for those that lie together at once`() async throws {
        let resource = fetcher().get("a.mp3")
        _ = try await resource.read(range(2 * block + 9, 2 * block + 10))
        #expect(medium.requests.map(\.range) == [range(2 * block, 3 * block)])
        #expect(try await resource.read() == bytes)
        #expect(medium.requests.map(\.range).dropFirst() == [range(0, 2 * block), range(3 * block, bytes.count)])
    }

    @Test func `reads a small resource with one request and again with none`() async throws {
        for href in ["b.txt", "empty", "/b.txt#part"] {
            let (fetcher, name) = (fetcher(), href.contains("b.txt") ? "b.txt" : href)
            let before = medium.requests.count
            #expect(try await fetcher.get(href).read() == (name == "b.txt" ? Data("short".utf8) : Data()))
            #expect(medium.requests.count - before == (href == "/b.txt#part" ? 0 : 1))
            _ = try await fetcher.get(href).read()
            #expect(medium.requests.count - before == (href == "/b.txt#part" ? 0 : 1))
        }
        #expect(fetcher().get("/b.txt#part").link.href == "/b.txt#part")
    }

    @Test func `asks about the version once in a session, always or never, as the policy says`() async throws {
        _ = try await fetcher().get("b.txt").read()
        for (revalidation, expected) in [(CachingPolicy.Revalidation.firstAccess, 1), (.always, 3), (.never, 0)] {
            let (fetcher, before) = (fetcher(nil, CachingPolicy(revalidation)), medium.questions)
            for _ in 0..<3 { _ = try await fetcher.get("b.txt").read() }
            #expect(medium.questions - before == expected)
        }
        #expect(medium.requests.count == 1)
    }

    @Test func `serves offline what is there, and fails as the medium for the rest`() async throws {
        let first = fetcher()
        #expect(try await first.links().count == 3)
        _ = try await first.get("a.mp3").read(range(0, block))
        await first.close()
        medium.change { $0.isOffline = true }
        let offline = fetcher()
        #expect(try await offline.links().map(\.href) == ["a.mp3", "b.txt", "empty"])
        let resource = offline.get("a.mp3")
        #expect(try await resource.length() == Int64(bytes.count))
        #expect(try await resource.read(range(5, 700)) == bytes[5..<700])
        #expect(await readingFails(resource)?.isUnavailable == true)
        #expect(await readingFails(offline.get("b.txt"))?.isUnavailable == true)
        #expect(try await resource.read(range(0, block)) == bytes[..<block])
        let strict = fetcher(nil, CachingPolicy(servesOffline: false))
        #expect(await readingFails(strict.get("a.mp3"), range: range(5, 700))?.isUnavailable == true)
        await #expect(throws: URLError.self) { try await strict.links() }
        medium.change { $0.isOffline = false }
        #expect(try await resource.read() == bytes)
    }

    @Test func `drops an old version when the medium has another one`() async throws {
        _ = try await fetcher().get("a.mp3").read()
        let other = Data.seeded(bytes.count, seed: 9)
        medium.change { $0.items["a.mp3"] = .init(data: other, tag: "2") }
        let count = medium.requests.count
        #expect(try await fetcher().get("a.mp3").read() == other)
        #expect(medium.requests.dropFirst(count).reduce(0) { $0 + $1.range.count } == other.count)
        // The old one has gone from the disk.
        medium.change { $0.isOffline = true }
        #expect(try await fetcher().get("a.mp3").read() == other)
        #expect(try room.files().count == 1)
    }

    @Test func `never asks about what it holds, and still mixes nothing`() async throws {
        let policy = CachingPolicy(.never)
        _ = try await fetcher().get("a.mp3").read(range(0, block))
        let other = Data.seeded(bytes.count, seed: 9)
        medium.change { $0.items["a.mp3"] = .init(data: other, tag: "2") }
        let resource = fetcher(nil, policy).get("a.mp3")
        #expect(try await resource.read(range(0, 100)) == bytes[..<100])
        #expect(try await resource.read() == other)
        #expect(try await resource.read(range(0, 100)) == other[..<100])
    }

    @Test(arguments: [false, true], [false, true])
    func `fails rather than mix when the medium changes while it is read`(isCareless: Bool, isLate: Bool) async throws {
        let other = Data.seeded(bytes.count, seed: 9)
        medium.change { state in
            state.isCareless = isCareless
            state.afterPiece = { [medium] piece in
                guard piece == (isLate ? 10 : 3) else { return }
                medium.change { $0.items["a.mp3"] = .init(data: other, tag: "2") }
            }
        }
        let fetcher = fetcher()
        let error = await readingFails(fetcher.get("a.mp3"))
        #expect(error != nil && error?.isUnavailable == false)
        medium.change { $0.afterPiece = nil }
        #expect(try await fetcher.get("a.mp3").read() == other)
        medium.change { $0.isOffline = true }
        #expect(try await self.fetcher().get("a.mp3").read() == other)
    }

    @Test func `does not go on with a part whose version nobody can tell`() async throws {
        let other = Data.seeded(bytes.count, seed: 9)
        medium.change { $0.items["a.mp3"] = .init(data: bytes, tag: nil) }
        _ = try await fetcher().get("a.mp3").read(range(0, block))
        medium.change { $0.items["a.mp3"] = .init(data: other, tag: nil) }
        let fetcher = fetcher()
        #expect(try await fetcher.get("a.mp3").read(range(2 * block, 3 * block)) == other[2 * block..<3 * block])
        #expect(try await fetcher.get("a.mp3").read() == other)
        // A whole one of the right length is good.
        let count = medium.requests.count
        #expect(try await self.fetcher().get("a.mp3").read() == other)
        #expect(medium.requests.count == count)
    }

    @Test func `forgets what the medium no longer has`() async throws {
        _ = try await fetcher().get("b.txt").read()
        medium.change { $0.items["b.txt"] = nil }
        #expect(await failure(fetcher().get("b.txt")) == .notFound)
        #expect(try room.files().isEmpty)
    }

    @Test func `asks once for what many read at the same time`() async throws {
        let fetcher = fetcher()
        _ = try await fetcher.get("a.mp3").read(range(0, 1))
        medium.change { $0.afterPiece = { _ in await Task.yield() } }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<40 {
                let range = range(index * block / 9, index % 3 == 0 ? bytes.count : index * block / 9 + 1000)
                let expected = bytes[Int(range.lowerBound)..<Int(range.upperBound)]
                group.addTask { try await fetcher.get("a.mp3").read(range) == expected }
            }
            for try await isRight in group { #expect(isRight) }
        }
        #expect(medium.requests.reduce(0) { $0 + $1.range.count } == bytes.count)
        #expect(medium.questions <= 50)
    }

    @Test func `keeps what came before a reader was cancelled, and stops asking`() async throws {
        let fetcher = fetcher()
        _ = try await fetcher.get("a.mp3").read(range(0, 1))
        let (reached, never) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        medium.change { state in
            state.afterPiece = { piece in
                guard piece == 8 else { return }
                reached.continuation.yield()
                // Ends when the request is cancelled.
                for await _ in never.stream {}
            }
        }
        let task = Task { try await fetcher.get("a.mp3").read() }
        for await _ in reached.stream { break }
        task.cancel()
        await #expect { try await task.value } throws: { $0.isCancellation && $0.resourceFailure == .other }
        medium.change { $0.afterPiece = nil }
        let count = medium.requests.count
        #expect(try await self.fetcher().get("a.mp3").read() == bytes)
        // Nine pieces of 100,003 bytes behind the first block had come: three whole blocks.
        #expect(medium.requests.dropFirst(count).map(\.range) == [range(4 * block, bytes.count)])
    }

    @Test func `is unavailable once it is closed, and closes the medium`() async throws {
        let fetcher = fetcher()
        let resource = fetcher.get("b.txt")
        _ = try await resource.read()
        await fetcher.close()
        #expect(medium.state.withLock { $0.isClosed })
        #expect(await readingFails(resource)?.isUnavailable == true)
        #expect(await readingFails(fetcher.get("b.txt"))?.isUnavailable == true)
    }

    @Test func `shows in the tree with what is behind it`() {
        #expect(fetcher().tree == "CachingFetcher\n  behind the cache: CountedMedium")
    }

    @Test func `keeps publications apart and tells nothing by names`() async throws {
        let cache = room.cache()
        _ = try await fetcher(cache, scope: "https://user:secret@example.com/a").get("b.txt").read()
        medium.change { $0.items["b.txt"]?.data = Data("other".utf8) }
        #expect(try await fetcher(cache, scope: "https://example.com/b").get("b.txt").readAsString() == "other")
        #expect(try room.files().count == 2)
        for file in try room.all() {
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == (file.hasDirectoryPath ? 0o700 : 0o600))
            #expect(!file.path.contains("b.txt") && !file.path.contains("example"))
            if !file.hasDirectoryPath { #expect(try Data(contentsOf: file).range(of: Data("secret".utf8)) == nil) }
        }
    }

    @Test func `goes past the cache where a resource is not as long as it says`() async throws {
        let lying = ProxyFetcher { LyingResource($0) }
        let fetcher = CachingFetcher(lying, cache: room.cache(), scope: "x")
        #expect(try await fetcher.get("a").read() == Data("four".utf8))
        #expect(try await fetcher.get("a").read(1..<3) == Data("ou".utf8))
    }

    @Test func `compares an archive entry's checksum as the archive does`() async throws {
        let data = try ZIPBuilder.data { zip in
            var options = ZIPBuilder.Options()
            options.claimedChecksum = 3
            try zip.add("damaged", Data.seeded(600_000), options)
            try zip.deflate("good", bytes.base64EncodedString())
        }
        for _ in 0..<2 {
            let archive = ArchiveFetcher(try await ZIPArchive.open(try CountingReader(data)))
            let fetcher = CachingFetcher(archive, cache: room.cache(), scope: "zip")
            #expect(await failure(fetcher.get("damaged")) == .other)
            let good = Data(bytes.base64EncodedString().utf8)
            #expect(try await fetcher.get("good").read() == good)
            #expect(try await fetcher.get("good").read(range(block, block + 9)) == good[block..<block + 9])
        }
    }
}

/// Says that it has ten bytes, and has four.
private final class LyingResource: Resource {
    let link: Link
    init(_ link: Link) { self.link = link }
    func length() async throws -> Int64 { 10 }
    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        try await BytesResource(link, string: "four").stream(range, into: sink)
    }
}

/// Claims more zeros than a cache keeps.
private final class ClaimingResource: Resource {
    static let claimed: Int64 = 1 << 59
    let link: Link

    init(_ link: Link) { self.link = link }

    func length() async throws -> Int64 { Self.claimed }

    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        let range = (range ?? 0..<9).clamped(to: 0..<Self.claimed)
        let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: Self.claimed)
        try await sink.take(Data(count: range.count), extent: extent)
    }
}
