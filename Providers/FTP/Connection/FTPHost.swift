import CurlTransport
import FileProviderCore
import Foundation

/// What the connections of one provider have learned about their server.
final class FTPHost: Sendable {
    private struct State {
        var features: FTPFeatures?
        var home: [UInt8]?
        var lacking: [String: ContinuousClock.Instant] = [:]
        var tellsSpace: Bool?
        var listsHidden: Bool?
        var takesOffsets = false
        var prefersPASV = false
        var renameReplaces = true
        var greeting = ""
    }

    private let state = LockedValue(State())
    let charset: FTPCharset
    let pipelining = FTPPipelining()
    /// The provider's root on the server.
    private let root: ProviderPath

    init(charset: FTPCharset, root: ProviderPath = .root) {
        self.charset = charset
        self.root = root
    }

    /// Nil before the first login.
    var features: FTPFeatures? { state.value.features }
    /// The folder in which a login begins; nil if the server did not say.
    var home: [UInt8]? { state.value.home }

    /// Whether `LIST -a` shows names that begin with a dot; nil before the first try.
    var listsHidden: Bool? {
        get { state.value.listsHidden }
        set { state.update { $0.listsHidden = newValue } }
    }

    /// Whether the server was seen to send a file from the requested offset.
    var takesOffsets: Bool {
        get { state.value.takesOffsets }
        set { state.update { $0.takesOffsets = newValue } }
    }

    /// Whether the port in the reply to `EPSV` could not be reached. Some firewalls understand only `PASV`, and open
    /// ports for it alone.
    var prefersPASV: Bool {
        get { state.value.prefersPASV }
        set { state.update { $0.prefersPASV = newValue } }
    }

    /// Whether the server reports its free space; nil before it was asked.
    var tellsSpace: Bool? {
        get { state.value.tellsSpace }
        set { state.update { $0.tellsSpace = newValue } }
    }

    /// Whether `RNTO` replaces a file. True until the server is found to need the old file out of the way.
    var renameReplaces: Bool {
        get { state.value.renameReplaces }
        set { state.update { $0.renameReplaces = newValue } }
    }

    /// The server's name for the item at `path`, which is relative to the root. `~` as the first component stands for
    /// the folder in which a login begins.
    ///
    /// - Throws: `CocoaError(.fileWriteInapplicableStringEncoding)` for a name that the server's character set cannot
    ///   represent; `CocoaError(.fileWriteInvalidFileName)` for a name that ends in a space or contains the byte 255,
    ///   if the server is not known to keep it.
    func bytes(of path: ProviderPath) throws -> [UInt8] {
        let bytes = try plainBytes(of: path)
        guard bytes.contains(255) else { return bytes }
        // “я” in windows-1251. These two servers keep the byte, whether it comes once or twice.
        if isSoftware("vsFTPd") || isSoftware("Pure-FTPd") { return bytes }
        // ProFTPD reads commands by the rules of Telnet: two bytes stand for one.
        if isSoftware("ProFTPD") { return bytes.flatMap { $0 == 255 ? [$0, $0] : [$0] } }
        throw refusal(
            path,
            "“\(path)” contains the byte 255 in the server's character set, which this server may misread.")
    }

    /// Like ``bytes(of:)``, without doubled bytes, as the name appears in listings.
    func plainBytes(of path: ProviderPath) throws -> [UInt8] {
        let slash = UInt8(ascii: "/")
        var names = try (root.components + path.components).map { try charset.serverName(of: Array($0)) }
        var base: [UInt8] = []
        if names.first == [UInt8(ascii: "~")] {
            names.removeFirst()
            base = home ?? []
            while base.last == slash { base.removeLast() }
        }
        // Most servers cut the space off, and would use another item.
        if names.last?.last == UInt8(ascii: " "), !isSoftware("vsFTPd"), !isSoftware("pyftpdlib") {
            throw refusal(path, "“\(path)” ends in a space, which this server may cut off.")
        }
        return names.isEmpty ? (base.isEmpty ? [slash] : base) : names.reduce(base) { $0 + [slash] + $1 }
    }

    /// Like ``bytes(of:)``, for `RETR` and `STOR`, which libcurl sends only without control characters.
    func transferBytes(of path: ProviderPath) throws -> [UInt8] {
        let bytes = try bytes(of: path)
        if bytes.contains(where: { $0 < 0x20 }) {
            throw refusal(
                path, "\(path.string.debugDescription) contains a control character, which FTP cannot send.")
        }
        return bytes
    }

    /// Like ``transferBytes(of:)``, for new names. Accepts only names that the server keeps unchanged.
    func newBytes(of path: ProviderPath) throws -> [UInt8] {
        let bytes = try transferBytes(of: path)
        if charset == .utf8, String(validating: path.nameBytes, as: UTF8.self) == nil {
            throw refusal(
                path,
                "“\(path)” is not UTF-8, the character set of this server's names. Set “charset” if it uses another.")
        }
        // Pure-FTPd silently replaces the character with an underscore.
        if isSoftware("Pure-FTPd"), bytes.contains(0x7F) {
            throw refusal(path, "“\(path)” contains a control character, which this server would replace.")
        }
        return bytes
    }

    /// Whether the server's greeting names this software. Administrators often hide it.
    private func isSoftware(_ name: String) -> Bool { state.value.greeting.contains(name) }

    private func refusal(_ path: ProviderPath, _ sentence: String) -> CocoaError {
        FileError.make(.fileWriteInvalidFileName, path: path, sentence: sentence)
    }

    /// Whether the server may know the command: it has not replied in the last hour that it does not.
    func mayKnow(_ verb: String, at time: ContinuousClock.Instant = .now) -> Bool {
        state.value.lacking[verb].map { time - $0 > Self.memory } ?? true
    }

    func lacks(_ verb: String) { state.update { $0.lacking[verb] = .now } }

    /// After this time, a command is tried again: the server may have changed, or may have refused for another reason.
    private static let memory = Duration.seconds(3600)
    /// Bytes of a path above which a refusal may be about the length of the line, and not about the command.
    static let maxLength = 500

    /// Whether the server answers `MLST` and `MLSD`, as far as is known.
    var hasMachineListings: Bool { features?.hasMachineListings == true && mayKnow("MLST") }

    func learn(from login: FTPOutcome) {
        state.update { state in
            if let greeting = login[""] { state.greeting = greeting.text }
            if state.features == nil { state.features = FTPFeatures(login["FEAT"]) }
            if let reply = login["PWD"], reply.code == 257 { state.home = Self.path(in: reply) ?? state.home }
        }
    }

    /// The quoted path; quotes in it are doubled (RFC 959, appendix II).
    private static func path(in reply: FTPReply) -> [UInt8]? {
        let quote = UInt8(ascii: "\"")
        guard let line = reply.lines.first, let start = line.firstIndex(of: quote) else { return nil }
        var path: [UInt8] = []
        var rest = line[(start + 1)...]
        while let byte = rest.popFirst() {
            if byte == quote {
                guard rest.first == quote else { return path.first == UInt8(ascii: "/") ? path : nil }
                rest.removeFirst()
            }
            path.append(byte)
        }
        return nil
    }
}
