import CCurl
import FileProviderCore
import Foundation

/// One HTTP exchange.
final class HTTPTransfer: Transfer, @unchecked Sendable {
    // Unchecked as its base.
    let request: TransferRequest
    private(set) var head = ResponseHead(status: 0)
    private var answersSoFar = 0
    /// How many answers there were when the request was last begun.
    private var answersBefore: Int?
    private var headIsComplete = false
    private let done: @Sendable (Result<ResponseHead, any Error>) -> Void

    init(
        _ request: TransferRequest, proxyLogin: ProxyLogin.Access, resume: @escaping @Sendable (Transfer, Side) -> Void,
        done: @escaping @Sendable (Result<ResponseHead, any Error>) -> Void
    ) {
        self.request = request
        self.done = done
        let body: (any WriteSource)? = if case .source(let source) = request.body { source } else { nil }
        super.init(url: request.url, body: body, patience: request.patience, proxyLogin: proxyLogin, resume: resume)
    }

    override var answers: Int { answersSoFar }

    override func configure(_ easy: EasyHandle, options: ConnectionOptions) -> [UnsafeMutablePointer<curl_slist>] {
        easy.configure(for: request, options: options)
    }

    override func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        lastMove = .now
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            headIsComplete = false
            head = ResponseHead(status: Int(text.split(separator: " ").dropFirst().first?.prefix(3) ?? "") ?? 0)
            if head.status >= 200 { answersSoFar += 1 }
            return true
        }
        if text == "\r\n" || text == "\n" { headIsComplete = true }
        guard let colon = text.firstIndex(of: ":") else { return true }
        let value = text[text.index(after: colon)...].trimmingCharacters(in: .whitespacesAndNewlines)
        head.headers.append((String(text[..<colon]), value))
        return true
    }

    override func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        if head.isSuccess || failure != nil { return super.receive(bytes) }
        lastMove = .now
        head.errorBody.append(contentsOf: bytes.prefix(max(0, Self.errorBodyLimit - head.errorBody.count)))
        return bytes.count
    }

    private static let errorBodyLimit = 1 << 16

    override func makeSink() throws -> any ByteSink { try request.receive(head) }

    override func begin() -> Bool {
        let isRepetition = answersBefore == answersSoFar
        answersBefore = answersSoFar
        guard isRepetition, !request.mayBeSentTwice else { return true }
        failure = FileError.make(
            .networkConnectionLost, url: request.url,
            sentence: "“\(request.url.host() ?? "the server")” closed the connection without an answer; what was asked for may be done.")
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
        let (code, url) = (ending.code, request.url)
        // Many a server refuses an upload before it has read it all, and closes: its answer is what counts.
        let isRefusal = head.status >= 400 && headIsComplete && (code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR)
        if code != CURLE_OK, !isRefusal {
            let text = String(cString: errorText)
            if let refusal = ProxyRefusal(ending, text: text, url: url, options: options, withheld: proxyLogin.isWithheld) { throw refusal }
            throw CurlError.foundationError(code, text: text, url: url, trust: options.trust)
        }
        // libcurl takes a connection that ends within the head for the end of an answer without a length.
        guard headIsComplete else { throw CurlError.foundationError(CURLE_GOT_NOTHING, text: "", url: url, trust: options.trust) }
        if head.status == 407, case .server(let server) = options.proxy {
            throw ProxyRefusal.login(server, cause: nil, url: url, withheld: proxyLogin.isWithheld)
        }
        if head.isSuccess { _ = try openSink() }
        return head
    }
}
