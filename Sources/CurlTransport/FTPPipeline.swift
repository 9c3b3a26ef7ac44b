import FileProviderCore
import Foundation

/// Several commands sent at once over a control connection that libcurl keeps and does not use for the moment (RFC 1123, section 4.1.2,
/// asks servers to bear it). Blocks the thread it runs on.
struct FTPPipeline: Sendable {
    private static let longestLine = 64 << 10

    private let commands: [FTPCommand]
    private let sockets: FTPSockets
    private let url: URL
    /// Seconds.
    private let idle: Double

    init(_ commands: [FTPCommand], sockets: FTPSockets, url: URL, idle: Double) {
        self.commands = commands
        self.sockets = sockets
        self.url = url
        self.idle = idle
    }

    func run(counters: TransferCounters) throws -> FTPOutcome {
        var replies = FTPReplies()
        do {
            guard let control = sockets.control else { throw lost() }
            let text = commands.reduce(into: [UInt8]()) { $0 += $1.line + [13, 10] }
            try send(text, to: control)
            counters.add(.bytesOut, Int64(text.count))
            var pending: [UInt8] = []
            while replies.finished.count(where: { $0.code >= 200 }) < commands.count {
                let piece = try receive(from: control)
                counters.add(.bytesIn, Int64(piece.count))
                sockets.replied(piece.count)
                pending += piece
                try takeLines(from: &pending, into: &replies)
            }
            counters.add(.requests, Int64(commands.count))
            // What comes after the last reply belongs to no command: libcurl would take it for the reply to its next one.
            guard pending.isEmpty else { throw FTPReplies.stray(url) }
            return FTPOutcome(replies: replies.finished)
        } catch {
            sockets.interrupt()
            if sockets.isAborted { throw FTPReplies.closed(url) }
            throw FTPFailure(error: error, outcome: FTPOutcome(replies: replies.finished), wasGreeted: true)
        }
    }

    private func takeLines(from pending: inout [UInt8], into replies: inout FTPReplies) throws {
        var start = pending.startIndex
        defer { pending.removeSubrange(..<start) }
        while let end = pending[start...].firstIndex(of: 10) {
            let done = replies.finished.count { $0.code >= 200 }
            guard done < commands.count else { return }
            guard pending[start...end].withUnsafeBytes({ replies.take($0, verb: commands[done].verb) }) else { throw endless() }
            if replies.finished.last?.code == 421 { throw lost() }
            if replies.finished.last?.isStray == true { throw FTPReplies.stray(url) }
            start = end + 1
        }
        if pending.count - start > Self.longestLine { throw endless() }
    }

    private func send(_ bytes: [UInt8], to socket: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count > 0 { rest = rest.dropFirst(count) } else { try wait(socket, for: POLLOUT, after: errno) }
        }
    }

    private func receive(from socket: Int32) throws -> [UInt8] {
        while true {
            let (count, code, piece) = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
                let count = recv(socket, buffer.baseAddress, buffer.count, 0)
                return (count, errno, Array(buffer.prefix(max(0, count))))
            }
            if count > 0 { return piece }
            if count == 0 { throw lost() }
            try wait(socket, for: POLLIN, after: code)
        }
    }

    /// Waits after a call that would have.
    private func wait(_ socket: Int32, for events: Int32, after code: Int32) throws {
        guard code == EAGAIN || code == EINTR else { throw lost() }
        var entry = pollfd(fd: socket, events: Int16(events), revents: 0)
        let ready = poll(&entry, 1, Int32(min(max(idle, 0.001), 2_000_000) * 1000))
        if ready == 0 { throw FTPReplies.late(url) }
    }

    private func lost() -> URLError {
        FileError.make(.networkConnectionLost, url: url, sentence: "“\(url.host() ?? "")” closed the connection.")
    }

    private func endless() -> URLError {
        FileError.make(.badServerResponse, url: url, sentence: "“\(url.host() ?? "")” does not come to the end of what it says.")
    }
}
