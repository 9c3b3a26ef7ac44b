import CCurl
public import FileProviderCore
import Foundation

/// The address of an FTP server, and how to connect to it.
public struct FTPServer: Sendable, Hashable {
    /// Which connections are encrypted.
    public enum Security: Sendable, Hashable {
        /// Nothing.
        case none
        /// Commands after `AUTH TLS`, and data (RFC 4217).
        case explicit
        /// Everything, from the first byte.
        case implicit
    }

    /// Which side opens data connections.
    public enum DataMode: Sendable, Hashable {
        /// This side, with `EPSV` (RFC 2428), or `PASV` if the server refuses it.
        case passive
        /// This side, with `PASV` (RFC 959).
        case ipv4Passive
        /// The server, with `EPRT` (RFC 2428), or `PORT` if the server refuses it.
        case active
    }

    /// The newest TLS version that is offered.
    public enum TLSCeiling: Sendable, Hashable {
        /// The newest version with which this libcurl works with servers that require data connections to resume the
        /// control connection's session.
        case tls12
        /// The newest version of libcurl.
        case newest
    }

    /// The host; IPv6 without brackets.
    public var host: String
    /// The port, 1–65535.
    public var port: Int
    /// Which connections are encrypted.
    public var security: Security
    /// Which side opens data connections. The default is passive.
    public var dataMode: DataMode
    /// The newest TLS version. The default is TLS 1.2.
    public var tlsCeiling: TLSCeiling

    /// Creates a server's address. Sends nothing.
    public init(
        host: String, port: Int, security: Security, dataMode: DataMode = .passive, tlsCeiling: TLSCeiling = .tls12
    ) {
        self.host = host
        self.port = port
        self.security = security
        self.dataMode = dataMode
        self.tlsCeiling = tlsCeiling
    }

    /// The URL for error messages.
    var url: URL { URL(string: urlText([])) ?? URL(filePath: "/") }

    /// - Parameter path: An absolute path, or empty for the working directory.
    func urlText(_ path: [UInt8]) -> String {
        let name = host.contains(":") ? "[\(host)]" : host
        let escaped = PercentEncoding.encoded(path) { $0 == UInt8(ascii: "/") || PercentEncoding.isAlphanumeric($0) }
        return "\(security == .implicit ? "ftps" : "ftp")://\(name):\(port)/" + escaped
    }
}

/// The user and password for an FTP server.
public struct FTPLogin: Sendable, Hashable {
    /// The user; `anonymous` for a login without a name (RFC 1635).
    public var user: String
    /// The password.
    public var password: String

    /// - Throws: `URLError(.userAuthenticationRequired)` for CR, LF or NUL in either, because the text after them would
    ///   be a separate command.
    public init(user: String, password: String) throws {
        guard !(user + password).utf8.contains(where: { [0, 10, 13].contains($0) }) else {
            throw FileError.make(
                .userAuthenticationRequired, url: nil,
                sentence: "A user or password for FTP cannot contain a line break or NUL."
            )
        }
        self.user = user
        self.password = password
    }
}

/// One FTP control connection, kept as long as the server keeps it, and its data connections. Runs on a dedicated
/// thread, because libcurl blocks while it waits for the reply at the end of a transfer.
///
/// Runs one exchange at a time. A failure ends the connection; call ``connect(_:)`` again.
public final class FTPControlConnection: Sendable {
    private let server: FTPServer
    private let login: FTPLogin
    private let options: ConnectionOptions
    private let loop: EventLoop
    private let sockets = FTPSockets()
    private let proxy: ProxyLogin
    private let pipelining: FTPPipelining
    private let log: RequestLog

    /// libcurl 7.87 and 7.88 transfer data in clear over a data connection that the server has opened, even if TLS was
    /// agreed.
    private static let encryptsActiveData = !(0x075700..<0x080000).contains(
        curl_version_info(CURLVERSION_FIRST).pointee.version_num)

    /// Starts the thread. Sends nothing.
    ///
    /// - Parameter pipelining: What is known about the server.
    /// - Throws: `CocoaError` if libcurl cannot be started; `CocoaError(.featureUnsupported)` for active mode with TLS
    ///   if libcurl would not encrypt the data.
    public init(
        server: FTPServer, login: FTPLogin, options: ConnectionOptions, pipelining: FTPPipelining = FTPPipelining()
    ) throws {
        if server.dataMode == .active, server.security != .none, !Self.encryptsActiveData {
            throw FileError.make(
                .featureUnsupported, path: "", url: server.url,
                sentence: "This libcurl does not encrypt data connections that the server opens. Use passive mode."
            )
        }
        self.server = server
        self.login = login
        self.pipelining = pipelining
        log = RequestLog(options.logger, provider: "FTP")
        var options = options
        // Each exchange has its own.
        options.bandwidth = nil
        self.options = options
        loop = try EventLoop(options: options, slots: 1, companion: sockets)
        proxy = ProxyLogin(options)
    }

