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
        /// These bytes, for a client that reads an answer in them; the connection stays open.
        case bytes(Data)
        /// A whole answer whose body comes one byte at a time, with so many seconds before each.
        case drip(Int, headers: [String: String] = [:], body: Data, pause: Double)
    }

    /// Where the connection is reset, once; after that the server works.
    public enum Cut: Sendable, Hashable {
        /// After so many bytes of answers, counted over all connections.
        case afterSending(Int)
        /// After so many bytes of requests, counted over all connections.
        case afterReceiving(Int)
    }

    private let answer: @Sendable (Request) -> Answer
    private let early: (@Sendable (Request) -> Answer?)?
    private let cutter = Cutter()
    private let log = Mutex<[Request]>([])
    private let moved = Mutex((received: 0, sent: 0))
    private let listener = Mutex<Listener?>(nil)

    /// - Parameter early: Asked when half of a body has come; its answer goes out then, and the connection is closed.
    /// - Throws: `POSIXError` when no port can be had.
    public init(
        early: (@Sendable (Request) -> Answer?)? = nil, _ answer: @escaping @Sendable (Request) -> Answer
    ) throws {
        self.answer = answer
        self.early = early
        let started = try Listener { [weak self] client in self?.serve(client) }
        listener.withLock { $0 = started }
    }

    /// On 127.0.0.1, chosen by the system.
    public var port: Int { listener.withLock { $0?.port ?? 0 } }

    /// Bytes of requests and of answers so far.
    public var traffic: (received: Int, sent: Int) { moved.withLock { $0 } }

    /// Has the connection reset that comes so far; bytes count from now on.
    public func reset(_ cut: Cut) { cutter.set(cut) }

    /// The requests so far.
    public var requests: [Request] { log.withLock { $0 } }

    /// Where the server's root is.
    public func url(_ scheme: String = "http") -> URL {
        URL(string: "\(scheme)://127.0.0.1:\(port)/")!  // Well-formed by construction.
    }

    /// Closes every connection and the port.
    public func stop() { listener.withLock { $0?.stop() } }

    private func serve(_ client: Int32) {
        let connection = Connection(client, cutter: cutter) { [self] received, sent in
            moved.withLock { $0 = ($0.received + received, $0.sent + sent) }
        }
        while let request = connection.readRequest(early: early) {
            if let refusal = request.refusal {
                log.withLock { $0.append(request.request) }
                _ = send(refusal, to: request.request, connection)
                // What was not read yet would have the answer thrown away.
                shutdown(client, Int32(SHUT_WR))
                return connection.waitForEnd()
            }
            log.withLock { $0.append(request.request) }
            guard send(answer(request.request), to: request.request, connection) else { return }
        }
    }

    /// False when the connection is to be closed.
    private func send(_ answer: Answer, to request: Request, _ connection: Connection) -> Bool {
        switch answer {
        case .reply(let status, let headers, let body):
            return connection.send(
                head(status, headers, length: body.count) + (request.method == "HEAD" ? Data() : body))
        case .bytes(let bytes): return connection.send(bytes)
        case .drip(let status, let headers, let body, let pause):
            guard connection.send(head(status, headers, length: body.count)) else { return false }
            for byte in body {
                // The pause is what is tested.
                Thread.sleep(forTimeInterval: pause)
                guard connection.send(Data([byte])) else { return false }
            }
            return true
        case .truncated(let status, let headers, let promised, let body):
            _ = connection.send(head(status, headers, length: promised) + body)
        case .raw(let bytes): _ = connection.send(bytes)
        case .stalled(let status, let promised, let body):
            _ = connection.send(head(status, [:], length: promised) + body)
            connection.waitForEnd()
        case .silence: connection.waitForEnd()
        }
        return false
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
    private let cutter: Cutter
    private let moved: (_ received: Int, _ sent: Int) -> Void
    private let buffer = Buffer()

    private final class Buffer {
        var bytes = Data()
    }

    init(_ socket: Int32, cutter: Cutter, moved: @escaping (_ received: Int, _ sent: Int) -> Void) {
        self.socket = socket
        self.cutter = cutter
        self.moved = moved
    }

    /// The next request with its body; nil when the client has gone.
    func readRequest(
        early: ((FaultServer.Request) -> FaultServer.Answer?)?
    ) -> (request: FaultServer.Request, refusal: FaultServer.Answer?)? {
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
        let length = Int(headers["content-length"] ?? "0") ?? 0
        // A proxy that only relays leaves the whole URL (RFC 9112, section 3.2.2).
        let target = String(words[1]).replacing(/^http:\/\/[^\/]*/, with: "")
        var request = FaultServer.Request(method: String(words[0]), target: target, headers: headers, body: Data())
        if let early, length > 1 {
            guard let half = read(length / 2) else { return nil }
            request.body = half
            if let refusal = early(request) { return (request, refusal) }
        }
        let rest = headers["transfer-encoding"] == "chunked" ? readChunks() : read(length - request.body.count)
        guard let rest else { return nil }
        request.body += rest
        return (request, nil)
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
        let limit = cutter.limit(piece.count, isSending: false) ?? piece.count
        let count = limit == 0 ? 0 : recv(socket, &piece, limit, 0)
        if count < 0 || (count == 0 && limit > 0) { return false }
        moved(count, 0)
        buffer.bytes += piece.prefix(count)
        if cutter.count(count, isSending: false) {
            resetWhenClosed(socket)
            return false
        }
        return true
    }

    /// False when the connection has gone.
    func send(_ data: Data) -> Bool {
        let limit = cutter.limit(data.count, isSending: true) ?? data.count
        // Before the client can have got it all and asked for the count.
        moved(0, limit)
        let isSent = data.prefix(limit).withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            var rest = bytes
            while !rest.isEmpty {
                let count = Foundation.send(socket, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                if count <= 0 { return false }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
            return true
        }
        guard cutter.count(limit, isSending: true) else { return isSent }
        resetWhenClosed(socket)
        return false
    }

    func waitForEnd() { while fill() {} }
}
