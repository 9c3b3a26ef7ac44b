import CCurl
import FileProviderCore
import Foundation

/// One exchange over an FTP control connection.
final class FTPTransfer: Transfer, @unchecked Sendable {
    // Unchecked as its base.
    let server: FTPServer
    let login: FTPLogin
    let exchange: FTPExchange
    let sockets: FTPSockets
    private let isConnecting: Bool
    private var replies = FTPReplies()
    /// The verbs of the commands without a final reply. There is more than one only if libcurl gives up a data
    /// connection and requests another before the server has replied about the first.
    private var unanswered: [String] = []
    private var received: Int64 = 0
    private var wasCut = false
    /// Whether the server accepts no more of an upload.
    private var wasStopped = false
    private var commandBytes = 0
    private var replyBytes = 0
    private var dataConnections = 0
    private var isToldWhere = false
    /// Whether the transfer's command has not been answered since.
    private var isOpeningData = false
    /// Whether a reply lies there that libcurl does not read before the data connection is encrypted: a wait for it
    /// would be none.
    private var leavesReply = false
    private let done: @Sendable (Result<FTPOutcome, any Error>) -> Void

    init(
        _ exchange: FTPExchange, server: FTPServer, login: FTPLogin, sockets: FTPSockets, isConnecting: Bool,
        proxyLogin: ProxyLogin.Access,
        resume: @escaping @Sendable (Transfer, Side) -> Void,
        done: @escaping @Sendable (Result<FTPOutcome, any Error>) -> Void
    ) {
        self.exchange = exchange
        self.server = server
        self.login = login
        self.sockets = sockets
        self.isConnecting = isConnecting
        self.done = done
        var body: (any WriteSource)?
        var firstByte: Int64 = 0
        if case .store(_, let source, let offset, _) = exchange.transfer { (body, firstByte) = (source, offset) }
        super.init(
            url: server.url, body: body, firstByte: firstByte, patience: exchange.patience, proxyLogin: proxyLogin,
            resume: resume)
    }

    /// The command that starts the transfer.
    private var transferVerb: String? {
        switch exchange.transfer {
        case .none: nil
        case .retrieve: "RETR"
        case .list(let command): command.verb
        case .store(_, _, _, .append): "APPE"
        case .store: "STOR"
        }
    }

    /// Whether this side may end the data connection.
    var isRanged: Bool { wanted != nil || isSparing }

    override func prepareTLS(_ tls: UnsafeMutableRawPointer?) -> CURLcode {
        if isRanged { FTPSecurity.takeEndAsEnd(tls) }
        return super.prepareTLS(tls)
    }

    private var wanted: Int64? { if case .retrieve(_, _, let count, _) = exchange.transfer { count } else { nil } }
    private var isStoring: Bool { if case .store = exchange.transfer { true } else { false } }
    private var isSparing: Bool {
        if case .retrieve(_, _, _, let sparingly) = exchange.transfer { sparingly } else { false }
    }

    /// The maximum number of bytes in flight that were not requested.
    private static let smallBuffer = 64 << 10

    override var answers: Int { replies.finished.count { $0.code >= 200 } }
    override var piece: Int { isSparing ? 16 << 10 : super.piece }

    override func configure(_ easy: EasyHandle, options: ConnectionOptions) -> [UnsafeMutablePointer<curl_slist>] {
        sockets.prepare(
            mayConnect: isConnecting, receiveBuffer: isSparing ? Self.smallBuffer : nil,
            keepsLastWords: isStoring && server.security == .none)
        dataConnections = sockets.dataConnections
        let lists = easy.configure(for: self, options: options)
        if isSparing { easy.long(CURLOPT_BUFFERSIZE, 16 << 10) }
        return lists
    }

    // MARK: The control connection

    override func sentHeader(_ line: UnsafeRawBufferPointer) {
        lastMove = .now
        commandBytes += line.count
        let verb = String(decoding: line.prefix { $0 > 0x20 }, as: UTF8.self)
        unanswered.append(verb)
    }

