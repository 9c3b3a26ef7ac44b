import CCurl
import FileProviderCore
import Foundation

/// One running exchange: the state behind libcurl's callbacks. Lives on the event loop's thread.
final class Transfer: @unchecked Sendable {
    // Unchecked: after `init`, everything is touched on the event loop's thread only.
    let request: TransferRequest
    let proxyLogin: ProxyLogin.Access
    /// Set while the transfer is in the event loop.
    var easy: UnsafeMutableRawPointer?
    /// Why the exchange was ended from this side.
    var failure: (any Error)?
    private(set) var head = ResponseHead(status: 0)
    /// Answers that came, login rounds included.
    private(set) var answers = 0
    /// How many answers there were when the request was last begun.
    private var answersBefore: Int?
    private var headIsComplete = false
    /// What is being sent.
    private var source: (any ByteSource)?
    /// Where libcurl writes what went wrong. Source: CURLOPT_ERRORBUFFER(3).
    let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    /// Which end of the transfer has something to say.
    enum Side: Sendable {
        case sink
        case source
    }

    private let resume: @Sendable (Transfer, Side) -> Void
    private let done: (Result<ResponseHead, any Error>) -> Void
    private var sink: (any ByteSink)?
    private var gathered: [UInt8] = []
    private var sinkIsFull = false
    private var sourceIsDry = false
    /// When bytes moved last; nil before the request is on its way, while connecting and waiting for a free connection.
    private var lastMove: ContinuousClock.Instant?
    private var movedBytes: curl_off_t = 0
    private var sent: Int64 = 0

    init(
        _ request: TransferRequest, proxyLogin: ProxyLogin.Access, resume: @escaping @Sendable (Transfer, Side) -> Void,
        done: @escaping @Sendable (Result<ResponseHead, any Error>) -> Void
    ) {
        self.request = request
        self.proxyLogin = proxyLogin
        self.resume = resume
        self.done = done
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        errorText.deallocate()
    }

    // MARK: What libcurl gives

