import Foundation
import Synchronization

/// A port on loopback from which every connection goes on to another port, until it is cut.
public final class TCPRelay: Sendable {
    private struct Pair {
        var client: Int32
        var server: Int32
        /// Whether what comes is thrown away.
        var isSilent = false
    }

    /// On 127.0.0.1, chosen by the system.
    public var port: Int { listener.withLock { $0?.port ?? 0 } }
    private let target: Int
    private let pairs = Mutex<[Pair]>([])
    private let moved = Mutex((received: 0, sent: 0))
    private let accepted = Mutex(0)
    private let listener = Mutex<Listener?>(nil)
    private let newAreSilent = Mutex(false)

    /// Whether nothing goes through connections that are made from now on.
    public var hushesNew: Bool {
        get { newAreSilent.withLock { $0 } }
        set { newAreSilent.withLock { $0 = newValue } }
    }

    /// - Parameter target: The port on 127.0.0.1 where all connections go.
    /// - Throws: `POSIXError` when no port can be had.
    public init(to target: Int) throws {
        self.target = target
        let started = try Listener { [weak self] client in self?.serve(client) }
        listener.withLock { $0 = started }
    }

    /// Bytes from clients and to them so far.
    public var traffic: (received: Int, sent: Int) { moved.withLock { $0 } }

    /// Connections that were taken so far.
    public var connections: Int { accepted.withLock { $0 } }

    /// Ends every connection there is, on both sides; new ones are taken.
    public func cut() {
        pairs.withLock { pairs in
            for socket in pairs.flatMap({ [$0.client, $0.server] }) { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    /// Lets nothing through any more on the connections there are, as a network does that has gone; new ones are taken.
    public func hush() {
        pairs.withLock { pairs in
            for index in pairs.indices { pairs[index].isSilent = true }
        }
    }

    private func isSilent(_ socket: Int32) -> Bool {
        pairs.withLock { pairs in pairs.contains { ($0.client == socket || $0.server == socket) && $0.isSilent } }
    }

    /// Closes every connection and the port.
    public func stop() {
        listener.withLock { $0?.stop() }
        cut()
    }

    private func serve(_ client: Int32) {
        guard let server = Loopback.connect(to: target) else { return }
        defer { close(server) }
        // It was made not to wait.
        _ = fcntl(server, F_SETFL, fcntl(server, F_GETFL) & ~O_NONBLOCK)
        for socket in [client, server] {
            var isOn: Int32 = 1
            setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        }
        var ready = pollfd(fd: server, events: Int16(POLLOUT), revents: 0)
        guard poll(&ready, 1, 10_000) > 0 else { return }
        pairs.withLock { $0.append(Pair(client: client, server: server, isSilent: hushesNew)) }
        accepted.withLock { $0 += 1 }
        // Each way has a thread: one that waits must not hold up the other.
        let back = DispatchSemaphore(value: 0)
        Thread { [self] in
            pass(server, client) { count in moved.withLock { $0.sent += count } }
            back.signal()
        }.start()
        pass(client, server) { count in moved.withLock { $0.received += count } }
        back.wait()
        pairs.withLock { $0.removeAll { $0.client == client } }
    }

    /// Until one side has gone, and then neither side has the other any more.
    private func pass(_ from: Int32, _ other: Int32, _ count: (Int) -> Void) {
        var piece = [UInt8](repeating: 0, count: 65_536)
        loop: while true {
            let length = recv(from, &piece, piece.count, 0)
            if length <= 0 { break }
            if isSilent(from) { continue }
            var sent = 0
            while sent < length {
                let more = piece.withUnsafeBytes {
                    send(other, $0.baseAddress?.advanced(by: sent), length - sent, Int32(MSG_NOSIGNAL))
                }
                if more <= 0 { break loop }
                sent += more
            }
            count(length)
        }
        for socket in [from, other] { shutdown(socket, Int32(SHUT_RDWR)) }
    }
}
