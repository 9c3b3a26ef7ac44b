import CCurl
import FileProviderCore
import Foundation

/// One running exchange: the flow of bytes behind libcurl's callbacks. Runs on the event loop's thread.
///
/// ``HTTPTransfer`` and ``FTPTransfer`` add what is specific to a protocol.
class Transfer: @unchecked Sendable {
    // Unchecked: from `init` to `finish` everything is used only on the event loop's thread, which debug builds check.
    // After that, it belongs to the task that waited for the end.
    private let thread = OwningThread()
    /// The server's URL, for messages.
    let url: URL
    let proxyLogin: ProxyLogin.Access
    /// The number of idle times that may pass without a byte.
    let patience: Double
    /// Set while the transfer is in the event loop.
    var easy: UnsafeMutableRawPointer?
    /// The certificates that the event loop has seen.
    var certificates: ServerCertificates?
    /// Why the exchange was ended from this side.
    var failure: (any Error)?
    /// Filled before the end, for the log; nil if nothing is logged.
    var tally: LockedValue<TransferTally>?
    /// libcurl's error message. Source: CURLOPT_ERRORBUFFER(3).
    let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    /// The end of the transfer that is ready again.
    enum Side: Sendable {
        case sink
        case source
    }

    private let body: (any WriteSource)?
    /// The offset in `body` of the first byte to send.
    private let firstByte: Int64
    private let resume: @Sendable (Transfer, Side) -> Void
    /// What is being sent.
    private var source: (any ByteSource)?
    private var sink: (any ByteSink)?
    private var gathered: [UInt8] = []
    private var sinkIsFull = false { didSet { holdChanged() } }
    private var sourceIsDry = false { didSet { holdChanged() } }
    /// When bytes last moved; nil before the request is sent, while connecting and waiting for a free connection.
    var lastMove: ContinuousClock.Instant?
    private var movedBytes: curl_off_t = 0
    private var rate = RateWatch()
    private(set) var sent: Int64 = 0

    /// - Parameter body: The source, sent from `firstByte` on; nil to send nothing.
    init(
        url: URL, body: (any WriteSource)? = nil, firstByte: Int64 = 0, patience: Double = 1,
        proxyLogin: ProxyLogin.Access,
        resume: @escaping @Sendable (Transfer, Side) -> Void
    ) {
        self.url = url
        self.body = body
        self.firstByte = firstByte
        self.patience = patience
        self.proxyLogin = proxyLogin
        self.resume = resume
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        errorText.deallocate()
    }

    // MARK: Overridden for each protocol

    /// The number of answered requests, including login rounds.
    var answers: Int { 1 }

    /// Sets the protocol's options. Returns the lists that must live as long as the transfer.
    func configure(_ easy: EasyHandle, options: ConnectionOptions) -> [UnsafeMutablePointer<curl_slist>] { [] }

    /// Prepares the TLS of a connection that is about to be made. Source: CURLOPT_SSL_CTX_FUNCTION(3).
    func prepareTLS(_ tls: UnsafeMutableRawPointer?) -> CURLcode {
        certificates?.prepare(tls, for: url) ?? CURLE_SSL_CONNECT_ERROR
    }

    /// Handles one line that is not data; returns false to end the transfer. Source: CURLOPT_HEADERFUNCTION(3).
    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool { true }

    /// Handles one sent line that is not data. Source: CURLOPT_DEBUGFUNCTION(3).
    func sentHeader(_ line: UnsafeRawBufferPointer) {}

    /// Called before each round with the address and port of the other end, which may be a proxy. Source:
    /// CURLOPT_PREREQFUNCTION(3).
    func isConnected(to address: String, port: Int) {}

    /// Checks each round before it is sent; returns false to prevent it. Source: CURLOPT_PREREQFUNCTION(3).
    func begin() -> Bool { true }

    /// Returns the sink for the bytes.
    func makeSink() throws -> any ByteSink { DiscardingSink() }

