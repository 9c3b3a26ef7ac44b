import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

@Suite struct RequestLimitTests {
    @Test func `after a burst requests go at the rate, and after a rest there is a burst again`() async throws {
        let clock = SteppedClock()
        let limit = RequestLimit(perSecond: 4, burst: 3, clock: clock)
        for _ in 0..<3 { try await limit.take() }
        #expect(clock.slept == [])
        // The clock goes on by what is slept.
        for _ in 0..<3 { try await limit.take() }
        #expect(clock.slept == [.milliseconds(250), .milliseconds(250), .milliseconds(250)])
        clock.advance(by: .seconds(10))
        for _ in 0..<4 { try await limit.take() }
        #expect(clock.slept.count == 4, "no more than the burst is saved up")
    }

    @Test func `several requests at once wait for all of them`() async throws {
        let clock = SteppedClock()
        let limit = RequestLimit(perSecond: 2, clock: clock)
        try await limit.take(5)
        #expect(clock.slept == [.seconds(2)])
        try await limit.take()
        #expect(clock.slept == [.seconds(2), .milliseconds(500)])
    }

    @Test func `one that is cancelled keeps nobody waiting`() async throws {
        let clock = SteppedClock()
        let limit = RequestLimit(perSecond: 1, clock: clock)
        try await limit.take()
        clock.refuses.update { $0 = true }
        await #expect(throws: CancellationError.self) { try await limit.take(1000) }
        clock.refuses.update { $0 = false }
        try await limit.take()
        #expect(clock.slept == [.seconds(1)])
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await limit.take()
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(clock.slept.count == 1)
    }

    @Test(.timeLimit(.minutes(2))) func `after a cancellation no two requests go at once`() async throws {
        let clock = WaitingClock()
        let limit = RequestLimit(perSecond: 1, clock: clock)
        try await limit.take()
        var waiting: [Task<Void, any Error>] = []
        func ask() async throws {
            let count = clock.deadlines.value.count
            waiting.append(Task { try await limit.take() })
            try await eventually { clock.deadlines.value.count > count }
        }
        func cancel(_ number: Int) async {
            waiting[number].cancel()
            _ = await waiting[number].result
        }
        try await ask()
        try await ask()
        await cancel(0)
        try await ask()
        // The second one sleeps until then whatever becomes of the first.
        #expect(clock.deadlines.value == [.seconds(1), .seconds(2), .seconds(3)])
        // The last turns in the row are free again.
        await cancel(2)
        await cancel(1)
        try await ask()
        #expect(clock.deadlines.value.last == .seconds(2))
        await cancel(3)
    }

    @Test(arguments: [-1, 0, .nan, .infinity, 1e300, 5])
    func `a rate is kept within sense`(rate: Double) async throws {
        let limit = RequestLimit(perSecond: rate, burst: .max, clock: SteppedClock())
        #expect((0.001...1_000_000).contains(limit.perSecond) && limit.burst == 1_000_000)
        for _ in 0..<3 { try await limit.take(.max / 2) }
    }

    @Test func `a configuration has a rate, and a provider of it a limit`() throws {
        var configuration = try ProviderConfiguration(url: #require(URL(string: "davs://h/")))
        #expect(ConnectionOptions(configuration).requestLimit == nil)
        configuration.requestsPerSecond = 2.5
        let data = try JSONEncoder().encode(configuration)
        #expect(try JSONDecoder().decode(ProviderConfiguration.self, from: data) == configuration)
        #expect(ConnectionOptions(configuration).requestLimit?.perSecond == 2.5)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(
                ProviderConfiguration.self, from: Data(#"{"url": "davs://h/", "requestsPerSecond": 0}"#.utf8))
        }
    }
}

/// A clock that stands still: those who sleep wait until they are cancelled.
private final class WaitingClock: Clock {
    typealias Instant = SteppedClock.Instant

    /// Until when each sleeper sleeps, in the order in which they came.
    let deadlines = LockedValue<[Duration]>([])
    private let start = SteppedClock().now

    var now: Instant { start }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        deadlines.update { $0.append(deadline.offset) }
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        for await _ in stream {}
        continuation.finish()
        throw CancellationError()
    }
}
