import CurlTransport
import FileProviderCore
import Foundation

/// One control connection and what is known of its state. Used by one caller at a time.
final class FTPSession: Sendable {
    private struct State {
        /// The server's working directory, as last set; nil if it is not known.
        var folder: [UInt8]?
        /// Whether the transfer type is image (RFC 959, section 3.1.1), in which sizes are in bytes.
        var isBinary = false
        var lastUse = ContinuousClock.now
        var isAborted = false
    }

    private let control: FTPControlConnection
    private let state = LockedValue(State())
    /// Called when the transfer begins to wait for its own sink or source, and when it continues.
    private let held = LockedValue<(@Sendable (Bool) -> Void)?>(nil)
    let host: FTPHost
    /// Bytes a second for each transfer; nil for no limit.
    let bytesPerSecond: Int64?

    init(_ control: FTPControlConnection, host: FTPHost, bytesPerSecond: Int64?) {
        self.control = control
        self.host = host
        self.bytesPerSecond = bytesPerSecond
    }

    /// Sets the closure to call when the running transfer begins to wait for its own sink or source, and when it
    /// continues or ends.
    func whenHeld(_ notify: @escaping @Sendable (Bool) -> Void) { held.update { $0 = notify } }

    /// The time since the last exchange.
    var idleTime: Duration { .now - state.value.lastUse }

    var isUsable: Bool { control.isUsable }

    /// When data or replies last moved.
    var lastMove: ContinuousClock.Instant { control.lastMove }

    /// Logs in and, the first time, learns the server's features.
    ///
    /// - Throws: `FTPFailure`.
    func open() async throws {
        let outcome = try await control.connect(host.features == nil ? [FTPCommand("FEAT")] : [])
        host.learn(from: outcome)
        let features = host.features ?? FTPFeatures(nil)
        var options: [FTPCommand] = []
        if features.has("CLNT") { options.append(FTPCommand("CLNT", text: "Carrel")) }
        if features.has("UTF8"), host.charset == .utf8 { options.append(FTPCommand("OPTS", text: "UTF8 ON")) }
        if let facts = features.wantedFacts {
            options.append(try FTPCommand("OPTS", argument: Array("MLST \(facts)".utf8)))
        }
        options.append(FTPCommand("TYPE", text: "I"))
        let answers = try await control.pipeline(options)
        state.update { $0.isBinary = answers["TYPE"]?.isPositive ?? false }
    }

    /// Sends `commands`, each after the reply to the one before.
    func send(_ commands: [FTPCommand]) async throws -> FTPOutcome { try await send(FTPExchange(commands)) }

    /// Sends `commands` together. None of them may depend on another's reply.
    func sendTogether(_ commands: [FTPCommand]) async throws -> FTPOutcome {
        let outcome = try await control.pipeline(commands)
        note(commands, outcome)
        return outcome
    }

    /// - Throws: `FTPFailure`, after which the session cannot be used.
    func send(_ exchange: FTPExchange) async throws -> FTPOutcome {
        var exchange = exchange
        exchange.bytesPerSecond = bytesPerSecond
        if exchange.look != nil || control.isShort(exchange) { exchange.commands = binary + exchange.commands }
        let held = held.value ?? { _ in }
        exchange.held = held
        defer { held(false) }
        let outcome: FTPOutcome
        do { outcome = try await control.send(exchange) } catch let failure as FTPFailure {
            noteWay(failure.outcome, isLost: failure.error.isTransient)
            throw failure
        }
        noteWay(outcome, isLost: false)
        note(exchange.commands, outcome, isLong: exchange.transfer.isLong)
        if outcome.isOutOfStep {
            state.update { $0.folder = nil }
            try await open()
            return outcome
        }
        if case .none = exchange.transfer { return outcome }
        if outcome.wasStopped { return outcome }
        // Right before a transfer's command, libcurl changes the type itself; for a listing, to ASCII.
        let isSent = ["RETR", "STOR", "APPE"].contains(outcome.last?.verb ?? "")
        state.update { $0.isBinary = isSent }
        return outcome
    }

    private func note(_ commands: [FTPCommand], _ outcome: FTPOutcome, isLong: Bool = false) {
        state.update { state in
            state.lastUse = .now
            for command in commands where command.verb == "TYPE" {
                state.isBinary = command.argument == Array("I".utf8)
            }
            if let folder = commands.last(where: { $0.verb == "CWD" }) {
                state.folder = outcome["CWD"]?.isPositive == true ? folder.argument : nil
            }
        }
        if isLong || commands.contains(where: { $0.argument.count > FTPHost.maxLength }) { return }
        // A refusal of SITE or OPTS doesn't tell which of its subcommands is unknown.
        for reply in outcome.replies where [500, 502].contains(reply.code) && !["SITE", "OPTS"].contains(reply.verb) {
            host.lacks(reply.verb)
        }
    }

    /// Notes that the port in the reply to `EPSV` could not be reached.
    private func noteWay(_ outcome: FTPOutcome, isLost: Bool) {
        guard outcome["EPSV"]?.code == 229, outcome["PASV"] != nil || isLost && outcome.last?.verb == "EPSV" else {
            return
        }
        host.prefersPASV = true
    }

    /// The command to send first, so that the server counts bytes without conversion; empty if it was sent.
    var binary: [FTPCommand] { state.value.isBinary ? [] : [FTPCommand("TYPE", text: "I")] }

    /// Changes to `folder`. Returns the server's reply if it refuses, else nil.
    func enter(_ folder: [UInt8]) async throws -> FTPReply? {
        if state.value.folder == folder { return nil }
        let reply = try await send([FTPCommand("CWD", argument: folder)])["CWD"]
        return reply?.isPositive == true ? nil : reply
    }

    /// Forgets the working directory. Called before a folder is moved or removed.
    func leave() { state.update { $0.folder = nil } }

    func close() { control.close() }

    /// Closes the connection at once. A running operation fails with `URLError(.cancelled)`.
    func abort() {
        state.update { $0.isAborted = true }
        control.abort()
    }

    var isAborted: Bool { state.value.isAborted }
}

extension FTPExchange.Transfer {
    fileprivate var isLong: Bool {
        switch self {
        case .none: false
        case .retrieve(let path, _, _, _), .store(let path, _, _, _): path.count > FTPHost.maxLength
        case .list(let command): command.argument.count > FTPHost.maxLength
        }
    }
}
