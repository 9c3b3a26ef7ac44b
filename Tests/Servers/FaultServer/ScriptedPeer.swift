import Foundation
import Synchronization

/// A port on loopback that plays one script to each connection, and then closes it: for what no server or proxy in its
/// right mind would say.
public final class ScriptedPeer: Sendable {
    /// What is done next.
    public enum Step: Sendable {
        /// Takes so many bytes.
        case receive(Int)
        /// Takes bytes up to an empty line.
        case receiveHead
        case send([UInt8])
        /// Sends the same until nobody takes it any more.
        case sendForEver([UInt8])
        /// Takes what comes until the other side closes.
        case wait
    }

    /// On 127.0.0.1, chosen by the system.
    public var port: Int { listener.withLock { $0?.port ?? 0 } }
    private let script: [Step]
    private let log = Mutex<[[UInt8]]>([])
    private let accepted = Mutex(0)
    private let listener = Mutex<Listener?>(nil)

    /// - Throws: `POSIXError` when no port can be had.
    public init(_ script: [Step]) throws {
        self.script = script
        let started = try Listener { [weak self] client in self?.serve(client) }
        listener.withLock { $0 = started }
    }

    /// What each receiving step has taken, those alone that were complete.
    public var received: [[UInt8]] { log.withLock { $0 } }

    /// Connections that were taken so far.
    public var connections: Int { accepted.withLock { $0 } }

    /// Closes every connection and the port.
    public func stop() { listener.withLock { $0?.stop() } }

    private func serve(_ client: Int32) {
        accepted.withLock { $0 += 1 }
        for step in script {
            switch step {
            case .receive(let count):
                var bytes = [UInt8](repeating: 0, count: count)
                guard recv(client, &bytes, count, Int32(truncatingIfNeeded: MSG_WAITALL)) == count else { return }
                log.withLock { $0.append(bytes) }
            case .receiveHead:
                var head: [UInt8] = []
                while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
                    var byte: UInt8 = 0
                    guard recv(client, &byte, 1, 0) == 1 else { return }
                    head.append(byte)
                }
                log.withLock { $0.append(head) }
            case .send(let bytes):
                guard send(client, bytes) else { return }
            case .sendForEver(let bytes):
                while send(client, bytes) {}
            case .wait:
                var piece = [UInt8](repeating: 0, count: 4096)
                while recv(client, &piece, piece.count, 0) > 0 {}
            }
        }
    }

    private func send(_ client: Int32, _ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Foundation.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            sent += count
        }
        return true
    }
}
