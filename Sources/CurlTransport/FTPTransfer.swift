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
    /// The verb of the command that was sent last.
    private var verb = ""
    private var received: Int64 = 0
    private var wasCut = false
    private var commandBytes = 0
    private var replyBytes = 0
    private var dataConnections = 0
    private var isToldWhere = false
    private let done: @Sendable (Result<FTPOutcome, any Error>) -> Void

    init(
        _ exchange: FTPExchange, server: FTPServer, login: FTPLogin, sockets: FTPSockets, isConnecting: Bool, proxyLogin: ProxyLogin.Access,
        resume: @escaping @Sendable (Transfer, Side) -> Void, done: @escaping @Sendable (Result<FTPOutcome, any Error>) -> Void
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
        super.init(url: server.url, body: body, firstByte: firstByte, proxyLogin: proxyLogin, resume: resume)
    }

    /// Whether this side may end the data connection.
    var isRanged: Bool { wanted != nil || isSparing }

    private var wanted: Int64? { if case .retrieve(_, _, let count, _) = exchange.transfer { count } else { nil } }
    private var isSparing: Bool { if case .retrieve(_, _, _, let sparingly) = exchange.transfer { sparingly } else { false } }

    /// So much is on its way at most that nobody wants.
    private static let smallBuffer = 64 << 10

    override var answers: Int { replies.finished.count { $0.code >= 200 } }
    override var piece: Int { isSparing ? 16 << 10 : super.piece }

    override func configure(_ easy: EasyHandle, options: ConnectionOptions) -> [UnsafeMutablePointer<curl_slist>] {
        sockets.prepare(
            mayConnect: isConnecting, receiveBuffer: isSparing ? Self.smallBuffer : nil, connectsEarly: exchange.connectsEarly)
        dataConnections = sockets.dataConnections
        let lists = easy.configure(for: self, options: options)
        if isSparing { easy.long(CURLOPT_BUFFERSIZE, 16 << 10) }
        return lists
    }

    // MARK: The control connection

    override func sentHeader(_ line: UnsafeRawBufferPointer) {
        lastMove = .now
        commandBytes += line.count
        verb = String(decoding: line.prefix { $0 > 0x20 }, as: UTF8.self)
    }

    override func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        lastMove = .now
        replyBytes += line.count
        if !sockets.wasGreeted { sockets.greeted() }
        if replies.take(line, verb: verb) {
            isToldWhere = ["EPSV", "PASV", "EPRT", "PORT"].contains(verb)
            return true
        }
        failure = FileError.make(.badServerResponse, url: url, sentence: "“\(url.host() ?? "")” does not come to the end of what it says.")
        return false
    }

    // While it is being connected, libcurl's own limit holds.
    override func isWaiting(_ easy: UnsafeMutableRawPointer) -> Bool { sockets.wasGreeted }

    // When the server's answer is there at once, libcurl leaves the data connection for a later round and waits for nothing.
    override func hasMoreToDo() -> Bool {
        defer { isToldWhere = false }
        return isToldWhere
    }

    // MARK: Data

    override func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        if wasCut { return bytes.count }
        let left = wanted.map { Int(clamping: $0 - received) } ?? bytes.count
        let taken = super.receive(UnsafeRawBufferPointer(rebasing: bytes.prefix(left)))
        guard taken == min(left, bytes.count) else { return taken }
        received += Int64(taken)
        if wanted == received { cut() }
        return bytes.count
    }

    private func cut() {
        wasCut = true
        sockets.endData()
    }

    override func makeSink() throws -> any ByteSink { try exchange.receive() }

    override func isEnough(_ refusal: any Error) -> Bool {
        guard refusal is CancellationError, !wasCut else { return wasCut }
        cut()
        return true
    }

    // A server that has no room says so while it is being sent more.
    override var isAnswered: Bool { sockets.hasReply }

    // MARK: The end

    override func count(into counters: TransferCounters, from raw: UnsafeMutableRawPointer) {
        counters.add(.requests, Int64(answers))
        counters.add(.connections, Int64(carrel_get_long(raw, CURLINFO_NUM_CONNECTS)))
        counters.add(.dataConnections, Int64(sockets.dataConnections - dataConnections))
        counters.add(.bytesIn, Int64(carrel_get_offset(raw, CURLINFO_SIZE_DOWNLOAD_T)) + Int64(replyBytes))
        counters.add(.bytesOut, sent + Int64(commandBytes))
    }

    override func finish(_ ending: TransferEnding, options: ConnectionOptions) {
        done(Result { try outcome(ending, options) })
    }

    private func outcome(_ ending: TransferEnding, _ options: ConnectionOptions) throws -> FTPOutcome {
        let outcome = FTPOutcome(replies: replies.finished, bytes: received + sent, wasCut: wasCut)
        if let failure { throw FTPFailure(error: failure, outcome: outcome, wasGreeted: sockets.wasGreeted) }
        if ending.code == CURLE_OK || wasRefused(ending, outcome) {
            if ending.code == CURLE_OK, case .retrieve = exchange.transfer { _ = try openSink() }
            return outcome
        }
        let text = String(cString: errorText)
        if let refusal = ProxyRefusal(ending, text: text, url: url, options: options, withheld: proxyLogin.isWithheld) { throw refusal }
        let error = CurlError.foundationError(ending.code, text: text, url: url, trust: options.trust)
        throw FTPFailure(error: error, outcome: outcome, wasGreeted: sockets.wasGreeted)
    }

    /// Whether it was the server's reply that ended the exchange, and not the connection.
    private func wasRefused(_ ending: TransferEnding, _ outcome: FTPOutcome) -> Bool {
        // Pure-FTPd's last word after an early end is a 150.
        if wasCut, ending.code == CURLE_PARTIAL_FILE { return true }
        guard let last = outcome.last, last.code != 421, !["", "USER", "PASS", "AUTH", "PBSZ", "PROT"].contains(last.verb) else {
            return false
        }
        // An offset that no transfer has used would be that of the next one.
        if outcome["REST"]?.isPositive == true, ["EPSV", "PASV", "EPRT", "PORT", "TYPE"].contains(last.verb) { return false }
        switch ending.code {
        case CURLE_PARTIAL_FILE: return last.code >= 200
        case CURLE_REMOTE_FILE_NOT_FOUND, CURLE_FTP_COULDNT_RETR_FILE, CURLE_REMOTE_ACCESS_DENIED, CURLE_UPLOAD_FAILED,
            CURLE_REMOTE_DISK_FULL, CURLE_FTP_COULDNT_USE_REST, CURLE_FTP_COULDNT_SET_TYPE, CURLE_QUOTE_ERROR, CURLE_FTP_PORT_FAILED,
            CURLE_FTP_WEIRD_PASV_REPLY:
            return last.code >= 400
        default: return false
        }
    }
}