    deinit {
        close()
    }

    /// Whether the connection is open and the server has not announced its end.
    public var isUsable: Bool { sockets.isUsable }

    /// When data or replies last moved; before that, when this object was created.
    public var lastMove: ContinuousClock.Instant { sockets.lastMove }

    /// Opens the connection, logs in, and sends `commands`. The previous exchange must have ended.
    ///
    /// - Throws: ``FTPFailure``; `CancellationError`.
    public func connect(_ commands: [FTPCommand] = []) async throws -> FTPOutcome {
        if sockets.control != nil { loop.cancelAll() }
        return try await run(FTPExchange(commands), isConnecting: true)
    }

    /// Sends `exchange` over the open connection.
    ///
    /// - Throws: ``FTPFailure``, which ends the connection; an error of the source; `CancellationError`.
    public func send(_ exchange: FTPExchange) async throws -> FTPOutcome {
        if let outcome = try await sendShort(exchange) { return outcome }
        guard let look = exchange.look else { return try await run(exchange, isConnecting: false) }
        var outcome = try await pipeline(exchange.commands + [look.command])
        guard let reply = outcome.last, look.mayGoOn(reply) else {
            outcome.wasStopped = true
            return outcome
        }
        var rest = exchange
        (rest.commands, rest.look) = ([], nil)
        return try await run(rest, isConnecting: false)
    }

    /// Whether a file is short enough to be sent without libcurl, in fewer round trips. Only in clear, and after
    /// libcurl has opened a data connection before.
    public func isShort(_ exchange: FTPExchange) -> Bool {
        guard case .store(_, let source, 0, .never) = exchange.transfer, let length = source.length else {
            return false
        }
        return length <= FTPShortUpload.maxSize && source.isRepeatable && server.security == .none
            && exchange.bytesPerSecond == nil
            && server.dataMode == .passive && sockets.knowsPlace && pipelining.isAllowed
    }

    /// Returns nil if libcurl has to send the file.
    private func sendShort(_ exchange: FTPExchange) async throws -> FTPOutcome? {
        guard isShort(exchange), case .store(let name, let source, _, _) = exchange.transfer else { return nil }
        let bytes = try await FTPShortUpload.bytes(of: source, held: exchange.held)
        let upload = FTPShortUpload(
            pipeline: talk, store: try FTPCommand("STOR", argument: name), bytes: bytes,
            connectTime: options.timeouts.connect,
            exchange: exchange)
        try await take(exchange.commands.count + 1)
        do { return try await sending(upload, exchange) } catch let failure as FTPFailure
            where failure.outcome["EPSV"] == nil
        {
            pipelining.failed(failure, of: exchange.commands.count + (exchange.look == nil ? 1 : 2))
            throw failure
        }
    }

    private var talk: FTPPipeline {
        FTPPipeline(sockets: sockets, url: server.url, idle: options.timeouts.idle, counters: options.counters)
    }

    /// Sends `commands` together and reads the replies to all of them: in one round trip if nothing is encrypted and
    /// the server supports it, else in one for each.
    ///
    /// The commands must not depend on each other's replies, and none of them may start a transfer.
    ///
    /// - Throws: As ``send(_:)``.
    public func pipeline(_ commands: [FTPCommand]) async throws -> FTPOutcome {
        guard server.security == .none, commands.count > 1, pipelining.isAllowed else {
            return try await send(FTPExchange(commands))
        }
        try await take(commands.count)
        do {
            let outcome = try await logged(FTPExchange(commands)) { _ in
                try await onThread { [talk] in try talk.run(commands) }
            }
            pipelining.succeeded()
            return outcome
        } catch let failure as FTPFailure {
            pipelining.failed(failure, of: commands.count)
            throw failure
        }
    }

