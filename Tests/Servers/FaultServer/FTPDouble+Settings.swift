public import Foundation

extension FTPDouble {
    /// What the server is like.
    public struct Settings: Sendable {
        /// How `LIST` looks.
        public enum Listing: Sendable {
            /// As `ls -l` prints it.
            case unix
            /// As IIS prints it.
            case dos
            /// These bytes, for every folder.
            case raw(Data)
        }

        /// The lines of `FEAT`, without the space in front; where there are none, `FEAT` is not known.
        public var features = [
            "EPRT", "EPSV", "MDTM", "MFMT", "MLST type*;size*;modify*;perm*;unix.mode*;", "REST STREAM", "SIZE", "TVFS",
            "UTF8",
        ]
        /// Commands that are answered with 500, in capitals; `SITE CHMOD` and its like by both words.
        public var unknown: Set<String> = []
        /// How `LIST` looks.
        public var listing = Listing.unix
        /// Whether `LIST` and `NLST` leave out names with a dot in front unless `-a` is given.
        public var hidesDotFiles = false
        /// Whether `RNTO` replaces a file.
        public var renameReplaces = true
        /// Whether it is on ::1 in place of 127.0.0.1; there is no `PASV` and no `PORT` then.
        public var isIPv6 = false
        /// The text of the greeting.
        public var welcome = "220 Ready"
        /// The answer to `SYST`.
        public var system = "215 UNIX Type: L8"
        /// Who is let in; nil for everybody.
        public var user: String?
        /// With which password; nil for any.
        public var password: String?
        /// Control connections at a time; the others are greeted with 421 and closed.
        public var maximumConnections: Int?
        /// Connections that are logged in at a time; the others get 530.
        public var maximumLogins: Int?
        /// Lines inside every reply that has one line otherwise (RFC 959, section 4.2), with `{code}` for the reply's
        /// code.
        public var innerLines: [String] = []
        /// Has each byte of a reply written apart, with so many seconds between them; nil for whole replies.
        public var replyPace: Double?
        /// Whether a command may come before the reply to the one before it.
        public var allowsPipelining = false
        /// Whether what came before the reply to the command before is dropped unread.
        public var dropsEarlyCommands = false
        /// After so many seconds without a command the connection gets 421 and is closed; nil for never.
        public var idleTimeout: Double?
        /// Seconds that a data connection may take to come about.
        public var dataTimeout = 10.0
        /// For `HASH` and for `XCRC`, `XMD5`, `XSHA1`, `XSHA256`, `XSHA512`, by the names that `HASH` has: "CRC32",
        /// "MD5", "SHA-1" …
        public var hashes: [String: @Sendable (Data) -> String] = [:]
        /// What is to go wrong with a command; nothing where it is empty. Also asked for the greeting, as a command
        /// without a verb.
        ///
        /// Asked on the connection's thread, and may ask the double.
        public var answer: @Sendable (Command) -> [Fault]

        /// A server without faults but those of `answer`.
        public init(answer: @escaping @Sendable (Command) -> [Fault] = { _ in [] }) { self.answer = answer }
    }

    /// Lines for ``Settings/innerLines`` that are lawful and look like an end: a padded code, a code that goes on, more
    /// digits.
    public static let trickyLines = [" {code} padded", "{code}-goes on", "2500 bytes", "12", "", " 226 Done"]

