import CCurl
import FileProviderCore
import Foundation

/// The sockets of one control connection and its data connections.
///
/// libcurl blocks while it waits for some replies of an FTP server; shutting the socket down ends such a wait at once.
final class FTPSockets: Sendable {
    struct State {
        /// Chosen when the server greets; before that there may be several candidates.
        var control: FTPSocket?
        var candidates: [FTPSocket] = []
        var data: FTPSocket?
        /// Whether the control connection may be opened.
        var mayConnect = false
        /// Whether the server has greeted. Sockets that are opened after that are for data.
        var wasGreeted = false
        /// Bytes that the system may receive before they are requested; nil for the system's default.
        var receiveBuffer: Int32?
        var dataConnections = 0
        var lastMove = ContinuousClock.now
        /// The address of the last data connection, unless through a proxy: a `sockaddr`.
        var location: [UInt8]?
        /// Whether data was transferred over that connection, after `EPSV`.
        var isPlaceProven = false
        /// Bytes of replies that were read from the control connection.
        var seen: Int64 = 0
        /// Bytes that arrived before the replies, such as a proxy's; nil while the number is unknown, as with TLS.
        var unseen: Int64?
        var hasTimedOut = false
        /// Whether this side has closed it permanently.
        var isAborted = false
        /// Whether the server's last message on the control connection is kept, and that message.
        var keepsLastWords = false
        var lastWords: [UInt8] = []
    }

    private let state = LockedValue(State())
    /// `POLLRDHUP` of poll(2), which is reported without being requested.
    private static let closed: Int16 = 0x2000

    /// Whether the control connection is open and the server has sent nothing unsolicited, such as a goodbye.
    ///
    /// libcurl buffers a second reply that arrives in one packet with the first, and would read it as the reply to its
    /// next command. The number of bytes that the system has received shows it.
    var isUsable: Bool {
        let state = state.value
        guard let control = state.control, !state.hasTimedOut, !Self.hasNews(control.own) else { return false }
        return state.unseen == nil || Self.received(control.own).map { $0 - state.seen } == state.unseen
    }

    /// Whether a wait for the server was ended by a time-out.
    var hasTimedOut: Bool { state.value.hasTimedOut }

    /// Whether there is a reply to read.
    var hasReply: Bool { state.value.control.map { Self.hasNews($0.own) } ?? false }

    /// Whether the other side has closed the data connection, or has stopped reading from it.
    var isDataRefused: Bool { state.value.data.map { Self.hasNews($0.own, kind: Self.closed) } ?? false }

    var wasGreeted: Bool { state.value.wasGreeted }

    /// When data or replies last moved.
    var lastMove: ContinuousClock.Instant { state.value.lastMove }

    /// Called when bytes of data were received or sent.
    func moved() { state.update { $0.lastMove = .now } }

    /// The number of data connections so far.
    var dataConnections: Int { state.value.dataConnections }

    /// Called before each exchange.
    func prepare(mayConnect: Bool, receiveBuffer: Int?, keepsLastWords: Bool) {
        state.update { state in
            state.sweep()
            (state.keepsLastWords, state.lastWords) = (keepsLastWords, [])
            state.mayConnect = mayConnect
            if mayConnect { state.wasGreeted = false }
            state.receiveBuffer = receiveBuffer.map { Int32(clamping: $0) }
        }
    }

    /// Called when bytes of a reply were read from the control connection.
    func replied(_ count: Int) {
        state.update { state in
            if !state.wasGreeted { state.greeted() }
            state.lastMove = .now
            state.seen += Int64(count)
        }
    }

    /// From here on every byte of the control connection belongs to a reply and is counted.
    func begin() {
        state.update { state in state.unseen = state.control.flatMap { Self.received($0.own) }.map { $0 - state.seen } }
    }

