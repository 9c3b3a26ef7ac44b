import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Synchronization
import Testing

@testable import Archives
import MediaTypes
import Publication
import PublicationCache

/// Random ranges of the mixed content, most of them small.
private func someRanges(_ count: Int, seed: UInt64) -> [Range<Int64>] {
    var numbers = SeededNumbers(seed: seed)
    return (0..<count).map { index in
        let length = Int64(numbers.next() % (index % 10 == 0 ? 1_500_000 : 9_000)) + 1
        let start = Int64(numbers.next() % UInt64(mixedContent.count))
        return start..<min(start + length, Int64(mixedContent.count))
    }
}

private func expected(_ range: Range<Int64>) -> Data { mixedContent[Int(range.lowerBound)..<Int(range.upperBound)] }

/// Pitfall 33: a CRC can be checked on whole reads only. What a part starts from is checked by other means.
@Suite struct `Random access in deflated entries` {
    @Test func `a small read near the end costs all before it once, then 1.1 MiB and two requests at most`()
        async throws
    {
        let store = MemoryCheckpoints()
        let (archive, entry, reader) = try await openMixed(store: store)
        let start = entry.uncompressedSize * 9 / 10
        #expect(try await archive.read(entry, range: start..<start + 4_096) == expected(start..<start + 4_096))
        #expect(reader.bytes > entry.compressedSize * 8 / 10, "the way there was not known")
        await archive.close()
        #expect(reader.isClosed && store.saves > 0)

        let (again, sameEntry, secondReader) = try await openMixed(store: store)
        for location in [start, start - 3 << 20, start / 2, 1 << 20, start - 700_000] {
            let before = (secondReader.requests.count, secondReader.bytes)
            #expect(
                try await again.read(sameEntry, range: location..<location + 4_096)
                    == expected(location..<location + 4_096))
            #expect(secondReader.requests.count - before.0 <= 2)
            #expect(secondReader.bytes - before.1 <= 1_153_434)
        }
    }

    @Test func `places that were passed once are known to the next read of the same opening`() async throws {
        let (archive, entry, reader) = try await openMixed()
        let sink = ReluctantSink()
        try await archive.stream(entry, into: sink)
        #expect(sink.data == mixedContent)
        let far = stride(from: Int64(100), to: entry.uncompressedSize - 5_000, by: 2_345_678)
        for location in Array(far) + stride(from: 900_000, to: entry.uncompressedSize - 5_000, by: 790_000) {
            let before = (reader.requests.count, reader.bytes)
            #expect(
                try await archive.read(entry, range: location..<location + 4_096)
                    == expected(location..<location + 4_096))
            #expect(reader.requests.count - before.0 <= 1 && reader.bytes - before.1 <= 1_153_434)
        }
    }

    @Test(arguments: [false, true])
    func `hundreds of ranges have the bytes of the original`(hasStore: Bool) async throws {
        let store = hasStore ? MemoryCheckpoints() : nil
        for seed: UInt64 in 1...2 {
            let (archive, entry, _) = try await openMixed(store: store)
            for range in someRanges(150, seed: seed) {
                let part = try await archive.read(entry, range: range)
                #expect(part == expected(range), "\(range)")
            }
            #expect(try await archive.read(entry) == mixedContent)
            await archive.close()
        }
        #expect(store?.data.count ?? 1 == 1, "the small entry has nothing to keep")
    }

    @Test func `reading piece by piece neither downloads nor unpacks anything twice`() async throws {
        let (archive, entry, reader) = try await openMixed()
        for start in stride(from: Int64(0), to: entry.uncompressedSize, by: 256 << 10) {
            let range = start..<min(start + 256 << 10, entry.uncompressedSize)
            #expect(try await archive.read(entry, range: range) == expected(range))
        }
        let data = reader.bytes - 65_536
        #expect(data <= entry.compressedSize * 21 / 20, "\(data) of \(entry.compressedSize)")
        #expect(reader.requests.count <= 32, "for 97 pieces")
    }

    /// Pitfall 26: readers at once share no position.
    @Test func `32 readers at once get what each asked for`() async throws {
        let store = MemoryCheckpoints()
        for _ in 0..<2 {
            let (archive, entry, _) = try await openMixed(store: store)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for (index, range) in someRanges(32, seed: 77).enumerated() {
                    group.addTask {
                        if index % 8 != 0 { return try await archive.read(entry, range: range) == expected(range) }
                        let sink = ReluctantSink()
                        try await archive.stream(entry, range: range, into: sink)
                        return sink.data == expected(range)
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
            await archive.close()
        }
    }

    @Test func `a small entry keeps no places`() async throws {
        let store = MemoryCheckpoints()
        let (archive, _, _) = try await openMixed(store: store)
        let small = try #require(archive.directory.entry(at: "small.txt"))
        #expect(try await archive.read(small, range: 900_003..<900_016) == Data("A small one. ".utf8))
        await archive.close()
        #expect(store.saves == 0)
    }

    @Test func `a read that is cancelled leaves what it found, and nothing wrong`() async throws {
        let store = MemoryCheckpoints()
        let (archive, entry, _) = try await openMixed(store: store)
        let sink = BlockedSink(after: 5 << 20)
        let task = Task { try await archive.stream(entry, range: 10..<entry.uncompressedSize, into: sink) }
        await sink.isBlocked()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let range = Int64(4 << 20)..<Int64(6 << 20)
        #expect(try await archive.read(entry, range: range) == expected(range))
        await archive.close()
        #expect(store.saves > 0)
    }

    @Test(arguments: [0, 1, 4, 9] as [Int32])
    func `however it was packed, what was passed once is known`(level: Int32) async throws {
        var numbers = SeededNumbers(seed: 4)
        // Blocks of very different lengths: pictures, text, and pages of nearly nothing.
        var content = mixedContent.prefix(3 << 20)
        for _ in 0..<4_000 { content += Data(repeating: 32, count: 700) + numbers.bytes(8) }
        content += mixedContent.prefix(1 << 20)
        let data = try ZIPBuilder.data { zip in
            var options = ZIPBuilder.Options()
            options.level = level
            try zip.add("large.pdf", content, options)
        }
        let (archive, entry, reader) = try await openMixed(data)
        let sink = ReluctantSink()
        try await archive.stream(entry, into: sink)
        #expect(sink.data == content)
        #expect(try #require(archive.checkpoints.last(upTo: .max, of: entry)).uncompressed > content.count - 5 << 20)
        for location in stride(from: Int64(1 << 20), to: entry.uncompressedSize - 100, by: 300_001) {
            let before = reader.bytes
            let part = try await archive.read(entry, range: location..<location + 100)
            #expect(part == content[Int(location)..<Int(location) + 100])
            #expect(reader.bytes - before <= 1_153_434)
        }
    }

    @Test func `reading bit by bit does not save over and over`() async throws {
        let store = MemoryCheckpoints()
        let (archive, entry, _) = try await openMixed(store: store)
        for start in stride(from: Int64(0), to: entry.uncompressedSize, by: 512 << 10) {
            _ = try await archive.read(entry, range: start..<start + 512 << 10)
        }
        await archive.close()
        #expect((1...9).contains(store.saves))
    }

    @Test func `an archive that nobody holds any more is gone, closed or not`() async throws {
        weak var reader: CountingReader?
        do {
            let (archive, entry, opened) = try await openMixed()
            reader = opened
            _ = try await archive.read(entry, range: 5 << 20..<6 << 20)
        }
        // The task that brought the last bytes may be about to end.
        for _ in 0..<10_000 where reader != nil { await Task.yield() }
        #expect(reader == nil)
    }
}
