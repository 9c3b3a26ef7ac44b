import FileProviderCore
import Foundation
import ProviderDoubles
import Publication
import SampleBooks
import Testing

private func noise(_ count: Int) -> Data {
    var numbers = SeededNumbers(seed: 6)
    return numbers.bytes(count)
}

private let content = noise(3 << 20)

private func cost(block: Int, gap: Int) -> Capabilities.ReadCost {
    Capabilities.ReadCost(
        roundTripsToOpen: 1, roundTripsPerRange: 1, preferredBlock: block, coalescingGap: gap, concurrentRanges: 4)
}

@Suite struct `A reader that keeps blocks` {
    @Test func `refuses a file that claims to be longer than offsets can be added up`() async throws {
        let reader = CachedFileReader(try CountingReader(SparseData(hole: .max)))
        #expect(await fileError { _ = try await reader.attributes() } == .fileReadTooLarge)
        #expect(await fileError { _ = try await reader.tail(0) } == .fileReadTooLarge)
    }

    @Test func `asks for the tail and the size at once, and for neither again`() async throws {
        let base = try CountingReader(content)
        let reader = CachedFileReader(base)
        let (tail, extent) = try await reader.tail(1_000)
        #expect(tail == content.suffix(1_000) && extent.size == Int64(content.count))
        #expect(try await reader.tail(500).data == content.suffix(500))
        #expect(try await reader.attributes().size == Int64(content.count))
        #expect(base.requests.count == 1 && base.sizeRequests == 0)
        #expect(try await reader.tail(1_500).data == content.suffix(1_500))
        #expect(base.requests[1].count == 500, "only what is new is asked for")
    }

    @Test(arguments: [
        // Block and gap of the cost model, the ranges asked for, the requests that come of it.
        (100, 0, [0..<10], [0..<100]),
        (100, 0, [0..<10, 50..<60], [0..<100]),
        (100, 0, [0..<150], [0..<150]),
        (10, 50, [0..<20, 60..<80], [0..<80]),
        (10, 50, [0..<20, 90..<100], [0..<20, 90..<100]),
        (10, 0, [90..<95, 0..<20], [0..<20, 90..<100]),
        (100, 0, [3_145_700..<3_145_728], [3_145_700..<3_145_728]),
    ])
    func `asks in as few requests as the cost model says`(
        block: Int, gap: Int, ranges: [Range<Int>], expected: [Range<Int>]
    ) async throws {
        let base = try CountingReader(content, cost: cost(block: block, gap: gap))
        let reader = CachedFileReader(base)
        _ = try await reader.attributes()
        let parts = try await reader.read(ranges.map { Int64($0.lowerBound)..<Int64($0.upperBound) })
        #expect(parts == ranges.map { content[$0] })
        #expect(
            base.requests.sorted { $0.lowerBound < $1.lowerBound }
                == expected.map { Int64($0.lowerBound)..<Int64($0.upperBound) })
    }

    @Test func `never asks for a byte it holds`() async throws {
        let base = try CountingReader(content, cost: cost(block: 512, gap: 0))
        let reader = CachedFileReader(base, capacity: 8 << 20)
        var numbers = SeededNumbers(seed: 8)
        for _ in 0..<500 {
            let start = Int64(numbers.next() % 1_000_000)
            let range = start..<start + Int64(numbers.next() % 5_000)
            #expect(try await reader.read([range])[0] == content[Int(range.lowerBound)..<Int(range.upperBound)])
        }
        let sorted = base.requests.sorted { $0.lowerBound < $1.lowerBound }
        for (one, next) in zip(sorted, sorted.dropFirst()) { #expect(one.upperBound <= next.lowerBound) }
    }

    @Test func `forgets what was used longest ago`() async throws {
        let base = try CountingReader(content, cost: cost(block: 1, gap: 0))
        let reader = CachedFileReader(base, capacity: 100_000)
        for start in stride(from: Int64(0), to: 200_000, by: 10_000) {
            _ = try await reader.read([start..<start + 10_000])
            _ = try await reader.read([0..<10_000])
        }
        #expect(base.requests.count == 20, "the first block was always in use")
        _ = try await reader.read([10_000..<20_000])
        #expect(base.requests.count == 21)
    }

    @Test func `passes large reads through, less what it holds of their ends`() async throws {
        let base = try CountingReader(content)
        let reader = CachedFileReader(base)
        _ = try await reader.tail(50_000)
        _ = try await reader.read([0..<20_000])
        let sink = ReluctantSink()
        let extent = try await reader.stream(.whole, into: sink)
        #expect(sink.data == content && sink.begun == 1 && extent.count == Int64(content.count))
        #expect(base.requests.last == 20_000..<Int64(content.count - 50_000))
        #expect(base.requests.count == 3)
    }

    @Test func `reads ahead of who reads on, up to the end of the file and no further than it can keep`() async throws {
        for (capacity, requests) in [(4 << 20, 9), (400_000, 35)] {
            let base = try CountingReader(content)
            let reader = CachedFileReader(base, capacity: capacity)
            _ = try await reader.tail(10)
            for start in stride(from: Int64(0), to: Int64(content.count), by: 48 << 10) {
                let sink = ReluctantSink()
                _ = try await reader.stream(.range(start..<start + 48 << 10), into: sink)
                #expect(sink.data == content[Int(start)..<min(Int(start) + 48 << 10, content.count)])
            }
            #expect(base.requests.count <= requests)
            #expect(base.bytes <= content.count + 10, "nothing but the tail is asked for twice")
        }
    }

    @Test func `lets readers of the same bytes wait for one request, and each be cancelled alone`() async throws {
        let base = try CountingReader(content, pause: .milliseconds(100))
        let reader = CachedFileReader(base)
        _ = try await reader.tail(10)
        let tasks = (0..<10).map { index in Task { try await reader.read([Int64(index)..<5_000])[0].count } }
        try await eventually { base.requests.count == 2 }
        tasks[0].cancel()
        for (index, task) in tasks.enumerated().dropFirst() { #expect(try await task.value == 5_000 - index) }
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        #expect(base.requests.dropFirst().reduce(0) { $0 + $1.count } <= 8_192 + 10)
    }

    @Test func `asks again after a failure`() async throws {
        let base = try CountingReader(content, fault: .lost(from: 0))
        let reader = CachedFileReader(base)
        for _ in 0..<2 { await #expect(throws: URLError.self) { try await reader.read([0..<10]) } }
        #expect(base.requests.count == 2)
    }
}
