import FileProviderCore
import Foundation
import Synchronization
import Testing

/// What a completion handler was given, each time it was called.
private final class Calls: Sendable {
    let errors = CollectedValues<(any Error)?>()
    private let called = Signal()

    var handler: @Sendable ((any Error)?) -> Void {
        { [self] error in
            errors.append(error)
            called.fire()
        }
    }

    /// The only call's error. Another operation has ended after it, so a second call would have come too.
    func only() async throws -> (any Error)? {
        try await called.wait()
        let later = Signal()
        StubProvider().removeItem(path: "/later") { _ in later.fire() }
        try await later.wait()
        #expect(errors.values.count == 1)
        return errors.values.first ?? nil
    }
}

@Suite struct CompletionTests {
    @Test func `the handler is called once on success`() async throws {
        let calls = Calls()
        StubProvider().moveItem(path: "/a", to: "/b", completionHandler: calls.handler)
        #expect(try await calls.only() == nil)
    }

    @Test func `the handler is called once on failure, with the provider's error`() async throws {
        let calls = Calls()
        StubProvider { _ in throw CocoaError(.fileWriteOutOfSpace) }.removeItem(
            path: "/a", completionHandler: calls.handler)
        #expect((try await calls.only() as? CocoaError)?.code == .fileWriteOutOfSpace)
    }

    @Test func `a path that cannot be is a failure like any other`() async throws {
        let calls = Calls()
        StubProvider().removeItem(path: "/a/../b", completionHandler: calls.handler)
        #expect((try await calls.only() as? CocoaError)?.code == .fileReadInvalidFileName)
    }

    @Test func `cancelling at once ends with user cancelled, once`() async throws {
        for _ in 0..<50 {
            let calls = Calls()
            let never = Signal()
            let progress = StubProvider { _ in try await never.wait() }.removeItem(
                path: "/a", completionHandler: calls.handler)
            progress?.cancel()
            progress?.cancel()
            #expect((try await calls.only() as? CocoaError)?.code == .userCancelled)
        }
    }

    @Test func `cancelling the progress reaches an operation that runs`() async throws {
        let (calls, entered, never) = (Calls(), Signal(), Signal())
        let provider = StubProvider { _ in
            entered.fire()
            try await never.wait()
        }
        let progress = provider.moveItem(path: "/a", to: "/b", completionHandler: calls.handler)
        try await entered.wait()
        progress?.cancel()
        #expect((try await calls.only() as? CocoaError)?.code == .userCancelled)
    }

    @Test func `invalidate cancels what runs and keeps other providers going`() async throws {
        let (calls, others, entered, never, gate) = (Calls(), Calls(), Signal(), Signal(), Signal())
        let provider = StubProvider { _ in
            entered.fire()
            try await never.wait()
        }
        StubProvider { _ in try await gate.wait() }.removeItem(path: "/a", completionHandler: others.handler)
        provider.removeItem(path: "/a", completionHandler: calls.handler)
        try await entered.wait()
        provider.invalidate()
        #expect((try await calls.only() as? CocoaError)?.code == .userCancelled)
        gate.fire()
        #expect(try await others.only() == nil)
    }

    @Test func `handlers run in the order in which operations end, one at a time`() async throws {
        let (first, order) = (Signal(), CollectedValues<Int>())
        let done = Signal()
        let running = Atomic(0)
        StubProvider { _ in try await first.wait() }.removeItem(path: "/1") { _ in
            order.append(1)
            done.fire()
        }
        StubProvider().removeItem(path: "/2") { _ in
            order.append(2)
            first.fire()
        }
        try await done.wait()
        #expect(order.values == [2, 1])
        let all = Calls()
        for number in 0..<200 {
            StubProvider().removeItem(path: "/n") { _ in
                #expect(running.add(1, ordering: .sequentiallyConsistent).newValue == 1)
                running.subtract(1, ordering: .sequentiallyConsistent)
                order.append(number)
                if order.values.count == 202 { all.handler(nil) }
            }
        }
        #expect(try await all.only() == nil)
    }

    @Test func `an operation that runs keeps its provider alive`() async throws {
        let (calls, gate, entered) = (Calls(), Signal(), Signal())
        weak var provider: StubProvider?
        do {
            let strong = StubProvider { _ in
                entered.fire()
                try await gate.wait()
            }
            provider = strong
            strong.removeItem(path: "/a", completionHandler: calls.handler)
        }
        try await entered.wait()
        #expect(provider != nil)
        gate.fire()
        #expect(try await calls.only() == nil)
    }

    @Test func `progress moves with the operation and is finished at its end`() async throws {
        let (calls, gate, reported) = (Calls(), Signal(), Signal())
        let provider = StubProvider { progress in
            progress.expect(10)
            progress.advance(by: 4)
            reported.fire()
            try await gate.wait()
        }
        let started = provider.moveItem(path: "/a", to: "/b", completionHandler: calls.handler)
        let progress = try #require(started)
        try await reported.wait()
        #expect(progress.completedUnitCount == 4 && progress.totalUnitCount == 10 && !progress.isFinished)
        #expect(
            progress.userInfo[.fileProviderOperationTypeKey] as? FileOperationType
                == .move(source: "/a", destination: "/b"))
        #expect(progress.userInfo[.startingTimeKey] is Date)
        gate.fire()
        #expect(try await calls.only() == nil)
        #expect(progress.isFinished && progress.completedUnitCount == 10)
    }

    @Test func `a transfer's progress counts its bytes`() async throws {
        let (calls, received) = (Calls(), LockedValue<Data?>(nil))
        let writing = StubProvider().writeContents(
            path: "/a", contents: Data(repeating: 1, count: 1000), completionHandler: calls.handler)
        #expect(try await calls.only() == nil)
        #expect(writing?.completedUnitCount == 1000 && writing?.totalUnitCount == 1000 && writing?.isFinished == true)
        let reading = Calls()
        let progress = StubProvider().contents(path: "/a", offset: 90, length: .max) { data, error in
            received.update { $0 = data }
            reading.handler(error)
        }
        #expect(try await reading.only() == nil)
        #expect(received.value?.count == 10)
        #expect(progress?.completedUnitCount == 10)
    }

    @Test func `a listing that fails half way gives what it had beside the error`() async throws {
        let calls = Calls()
        let count = Atomic(0)
        StubProvider { _ in throw CocoaError(.fileReadUnknown) }.contentsOfDirectory(path: "/") { items, error in
            count.store(items.count, ordering: .relaxed)
            calls.handler(error)
        }
        #expect((try await calls.only() as? CocoaError)?.code == .fileReadUnknown)
        #expect(count.load(ordering: .relaxed) == 1)
    }
}
