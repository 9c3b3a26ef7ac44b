import Synchronization

/// A gate that opens once and that one task waits at; any thread may open it.
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

    /// Opens the gate; opening it again changes nothing.
    func open() {
        state.withLock { state in
            state.isOpen = true
            return state.waiter.take()
        }?.resume()
    }

    /// Waits for a callback that is made once, or until the task is cancelled.
    ///
    /// - Throws: `CancellationError` when the task is cancelled; a later callback does nothing.
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
