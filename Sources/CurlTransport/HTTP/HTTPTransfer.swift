import CCurl
import FileProviderCore
import Foundation

/// One HTTP exchange.
final class HTTPTransfer: Transfer, @unchecked Sendable {
    // Unchecked, like its base class.
    let request: TransferRequest
    private(set) var head = ResponseHead(status: 0)
    private var answersSoFar = 0
    /// The number of answers when the request was last sent.
    private var answersBefore: Int?
    private var headIsComplete = false
    /// Whether the next byte from the server is the first of an answer.
    private var isAwaitingAnswer = true
    private var headerBytes = 0
    private var unpacking = DecodingWatch()
    private let proxyPorts: Set<Int>
    /// Ends the exchange with the current answer: the server calls every answer to its challenge stale.
    private var isRefusedForEver = false
    private let done: @Sendable (Result<ResponseHead, any Error>) -> Void

    init(
        _ request: TransferRequest, proxyLogin: ProxyLogin.Access, proxyPorts: Set<Int>,
        resume: @escaping @Sendable (Transfer, Side) -> Void,
        done: @escaping @Sendable (Result<ResponseHead, any Error>) -> Void
    ) {
        self.request = request
        self.done = done
        self.proxyPorts = proxyPorts
        let body: (any WriteSource)? = if case .source(let source) = request.body { source } else { nil }
        super.init(url: request.url, body: body, patience: request.patience, proxyLogin: proxyLogin, resume: resume)
    }

    override var answers: Int { answersSoFar }

    override func wasDigestIgnored(offered: Int) -> Bool {
        guard case .digest = request.authentication else { return false }
        return head.status == 401 && answers == 1 && offered & carrel_AUTH_DIGEST != 0
    }

    override func configure(_ easy: EasyHandle, options: ConnectionOptions) -> [UnsafeMutablePointer<curl_slist>] {
        easy.configure(for: request, options: options)
    }

    override func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        lastMove = .now
        headerBytes += line.count
        guard headerBytes <= Self.headerLimit else {
            failure = FileError.make(
                .badServerResponse, url: request.url,
                sentence:
                    "“\(host)” sent more than \(Self.headerLimit >> 10) KiB of response headers; the connection was closed."
            )
            return false
        }
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            (headIsComplete, isAwaitingAnswer) = (false, false)
            head = ResponseHead(status: Int(text.split(separator: " ").dropFirst().first?.prefix(3) ?? "") ?? 0)
            head.serverAddress = serverAddress
            if head.status >= 200 { answersSoFar += 1 }
            return true
        }
        if text == "\r\n" || text == "\n" {
            (headIsComplete, isAwaitingAnswer) = (true, head.status < 200)
            if head.isSuccess, head.isEncoded, request.decodesContent, let easy {
                EasyHandle(raw: easy).showsRawBytes(true, to: self)
            }
        }
        guard let colon = text.firstIndex(of: ":") else { return true }
        let value = text[text.index(after: colon)...].trimmingCharacters(in: .whitespacesAndNewlines)
        let name = String(text[..<colon])
        // Tags are sent back to the server in conditions. Ignores one that cannot be sent in a header.
        if name.lowercased() == "etag", value.hasControlCharacters { return true }
        head.headers.append((name, value))
        return true
    }

    private var host: String { request.url.host() ?? "the server" }

    /// The size of all heads of an exchange, including interim answers and login rounds.
    private static let headerLimit = 256 << 10

    override func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        if head.isSuccess || failure != nil {
            if head.isEncoded, request.decodesContent, failure == nil, let easy {
                unpacking.add(bytes.count, packed: Int64(carrel_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T)))
                if unpacking.isTooLarge {
                    failure = unpacking.tooLarge(request.url)
                    return 0
                }
            }
            return super.receive(bytes)
        }
        lastMove = .now
        head.errorBody.append(contentsOf: bytes.prefix(max(0, Self.errorBodyLimit - head.errorBody.count)))
        return bytes.count
    }

    private static let errorBodyLimit = 1 << 16

    /// Handles bytes of the body as they arrive, before they are decoded.
    func sawRaw(_ bytes: UnsafeRawBufferPointer) { unpacking.sawRaw(bytes) }

    override var isFlowing: Bool {
        // While an answer is awaited, only the rest of the request is due.
        guard isAwaitingAnswer else { return true }
        guard case .source(let source) = request.body else { return false }
        return source.length.map { sent < $0 } ?? false
    }

    /// The server's address; nil before it is known, and with a proxy.
    private var serverAddress: String?

    override func isConnected(to address: String, port: Int) {
        serverAddress = proxyPorts.contains(port) ? nil : address
        guard request.refusesLocalAddresses else { return }
        guard serverAddress.map(LocalAddress.holds) == true || LocalAddress.names(host: request.url.host() ?? "") else {
            return
        }
        failure = FileError.make(
            .redirectToNonExistentLocation, url: request.url,
            sentence:
                "The server redirects to “\(host)”, an address in a private network (\(address)), which is not followed."
        )
    }

    override func makeSink() throws -> any ByteSink { try request.receive(head) }

    override func begin() -> Bool {
        if failure != nil { return false }
        isAwaitingAnswer = true
        // libcurl answers as often as the server calls its challenge stale (RFC 7616, section 3.3).
        if head.status == 401, answersSoFar >= 4 {
            isRefusedForEver = true
            return false
        }
        let isRepetition = answersBefore == answersSoFar
        answersBefore = answersSoFar
        guard isRepetition, !request.mayBeSentTwice else { return true }
        failure = FileError.make(
            .networkConnectionLost, url: request.url,
            sentence:
                "“\(request.url.host() ?? "the server")” closed the connection without an answer; it may have completed the request."
        )
        return false
    }

    override func finish(_ ending: TransferEnding, options: ConnectionOptions) {
        head.offersBasic = ending.offered & carrel_AUTH_BASIC != 0
        head.offersDigest = ending.offered & carrel_AUTH_DIGEST != 0
        head.challengeIsNew = ending.challengeIsNew
        done(Result { try outcome(ending, options) })
    }

    private func outcome(_ ending: TransferEnding, _ options: ConnectionOptions) throws -> ResponseHead {
        if let failure { throw failure }
        if isRefusedForEver { return head }
        let (code, url) = (ending.code, request.url)
        // Many servers refuse an upload before they have read it all, and close the connection. Their answer counts.
        let isRefusal = head.status >= 400 && headIsComplete && (code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR)
        if code != CURLE_OK, !isRefusal {
            let text = String(cString: errorText)
            if let refusal = ProxyRefusal(
                ending, text: text, url: url, options: options, withheld: proxyLogin.isWithheld)
            {
                throw refusal
            }
            throw CurlError.foundationError(
                code, text: text, url: url, trust: options.trust, shown: certificates?.shown(by: url))
        }
        // libcurl treats a connection that ends within the head as the end of an answer without a length.
        guard headIsComplete else {
            throw CurlError.foundationError(CURLE_GOT_NOTHING, text: "", url: url, trust: options.trust)
        }
        if head.status == 407, case .server(let server) = options.proxy {
            throw ProxyRefusal.login(server, cause: nil, url: url, withheld: proxyLogin.isWithheld)
        }
        if head.isSuccess { _ = try openSink() }
        if head.isSuccess, head.isEncoded, request.decodesContent, unpacking.isCutShort(head) {
            throw unpacking.cutShort(url)
        }
        return head
    }
}