    override func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        lastMove = .now
        replyBytes += line.count
        sockets.replied(line.count)
        let before = replies.finished.count
        let verb = unanswered.first ?? replies.finished.last?.verb ?? ""
        guard replies.take(line, verb: verb) else {
            failure = FTPReplies.endless(url)
            return false
        }
        if replies.finished.count > before, replies.finished[before].code >= 200, !unanswered.isEmpty {
            unanswered.removeFirst()
        }
        isToldWhere = ["EPSV", "PASV", "EPRT", "PORT"].contains(verb)
        isOpeningData = isToldWhere || isOpeningData && verb != transferVerb
        if replies.finished.last?.isStray != true { return true }
        failure = FTPReplies.stray(url)
        return false
    }

    // While it is being connected, libcurl's own limit holds.
    override func isWaiting(_ easy: UnsafeMutableRawPointer) -> Bool { sockets.wasGreeted }

    // When the server's answer is there at once, libcurl leaves the data connection for a later round and waits for
    // nothing. It waits for too little until the transfer is on its way: a round now and then finds what it has missed.
    override func nextRound() -> Duration? {
        defer { isToldWhere = false }
        leavesReply = isOpeningData && server.security != .none && sockets.hasReply
        return isToldWhere ? .zero : leavesReply ? .milliseconds(2) : isOpeningData ? .milliseconds(250) : nil
    }

    // libcurl 7.88 waits for nothing but the data connection until that is encrypted, which the server only begins when
    // it has had all commands: the replies to those before the last were seen when a time was up.
    override var forgottenSocket: Int32? {
        isOpeningData && server.security != .none && !leavesReply ? sockets.control : nil
    }

    // MARK: Data

    override func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        if wasCut { return bytes.count }
        let left = wanted.map { Int(clamping: $0 - received) } ?? bytes.count
        let taken = super.receive(UnsafeRawBufferPointer(rebasing: bytes.prefix(left)))
        guard taken == min(left, bytes.count) else { return taken }
        sockets.moved()
        received += Int64(taken)
        if wanted == received { cut() }
        return bytes.count
    }

    override func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let before = sent
        defer { if sent > before { sockets.moved() } }
        return super.send(into: buffer)
    }

    private func cut() {
        wasCut = true
        sockets.endData()
    }

    // A sparing download doesn't report that it waits for its reader: it is given up when its connection is needed.
    override func holdChanged() { if !isSparing { exchange.held(isHeldHere) } }

    override func makeSink() throws -> any ByteSink { try exchange.receive() }

    override func isEnough(_ refusal: any Error) -> Bool {
        guard refusal is CancellationError, !wasCut else { return wasCut }
        cut()
        return true
    }

    // A server that has no room says so while it is being sent more, or ends the data connection.
    override var isAnswered: Bool {
        wasStopped = wasStopped || sockets.hasReply || sockets.isDataRefused
        return wasStopped
    }

    // MARK: The end

    override func count(into counters: TransferCounters, from raw: UnsafeMutableRawPointer) {
        counters.add(.requests, Int64(answers))
        let data = sockets.dataConnections - dataConnections
        // libcurl counts both kinds.
        counters.add(.connections, Int64(max(0, carrel_get_long(raw, CURLINFO_NUM_CONNECTS) - data)))
        counters.add(.dataConnections, Int64(data))
        let bytesIn = Int64(carrel_get_offset(raw, CURLINFO_SIZE_DOWNLOAD_T)) + Int64(replyBytes)
        let bytesOut = sent + Int64(commandBytes)
        counters.add(.bytesIn, bytesIn)
        counters.add(.bytesOut, bytesOut)
        tally?.update { $0 = TransferTally(requests: Int64(answers), bytesIn: bytesIn, bytesOut: bytesOut) }
    }

    override func finish(_ ending: TransferEnding, options: ConnectionOptions) {
        let result = Result { try outcome(ending, options) }
        if case .failure = result { letGo() }
        done(result)
    }

    private func outcome(_ ending: TransferEnding, _ options: ConnectionOptions) throws -> FTPOutcome {
        do { return try completed(ending, options) } catch {
            // Whatever libcurl thinks of it: what it would read next belongs to no command.
            sockets.interrupt()
            throw sockets.isAborted ? FTPReplies.closed(url) : error
        }
    }

    private func completed(_ ending: TransferEnding, _ options: ConnectionOptions) throws -> FTPOutcome {
        if ending.code == CURLE_SEND_ERROR { hearLastWords() }
        // Later bytes would be read as the reply to the next command.
        let isOutOfStep = !unanswered.isEmpty && !(wasCut && unanswered == [transferVerb])
        if isOutOfStep { sockets.interrupt() }
        let outcome = FTPOutcome(
            replies: replies.finished, bytes: received + sent, wasCut: wasCut, isOutOfStep: isOutOfStep)
        if let failure { throw FTPFailure(error: failure, outcome: outcome, wasGreeted: sockets.wasGreeted) }
        if sockets.hasTimedOut {
            throw FTPFailure(error: FTPReplies.late(url), outcome: outcome, wasGreeted: sockets.wasGreeted)
        }
        if isShort, outcome.last?.isPositive == true {
            let error = CurlError.ftpError(CURLE_PARTIAL_FILE, text: "", url: url, trust: options.trust)
            throw FTPFailure(error: error, outcome: outcome, wasGreeted: true)
        }
        if ending.code == CURLE_OK || wasRefused(ending, outcome: outcome) {
            if ending.code == CURLE_OK, case .retrieve = exchange.transfer { _ = try openSink() }
            if isConnecting, server.security == .none { sockets.begin() }
            // What follows `EPSV` in vain, as libcurl then finds out, is `PASV`.
            if transferVerb != nil, outcome.last?.isPositive == true {
                sockets.provePlace(outcome["EPSV"]?.code == 229)
            }
            return outcome
        }
        let text = String(cString: errorText)
        if let refusal = ProxyRefusal(ending, text: text, url: url, options: options, withheld: proxyLogin.isWithheld) {
            throw refusal
        }
        let error =
            hasLostData(ending, outcome: outcome)
            ? FileError.make(
                .networkConnectionLost, url: url,
                sentence: "The data connection to “\(url.host() ?? "")” was not opened in time.")
            : CurlError.ftpError(
                ending.code, text: text, url: url, trust: options.trust, shown: certificates?.shown(by: url))
        throw FTPFailure(error: error, outcome: outcome, wasGreeted: sockets.wasGreeted)
    }

    /// Whether it was a data connection that could not be used. libcurl asks for another one then, even after the
    /// transfer's command, and takes the reply to that for an address.
    private func hasLostData(_ ending: TransferEnding, outcome: FTPOutcome) -> Bool {
        ending.code == CURLE_FTP_WEIRD_PASV_REPLY && outcome["EPSV"]?.code == 229 && outcome.last?.verb != "EPSV"
            && (outcome.last?.isPositive ?? false || outcome.last?.code ?? 0 < 200)
    }

    /// Whether the server stopped an upload of which there is more, as far as is known.
    private var isShort: Bool {
        guard wasStopped, case .store(_, let source, let offset, _) = exchange.transfer else { return false }
        return source.length.map { $0 != offset + sent } ?? true
    }

    /// A server that refuses more data closes the data connection and sends the reason over the control connection, for
    /// which libcurl does not wait.
    private func hearLastWords() {
        for line in sockets.lastWords.split(separator: 10, omittingEmptySubsequences: false).dropLast() {
            _ = (line + [10]).withUnsafeBytes { replies.take($0, verb: transferVerb ?? "") }
        }
    }

    /// Whether it was the server's reply that ended the exchange, and not the connection.
    private func wasRefused(_ ending: TransferEnding, outcome: FTPOutcome) -> Bool {
        // Pure-FTPd's last word after an early end is a 150.
        if wasCut, ending.code == CURLE_PARTIAL_FILE { return true }
        guard let last = outcome.last, last.code != 421,
            !["", "USER", "PASS", "AUTH", "PBSZ", "PROT"].contains(last.verb)
        else {
            return false
        }
        // An offset that no transfer has used would be that of the next one.
        if outcome["REST"]?.isPositive == true, ["EPSV", "PASV", "EPRT", "PORT", "TYPE"].contains(last.verb) {
            return false
        }
        switch ending.code {
        case CURLE_PARTIAL_FILE: return last.code >= 200
        case CURLE_REMOTE_FILE_NOT_FOUND, CURLE_FTP_COULDNT_RETR_FILE, CURLE_REMOTE_ACCESS_DENIED, CURLE_UPLOAD_FAILED,
            CURLE_REMOTE_DISK_FULL, CURLE_FTP_COULDNT_USE_REST, CURLE_FTP_COULDNT_SET_TYPE, CURLE_QUOTE_ERROR,
            CURLE_FTP_PORT_FAILED,
            CURLE_FTP_WEIRD_PASV_REPLY:
            return last.code >= 400
        default: return false
        }
    }
}

