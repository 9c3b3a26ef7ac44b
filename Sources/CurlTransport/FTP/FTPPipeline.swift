import FileProviderCore
import Foundation

/// The conversation over a control connection that libcurl keeps and does not use at the moment.
struct FTPTalk {
    private(set) var replies = FTPReplies()
    /// Bytes of data that were sent.
    var sent: Int64 = 0
    /// The verbs of the commands without a final reply.
    private var unanswered: [String] = []
    /// The bytes after the last line end.
    private var rest: [UInt8] = []

    private static let maxLineLength = 64 << 10

    var outcome: FTPOutcome { FTPOutcome(replies: replies.finished, bytes: sent) }
    var isAnswered: Bool { unanswered.isEmpty }

    mutating func asked(_ commands: [FTPCommand]) { unanswered += commands.map(\.verb) }

    mutating func take(_ piece: [UInt8], from url: URL) throws {
        rest += piece
        var start = rest.startIndex
        defer { rest.removeSubrange(..<start) }
        while let end = rest[start...].firstIndex(of: 10) {
            // Bytes after the last reply belong to no command: libcurl would read them as the reply to its next one.
            guard let verb = unanswered.first else { throw FTPReplies.stray(url) }
            let before = replies.finished.count
            guard rest[start...end].withUnsafeBytes({ replies.take($0, verb: verb) }) else {
                throw FTPReplies.endless(url)
            }
            start = end + 1
            guard replies.finished.count > before, let reply = replies.finished.last else { continue }
            if reply.code == 421 { throw FTPReplies.lost(url) }
            if reply.isStray { throw FTPReplies.stray(url) }
            if reply.code >= 200 { unanswered.removeFirst() }
        }
        if rest.count - start > Self.maxLineLength { throw FTPReplies.endless(url) }
        if isAnswered, start < rest.endIndex { throw FTPReplies.stray(url) }
    }
}

/// Sends several commands at once over the control connection (RFC 1123, section 4.1.2, asks servers to support it),
/// and reads the replies to all of them. Blocks its thread.
struct FTPPipeline: Sendable {
    let sockets: FTPSockets
    let url: URL
    /// Seconds.
    let idle: Double
    let counters: TransferCounters

    func run(_ commands: [FTPCommand]) throws -> FTPOutcome { try keepingStep { try ask(commands, &$0) } }

    /// After an error, the connection is lost, because later replies cannot be matched to commands.
    func keepingStep(_ body: (inout FTPTalk) throws -> Void) throws -> FTPOutcome {
        var talk = FTPTalk()
        do {
            try body(&talk)
            return talk.outcome
        } catch {
            sockets.interrupt()
            if sockets.isAborted { throw FTPReplies.closed(url) }
            throw FTPFailure(
                error: sockets.hasTimedOut ? FTPReplies.late(url) : error, outcome: talk.outcome, wasGreeted: true)
        }
    }

    func ask(_ commands: [FTPCommand], _ talk: inout FTPTalk) throws {
        try send(commands, &talk)
        while !talk.isAnswered { try hear(&talk) }
    }

    func send(_ commands: [FTPCommand], _ talk: inout FTPTalk) throws {
        let control = try control()
        let text = commands.reduce(into: [UInt8]()) { $0 += $1.line + [13, 10] }
        talk.asked(commands)
        var rest = text[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.send(control, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count > 0 { rest = rest.dropFirst(count) } else { try wait(control, for: POLLOUT, after: errno) }
        }
        counters.add(.requests, Int64(commands.count))
        counters.add(.bytesOut, Int64(text.count))
    }

    /// Reads the arrived bytes, and waits if there are none.
    func hear(_ talk: inout FTPTalk) throws {
        let control = try control()
        while true {
            let (count, code, piece) = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
                let count = recv(control, buffer.baseAddress, buffer.count, 0)
                return (count, errno, Array(buffer.prefix(max(0, count))))
            }
            if count == 0 { throw FTPReplies.lost(url) }
            guard count > 0 else {
                try wait(control, for: POLLIN, after: code)
                continue
            }
            counters.add(.bytesIn, Int64(count))
            sockets.replied(count)
            return try talk.take(piece, from: url)
        }
    }

    func control() throws -> Int32 {
        guard let control = sockets.control else { throw FTPReplies.lost(url) }
        return control
    }

    /// Waits after a call that would block.
    private func wait(_ socket: Int32, for events: Int32, after code: Int32) throws {
        guard code == EAGAIN || code == EINTR else { throw FTPReplies.lost(url) }
        var entries = [pollfd(fd: socket, events: Int16(events), revents: 0)]
        try wait(&entries, seconds: idle)
    }

    /// - Throws: `URLError(.timedOut)`.
    func wait(_ entries: inout [pollfd], seconds: Double) throws {
        let ready = poll(&entries, nfds_t(entries.count), Int32(min(max(seconds, 0.001), 2_000_000) * 1000))
        if ready == 0 { throw FTPReplies.late(url) }
    }
}
