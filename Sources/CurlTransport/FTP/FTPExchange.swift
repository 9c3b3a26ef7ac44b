public import FileProviderCore
import Foundation

/// One line to an FTP server: a verb and what it is about.
public struct FTPCommand: Sendable, Hashable {
    /// In capitals, such as `RNFR`.
    public let verb: String
    /// Behind one space; empty for none.
    public let argument: [UInt8]

    /// - Parameter argument: As it goes over the wire. The byte 255 begins a command of Telnet, for servers that know
    ///   Telnet, which read two of them as one (RFC 854).
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` for CR, LF or NUL in the argument, because what follows them
    ///   would be a command of its own.
    public init(_ verb: String, argument: some Sequence<UInt8> = []) throws {
        self.verb = verb
        self.argument = Array(argument)
        if self.argument.contains(where: { [0, 10, 13].contains($0) }) { throw Self.refusal(self.argument) }
    }

    /// - Parameter argument: Text of this program's own.
    public init(_ verb: String, text argument: StaticString) {
        self.verb = verb
        self.argument = argument.withUTF8Buffer { Array($0) }
    }

    private static func refusal(_ argument: [UInt8]) -> any Error {
        let name = String(decoding: argument, as: UTF8.self)
        return FileError.make(
            .fileReadInvalidFileName, path: name,
            sentence: "FTP has no way to write the line break or NUL in \(name.debugDescription).")
    }

    /// The whole line, without its end.
    var line: [UInt8] { Array(verb.utf8) + (argument.isEmpty ? [] : [0x20] + argument) }
}

/// What goes over one control connection without anything between: commands, and then a transfer of data perhaps.
public struct FTPExchange: Sendable {
    /// How a file that is there in part is gone on with (RFC 3659, section 5).
    public enum Resumption: Sendable {
        /// `STOR`: from the start.
        case never
        /// `APPE`: behind what is there.
        case append
        /// `REST`, then `STOR`.
        case restart
    }

    /// What goes over a data connection.
    public enum Transfer: Sendable {
        /// Nothing.
        case none
        /// `RETR` from `offset` on. After `count` bytes this side closes the data connection; nil to the end of the
        /// file. `sparingly`, little is on its way that was not asked for yet.
        case retrieve([UInt8], offset: Int64, count: Int64?, sparingly: Bool)
        /// A listing command.
        case list(FTPCommand)
        /// `STOR`, of the bytes from `offset` on where `continuing` says how.
        case store([UInt8], any WriteSource, offset: Int64, continuing: Resumption)
    }

    /// Sent first, each after the reply to the one before, whatever that says.
    public var commands: [FTPCommand]
    /// Comes last.
    public var transfer: Transfer
    /// Bytes a second; nil for no limit.
    public var bytesPerSecond: Int64?
    /// How many idle times the server may take for a reply.
    public var patience = 1.0
    /// Asked behind ``commands``, right before the transfer, which the reply may stop.
    public var look: FTPLook?
    /// Told, on the connection's thread, when the transfer begins to wait for its own sink or source, and when it goes
    /// on.
    public var held: @Sendable (_ isHeld: Bool) -> Void = { _ in }
    /// Where what is retrieved or listed goes; asked on the connection's thread when the first byte is there, or at the
    /// end of an empty file. A sink that throws `CancellationError` has enough: the rest is not fetched, and the
    /// exchange succeeds.
    public var receive: @Sendable () throws -> any ByteSink

    /// Nothing but commands unless said otherwise.
    public init(
        _ commands: [FTPCommand] = [], transfer: Transfer = .none,
        receive: @escaping @Sendable () throws -> any ByteSink = { DiscardingSink() }
    ) {
        self.commands = commands
        self.transfer = transfer
        self.receive = receive
    }
}

/// A question before a transfer.
public struct FTPLook: Sendable {
    /// What is asked.
    public let command: FTPCommand
    /// Whether the transfer may follow; called on any thread, again where it is asked again.
    public let mayGoOn: @Sendable (FTPReply) -> Bool

    /// Nothing is sent.
    public init(_ command: FTPCommand, mayGoOn: @escaping @Sendable (FTPReply) -> Bool) {
        self.command = command
        self.mayGoOn = mayGoOn
    }
}

/// What a server said to one command (RFC 959, section 4.2).
public struct FTPReply: Sendable, Hashable {
    /// The verb of the command; empty for the greeting.
    public let verb: String
    /// 100–659.
    public let code: Int
    /// Each line without its end, and the first and last without the code.
    public let lines: [[UInt8]]

    /// Made of what came.
    public init(verb: String, code: Int, lines: [[UInt8]]) {
        self.verb = verb
        self.code = code
        self.lines = lines
    }

    /// Whether what was asked for is done, or the next command awaited: 2xx and 3xx.
    public var isPositive: Bool { (200..<400).contains(code) }
    /// All lines for a person, with the spaces around each taken away; what is not UTF-8 is shown as U+FFFD.
    public var text: String {
        lines.map { String(decoding: $0, as: UTF8.self).trimmingSpaces }.filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}

/// How an exchange went that the connection has outlived, or that was refused.
public struct FTPOutcome: Sendable {
    /// In the order in which they came, preliminary ones (1xx) and those of a login included.
    public var replies: [FTPReply] = []
    /// Bytes of data that came or went.
    public var bytes: Int64 = 0
    /// Whether this side closed the data connection before its end.
    public var wasCut = false
    /// Whether the exchange ended with its look.
    public var wasStopped = false
    /// Whether a reply is left that belongs to no command: the connection has to be made anew before it is used again.
    public var isOutOfStep = false

    /// The last reply to `verb` that is not preliminary.
    public subscript(verb: String) -> FTPReply? { replies.last { $0.verb == verb && $0.code >= 200 } }
    /// The last reply of all.
    public var last: FTPReply? { replies.last }
}

/// An exchange that did not come to its end. The connection is lost.
public struct FTPFailure: Error {
    /// In Foundation's words.
    public let error: any Error
    /// What came before.
    public let outcome: FTPOutcome
    /// Whether the server had begun to talk.
    public let wasGreeted: Bool
}