    /// Ends the transfer early: resets the data connection, and gives libcurl a socket at its end instead.
    ///
    /// Resets it at once, because a server whose data found no room for a while would retry at ever longer intervals;
    /// and without an orderly end before, because ProFTPD would then end an encrypted session's control connection too.
    func endData() {
        state.update { state in
            guard let data = state.data else { return }
            var ends: [Int32] = [-1, -1]
            guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0 else {
                return data.shutDown()
            }
            _ = Foundation.close(ends[1])
            var atOnce = linger(l_onoff: 1, l_linger: 0)
            setsockopt(data.own, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
            Self.put(ends[0], inPlaceOf: data.number)
            data.close()
            state.data = FTPSocket(data.number)
        }
    }

    /// Makes `socket` known under the number of `other`, which is closed.
    private static func put(_ socket: Int32, inPlaceOf other: Int32) {
        _ = dup2(socket, other)
        _ = fcntl(other, F_SETFD, FD_CLOEXEC)
        _ = Foundation.close(socket)
    }

    /// Ends all waits for the server.
    func interrupt() {
        state.update { state in
            for socket in state.candidates + [state.control, state.data].compactMap(\.self) { socket.shutDown() }
        }
    }

    /// Like ``interrupt()``, because of a time-out.
    func timeOut() {
        state.update { $0.hasTimedOut = true }
        interrupt()
    }

    /// Like ``interrupt()``, permanently.
    func abort() {
        state.update { $0.isAborted = true }
        interrupt()
    }

    var isAborted: Bool { state.value.isAborted }

    /// Sends QUIT and doesn't wait for the reply.
    func stopListening() { state.update { if let control = $0.control { _ = shutdown(control.own, Int32(SHUT_RD)) } } }

    /// - Parameter kind: The events of poll(2).
    private static func hasNews(_ socket: Int32, kind: Int16 = Int16(POLLIN)) -> Bool {
        var entry = pollfd(fd: socket, events: kind, revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// Bytes that the system has received from the other side; nil if it does not report the number.
    /// Source: tcp(7), `TCP_INFO`; linux/tcp.h, `tcpi_bytes_received`.
    private static func received(_ socket: Int32) -> Int64? {
        let position = 128
        var info = [UInt8](repeating: 0, count: 256)
        var length = socklen_t(info.count)
        guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0, length >= position + 8 else {
            return nil
        }
        return info.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: position, as: Int64.self) }
    }

    /// The server's message with which it refused more data, for which libcurl did not wait.
    var lastWords: [UInt8] { state.value.lastWords }

    private static func lastWords(of socket: Int32) -> [UInt8] {
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        var words = [UInt8](repeating: 0, count: 4096)
        // The data connection ends a moment before the reason arrives.
        guard poll(&entry, 1, 1_000) > 0 else { return [] }
        return Array(words.prefix(max(0, recv(socket, &words, words.count, Int32(MSG_DONTWAIT)))))
    }

    // MARK: What libcurl calls

    /// Source: CURLOPT_OPENSOCKETFUNCTION(3).
    func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        state.update { state in
            // Without a control connection, libcurl is reopening it. The new one would lack the state that was set up
            // before.
            let isData = state.wasGreeted && state.control != nil
            guard !state.isAborted, isData || state.mayConnect else { return carrel_SOCKET_BAD }
            let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            let opened = Foundation.socket(address.pointee.family, kind, address.pointee.protocol)
            guard opened >= 0 else { return carrel_SOCKET_BAD }
            guard isData else {
                state.candidates += [FTPSocket(opened)].compactMap(\.self)
                (state.seen, state.unseen, state.hasTimedOut) = (0, nil, false)
                (state.location, state.isPlaceProven) = (nil, false)
                return opened
            }
            state.took(data: FTPSocket(opened))
            state.note(address)
            return opened
        }
    }

    /// Accepts a data connection that the server has opened; returns false if another host has opened it. Source:
    /// CURLOPT_SOCKOPTFUNCTION(3).
    func accepted(_ socket: curl_socket_t) -> Bool {
        state.update { state in
            guard let control = state.control, let server = FTPSocket.peer(of: control.own),
                FTPSocket.peer(of: socket) == server
            else {
                return false
            }
            state.took(data: FTPSocket(accepted: socket))
            return true
        }
    }

    /// Whether ``connectData(to:)`` would reach the same address as libcurl.
    var knowsPlace: Bool { state.value.location != nil && state.value.isPlaceProven }

    /// - Parameter isProven: Whether a transfer has succeeded, after `EPSV`.
    func provePlace(_ isProven: Bool) { state.update { $0.isPlaceProven = isProven } }

    /// Begins a data connection to the address of libcurl's last one, on `port`. Close it with ``close(_:)``.
    ///
    /// - Returns: Nil if that is not possible.
    func connectData(to port: UInt16) -> Int32? {
        state.update { state in
            guard var location = state.location, location.count >= MemoryLayout<sockaddr_in>.size, !state.isAborted
            else {
                return nil
            }
            // Both families have the port at the same offset: ip(7), ipv6(7).
            (location[2], location[3]) = (UInt8(port >> 8), UInt8(port & 255))
            let family = location.withUnsafeBytes { Int32($0.loadUnaligned(as: sa_family_t.self)) }
            let socket = Foundation.socket(
                family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
            guard socket >= 0 else { return nil }
            let isBegun = location.withUnsafeBytes { bytes in
                bytes.withMemoryRebound(to: sockaddr.self) {
                    connect(socket, $0.baseAddress, socklen_t(bytes.count)) == 0 || errno == EINPROGRESS
                }
            }
            guard isBegun else {
                _ = Foundation.close(socket)
                return nil
            }
            state.took(data: FTPSocket(socket))
            return socket
        }
    }

    /// The control connection, for commands between transfers.
    var control: Int32? { state.value.control?.own }

    /// Source: CURLOPT_CLOSESOCKETFUNCTION(3).
    func close(_ socket: curl_socket_t) {
        let isControl = state.value.control.map { $0.number == socket && $0.isOpen } ?? false
        let words = isControl && state.value.keepsLastWords ? Self.lastWords(of: socket) : []
        state.update { state in
            if let control = state.control, isControl {
                control.close()
                (state.control, state.lastWords) = (nil, words)
            } else if let data = state.data, data.number == socket, data.isOpen {
                data.close()
                state.data = nil
            }
            // Under the lock, because its number may be reused from here on.
            _ = Foundation.close(socket)
            state.sweep()
        }
    }

    deinit {
        let state = state.value
        for socket in state.candidates + [state.control, state.data].compactMap(\.self) { socket.close() }
    }
}
