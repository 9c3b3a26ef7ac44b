import Synchronization

/// An event that happens once, for tasks and callbacks that wait for it.
final class Signal: Sendable {
    private let state = Mutex((hasFired: false, callbacks: [@Sendable () -> Void]()))

    var hasFired: Bool { state.withLock { $0.hasFired } }

    func fire() {
        let callbacks = state.withLock { state in
            state.hasFired = true
            defer { state.callbacks = [] }
            return state.callbacks
        }
        for callback in callbacks { callback() }
    }

    /// Calls `callback` once; at once if the event has happened.
    func then(_ callback: @escaping @Sendable () -> Void) {
        let hasFired = state.withLock { state in
            if !state.hasFired { state.callbacks.append(callback) }
            return state.hasFired
        }
        if hasFired { callback() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in then { continuation.resume() } }
    }
}