    /// Bytes gathered before the sink is called.
    var piece: Int { 256 << 10 }

    /// Whether the transfer waits for the next bytes, so that the idle time counts.
    func isWaiting(_ easy: UnsafeMutableRawPointer) -> Bool { carrel_get_offset(easy, CURLINFO_PRETRANSFER_TIME_T) > 0 }

    /// Whether bytes are due now from either side, so that the minimum rate applies.
    var isFlowing: Bool { true }

    /// The latest time at which libcurl must run again without an event, asked after each round; nil for never.
    func nextRound() -> Duration? { nil }

    /// A socket that libcurl should wait for, and does not; nil for none. Asked before each wait.
    var forgottenSocket: Int32? { nil }

    /// Whether the transfer is complete although the sink accepts no more.
    func isEnough(_ refusal: any Error) -> Bool { false }

    /// Called when the transfer may have begun, or stopped, to wait for its own sink or source.
    func holdChanged() {}

    /// Whether the rest need not be sent, because the server has already answered.
    var isAnswered: Bool { false }

    /// Whether a digest was sent at once and answered with only another challenge.
    func wasDigestIgnored(offered: Int) -> Bool { false }

    /// Counts the transferred bytes, before the handle is used again.
    func count(into counters: TransferCounters, from raw: UnsafeMutableRawPointer) {
        let moved = TransferTally(
            requests: Int64(max(answers, 1)),
            bytesIn: Int64(carrel_get_offset(raw, CURLINFO_SIZE_DOWNLOAD_T))
                + Int64(carrel_get_long(raw, CURLINFO_HEADER_SIZE)),
            bytesOut: Int64(carrel_get_offset(raw, CURLINFO_SIZE_UPLOAD_T))
                + Int64(carrel_get_long(raw, CURLINFO_REQUEST_SIZE)))
        counters.add(.requests, moved.requests)
        counters.add(.connections, Int64(carrel_get_long(raw, CURLINFO_NUM_CONNECTS)))
        counters.add(.bytesIn, moved.bytesIn)
        counters.add(.bytesOut, moved.bytesOut)
        tally?.update { $0 = moved }
    }

    /// Tells the caller how it ended.
    func finish(_ ending: TransferEnding, options: ConnectionOptions) {}

    // MARK: Receiving

