import CurlTransport
import FileProviderCore
import Foundation

/// What the connections of one provider have learned of their server.
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
    /// The folder that a login begins in; nil where the server did not say.
    var home: [UInt8]? { state.value.home }

    /// Whether `LIST -a` shows names that begin with a dot; nil before it was tried.
    var listsHidden: Bool? {
        get { state.value.listsHidden }
        set { state.update { $0.listsHidden = newValue } }
    }

    /// Whether a file was seen to come from the offset that was asked for.
    var takesOffsets: Bool {
        get { state.value.takesOffsets }
        set { state.update { $0.takesOffsets = newValue } }
    }

    /// Whether the port that `EPSV` told was seen not to be reached: something on the way knows `PASV` alone, and opens
    /// ports for that.
    var prefersPASV: Bool {
        get { state.value.prefersPASV }
        set { state.update { $0.prefersPASV = newValue } }
    }

    /// Whether it tells how much room there is; nil before it was asked.
    var tellsSpace: Bool? {
        get { state.value.tellsSpace }
        set { state.update { $0.tellsSpace = newValue } }
    }

    /// Whether `RNTO` replaces a file: until the server was seen to need the old one out of the way.
    var renameReplaces: Bool {
        get { state.value.renameReplaces }
        set { state.update { $0.renameReplaces = newValue } }
    }

    /// The server's name for the item at `path`, which is counted from the root. `~` before all other names stands for
    /// the folder that a login begins in.
    ///
    /// - Throws: `CocoaError(.fileWriteInapplicableStringEncoding)` for a name that the server's character set does not
    ///   have; `CocoaError(.fileWriteInvalidFileName)` for one that ends in a blank, where the server is not known to
    ///   keep that.
    func bytes(of path: ProviderPath) throws -> [UInt8] {
        let bytes = try plainBytes(of: path)
        guard bytes.contains(255) else { return bytes }
        // “я” in windows-1251. These two keep it as it comes, alone or twice.
        if isSoftware("vsFTPd") || isSoftware("Pure-FTPd") { return bytes }
        // It reads commands as Telnet has them: two for one.
        if isSoftware("ProFTPD") { return bytes.flatMap { $0 == 255 ? [$0, $0] : [$0] } }
        throw refusal(
            path,
            "“\(path)” has the byte 255 in it in the server's character set, which this server is not known to read.")
    }

    /// As ``bytes(of:)``, as listings have it.
    func plainBytes(of path: ProviderPath) throws -> [UInt8] {
        let slash = UInt8(ascii: "/")
        var names = try (root.components + path.components).map { try charset.serverName(of: Array($0)) }
        var base: [UInt8] = []
        if names.first == [UInt8(ascii: "~")] {
            names.removeFirst()
            base = home ?? []
            while base.last == slash { base.removeLast() }
        }
        // Most servers cut it off, and would take another item for this one.
        if names.last?.last == UInt8(ascii: " "), !isSoftware("vsFTPd"), !isSoftware("pyftpdlib") {
            throw refusal(path, "“\(path)” ends in a blank, which this server is not known to keep in a command.")
        }
        return names.isEmpty ? (base.isEmpty ? [slash] : base) : names.reduce(base) { $0 + [slash] + $1 }
    }

    /// As ``bytes(of:)``, for `RETR` and `STOR`, which libcurl sends without control characters only.
    func transferBytes(of path: ProviderPath) throws -> [UInt8] {
        let bytes = try bytes(of: path)
        if bytes.contains(where: { $0 < 0x20 }) {
            throw refusal(
                path, "\(path.string.debugDescription) has a control character in it, which FTP does not carry.")
        }
        return bytes
    }

    /// As ``transferBytes(of:)``, for names that are to be: only such as the server keeps as they are.
    func newBytes(of path: ProviderPath) throws -> [UInt8] {
        let bytes = try transferBytes(of: path)
        if charset == .utf8, String(validating: path.nameBytes, as: UTF8.self) == nil {
            throw refusal(
                path,
                "“\(path)” is not UTF-8, as names on this server are (RFC 2640); the setting “charset” names another.")
        }
        // Pure-FTPd puts an underscore in its place, and says nothing of it.
        if isSoftware("Pure-FTPd"), bytes.contains(0x7F) {
            throw refusal(path, "This server keeps no name such as “\(path)”, with a control character in it.")
        }
        return bytes
    }

    /// Whether the server greeted with that name; many an administrator has it hidden.
    private func isSoftware(_ name: String) -> Bool { state.value.greeting.contains(name) }

    private func refusal(_ path: ProviderPath, _ sentence: String) -> CocoaError {
        FileError.make(.fileWriteInvalidFileName, path: path, sentence: sentence)
    }

    /// Whether the server may know the command: it was not heard to say that it does not, in the last hour.
    func mayKnow(_ verb: String, at time: ContinuousClock.Instant = .now) -> Bool {
        state.value.lacking[verb].map { time - $0 > Self.memory } ?? true
    }

    func lacks(_ verb: String) { state.update { $0.lacking[verb] = .now } }

    /// A server may be another one by then, or have said so for another reason.
    private static let memory = Duration.seconds(3600)
    /// Bytes of a path above which a refusal may mean the line, and not the command.
    static let maxLength = 500

    /// Whether one item can be asked about, and folders listed, in a form for machines.
    var hasMachineListings: Bool { features?.hasMachineListings == true && mayKnow("MLST") }

    func learn(from login: FTPOutcome) {
        state.update { state in
            if let greeting = login[""] { state.greeting = greeting.text }
            if state.features == nil { state.features = FTPFeatures(login["FEAT"]) }
            if let reply = login["PWD"], reply.code == 257 { state.home = Self.path(in: reply) ?? state.home }
        }
    }

    /// What stands between quotes, in which quotes are doubled (RFC 959, appendix II).
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