    /// Runs `body` on the connection's thread while libcurl is idle.
    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        try checkUsable()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isRunning = loop.perform { continuation.resume(with: Result { try body() }) }
                if !isRunning { continuation.resume(throwing: FTPReplies.closed(self.server.url)) }
            }
        } onCancel: {
            sockets.interrupt()
        }
    }

    private func run(_ exchange: FTPExchange, isConnecting: Bool) async throws -> FTPOutcome {
        let access = try await proxy.access()
        do { return try await run(exchange, isConnecting, access) } catch let refusal as ProxyRefusal {
            guard refusal.asksForLogin, isConnecting, let other = try await proxy.access(after: access) else {
                throw refusal.error
            }
            do { return try await run(exchange, isConnecting, other) } catch let refusal as ProxyRefusal {
                if refusal.asksForLogin { proxy.refused(other) }
                throw refusal.error
            }
        }
    }

    private func run(_ exchange: FTPExchange, _ isConnecting: Bool, _ access: ProxyLogin.Access) async throws
        -> FTPOutcome
    {
        var count = exchange.commands.count + (isConnecting ? 1 : 0)
        if case .none = exchange.transfer {} else { count += 1 }
        if count > 0 { try await take(count) }
        if !isConnecting { try checkUsable() }
        return try await logged(exchange, isConnecting: isConnecting) { tally in
            try await run(exchange, isConnecting, access, tally)
        }
    }

    private func run(
        _ exchange: FTPExchange, _ isConnecting: Bool, _ access: ProxyLogin.Access, _ tally: LockedValue<TransferTally>?
    ) async throws -> FTPOutcome {
        let watch = Task { try await self.watch() }
        defer { watch.cancel() }
        return try await withTaskCancellationHandler {
            let (outcome, transfer) = try await loop.run { resume, done in
                let transfer = FTPTransfer(
                    exchange, server: server, login: login, sockets: sockets, isConnecting: isConnecting,
                    proxyLogin: access,
                    resume: resume,
                    done: done)
                transfer.tally = tally
                return transfer
            }
            if case .store = exchange.transfer, outcome.last?.isPositive == true {
                try await transfer?.checkSourceEnded()
            }
            return outcome
        } onCancel: {
            sockets.interrupt()
        }
    }

    /// Returns nil, without a line in the log, if libcurl has to do it.
    private func sending(_ upload: FTPShortUpload, _ exchange: FTPExchange) async throws -> FTPOutcome? {
        let start = log.begin()
        do {
            guard let outcome = try await onThread({ try upload.run() }) else { return nil }
            end(start, exchange, .success(outcome))
            return outcome
        } catch {
            end(start, exchange, .failure(error))
            throw error
        }
    }

    /// Runs `body`, which performs `exchange`, with a line in the log.
    ///
    /// - Parameter body: Fills the tally. Returns nil if no line is to be written.
    private func logged(
        _ exchange: FTPExchange, isConnecting: Bool = false,
        _ body: (LockedValue<TransferTally>?) async throws -> FTPOutcome
    ) async throws -> FTPOutcome {
        guard let start = log.begin() else { return try await body(nil) }
        let tally = LockedValue(TransferTally(requests: 0))
        do {
            let outcome = try await body(tally)
            end(start, exchange, .success(outcome), isConnecting: isConnecting, tally: tally.value)
            return outcome
        } catch {
            end(start, exchange, .failure(error), isConnecting: isConnecting, tally: tally.value)
            throw error
        }
    }

    /// - Parameter tally: If it has no requests, the replies and bytes of the outcome count.
    private func end(
        _ start: RequestLog.Start?, _ exchange: FTPExchange, _ result: Result<FTPOutcome, any Error>,
        isConnecting: Bool = false, tally: TransferTally = TransferTally(requests: 0)
    ) {
        guard start != nil else { return }
        let outcome: FTPOutcome
        var cause: (any Error)?
        switch result {
        case .success(let done): outcome = done
        case .failure(let error):
            let failure = error as? FTPFailure
            outcome = failure?.outcome ?? FTPOutcome()
            cause = failure?.error ?? (error as? ProxyRefusal)?.error ?? error
        }
        log.end(start, tally: tally.requests > 0 ? tally : outcome.tally, error: cause) {
            exchange.record(outcome, server: server, isConnecting: isConnecting)
        }
    }

    /// An unsolicited message from the server would be read as the reply to the next command.
    private func checkUsable() throws {
        if sockets.isUsable { return }
        if sockets.isAborted { throw FTPReplies.closed(server.url) }
        let error = sockets.hasTimedOut ? FTPReplies.late(server.url) : FTPReplies.lost(server.url)
        throw FTPFailure(error: error, outcome: FTPOutcome(), wasGreeted: true)
    }

    /// Ends a blocking wait of libcurl, which waits a minute for the last reply, and without limit for the end of a
    /// line.
    ///
    /// Counts rounds that the loop has not made, instead of time, because this task itself may have been delayed.
    private func watch() async throws {
        let idle = min(options.timeouts.idle, 2_600_000)
        let missed = LockedValue(0)
        while true {
            try await Task.sleep(for: .seconds(idle / 4))
            if missed.value == 4 { return sockets.timeOut() }
            missed.update { $0 += 1 }
            _ = loop.perform { missed.update { $0 = 0 } }
        }
    }

    /// Waits until so many commands may be sent.
    private func take(_ count: Int) async throws { try await options.requestLimit?.take(count) }

    /// Sends QUIT and ends the connection. A running exchange ends with `URLError(.cancelled)`.
    public func close() {
        sockets.stopListening()
        loop.stop()
    }

    /// Ends the connection at once. A running exchange ends with `URLError(.cancelled)`.
    public func abort() {
        sockets.abort()
        loop.stop()
    }
}
