import FileProviderCore
import Foundation
import ReaderMessages

/// Ends calls to a storage that doesn't answer.
struct CallLimit: Sendable {
    let time: any TimeSource
    /// Seconds without a sign of life.
    let seconds: Double

    /// Returns the result of `body`.
    ///
    /// - Parameter life: A value that changes while the call makes progress; `nil` while the storage is not what is
    ///   waited for. A call with a constant value gets the time once.
    /// - Throws: `URLError(.timedOut)` if nothing changed for too long; `CancellationError`. In both cases `body` is
    ///   cancelled and not awaited, because a hanging storage may ignore cancellation.
    func run<Value: Sendable>(
        _ what: String, life: @escaping @Sendable () -> Int64? = { 0 },
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task { try await body() }
        defer { task.cancel() }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await task.sharedValue() }
            group.addTask {
                try await standstill(life)
                return nil
            }
            if let value = try await group.next() ?? nil { return value }
            throw FileError.make(.timedOut, url: nil, sentence: "The storage did not answer in time (\(what)).")
        }
    }

    /// Returns when `life` has not changed for the whole time.
    private func standstill(_ life: @Sendable () -> Int64?) async throws {
        var last = life()
        while true {
            try await time.sleep(seconds: seconds)
            let now = life()
            if let now, now == last { return }
            last = now
        }
    }
}

/// Counts calls that have not returned yet, including abandoned ones.
final class CallsUnderWay: Sendable {
    private let count = LockedValue(0)

    /// Whether all calls have returned.
    var areOver: Bool { count.value == 0 }

    /// Counts a call that is about to begin.
    func begin() { count.update { $0 += 1 } }

    /// Counts a call that has returned.
    func end() { count.update { $0 -= 1 } }

    /// Waits until all calls have returned, but at most the given seconds.
    func wait(atMost seconds: Double, by time: any TimeSource) async {
        let start = time.elapsed
        while !areOver, time.elapsed - start < seconds {
            // A clock that cannot wait ends the wait.
            do { try await time.sleep(seconds: 0.1) } catch { return }
        }
    }
}
