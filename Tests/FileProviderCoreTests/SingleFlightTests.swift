import FileProviderCore
import Foundation
import Testing

/// Work that ends when it is told to, or when it is cancelled.
private final class Work: Sendable {
    let starts = LockedValue(0)
    let isCancelled = LockedValue(false)
    private let (values, more) = AsyncStream<Int>.makeStream()

    func run() async throws -> Int {
        starts.update { $0 += 1 }
        for await value in values { return value }
        isCancelled.update { $0 = true }
        throw CancellationError()
    }

    func hasBegun() async { while starts.value == 0 { await Task.yield() } }

    func end(_ value: Int) { more.yield(value) }
}

@Suite struct SingleFlightTests {
    private let work = Work()
    private let value = LazyValue<Int>()

    private func asking() -> Task<Int, any Error> {
        Task { [value, work] in try await value.value { try await work.run() } }
    }

    @Test func `A value is made once for all who ask, and kept`() async throws {
        let (first, second) = (asking(), asking())
        work.end(7)
        #expect(try await first.value == 7)
        #expect(try await second.value == 7)
        #expect(try await value.value { 8 } == 7)
        #expect(value.known == 7 && work.starts.value == 1)
    }

    @Test func `Whoever is cancelled waits no longer, and the value is made for the others`() async throws {
        let staying = asking()
        await work.hasBegun()
        let going = asking()
        going.cancel()
        await #expect(throws: CancellationError.self) { try await going.value }
        #expect(!work.isCancelled.value)
        work.end(7)
        #expect(try await staying.value == 7)
    }

    @Test func `When the last one is cancelled so is the work, and the next one begins anew`() async throws {
        let task = asking()
        await work.hasBegun()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        while !work.isCancelled.value { await Task.yield() }
        #expect(try await value.value { 8 } == 8)
    }

    @Test func `An error is not kept`() async throws {
        await #expect(throws: CocoaError(.fileReadUnknown)) {
            try await value.value { throw CocoaError(.fileReadUnknown) }
        }
        #expect(value.known == nil)
        #expect(try await value.value { 8 } == 8)
    }

    @Test func `A task that is kept is started once, and goes on when nobody waits for it`() async throws {
        let kept = LockedValue<Task<Int, any Error>?>(nil)
        let task = kept.update { [work] in $0.orStart { try await work.run() } }
        #expect(kept.update { $0.orStart { 0 } } == task)
        let going = Task { try await task.sharedValue() }
        going.cancel()
        await #expect(throws: CancellationError.self) { try await going.value }
        work.end(7)
        #expect(try await task.sharedValue() == 7)
    }
}
