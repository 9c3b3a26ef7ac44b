import Foundation
import ReaderMessages

/// Derives from successive looks at `connected.xml` whether an application is there. Does no input or output and has no
/// clock.
///
/// Compares contents with contents, never a peer's clock with ours.
struct Heartbeat: Sendable {
    /// The result of a look at the file.
    enum Look: Sendable {
        /// No file.
        case missing
        /// A file that can't be read, or not yet.
        case unreadable
        /// The message in the file, and its bytes.
        case says(ConnectedMessage, Data)
    }

    /// The number of looks for which an unreadable file changes nothing.
    static let patience = 3
    /// The number of heartbeat intervals that an application may miss.
    static let missedBeats = 3.0

    private(set) var state = ConnectionState.absent
    private var unreadable = 0
    private var last: (data: Data, changed: Double)?

    /// - Parameter now: Seconds of a monotonic clock.
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
