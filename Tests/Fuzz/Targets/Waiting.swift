import Dispatch
import Foundation
import Synchronization

/// Waits for asynchronous work, which runs on other threads than libFuzzer's own.
func wait(for work: @escaping @Sendable () async throws -> Void) {
    let done = DispatchSemaphore(value: 0)
    let failure = Mutex<(any Error)?>(nil)
    Task {
        do { try await work() } catch { failure.withLock { $0 = error } }
        done.signal()
    }
    done.wait()
    if let error = failure.withLock({ $0 }) { checkError(error) }
}
