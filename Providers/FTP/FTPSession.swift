import CurlTransport
import FileProviderCore
import Foundation

/// One control connection with what is known of its state. Used by one caller at a time.
final class FTPSession: Sendable {
    private struct State {
        /// Where the server is, as it was told; nil when that is not known.
        var folder: [UInt8]?
        /// Whether the server's type is image (RFC 959, section 3.1.1): sizes are counted so.
        var isBinary = false
        var lastUse = ContinuousClock.now
        var isAborted = false
    }

    private let control: FTPControlConnection
    private let state = Locked(State())
    /// Told when its transfer begins to wait for its own sink or source, and when it goes on.
    private let held = Locked<(@Sendable (Bool) -> Void)?>(nil)
    let host: FTPHost
    /// Bytes a second for each transfer; nil for no limit.
    let bytesPerSecond: Int64?

    init(_ control: FTPControlConnection, host: FTPHost, bytesPerSecond: Int64?) {
        self.control = control
        self.host = host
        self.bytesPerSecond = bytesPerSecond
    }

    /// Has `told` called when the transfer that runs begins to wait for its own sink or source, and when it goes on or ends.
    func whenHeld(_ told: @escaping @Sendable (Bool) -> Void) { held.update { $0 = told } }

    /// How long nothing was sent.
    var idleTime: Duration { .now - state.value.lastUse }

    var isUsable: Bool { control.isUsable }

    /// Logs in and learns, the first time, what the server can.
    ///
    /// - Throws: `FTPFailure`.
    func open() async throws {
        let outcome = try await control.connect(host.features == nil ? [FTPCommand("FEAT")] : [])
        host.learn(from: outcome)
        let features = host.features ?? FTPFeatures(nil)
        var options: [FTPCommand] = []
        if features.has("CLNT") { options.append(FTPCommand("CLNT", text: "Carrel")) }
        if features.has("UTF8"), host.charset == .utf8 { options.append(FTPCommand("OPTS", text: "UTF8 ON")) }
        if let facts = features.wantedFacts { options.append(try FTPCommand("OPTS", Array("MLST \(facts)".utf8))) }
        options.append(FTPCommand("TYPE", text: "I"))
        let answers = try await control.pipeline(options)
        state.update { $0.isBinary = answers["TYPE"]?.isPositive ?? false }
    }

    /// Sends `commands`, each after the reply to the one before.
    func send(_ commands: [FTPCommand]) async throws -> FTPOutcome { try await send(FTPExchange(commands)) }

    /// Sends `commands` at once, where nothing hangs on the reply to one of them.
    func sendTogether(_ commands: [FTPCommand]) async throws -> FTPOutcome {
        let outcome = try await control.pipeline(commands)
        note(commands, outcome)
        return outcome
    }

    /// - Throws: `FTPFailure`, after which the session is of no use.
    func send(_ exchange: FTPExchange) async throws -> FTPOutcome {
        var exchange = exchange
        exchange.bytesPerSecond = bytesPerSecond
        if exchange.look != nil || control.isShort(exchange) { exchange.commands = binary + exchange.commands }
        let held = held.value ?? { _ in }
        exchange.held = held
        defer { held(false) }
        let outcome = try await control.send(exchange)
        note(exchange.commands, outcome)
        if outcome.isOutOfStep {
            state.update { $0.folder = nil }
            try await open()
            return outcome
        }
        if case .none = exchange.transfer { return outcome }
        if outcome.wasStopped { return outcome }
        // libcurl changes the type by itself, right before the transfer's command, and before a listing to ASCII.
        let isSent = ["RETR", "STOR", "APPE"].contains(outcome.last?.verb ?? "")
        state.update { $0.isBinary = isSent }
        return outcome
    }

    private func note(_ commands: [FTPCommand], _ outcome: FTPOutcome) {
        state.update { state in
            state.lastUse = .now
            for command in commands where command.verb == "TYPE" { state.isBinary = command.argument == Array("I".utf8) }
            if let folder = commands.last(where: { $0.verb == "CWD" }) {
                state.folder = outcome["CWD"]?.isPositive == true ? folder.argument : nil
            }
        }
        // Of the commands behind SITE and OPTS, a refusal does not tell which.
        for reply in outcome.replies where [500, 502].contains(reply.code) && !["SITE", "OPTS"].contains(reply.verb) {
            host.lacks(reply.verb)
        }
    }

    /// What has to go first for the server to count bytes as they are.
    var binary: [FTPCommand] { state.value.isBinary ? [] : [FTPCommand("TYPE", text: "I")] }

    /// Goes to `folder`; the refusal where the server does not.
    func enter(_ folder: [UInt8]) async throws -> FTPReply? {
        if state.value.folder == folder { return nil }
        let reply = try await send([FTPCommand("CWD", folder)])["CWD"]
        return reply?.isPositive == true ? nil : reply
    }

    /// Forgets where the server is: a folder that is moved or removed is no place to stay.
    func leave() { state.update { $0.folder = nil } }

    func close() { control.close() }

    /// Ends it at once, and what runs over it with `URLError(.cancelled)`.
    func abort() {
        state.update { $0.isAborted = true }
        control.abort()
    }

    var isAborted: Bool { state.value.isAborted }
}

/// What the connections of one provider have learned of their server.
final class FTPHost: Sendable {
    private struct State {
        var features: FTPFeatures?
        var home: [UInt8]?
        var lacking: Set<String> = []
        var listsHidden: Bool?
        var takesOffsets = false
        var renameReplaces = true
        var greeting = ""
    }

    private let state = Locked(State())
    let charset: FTPCharset
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

    /// Whether `RNTO` replaces a file: until the server was seen to need the old one out of the way.
    var renameReplaces: Bool {
        get { state.value.renameReplaces }
        set { state.update { $0.renameReplaces = newValue } }
    }

    /// The server's name for the item at `path`, which is counted from the root. `~` before all other names stands for the folder that a
    /// login begins in.
    ///
    /// - Throws: `CocoaError(.fileWriteInapplicableStringEncoding)` for a name that the server's character set does not have;
    ///   `CocoaError(.fileWriteInvalidFileName)` for one that ends in a blank, where the server is not known to keep that.
    func bytes(of path: ProviderPath) throws -> [UInt8] {
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
            throw refusal(path, "\(path.string.debugDescription) has a control character in it, which FTP does not carry.")
        }
        return bytes
    }

    /// As ``transferBytes(of:)``, for names that are to be: only such as the server keeps as they are.
    func newBytes(of path: ProviderPath) throws -> [UInt8] {
        let bytes = try transferBytes(of: path)
        if charset == .utf8, String(validating: path.nameBytes, as: UTF8.self) == nil {
            throw refusal(path, "“\(path)” is not UTF-8, as names on this server are (RFC 2640); the setting “charset” names another.")
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

    /// Whether the server may know the command: it was not heard to say that it does not.
    func mayKnow(_ verb: String) -> Bool { !state.value.lacking.contains(verb) }

    func lacks(_ verb: String) { state.update { _ = $0.lacking.insert(verb) } }

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
