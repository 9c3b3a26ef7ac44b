import FileProviderCore
import Foundation
import Testing

@Suite struct BlockingThreadsTests {
    private let threads = BlockingThreads(count: 2, name: "carrel.test")

    /// This thread's name, as the kernel tells it (proc(5)).
    private func name() -> String? {
        try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8).trimmingCharacters(in: .newlines)
    }

    @Test func `calls run on threads of their own, and leave the task where it is`() async throws {
        let (before, inside, after) = (name(), try await threads.run(name), name())
        #expect(inside == "carrel.test")
        #expect(before != inside && after != inside)
    }

    @Test func `a task that prefers the threads runs there, with its children, and its calls change no thread`()
        async throws
    {
        let moved = try await withTaskExecutorPreference(threads) {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<200 {
                    group.addTask {
                        let before = pthread_self()
                        let isOwn = self.name() == "carrel.test"
                        let inside = try await threads.run { pthread_self() }
                        return !isOwn || before != inside
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
        }
        #expect(moved == 0)
        #expect(name() != "carrel.test")
    }

    @Test func `what the task is waiting for holds no thread`() async throws {
        let (stream, signal) = AsyncStream<Never>.makeStream()
        try await withTaskExecutorPreference(threads) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { for await _ in stream {} } }
                // More tasks wait than there are threads, and calls are done nevertheless.
                for _ in 0..<8 { try await threads.run {} }
                signal.finish()
                try await group.waitForAll()
            }
        }
    }

    @Test func `calls of another queue's threads go there`() async throws {
        let other = BlockingThreads(count: 1, name: "carrel.other")
        let inside = try await withTaskExecutorPreference(threads) { try await other.run(name) }
        #expect(inside == "carrel.other")
    }

    @Test func `what a call held is let go of when it has ended, however many wait`() async throws {
        final class HeldThread: Sendable {}
        let single = BlockingThreads(count: 1, name: "carrel.single")
        @Sendable func isHeldAfterCall() async throws -> Bool {
            weak var seen: HeldThread?
            func call() async throws {
                let held = HeldThread()
                seen = held
                try await single.run { withExtendedLifetime(held) { _ = usleep(10) } }
            }
            try await call()
            return seen != nil
        }
        let held = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<500 { group.addTask { try await isHeldAfterCall() } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(held == 0)
    }

    @Test func `a call on the threads is not begun for a task that was cancelled`() async throws {
        let task = Task(executorPreference: threads) {
            withUnsafeCurrentTask { $0?.cancel() }
            try await threads.run { (_: CancellationFlag) -> Void in Issue.record("It was begun.") }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
