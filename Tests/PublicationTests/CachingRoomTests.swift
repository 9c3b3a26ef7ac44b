import FileProviderCore
import Foundation
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

/// An archive's packed entry in zeros that may end before its time.
private final class PackedZeros: Resource {
    let link: Link
    private let claimed: Int64
    private let sent: Int64

    init(_ link: Link, claimed: Int64, sent: Int64) {
        var link = link
        link.properties["archive"] = ["entryLength": 5_000, "isEntryCompressed": true]
        (self.link, self.claimed, self.sent) = (link, claimed, sent)
    }

    func length() async throws -> Int64 { claimed }

    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        let range = (range ?? 0..<claimed).clamped(to: 0..<claimed)
        try sink.begin(FileExtent(offset: range.lowerBound, count: Int64(range.count), size: claimed))
        for start in stride(from: range.lowerBound, to: min(range.upperBound, sent), by: 1 << 20) {
            try await sink.send(Data(count: Int(min(1 << 20, min(range.upperBound, sent) - start))))
        }
        if sent < range.upperBound { throw CountedMedium.lost }
    }
}

/// How much room is made, and when.
@Suite struct `Room in a cache` {
    private static let mebibyte: Int64 = 1 << 20

    private let room: CacheRoom
    private let cache: ResourceCache
    private let kept: CountedMedium

    /// A cache of 48 MiB with three resources of 8 MiB.
    init() async throws {
        room = try CacheRoom()
        cache = room.cache(48 * Self.mebibyte)
        kept = CountedMedium(["0": Data(count: 8 << 20), "1": Data(count: 8 << 20), "2": Data(count: 8 << 20)])
        for href in ["0", "1", "2"] { _ = try await CachingFetcher(kept, cache: cache, scope: "kept").get(href).read() }
        kept.change { $0.isOffline = true }
    }

    private func zeros(claimed: Int64, sent: Int64) -> any Resource {
        CachingFetcher(ProxyFetcher { PackedZeros($0, claimed: claimed, sent: sent) }, cache: cache, scope: "zeros")
            .get("zeros")
    }

    /// Those of the three that are still there.
    private func survivors() async -> [String] {
        var found: [String] = []
        for href in ["0", "1", "2"]
        where await readingFails(CachingFetcher(kept, cache: cache, scope: "kept").get(href)) == nil {
            found.append(href)
        }
        return found
    }

    @Test(arguments: [40, 1 << 10, 1 << 18] as [Int64])
    func `is made for 16 MiB at a time, so that a claim drives nothing out`(claimed: Int64) async throws {
        let resource = zeros(claimed: claimed * Self.mebibyte, sent: 2 * Self.mebibyte)
        let error = await #expect(throws: URLError.self) { try await resource.stream(nil, into: ReluctantSink()) }
        #expect(error?.isUnavailable == true)
        #expect(await survivors() == ["0", "1", "2"])
        #expect(try await cache.usedBytes() <= 27 * Self.mebibyte)
    }

    @Test func `is made as bytes come, so that what is long is kept in place of what is old`() async throws {
        let length = 30 * Self.mebibyte
        #expect(try await zeros(claimed: length, sent: length).read() == Data(count: Int(length)))
        #expect(try await cache.usedBytes() <= cache.capacity)
        #expect(await !survivors().contains("0"))
        // Nothing is sent any more, and all of it is there.
        #expect(try await zeros(claimed: length, sent: 0).read().count == Int(length))
    }
}
