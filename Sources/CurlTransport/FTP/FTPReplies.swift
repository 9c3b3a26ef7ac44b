import FileProviderCore
import Foundation

/// Builds replies from received lines (RFC 959, section 4.2), within limits on their size.
struct FTPReplies {
    /// The maximum number of bytes of one reply, and of all replies of an exchange.
    private static let limits = (reply: 1 << 20, all: 4 << 20)

    private(set) var finished: [FTPReply] = []
    private var lines: [[UInt8]] = []
    private var bytesOfReply = 0
    private var bytesOfAll = 0

    /// Adds a line with its end; returns false if it exceeds a limit.
    mutating func take(_ line: UnsafeRawBufferPointer, verb: String) -> Bool {
        bytesOfReply += line.count
        bytesOfAll += line.count
        guard bytesOfReply <= Self.limits.reply, bytesOfAll <= Self.limits.all else { return false }
        var text = Array(line)
        while text.last == 10 || text.last == 13 { text.removeLast() }
        // The same rule as libcurl's, so that both count the same replies.
        let code = Self.code(of: text)
        let isLast = code != nil && text.count > 3 && text[3] == 0x20
        lines.append(code != nil && (isLast || lines.isEmpty) ? Array(text.dropFirst(4)) : text)
        guard isLast, let code else { return true }
        finished.append(FTPReply(verb: verb, code: code, lines: lines))
        lines = []
        bytesOfReply = 0
        return true
    }

    private static func code(of text: [UInt8]) -> Int? {
        guard text.count >= 3, text[..<3].allSatisfy({ (48...57).contains($0) }) else { return nil }
        return text[..<3].reduce(0) { $0 * 10 + Int($1 - 48) }
    }
}

extension FTPReplies {
    /// The error for one reply too many: later replies would be matched to the wrong commands.
    static func stray(_ url: URL) -> URLError {
        FileError.make(.networkConnectionLost, url: url, sentence: "“\(url.host() ?? "")” sent an unrequested reply.")
    }

    static func closed(_ url: URL) -> URLError {
        FileError.make(.cancelled, url: url, sentence: "The provider was closed.")
    }

    static func lost(_ url: URL) -> URLError {
        FileError.make(.networkConnectionLost, url: url, sentence: "“\(url.host() ?? "")” closed the connection.")
    }

    static func endless(_ url: URL) -> URLError {
        FileError.make(
            .badServerResponse, url: url, sentence: "“\(url.host() ?? "")” sent a reply without an end.")
    }

    static func late(_ url: URL) -> URLError {
        FileError.make(.timedOut, url: url, sentence: "“\(url.host() ?? "")” took too long to answer.")
    }
}

extension FTPReply {
    /// Whether it cannot be the reply to the command: the server has reported the end of a transfer a second time, or
    /// sent a positive code that this command never has (RFC 959, section 5.4; RFC 3659).
    var isStray: Bool {
        if isPositive, let codes = Self.successes[verb] { return !codes.contains(code) }
        return [225, 226, 425, 426].contains(code) && !Self.transfers.contains(verb)
    }

    private static let successes: [String: [Int]] = [
        "CWD": [200, 250, 257], "MLST": [250], "REST": [350], "RNFR": [350], "SIZE": [213],
    ]
    private static let transfers: Set = ["", "RETR", "STOR", "APPE", "LIST", "MLSD", "NLST", "ABOR", "QUIT", "SITE"]
}
