import Foundation
import Synchronization

/// A port on loopback, chosen by the system, with a thread for each client.
final class Listener: Sendable {
    let port: Int
    private let socket: Int32
    /// Nil when it is over.
    private let clients = Mutex<Set<Int32>?>([])

    /// - Parameter serve: Has the client's socket until it returns.
    /// - Throws: `POSIXError` when no port can be had.
    init(isIPv6: Bool = false, _ serve: @escaping @Sendable (_ client: Int32) -> Void) throws {
        guard let (listener, port) = Loopback.listen(isIPv6: isIPv6, backlog: 64) else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRINUSE)
        }
        socket = listener
        self.port = port
        Thread { [self] in acceptClients(serve) }.start()
    }

    private func acceptClients(_ serve: @escaping @Sendable (Int32) -> Void) {
        // Not in `stop`: this thread would go on with a number that may be another server's by then.
        defer { close(socket) }
        while clients.withLock({ $0 != nil }) {
            let client = accept(socket, nil, nil)
            if client < 0 { continue }
            guard clients.withLock({ $0?.insert(client) != nil }) else {
                close(client)
                return
            }
            Thread { [self] in
                serve(client)
                clients.withLock { _ = $0?.remove(client) }
                close(client)
            }.start()
        }
    }

    /// Closes every connection and the port.
    func stop() {
        clients.withLock { clients in
            guard let open = clients else { return }
            clients = nil
            // Has `accept` return.
            shutdown(socket, Int32(SHUT_RDWR))
            for client in open { shutdown(client, Int32(SHUT_RDWR)) }
        }
    }
}

/// Ends all that goes over the wire once, after so many bytes, with a reset (`RST`).
final class Cutter: Sendable {
    private let left = Mutex<FaultServer.Cut?>(nil)

    func set(_ cut: FaultServer.Cut) { left.withLock { $0 = cut } }

    /// How many of `count` bytes may still be sent or received before the cut; nil for all of them.
    func limit(_ count: Int, isSending: Bool) -> Int? {
        left.withLock { left in
            switch left {
            case .afterSending(let rest) where isSending && count >= rest,
                .afterReceiving(let rest) where !isSending && count >= rest:
                rest
            default: nil
            }
        }
    }

    /// Counts; true when the connection is to be reset now, which is said once.
    func count(_ moved: Int, isSending: Bool) -> Bool {
        left.withLock { left in
            switch left {
            case .afterSending(let rest) where isSending: left = moved >= rest ? nil : .afterSending(rest - moved)
            case .afterReceiving(let rest) where !isSending: left = moved >= rest ? nil : .afterReceiving(rest - moved)
            default: return false
            }
            return left == nil
        }
    }
}

/// A socket whose peer sees a reset when it is closed.
func resetWhenClosed(_ socket: Int32) {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
}