    /// Accepts body bytes. Returns their number, or libcurl's code to pause. Source: CURLOPT_WRITEFUNCTION(3).
    func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        thread.assertIsCurrent()
        if failure != nil { return 0 }
        if sinkIsFull { return carrel_WRITE_PAUSE }
        lastMove = .now
        do {
            if gathered.count + bytes.count > piece { try passOn() }
            if sinkIsFull { return carrel_WRITE_PAUSE }
            gathered.append(contentsOf: bytes)
            return bytes.count
        } catch {
            failure = error
            return 0
        }
    }

    /// Passes the gathered bytes to the sink. The event loop calls this whenever libcurl has no more bytes for now.
    ///
    /// Nothing is gathered while the sink is full, so the sink accepts these bytes.
    func passOn() throws {
        thread.assertIsCurrent()
        if gathered.isEmpty || failure != nil { return }
        let sink = try openSink()
        defer { gathered.removeAll(keepingCapacity: true) }
        let flow: FlowState
        do { flow = try gathered.withUnsafeBytes { try sink.write($0) } } catch let error where isEnough(error) {
            return
        }
        guard flow == .wait else { return }
        sinkIsFull = true
        sink.whenReady { [self] in resume(self, .sink) }
    }

    /// Like ``passOn()``; returns false if the sink refused.
    func passOnNow() -> Bool {
        do {
            try passOn()
            return true
        } catch {
            failure = error
            return false
        }
    }

    func openSink() throws -> any ByteSink {
        if let sink { return sink }
        let opened = try makeSink()
        sink = opened
        return opened
    }

    // MARK: Sending

    /// Fills `buffer` from the source. Source: CURLOPT_READFUNCTION(3).
    func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        thread.assertIsCurrent()
        guard let body, !isAnswered else { return 0 }
        lastMove = .now
        do {
            let source = try self.source ?? body.bytes(from: firstByte)
            self.source = source
            // Never past the announced length: later bytes would be read as the next request.
            let left = body.length.map { Int(clamping: $0 - firstByte - sent) } ?? buffer.count
            if left <= 0 { return 0 }
            switch try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(left, buffer.count)])) {
            case .bytes(let count):
                sent += Int64(count)
                return count
            case .end:
                if let length = body.length, firstByte + sent != length { throw Self.wrongLength(length) }
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

    /// The time at which nothing will have moved for `idle`, unless something does; nil while the transfer does not
    /// wait for the other side.
    ///
    /// libcurl's own low-speed limit uses an average that takes seconds to fall, and it counts uploads that this side
    /// has paused.
    ///
    /// - Parameter idle: Seconds.
    func idleDeadline(_ idle: Double) -> ContinuousClock.Instant? {
        thread.assertIsCurrent()
        guard let easy, !isHeldHere, isWaiting(easy) else { return nil }
        let moved = carrel_get_offset(easy, CURLINFO_SIZE_UPLOAD_T) + carrel_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T)
        if moved != movedBytes || lastMove == nil { lastMove = .now }
        movedBytes = moved
        return lastMove.map { $0 + .seconds(min(idle * patience, 2_600_000)) }
    }

    /// The time at which the transfer will have moved fewer than `least` bytes in a minute, unless more move; nil while
    /// no bytes are due, or while it waits for this side.
    func rateDeadline(_ least: Int64) -> ContinuousClock.Instant? {
        guard let easy, !isHeldHere, isWaiting(easy), isFlowing else {
            rate.pause()
            return nil
        }
        let body = carrel_get_offset(easy, CURLINFO_SIZE_UPLOAD_T) + carrel_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T)
        return rate.deadline(
            moved: Int64(body) + Int64(carrel_get_long(easy, CURLINFO_HEADER_SIZE)), least: least, now: .now)
    }

    /// Whether the transfer waits for this side, its sink or its source.
    var isHeldHere: Bool { sinkIsFull || sourceIsDry }

    /// Restarts the source at `offset` for a second round. Source: CURLOPT_SEEKFUNCTION(3).
    func seek(to offset: Int64) -> Bool {
        thread.assertIsCurrent()
        guard let body else { return true }
        if sent == offset { return true }
        do {
            guard body.isRepeatable else { throw FileError.notRepeatable() }
            source = try body.bytes(from: firstByte + offset)
            sent = offset
            return true
        } catch {
            failure = error
            return false
        }
    }

    /// Verifies that the source has no more bytes than it announced, after all of those were sent.
    ///
    /// - Throws: `CocoaError(.fileWriteUnknown)` if there are more; an error of the source.
    func checkSourceEnded() async throws {
        guard let body, let length = body.length, let source else { return }
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

    /// Releases the source, which may be producing bytes for this transfer.
    func letGo() { source = nil }

    static func wrongLength(_ length: Int64) -> CocoaError {
        FileError.make(
            .fileWriteUnknown, path: "",
            sentence: "The source announced \(length) bytes but has another number; nothing was kept.")
    }

    // MARK: The end

    /// Resumes after the sink accepts more bytes, or the source has some. Returns false if the sink refused the bytes
    /// that libcurl had kept.
    func goOn(_ side: Side) -> Bool {
        thread.assertIsCurrent()
        switch side {
        case .sink: sinkIsFull = false
        case .source: sourceIsDry = false
        }
        lastMove = .now
        guard let easy, !isHeldHere else { return true }
        return curl_easy_pause(easy, carrel_PAUSE_CONT) == CURLE_OK && failure == nil
    }
}
