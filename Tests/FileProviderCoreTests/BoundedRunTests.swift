import FileProviderCore
import Testing

@Suite struct BoundedRunTests {
    @Test func `Large files are fewer than small ones, and one that ends makes room`() async throws {
        var run = BoundedRun<Int>(transfers: nil, capabilities: [], usual: 6)
        let (small, large) = (Int64(1 << 20), Int64(1 << 20) + 1)
        try await withThrowingTaskGroup(of: BoundedRun<Int>.Completion.self) { group in
            for number in 0..<4 {
                #expect(run.hasRoom(for: large))
                run.start(large, in: &group) { number }
            }
            for number in 4..<6 {
                #expect(!run.hasRoom(for: large))
                #expect(run.hasRoom(for: small))
                run.start(small, in: &group) { number }
            }
            #expect(!run.hasRoom(for: 0))
            var ended: Set<Int> = []
            while let one = try await run.next(in: &group) { ended.insert(one) }
            #expect(ended == Set(0..<6))
            #expect(run.hasRoom(for: large))
        }
    }

    @Test(
        arguments: [
            (nil, [], 8), (nil, [4, nil, 2], 2), (nil, [nil], 8), (3, [2], 3), (0, [2], 1),
        ] as [(Int?, [Int?], Int)])
    func `As many files are in flight as somebody says, or the storages wish`(
        transfers: Int?, wishes: [Int?], expected: Int
    ) {
        let capabilities = wishes.map { Capabilities(readCost: .local, concurrentTransfers: $0) }
        #expect(BoundedRun<Int>(transfers: transfers, capabilities: capabilities, usual: 8).maxCount == expected)
    }
}
