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
    init(_ serve: @escaping @Sendable (_ client: Int32) -> Void) throws {
        let listener = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRINUSE) }
        socket = listener
        port = Int(UInt16(bigEndian: address.sin_port))
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
            case .afterSending(let rest) where isSending && count >= rest, .afterReceiving(let rest) where !isSending && count >= rest: rest
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
