public import Foundation
import Synchronization

/// A proxy on loopback for HTTP (`CONNECT`, and requests with a whole URL) and SOCKS 5, which connects every name to
/// one port.
///
/// Source: RFC 9110, section 9.3.6; RFC 1928; RFC 1929.
public final class ProxyDouble: Sendable {
    /// What somebody asked for.
    public struct Visit: Sendable, Hashable {
        /// `CONNECT`, `SOCKS5`, or the method of a request with a whole URL.
        public var method: String
        /// `host:port`, or the whole URL.
        public var target: String
        /// `user:password`, where it came.
        public var login: String?
    }

    /// On 127.0.0.1, chosen by the system.
    public var port: Int { listener.withLock { $0?.port ?? 0 } }
    private let target: Int
    private let login: String?
    private let refusal: Int?
    private let log = Mutex<[Visit]>([])
    private let listener = Mutex<Listener?>(nil)

    /// - Parameters:
    ///   - target: The port on 127.0.0.1 where all connections go.
    ///   - login: `user:password` to be asked for.
    ///   - refusal: A status with which every request is refused.
    /// - Throws: `POSIXError` when no port can be had.
    public init(to target: Int, login: String? = nil, refusal: Int? = nil) throws {
        self.target = target
        self.login = login
        self.refusal = refusal
        let started = try Listener { [weak self] client in self?.serve(client) }
        listener.withLock { $0 = started }
    }

    /// What came so far.
    public var visits: [Visit] { log.withLock { $0 } }

    /// The proxy's URL, with `login` in it where one is given.
    public func url(_ scheme: String = "http", login: String? = nil) -> URL {
        URL(string: "\(scheme)://\(login.map { $0 + "@" } ?? "")127.0.0.1:\(port)")!  // Well-formed by construction.
    }

    /// Closes every connection and the port.
    public func stop() { listener.withLock { $0?.stop() } }

    private func serve(_ client: Int32) {
        guard let first = receive(client, 1)?.first else { return }
        if first == 5 { serveSOCKS(client) } else { serveHTTP(client, first: first) }
    }

    // MARK: HTTP

    private func serveHTTP(_ client: Int32, first: UInt8) {
        var head = Data([first])
        while true {
            while head.range(of: Data("\r\n\r\n".utf8)) == nil {
                guard let byte = receive(client, 1) else { return }
                head += byte
            }
            let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
            head = Data()
            let words = lines[0].split(separator: " ").map(String.init)
            let basic = lines.first { $0.lowercased().hasPrefix("proxy-authorization: basic ") }
            let given = basic.flatMap { Data(base64Encoded: String($0.dropFirst("proxy-authorization: basic ".count))) }
            let visit = Visit(
                method: words[0], target: words[1], login: given.map { String(decoding: $0, as: UTF8.self) })
            log.withLock { $0.append(visit) }
            if let status = login != nil && visit.login != login ? 407 : refusal {
                let challenge = status == 407 ? "Proxy-Authenticate: Basic realm=\"proxy\"\r\n" : ""
                send(
                    client,
                    Data("HTTP/1.1 \(status) No\r\n\(challenge)Set-Cookie: proxy=1\r\nContent-Length: 0\r\n\r\n".utf8))
                continue
            }
            guard let server = connect() else { return }
            defer { close(server) }
            if visit.method == "CONNECT" {
                send(
                    client,
                    Data("HTTP/1.1 200 Here you are\r\nETag: \"proxy\"\r\nContent-Type: text/proxy\r\n\r\n".utf8))
            } else {
                let path = URL(string: visit.target)?.path(percentEncoded: true) ?? "/"
                let kept = lines.dropFirst().filter { !$0.lowercased().hasPrefix("proxy-") }
                send(server, Data((["\(words[0]) \(path) \(words[2])"] + kept).joined(separator: "\r\n").utf8))
            }
            return relay(client, server)
        }
    }

    // MARK: SOCKS

    private func serveSOCKS(_ client: Int32) {
        guard let count = receive(client, 1)?.first, let methods = receive(client, Int(count)) else { return }
        let method: UInt8 = login == nil ? 0 : 2
        guard methods.contains(method) else { return send(client, Data([5, 0xFF])) }
        send(client, Data([5, method]))
        var given: String?
        if method == 2 {
            guard receive(client, 1) != nil, let user = receiveText(client), let password = receiveText(client) else {
                return
            }
            given = "\(user):\(password)"
            if given != login { log.withLock { $0.append(Visit(method: "SOCKS5", target: "", login: given)) } }
            send(client, Data([1, given == login ? 0 : 1]))
            if given != login { return }
        }
        guard let request = receive(client, 4), let host = receiveHost(client, kind: request[3]),
            let port = receive(client, 2)
        else {
            return
        }
        let visit = Visit(method: "SOCKS5", target: "\(host):\(Int(port[0]) << 8 | Int(port[1]))", login: given)
        log.withLock { $0.append(visit) }
        guard refusal == nil, let server = connect() else { return send(client, Data([5, 2, 0, 1, 0, 0, 0, 0, 0, 0])) }
        defer { close(server) }
        send(client, Data([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]))
        relay(client, server)
    }

    private func receiveText(_ client: Int32) -> String? {
        guard let count = receive(client, 1)?.first else { return nil }
        return receive(client, Int(count)).map { String(decoding: $0, as: UTF8.self) }
    }

    private func receiveHost(_ client: Int32, kind: UInt8) -> String? {
        kind == 3 ? receiveText(client) : receive(client, 4).map { $0.map(String.init).joined(separator: ".") }
    }

    // MARK: Sockets

    private func receive(_ socket: Int32, _ count: Int) -> Data? {
        var bytes = [UInt8](repeating: 0, count: count)
        return count == 0 || recv(socket, &bytes, count, Int32(truncatingIfNeeded: MSG_WAITALL)) == count
            ? Data(bytes) : nil
    }

    private func send(_ socket: Int32, _ data: Data) {
        _ = data.withUnsafeBytes { Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    private func connect() -> Int32? {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(target).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if isConnected { return server }
        close(server)
        return nil
    }

    /// Both ways, until one side has gone.
    private func relay(_ client: Int32, _ server: Int32) {
        var ends = [
            pollfd(fd: client, events: Int16(POLLIN), revents: 0),
            pollfd(fd: server, events: Int16(POLLIN), revents: 0),
        ]
        var piece = [UInt8](repeating: 0, count: 65_536)
        while poll(&ends, 2, -1) > 0 {
            for (from, other) in [(0, server), (1, client)] where ends[from].revents != 0 {
                let count = recv(ends[from].fd, &piece, piece.count, 0)
                if count <= 0 { return }
                send(other, Data(piece.prefix(count)))
            }
        }
    }
}
