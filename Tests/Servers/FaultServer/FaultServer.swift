public import Foundation
import Synchronization

/// An HTTP server on loopback that does on demand what real servers do not: lie, stop half way, say nothing.
///
/// Each connection has a thread; `answer` says what happens to each request.
public final class FaultServer: Sendable {
    /// What came in.
    public struct Request: Sendable {
        /// In the case in which it came.
        public var method: String
        /// Path and query as they came, percent-encoded.
        public var target: String
        /// By name in lower case.
        public var headers: [String: String]
        /// All of it; empty where there was none.
        public var body: Data
    }

    /// What goes out.
    public enum Answer: Sendable {
        /// A whole answer; the connection stays open.
        case reply(Int, headers: [String: String] = [:], body: Data = Data())
        /// A head that promises `promised` bytes, `body`, then the connection is closed.
        case truncated(Int, headers: [String: String] = [:], promised: Int, body: Data)
        /// These bytes and nothing else, then the connection is closed.
        case raw(Data)
        /// A head that promises `promised` bytes, `body`, then nothing until the client goes away.
        case stalled(Int, promised: Int, body: Data)
        /// Nothing, until the client goes away.
        case silence
    }

    /// On 127.0.0.1, chosen by the system.
    public let port: Int
    private let listener: Int32
    private let answer: @Sendable (Request) -> Answer
    private let log = Mutex<[Request]>([])
    private let clients = Mutex<Set<Int32>>([])

    /// - Throws: `POSIXError` when no port can be had.
    public init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
        self.answer = answer
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRINUSE) }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread { [self] in acceptClients() }.start()
    }

    /// The requests so far.
    public var requests: [Request] { log.withLock { $0 } }

    /// Where the server's root is.
    public func url(_ scheme: String = "http") -> URL { URL(string: "\(scheme)://127.0.0.1:\(port)/")! }  // Well-formed by construction.

    /// Closes every connection and the port.
    public func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        for client in clients.withLock({ $0 }) { shutdown(client, Int32(SHUT_RDWR)) }
    }

    private func acceptClients() {
        while true {
            let client = accept(listener, nil, nil)
            if client < 0 { return }
            clients.withLock { _ = $0.insert(client) }
            Thread { [self] in
                serve(Connection(client))
                clients.withLock { _ = $0.remove(client) }
                close(client)
            }.start()
        }
    }

    private func serve(_ connection: Connection) {
        while let request = connection.readRequest() {
            log.withLock { $0.append(request) }
            switch answer(request) {
            case .reply(let status, let headers, let body):
                // In one piece: two would wait for the client's acknowledgement between them.
                connection.send(head(status, headers, length: body.count) + (request.method == "HEAD" ? Data() : body))
            case .truncated(let status, let headers, let promised, let body):
                connection.send(head(status, headers, length: promised) + body)
                return
            case .raw(let bytes):
                connection.send(bytes)
                return
            case .stalled(let status, let promised, let body):
                connection.send(head(status, [:], length: promised) + body)
                connection.waitForEnd()
                return
            case .silence:
                connection.waitForEnd()
                return
            }
        }
    }

    private func head(_ status: Int, _ headers: [String: String], length: Int) -> Data {
        var text = "HTTP/1.1 \(status) Answer\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if status != 204 { text += "Content-Length: \(length)\r\n" }
        return Data((text + "\r\n").utf8)
    }
}

/// One client's socket, read in pieces.
private struct Connection {
    private let socket: Int32
    private let buffer = Buffer()

    private final class Buffer {
        var bytes = Data()
    }

    init(_ socket: Int32) {
        self.socket = socket
    }

    /// The next request with its body; nil when the client has gone.
    func readRequest() -> FaultServer.Request? {
        let end = Data("\r\n\r\n".utf8)
        while buffer.bytes.range(of: end) == nil { if !fill() { return nil } }
        guard let range = buffer.bytes.range(of: end) else { return nil }
        let lines = String(decoding: buffer.bytes[..<range.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        buffer.bytes.removeSubrange(..<range.upperBound)
        let words = lines[0].split(separator: " ")
        guard words.count == 3 else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces) }
        }
        let body = headers["transfer-encoding"] == "chunked" ? readChunks() : read(Int(headers["content-length"] ?? "0") ?? 0)
        return body.map { FaultServer.Request(method: String(words[0]), target: String(words[1]), headers: headers, body: $0) }
    }

    private func read(_ count: Int) -> Data? {
        while buffer.bytes.count < count { if !fill() { return nil } }
        let body = Data(buffer.bytes.prefix(count))
        buffer.bytes.removeFirst(count)
        return body
    }

    private func readChunks() -> Data? {
        var body = Data()
        while true {
            let lineEnd = Data("\r\n".utf8)
            while buffer.bytes.range(of: lineEnd) == nil { if !fill() { return nil } }
            guard let range = buffer.bytes.range(of: lineEnd) else { return nil }
            let size = Int(String(decoding: buffer.bytes[..<range.lowerBound], as: UTF8.self), radix: 16) ?? 0
            buffer.bytes.removeSubrange(..<range.upperBound)
            guard let chunk = read(size), read(2) != nil else { return nil }
            if size == 0 { return body }
            body += chunk
        }
    }

    private func fill() -> Bool {
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &piece, piece.count, 0)
        if count > 0 { buffer.bytes += piece.prefix(count) }
        return count > 0
    }

    func send(_ data: Data) {
        data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            var rest = bytes
            while !rest.isEmpty {
                let count = Foundation.send(socket, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                if count <= 0 { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }

    func waitForEnd() { while fill() {} }
}
