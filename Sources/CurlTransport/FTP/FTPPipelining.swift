import FileProviderCore
import Foundation

/// Whether a server supports commands that arrive before the reply to the previous one, as RFC 1123, section 4.1.2.12,
/// demands. Shared by the connections to one server.
public final class FTPPipelining: Sendable {
    private struct State {
        var isAllowed = true
        /// Whether it was seen to support them.
        var isProven = false
        var failures = 0
    }

    private let state = LockedValue(State())

    /// Assumed until the server shows otherwise.
    public init() {}

    /// Whether commands may be sent together.
    public var isAllowed: Bool { state.value.isAllowed }

    func succeeded() {
        state.update { state in
            state.isProven = true
            state.failures = 0
        }
    }

    /// Notes replies to only some of `count` commands, followed by silence or the end of the connection, as from a
    /// server that drops commands which arrive too early. Any connection may be lost: if the server was seen to support
    /// it, one such end proves nothing.
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