extension CurlError {
    /// Like ``foundationError(_:text:url:trust:)``, with the additional codes of FTP. Source: libcurl-errors(3).
    fileprivate static func ftpError(
        _ code: CURLcode, text: String, url: URL, trust: TrustPolicy, shown: ServerHashes? = nil
    ) -> any Error {
        let host = url.host() ?? "the server"
        func made(_ urlCode: URLError.Code, _ sentence: String) -> URLError {
            FileError.make(
                urlCode, url: url, sentence: sentence, underlying: CurlError(code: Int(code.rawValue), text: text))
        }
        switch code {
        case CURLE_WEIRD_SERVER_REPLY, CURLE_FTP_WEIRD_PASS_REPLY:
            return made(.badServerResponse, "“\(host)” answered with something that is not FTP.")
        case CURLE_FTP_WEIRD_PASV_REPLY, CURLE_FTP_WEIRD_227_FORMAT, CURLE_FTP_CANT_GET_HOST:
            return made(.badServerResponse, "“\(host)” sent no address for its data connection.")
        case CURLE_FTP_PORT_FAILED, CURLE_FTP_ACCEPT_FAILED:
            return made(.cannotConnectToHost, "“\(host)” opened no data connection to this machine.")
        case CURLE_FTP_ACCEPT_TIMEOUT:
            return made(.timedOut, "“\(host)” took too long to open a data connection to this machine.")
        case CURLE_USE_SSL_FAILED:
            return made(.secureConnectionFailed, "“\(host)” lacks the encryption that ftpes: and ftps: need.")
        default: return foundationError(code, text: text, url: url, trust: trust, shown: shown)
        }
    }
}
