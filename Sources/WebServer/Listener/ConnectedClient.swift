import FileProviderCore

/// The client of one connection: whether it is gone, and what ends when it goes.
///
/// The requests of a connection follow each other, so that one thing at a time is to be ended. However many requests a
/// client sends, nothing of the earlier ones is kept.
final class ConnectedClient: Sendable {
    private struct State: Sendable {
        var isGone = false
        var end: (@Sendable () -> Void)?
    }

    private let state = LockedValue(State())

    /// Has `end` called when the client goes, instead of what was given before; at once if it is gone already.
    func whenGone(_ end: @escaping @Sendable () -> Void) {
        let isGone = state.update { state in
            if !state.isGone { state.end = end }
            return state.isGone
        }
        if isGone { end() }
    }

    /// Keeps nothing to call any more.
    func forget() { state.update { $0.end = nil } }

    /// Notes that the client is gone.
    func leave() {
        let end: (@Sendable () -> Void)? = state.update { state in
            state.isGone = true
            return state.end.take()
        }
        end?()
    }
}
