import FileProviderCore
import Foundation
import ReaderMessages

/// Ends calls of a storage that does not answer.
struct CallLimit: Sendable {
    let time: any TimeSource
    /// Seconds without a sign of life.
    let seconds: Double

    /// What `body` comes to.
    ///
    /// - Parameter life: Changes as long as the call gets on; nil while it is not the storage that is waited for. A
    ///   call without one has the time once.
    /// - Throws: `URLError(.timedOut)` when nothing changed for too long; `CancellationError`. Either way `body` is
    ///   cancelled and not waited for: a storage that hangs may not listen to that either.
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

    /// Returns when `life` stood still for the whole time.
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

/// Calls that have not returned yet, also those that nobody waits for any more.
final class CallsUnderWay: Sendable {
    private let count = LockedValue(0)

    /// Whether all have returned.
    var areOver: Bool { count.value == 0 }

    /// One is about to begin.
    func begin() { count.update { $0 += 1 } }

    /// One has returned.
    func end() { count.update { $0 -= 1 } }

    /// Waits until all have returned, but no longer than so many seconds.
    func wait(atMost seconds: Double, by time: any TimeSource) async {
        let start = time.elapsed
        while !areOver, time.elapsed - start < seconds {
            // A clock that cannot wait ends the wait.
            do { try await time.sleep(seconds: 0.1) } catch { return }
        }
    }
}
