import Foundation
import ReaderMessages

/// Tells from what `connected.xml` holds, look by look, whether an application is there; no input or output, no clock
/// of its own.
///
/// Contents are compared with contents, never a peer's clock with ours.
struct Heartbeat: Sendable {
    /// What a look at the file found.
    enum Look: Sendable {
        /// No file.
        case missing
        /// A file that cannot be read, or not yet.
        case unreadable
        /// A file that says this, and its bytes.
        case says(ConnectedMessage, Data)
    }

    /// The looks for which a file that cannot be read changes nothing.
    static let patience = 3
    /// The intervals that an application may let pass without writing its file anew.
    static let missedBeats = 3.0

    private(set) var state = ConnectionState.absent
    private var unreadable = 0
    private var last: (data: Data, changed: Double)?

    /// - Parameter now: Seconds of a clock that never goes back.
    mutating func observe(_ look: Look, now: Double) -> ConnectionState {
        switch look {
        case .missing:
            (state, unreadable, last) = (.absent, 0, nil)
        case .unreadable:
            unreadable += 1
            if unreadable > Self.patience { state = .offline }
        case .says(let connected, let data):
            unreadable = 0
            if last?.data != data { last = (data, now) }
            state = state(of: connected, unchangedFor: now - (last?.changed ?? now))
        }
        return state
    }

    private func state(of connected: ConnectedMessage, unchangedFor seconds: Double) -> ConnectionState {
        if connected.state == .offline { return .offline }
        if let beat = connected.heartbeat, seconds > beat * Self.missedBeats { return .unresponsive }
        return .online(ApplicationInfo(connected))
    }
}