    /// For ``Settings/hashes``: CRC-32 as in ZIP, in hexadecimal capitals.
    public static func crc32(_ data: Data) -> String {
        var register = UInt32.max
        for byte in data {
            register ^= UInt32(byte)
            for _ in 0..<8 { register = register >> 1 ^ (register & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        let digits = String(~register, radix: 16, uppercase: true)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// What came in.
    public struct Command: Sendable, Hashable {
        /// In capitals, whatever the case in which it came; empty for the greeting.
        public var verb: String
        /// Bytes that are not UTF-8 are replaced; empty for `PASS`.
        public var argument: String
        /// The argument's bytes as they came, without Telnet's escapes; empty for `PASS`.
        public var bytes: Data
        /// The argument as an absolute path, for commands that have one.
        public var path: String
        /// The control connection's number, from 1.
        public var connection: Int
        /// How many with this verb had come with it, from 1, over all connections; the number of the connection for the
        /// greeting.
        public var occurrence: Int
    }

    /// What goes wrong with a command. Several can be given together.
    public enum Fault: Sendable {
        // In their order, before the command is done. Pauses are in seconds, to the millisecond.

        /// Waits so many seconds.
        case delay(Double)
        /// A reply more, for example 120 before the greeting.
        case say(String)
        /// These bytes again and again until the client goes: a reply or a line without end.
        case endless(Data)
        /// Nothing more until the client goes; what comes is only recorded.
        case silence
        /// The control connection is closed at once.
        case dropConnection
        /// The control connection is reset at once.
        case resetConnection

        // Instead of doing it.

        /// This text, of one or more lines; `\n` ends a line. The data connection is given up.
        case reply(String)
        /// These bytes.
        case garbage(Data)

        // After doing it.

        /// This text in place of the final reply.
        case replyAfterDoing(String)
        /// The control connection is closed before the final reply.
        case noFinalReply
        /// The final reply never comes, and the connection stays open; later commands are answered.
        case noFinalReplyButOpen
        /// These bytes follow the final reply at once.
        case also(Data)
        /// When the client has said something more, whatever it is, these bytes, and the connection is closed.
        case afterNextBytes(Data)
        /// The control connection is closed after the final reply.
        case close

        // PASV and EPSV.

        /// 227 names this host.
        case wrongPASVAddress(String)
        /// 227 or 229 names this port.
        case wrongPort(Int)
        /// The whole reply, made from the port that is open.
        case passiveReply(@Sendable (_ port: Int) -> String)
        /// The port is closed before the client can come.
        case refuseDataConnection

        /// A data connection that the server makes comes from this address of IPv4, which is one of this machine.
        case dataFrom(String)

        // Transfers and listings. A count that is never reached changes nothing.

        /// In place of 150; nil for no preliminary reply at all.
        case mark(String?)
        /// The final reply goes out before the data.
        case finalReplyFirst
        /// After so many bytes the data connection is closed, and this is the final reply.
        case closeDataAfter(Int, reply: String)
        /// After so many bytes the data connection is reset, and this is the final reply.
        case resetDataAfter(Int, reply: String)
        /// After so many bytes no more moves until the client goes or sends `ABOR`.
        case stallDataAfter(Int)
        /// At most so many bytes at once, with so many seconds after them.
        case slowData(bytes: Int, pause: Double)
        /// These bytes are sent in place of the file or the listing.
        case data(Data)
        /// These bytes are sent in place of the file or the listing, again and again until the client goes.
        case endlessData(Data)
        /// What becomes of the offset that `REST` gave.
        case offset(OffsetRule)
        /// What is kept of what `STOR` or `APPE` sent; without it all.
        case storing(@Sendable (Data) -> Data)

        /// Only so many bytes are kept of what was sent, and the reply is 226.
        public static func shortStore(_ count: Int) -> Fault { .storing { Data($0.prefix(count)) } }

        /// `SIZE` says this.
        public static func sizeLies(_ size: Int) -> Fault { .replyAfterDoing("213 \(size)") }
    }

    /// What a server makes of `REST` before `RETR` or `STOR`.
    public enum OffsetRule: Sendable, Hashable {
        /// `STOR` overwrites from there and keeps what is behind the new bytes, as `pwrite` does; so it is without a
        /// fault.
        case overwrite
        /// `STOR` ends the file behind the new bytes.
        case truncate
        /// `STOR` puts zeros before the new bytes.
        case zeroFill
        /// `RETR` sends, and `STOR` writes, from the start.
        case ignored
    }
}