    /// Takes one header line. Source: CURLOPT_HEADERFUNCTION(3).
    func receiveHeader(_ line: UnsafeRawBufferPointer) {
        lastMove = .now
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            headIsComplete = false
            head = ResponseHead(status: Int(text.split(separator: " ").dropFirst().first?.prefix(3) ?? "") ?? 0)
            if head.status >= 200 { answers += 1 }
            return
        }
        if text == "\r\n" || text == "\n" { headIsComplete = true }
        guard let colon = text.firstIndex(of: ":") else { return }
        let value = text[text.index(after: colon)...].trimmingCharacters(in: .whitespacesAndNewlines)
        head.headers.append((String(text[..<colon]), value))
    }

    /// Takes body bytes; gives back how many were taken, or libcurl's sign to pause. Source: CURLOPT_WRITEFUNCTION(3).
    func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        if failure != nil { return 0 }
        if sinkIsFull { return carrel_WRITE_PAUSE }
        lastMove = .now
        do {
            guard head.isSuccess else {
                head.errorBody.append(contentsOf: bytes.prefix(max(0, Self.errorBodyLimit - head.errorBody.count)))
                return bytes.count
            }
            if gathered.count + bytes.count > Self.piece { try passOn() }
            if sinkIsFull { return carrel_WRITE_PAUSE }
            gathered.append(contentsOf: bytes)
            return bytes.count
        } catch {
            failure = error
            return 0
        }
    }

    /// libcurl hands over 16 KiB at a time; sinks get up to 256 KiB, for each of which they may have to wake somebody.
    private static let piece = 256 << 10

    /// Gives the sink what was gathered. The event loop sees to it whenever libcurl has no more for now.
    ///
    /// Nothing is gathered while the sink is full: what is here, the sink takes.
    func passOn() throws {
        if gathered.isEmpty || failure != nil { return }
        let sink = try openSink()
        let flow = try gathered.withUnsafeBytes { try sink.write($0) }
        gathered.removeAll(keepingCapacity: true)
        guard flow == .wait else { return }
        sinkIsFull = true
        sink.whenReady { [self] in resume(self, .sink) }
    }

    /// As ``passOn()``; false when the sink refused.
    func passOnNow() -> Bool {
        do {
            try passOn()
            return true
        } catch {
            failure = error
            return false
        }
    }

    private static let errorBodyLimit = 1 << 16

    private func openSink() throws -> any ByteSink {
        if let sink { return sink }
        let opened = try request.receive(head)
        sink = opened
        return opened
    }

    // MARK: What libcurl wants

    /// Sees each round off; false for one that must not be. Source: CURLOPT_PREREQFUNCTION(3).
    func begin() -> Bool {
        let isRepetition = answersBefore == answers
        answersBefore = answers
        guard isRepetition, !request.mayBeSentTwice else { return true }
        failure = FileError.make(
            .networkConnectionLost, url: request.url,
            sentence: "“\(request.url.host() ?? "the server")” closed the connection without an answer; what was asked for may be done.")
        return false
    }

    /// Fills `buffer` from the source. Source: CURLOPT_READFUNCTION(3).
    func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard case .source(let body) = request.body else { return 0 }
        lastMove = .now
        do {
            let source = try self.source ?? body.bytes(from: 0)
            self.source = source
            // Never past the length that the head promised: what came after it would be read as the next request.
            let left = body.length.map { Int(clamping: $0 - sent) } ?? buffer.count
            if left <= 0 { return 0 }
            switch try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(left, buffer.count)])) {
            case .bytes(let count):
                sent += Int64(count)
                return count
            case .end:
                if let length = body.length, sent != length { throw Self.wrongLength(length) }
                return 0
            case .wait:
                sourceIsDry = true
                source.whenReady { [self] in resume(self, .source) }
                return carrel_READ_PAUSE
            }
        } catch {
            failure = error
            return carrel_READ_ABORT
        }
    }

    /// When nothing will have moved for `idle`, unless something does; nil while the other side is not the one that is waited for.
    ///
    /// libcurl's own low-speed limit looks at an average that takes seconds to sink, and counts uploads that are paused from this side.
    ///
    /// - Parameter idle: Seconds.
    func idleDeadline(_ idle: Double) -> ContinuousClock.Instant? {
        guard let easy, !isHeldHere, carrel_get_offset(easy, CURLINFO_PRETRANSFER_TIME_T) > 0 else { return nil }
        let moved = carrel_get_offset(easy, CURLINFO_SIZE_UPLOAD_T) + carrel_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T)
        if moved != movedBytes || lastMove == nil { lastMove = .now }
        movedBytes = moved
        return lastMove.map { $0 + .seconds(min(idle * request.patience, 2_600_000)) }
    }

    /// Whether the transfer waits for this side, its sink or its source.
    var isHeldHere: Bool { sinkIsFull || sourceIsDry }

    /// Goes back to `offset` for a second round. Source: CURLOPT_SEEKFUNCTION(3).
    func seek(to offset: Int64) -> Bool {
        guard case .source(let body) = request.body else { return true }
        if sent == offset { return true }
        do {
            guard body.isRepeatable else { throw FileError.notRepeatable() }
            source = try body.bytes(from: offset)
            sent = offset
            return true
        } catch {
            failure = error
            return false
        }
    }

    /// Sees that the source has no more than it promised, once all of that was sent.
    ///
    /// - Throws: `CocoaError(.fileWriteUnknown)` when there is more; an error of the source.
    func checkSourceEnded() async throws {
        guard case .source(let body) = request.body, let length = body.length, let source else { return }
        while true {
            let step = try await BlockingThreads.shared.run {
                try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { try source.read(into: $0) }
            }
            switch step {
            case .end: return
            case .bytes: throw Self.wrongLength(length)
            case .wait: try await source.waitUntilReady()
            }
        }
    }

    private static func wrongLength(_ length: Int64) -> CocoaError {
        FileError.make(
            .fileWriteUnknown, path: "", sentence: "The source promised \(length) bytes and gave another number; nothing was kept.")
    }

    // MARK: The end

    /// The sink takes bytes again, or the source has some; false when what libcurl had kept for the sink was refused.
    func goOn(_ side: Side) -> Bool {
        switch side {
        case .sink: sinkIsFull = false
        case .source: sourceIsDry = false
        }
        lastMove = .now
        guard let easy, !isHeldHere else { return true }
        return curl_easy_pause(easy, carrel_PAUSE_CONT) == CURLE_OK && failure == nil
    }

    /// Tells the caller how it ended.
    func finish(_ ending: TransferEnding, options: ConnectionOptions) {
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
