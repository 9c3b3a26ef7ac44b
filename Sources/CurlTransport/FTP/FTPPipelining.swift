import FileProviderCore
import Foundation

/// Whether a server bears commands that come before the reply to the one before them, as RFC 1123, section 4.1.2.12,
/// asks it to. Shared by the connections to one server.
public final class FTPPipelining: Sendable {
    private struct State {
        var isAllowed = true
        /// Whether it was seen to.
        var isProven = false
        var failures = 0
    }

    private let state = LockedValue(State())

    /// It is believed to, until it shows otherwise.
    public init() {}

    /// Whether commands may be sent together.
    public var isAllowed: Bool { state.value.isAllowed }

    func succeeded() {
        state.update { state in
            state.isProven = true
            state.failures = 0
        }
    }

    /// Replies to some of `count` commands, and then nothing, or an end, are what a server gives that drops what came
    /// too early. Any connection may be lost: of a server that was seen to bear it, one such end proves nothing.
    func failed(_ failure: FTPFailure, of count: Int) {
        let answered = failure.outcome.replies.count { $0.code >= 200 && $0.code != 421 }
        let code = (failure.error as? URLError)?.code
        guard (1..<count).contains(answered), code == .timedOut || code == .networkConnectionLost else { return }
        state.update { state in
            state.failures += 1
            if !state.isProven || state.failures > 1 { state.isAllowed = false }
        }
    }
}
