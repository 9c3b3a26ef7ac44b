import FileProviderCore
import ProviderDoubles
import Testing

@Suite(.timeLimit(.minutes(2))) struct TurnsTests {
    @Test(arguments: [1, 3]) func `as many callers as the count work at once, and no more`(count: Int) async throws {
        let turns = Turns(count)
        let inside = LockedValue((now: 0, most: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await turns.take {
                        inside.update { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                        try await eventually { inside.value.most >= count }
                        inside.update { $0.now -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(inside.value.most == count)
    }

    @Test func `any turn that ends admits the next caller`() async throws {
        let turns = Turns(2)
        try await turns.begin()
        let next = Task { try await turns.take { try await turns.take { "in" } } }
        // The second turn of `next` is free only after this.
        turns.end()
        #expect(try await next.value == "in")
    }

    @Test func `a cancelled caller keeps no turn`() async throws {
        let turns = Turns(2)
        for _ in 1...2 { try await turns.begin() }
        let waiting = Task { try await turns.begin() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        for _ in 1...2 { turns.end() }
        for _ in 1...2 { try await turns.begin() }
    }
}
