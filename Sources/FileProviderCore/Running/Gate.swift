import Synchronization

/// A door that is opened once, by anybody, and that one task waits at.
package final class Gate: Sendable {
    private let state = Mutex((isOpen: false, waiter: CheckedContinuation<Void, Never>?.none))

    /// Suspends until the gate is open.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiter = continuation }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Lets the task go on; opening again changes nothing.
    func open() {
        state.withLock { state in
            state.isOpen = true
            return state.waiter.take()
        }?.resume()
    }

    /// Waits for a callback that comes once, or for the end of the task, whichever is first.
    ///
    /// - Throws: `CancellationError` when the task is cancelled; the callback may still come and does nothing then.
    package static func wait(for register: (@escaping @Sendable () -> Void) -> Void) async throws {
        let gate = Gate()
        register { gate.open() }
        await withTaskCancellationHandler {
            await gate.wait()
        } onCancel: {
            gate.open()
        }
        try Task.checkCancellation()
    }
}
