package import FileProviderCore
public import Foundation

/// An SFTP server in memory behind channels of bytes, which does on demand what real servers do not.
///
/// Its coding is its own, so that it finds mistakes of the client's. Each channel has a thread. Source:
/// draft-ietf-secsh-filexfer-02; `PROTOCOL` and sftp-server(8) of OpenSSH 9.2 for the extensions and for what fails
/// how.
public final class SFTPDouble: Sendable {
    struct State: Sendable {
        var tree = SFTPTree()
        var answer: @Sendable (Request) -> [Fault]
        var counts = Counts()
        var requests: [Request] = []
        var violations: [String] = []
        var channels: [Int: SFTPDoubleChannel] = [:]
        var lastChannel = 0
        /// Replies that are under way to a client.
        var owed = 0
        /// How deep the chain of requests is whose last reply a client has.
        var depth = 0
        var depthAtReset = 0
        var window: Int?
        var cut: Cut?
        var hasLetGo = false
    }

    /// What was counted, over all channels.
    public struct Counts: Sendable, Hashable {
        /// Requests by kind.
        public var requests: [Kind: Int] = [:]
        /// Extended requests by name.
        public var extended: [String: Int] = [:]
        /// How often the server had answered everything and had to wait for a client, the beginning included.
        ///
        /// With ``Settings/latency`` this is exact; without it a client that has more to say may be waited for by
        /// accident.
        public var turns = 0
        /// The longest chain of requests of which each came after the reply to the one before: the round trips that the
        /// work took.
        ///
        /// With ``Settings/latency`` this is exact, without it an upper bound.
        public var roundTrips = 0
        /// Bytes that READ gave.
        public var bytesRead = 0
        /// Bytes that WRITE brought.
        public var bytesWritten = 0
        /// Bytes from clients.
        public var received = 0
        /// Bytes to clients.
        public var sent = 0
        /// Requests that were taken and whose reply had not been given, at most, on one channel.
        public var peakOutstanding = 0
        /// Handles that are open now.
        public var openHandles = 0
        /// Handles that were open together at most.
        public var peakHandles = 0
        /// Handles that a client had not closed when its channel ended.
        public var leakedHandles = 0
        /// Channels that were started.
        public var channels = 0
        /// Channels that have not ended.
        public var openChannels = 0
        /// How often a reply waited because its client had no room.
        public var heldBack = 0
    }

    /// When a channel is cut.
    public enum Cut: Sendable, Hashable {
        /// After so many bytes from clients.
        case received(Int)
        /// After so many bytes to clients.
        case sent(Int)
        /// When so many requests have come, before the last one's reply.
        case requests(Int)
    }

    let settings: Settings
    let state: LockedValue<State>

    /// - Parameter files: By absolute path; the folders above them come with them.
    public init(_ settings: Settings = Settings(), files: [String: Data] = [:]) {
        self.settings = settings
        state = LockedValue(State(answer: settings.answer))
        putFolder(settings.home)
        state.update { $0.tree.home = (try? $0.tree.find(Array(settings.home.utf8))) ?? SFTPTree.root }
        for (path, data) in files { put(data, at: path) }
    }

    /// A new channel. Its thread, which keeps the server, runs from its start to its end; see ``stop()``.
    package func channel() -> any ByteChannel { SFTPDoubleChannel(self) }

    /// Ends every channel with `URLError(.networkConnectionLost)`.
    public func stop() {
        for channel in channels { channel.end(with: URLError(.networkConnectionLost)) }
    }

    private var channels: [SFTPDoubleChannel] { state.update { Array($0.channels.values) } }

    // MARK: What came

    /// What was counted so far.
    public var counts: Counts { state.update { $0.counts } }

    /// The requests so far, from all channels, in the order in which they were taken; the first 100,000.
    public var requests: [Request] { state.update { $0.requests } }

    /// What clients did that the protocol or ``FileProviderCore/ByteChannelUser`` forbids, a sentence each; the first
    /// 1,000.
    public var violations: [String] { state.update { $0.violations } }

    /// Counts anew, and forgets requests and violations; what is open stays counted.
    public func resetCounts() {
        state.update { state in
            let previous = state.counts
            state.counts = Counts()
            state.counts.openHandles = previous.openHandles
            state.counts.peakHandles = previous.openHandles
            state.counts.openChannels = previous.openChannels
            state.depthAtReset = state.depth
            state.requests = []
            state.violations = []
        }
    }

    func record(_ violation: String, channel: Int) {
        state.update { if $0.violations.count < 1_000 { $0.violations.append("\(channel): \(violation)") } }
    }

    // MARK: Faults

    /// Says anew what is to go wrong, from the next request on; see ``Settings/answer``.
    public func setAnswer(_ answer: @escaping @Sendable (Request) -> [Fault]) { state.update { $0.answer = answer } }

    /// Has the channel end that comes so far, once; counted from now on, over all channels.
    public func cut(_ cut: Cut) { state.update { $0.cut = cut } }

    /// Gives the replies that are ``Fault/held``, and holds none from now on.
    public func letGo() {
        state.update { $0.hasLetGo = true }
        for channel in channels { channel.look() }
    }

    /// Takes only so many bytes more from clients, over all channels; nil for as many as they have.
    public func setWindow(_ bytes: Int?) {
        state.update { $0.window = bytes }
        for channel in channels { channel.look() }
    }
}

extension SFTPDouble.State {
    /// How much of `wanted` may be taken from a client, or given to it.
    func allowance(_ wanted: Int, receiving: Bool) -> Int {
        switch cut {
        case .received(let left)? where receiving: min(wanted, left, window ?? .max)
        case .sent(let left)? where !receiving: min(wanted, left)
        default: receiving ? min(wanted, window ?? .max) : wanted
        }
    }

    /// Counts what moved.
    ///
    /// - Returns: Whether the channel is cut now.
    mutating func moved(_ count: Int, receiving: Bool) -> Bool {
        if receiving {
            counts.received += count
            window = window.map { $0 - count }
        } else {
            counts.sent += count
        }
        let left: Int
        switch cut {
        case .received(let before)? where receiving:
            left = before - count
            cut = .received(left)
        case .sent(let before)? where !receiving:
            left = before - count
            cut = .sent(left)
        default: return false
        }
        // Several channels may have been allowed the same bytes.
        guard left <= 0 else { return false }
        cut = nil
        return true
    }
}
