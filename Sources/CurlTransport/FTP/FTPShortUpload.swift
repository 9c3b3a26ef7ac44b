import FileProviderCore
import Foundation

/// The upload of a short file without libcurl, which opens a data connection only after the reply to every earlier
/// command, and sends nothing over it before the server's permission. Blocks its thread.
///
/// The earlier commands leave with `EPSV`, and the bytes leave with `STOR` as soon as the data connection is open: two
/// round trips fewer. A server that refuses `STOR` drops the bytes.
struct FTPShortUpload: Sendable {
    /// The longest file that is sent this way, in bytes: it is held in memory, and the system accepts it at once.
    static let maxSize = 64 << 10

    let pipeline: FTPPipeline
    let store: FTPCommand
    let bytes: [UInt8]
    /// Seconds.
    let connectTime: Double
    let exchange: FTPExchange

    /// Reads all bytes of `source`, which announces their number.
    static func bytes(of source: any WriteSource, held: (Bool) -> Void) async throws -> [UInt8] {
        let length = Int(source.length ?? 0)
        let bytes = try source.bytes(from: 0)
        var all: [UInt8] = []
        while true {
            let (piece, hasEnded) = try await BlockingThreads.shared.run { try read(bytes, upTo: length + 1) }
            all += piece
            // One more byte shows that there are too many.
            if hasEnded || all.count > length { break }
            held(true)
            defer { held(false) }
            try await bytes.waitUntilReady()
        }
        guard all.count == length else { throw Transfer.wrongLength(Int64(length)) }
        return all
    }

    /// The bytes that are available now.
    private static func read(_ source: any ByteSource, upTo count: Int) throws -> (bytes: [UInt8], hasEnded: Bool) {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: count)
        while all.count < count {
            switch try buffer.withUnsafeMutableBytes({ try source.read(into: $0) }) {
            case .bytes(let count): all += buffer[..<count]
            case .end: return (all, true)
            case .wait: return (all, false)
            }
        }
        return (all, false)
    }

    /// - Returns: Nil if the server refuses `EPSV`: nothing was sent.
    func run() throws -> FTPOutcome? {
        var isStopped = false
        var isRefused = false
        var outcome = try pipeline.keepingStep { talk in
            try pipeline.ask(
                exchange.commands + [exchange.look?.command].compactMap(\.self) + [FTPCommand("EPSV")], &talk)
            let replies = talk.outcome
            if let look = exchange.look, let reply = replies[look.command.verb], !look.mayGoOn(reply) {
                isStopped = true
                return
            }
            guard let port = replies["EPSV"].flatMap(Self.port) else {
                isRefused = true
                return
            }
            try send(to: port, &talk)
        }
        outcome.wasStopped = isStopped
        if isRefused { pipeline.sockets.provePlace(false) }
        return isRefused ? nil : outcome
    }

    /// Source: RFC 2428, section 3.
    private static func port(in reply: FTPReply) -> UInt16? {
        guard reply.code == 229, let text = reply.lines.last, let open = text.firstIndex(of: UInt8(ascii: "(")) else {
            return nil
        }
        let fields = text[(open + 1)...].prefix { $0 != UInt8(ascii: ")") }
        guard let sign = fields.first, fields.prefix(3).allSatisfy({ $0 == sign }), fields.count > 4,
            fields.last == sign
        else {
            return nil
        }
        return UInt16(String(decoding: fields.dropFirst(3).dropLast(), as: UTF8.self)).flatMap { $0 == 0 ? nil : $0 }
    }

    private func send(to port: UInt16, _ talk: inout FTPTalk) throws {
        guard let data = pipeline.sockets.connectData(to: port) else { throw unreachable() }
        defer { pipeline.sockets.close(data) }
        pipeline.counters.add(.dataConnections, 1)
        var entries = [pollfd(fd: data, events: Int16(POLLOUT), revents: 0)]
        try wait(for: &entries)
        try pipeline.send([store], &talk)
        try sendBytes(over: data, talk: &talk)
        pipeline.counters.add(.bytesOut, talk.sent)
        shutdown(data, Int32(SHUT_WR))
        while !talk.isAnswered { try pipeline.hear(&talk) }
        guard talk.sent == bytes.count || talk.outcome.last?.isPositive == false else {
            throw FTPReplies.lost(pipeline.url)
        }
    }

    private func wait(for entries: inout [pollfd]) throws {
        do { try pipeline.wait(&entries, seconds: connectTime) } catch { throw unreachable() }
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(entries[0].fd, SOL_SOCKET, SO_ERROR, &code, &length) == 0, code == 0 else {
            throw unreachable()
        }
    }

    /// Sends the bytes as far as the server accepts them: it may reply, or end the connection, before all of them are
    /// sent.
    private func sendBytes(over data: Int32, talk: inout FTPTalk) throws {
        while talk.sent < bytes.count, !talk.isAnswered {
            let count = bytes[Int(talk.sent)...].withUnsafeBytes {
                Foundation.send(data, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                talk.sent += Int64(count)
                continue
            }
            guard errno == EAGAIN || errno == EINTR else { return }
            var entries = [
                pollfd(fd: data, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: try pipeline.control(), events: Int16(POLLIN), revents: 0),
            ]
            try pipeline.wait(&entries, seconds: pipeline.idle)
            if entries[1].revents != 0 { try pipeline.hear(&talk) }
        }
    }

    private func unreachable() -> URLError {
        FileError.make(
            .networkConnectionLost, url: pipeline.url,
            sentence: "The data connection to “\(pipeline.url.host() ?? "")” was not opened in time.")
    }
}
