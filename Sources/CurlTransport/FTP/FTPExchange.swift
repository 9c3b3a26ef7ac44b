public import FileProviderCore
import Foundation

/// One command to an FTP server: a verb and its argument.
public struct FTPCommand: Sendable, Hashable {
    /// The verb in capitals, such as `RNFR`.
    public let verb: String
    /// The argument, which follows one space; empty for none.
    public let argument: [UInt8]

    /// Creates a command from bytes.
    ///
    /// - Parameter argument: The bytes to send. The byte 255 begins a Telnet command for servers that support Telnet,
    ///   which read two of them as one (RFC 854).
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` for CR, LF or NUL in the argument, because the text after them
    ///   would be a separate command.
    public init(_ verb: String, argument: some Sequence<UInt8> = []) throws {
        self.verb = verb
        self.argument = Array(argument)
        if self.argument.contains(where: { [0, 10, 13].contains($0) }) { throw Self.refusal(self.argument) }
    }

    /// - Parameter argument: Text from this program, not from a user or a server.
    public init(_ verb: String, text argument: StaticString) {
        self.verb = verb
        self.argument = argument.withUTF8Buffer { Array($0) }
    }

    private static func refusal(_ argument: [UInt8]) -> any Error {
        let name = String(decoding: argument, as: UTF8.self)
        return FileError.make(
            .fileReadInvalidFileName, path: name,
            sentence: "FTP cannot send the line break or NUL in \(name.debugDescription).")
    }

    /// The whole line, without its end.
    var line: [UInt8] { Array(verb.utf8) + (argument.isEmpty ? [] : [0x20] + argument) }
}

/// What is sent over one control connection without interruption: commands, and optionally a transfer.
public struct FTPExchange: Sendable {
    /// How an interrupted upload is resumed (RFC 3659, section 5).
    public enum Resumption: Sendable {
        /// Not at all: `STOR` from the start.
        case never
        /// With `APPE`, at the end of the file.
        case append
        /// With `REST`, then `STOR`.
        case restart
    }

    /// What is transferred over a data connection.
    public enum Transfer: Sendable {
        /// No data.
        case none
        /// `RETR` from `offset`. After `count` bytes this side closes the data connection; nil reads to the end of the
        /// file. With `sparingly`, few bytes are in flight that were not requested yet.
        case retrieve([UInt8], offset: Int64, count: Int64?, sparingly: Bool)
        /// A listing command.
        case list(FTPCommand)
        /// `STOR` of the bytes from `offset`, in the way that `continuing` names.
        case store([UInt8], any WriteSource, offset: Int64, continuing: Resumption)
    }

    /// Sent first, each after the reply to the one before, even if that is a refusal.
    public var commands: [FTPCommand]
    /// Comes last.
    public var transfer: Transfer
    /// Bytes a second; nil for no limit.
    public var bytesPerSecond: Int64?
    /// The time for a reply, in idle times.
    public var patience = 1.0
    /// A command that is sent after ``commands``, right before the transfer. Its reply may stop the transfer.
    public var look: FTPLook?
    /// Called on the connection's thread when the transfer begins to wait for its own sink or source, and when it
    /// continues.
    public var held: @Sendable (_ isHeld: Bool) -> Void = { _ in }
    /// The sink for retrieved or listed bytes. Called on the connection's thread when the first byte has arrived, or at
    /// the end of an empty file. A sink that throws `CancellationError` has enough: the rest is not fetched, and the
    /// exchange succeeds.
    public var receive: @Sendable () throws -> any ByteSink

    /// Creates an exchange; by default of commands only.
    public init(
        _ commands: [FTPCommand] = [], transfer: Transfer = .none,
        receive: @escaping @Sendable () throws -> any ByteSink = { DiscardingSink() }
    ) {
        self.commands = commands
        self.transfer = transfer
        self.receive = receive
    }
}

/// A command that decides whether a transfer follows.
public struct FTPLook: Sendable {
    /// The command.
    public let command: FTPCommand
    /// Whether the transfer may follow. Called on any thread, and again if the command is repeated.
    public let mayGoOn: @Sendable (FTPReply) -> Bool

    /// Creates a look. Sends nothing.
    public init(_ command: FTPCommand, mayGoOn: @escaping @Sendable (FTPReply) -> Bool) {
        self.command = command
        self.mayGoOn = mayGoOn
    }
}

/// A server's reply to one command (RFC 959, section 4.2).
public struct FTPReply: Sendable, Hashable {
    /// The verb of the command; empty for the greeting.
    public let verb: String
    /// The reply code, 100–659.
    public let code: Int
    /// The lines without their ends; the first and the last without the code.
    public let lines: [[UInt8]]

    /// Creates a reply from its parts.
    public init(verb: String, code: Int, lines: [[UInt8]]) {
        self.verb = verb
        self.code = code
        self.lines = lines
    }

    /// Whether the command succeeded or the next one is expected: 2xx and 3xx.
    public var isPositive: Bool { (200..<400).contains(code) }
    /// The text of all lines, each trimmed, for people; bytes that are not UTF-8 are shown as U+FFFD.
    public var text: String {
        lines.map { String(decoding: $0, as: UTF8.self).trimmingSpaces }.filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}

/// The outcome of an exchange that the connection has survived, whether it succeeded or was refused.
public struct FTPOutcome: Sendable {
    /// The replies in order of arrival, including preliminary ones (1xx) and those of a login.
    public var replies: [FTPReply] = []
    /// Bytes of data that were received or sent.
    public var bytes: Int64 = 0
    /// Whether this side closed the data connection before its end.
    public var wasCut = false
    /// Whether the look stopped the exchange.
    public var wasStopped = false
    /// Whether a reply remains that belongs to no command. Then the connection must be opened again before its next
    /// use.
    public var isOutOfStep = false

    /// Returns the last reply to `verb` that is not preliminary.
    public subscript(verb: String) -> FTPReply? { replies.last { $0.verb == verb && $0.code >= 200 } }
    /// The last reply.
    public var last: FTPReply? { replies.last }
}

/// The error of an exchange that did not end. The connection is lost.
public struct FTPFailure: Error {
    /// The failure as a Foundation error.
    public let error: any Error
    /// The outcome until the failure.
    public let outcome: FTPOutcome
    /// Whether the server had begun to reply.
    public let wasGreeted: Bool
}
