import FileProviderCore
import Foundation
import SFTPEngine

/// The way to one SFTP server: keeps sessions, tries again, and puts the server's refusals in Foundation's words.
final class SFTPConnection: Sendable {
    /// The root's URL, without secrets.
    let baseURL: URL
    let options: ConnectionOptions
    let host: SFTPHost
    let pool: SFTPPool
    let handles = SFTPHandles()
    private let log: RequestLog
    /// Round trips during which a line does not run empty, however fast it is.
    private let near: Duration
    /// Nil without a limit on bandwidth, as ``receivingPace``.
    let sendingPace: SFTPPace?
    let receivingPace: SFTPPace?

    init(
        configuration: SFTPConfiguration, options: ConnectionOptions, near: Duration, standstill: Duration,
        connect: @escaping @Sendable () async throws -> any SFTPLink
    ) throws {
        self.near = near
        let url = configuration.baseURL
        baseURL = url.withoutSecrets
        self.options = options
        let log = RequestLog(options.logger, provider: "SFTP")
        self.log = log
        sendingPace = options.bandwidth.map { SFTPPace(bytesPerSecond: $0) }
        receivingPace = options.bandwidth.map { SFTPPace(bytesPerSecond: $0) }
        let host = SFTPHost(
            root: try ProviderPath(percentEncoded: url.path(percentEncoded: true)), maxStandstill: standstill)
        self.host = host
        pool = SFTPPool(
            connections: min(configuration.connections, options.connectionsPerHost), channels: configuration.channels,
            patience: .clamped(seconds: options.timeouts.idle), room: host.room
        ) {
            let link = try await log.run(connect) { _ in
                RequestRecord("connect", of: "", host: url.host() ?? "")
            }
            host.isReached(by: link)
            return link
        }
    }

    /// Bytes for which one more lane is worth its opening.
    private static let worthALane: Int64 = 8 << 20

    /// The lane that a large file takes first: that of the requests where the server is near, which takes less time
    /// than to open another. The further connections, which take a login, begin with it now.
    ///
    /// - Parameter bytes: Nil where nobody knows how many.
    func transferLane(for bytes: Int64?) async throws -> SFTPSession {
        let requests = try await pool.session()
        if isNear(requests) { return requests }
        if requests.roundTrip != nil {
            for number in furtherLanes(for: bytes, beside: requests).prefix(pool.connections - 1) {
                pool.prepare(number)
            }
        }
        return try await pool.firstLane()
    }

    /// The lanes that so many bytes are worth beside the first one: far away, as many as keep the line full; nearby,
    /// where processors are what it waits for, as many as this machine has for them.
    private func furtherLanes(for bytes: Int64?, beside session: SFTPSession) -> Range<Int> {
        let maxCount =
            isNear(session)
            ? min(pool.lanes, ProcessInfo.processInfo.activeProcessorCount / host.processorsPerLane) : pool.lanes
        return 2..<2 + max(0, min(maxCount - 1, Int(clamping: (bytes ?? .max) / Self.worthALane)))
    }

    /// Opens the lanes that so many bytes are worth beside the first one, whose session is `first`.
    ///
    /// - Parameter use: Gets each as soon as it is there, several at once.
    func openLanes(for bytes: Int64?, beside first: SFTPSession, _ use: @escaping @Sendable (SFTPSession) async -> Void)
        async
    {
        await withTaskGroup(of: Void.self) { group in
            for (index, number) in furtherLanes(for: bytes, beside: first).enumerated() {
                // Servers drop logins of which too many begin at once (MaxStartups of sshd_config(5)).
                if index >= 4 { await group.next() }
                group.addTask {
                    guard let session = await self.pool.lane(number), session !== first, !Task.isCancelled else {
                        return
                    }
                    await use(session)
                }
            }
        }
    }

    private func isNear(_ session: SFTPSession) -> Bool { session.roundTrip.map { $0 < near } ?? false }

    /// The URL of `path`.
    func url(of path: ProviderPath) -> URL {
        let base = baseURL.absoluteString
        // Never nil: the base is a URL, and all that is added is unreserved or percent-encoded.
        return URL(string: (base.hasSuffix("/") ? base : base + "/") + path.percentEncoded) ?? baseURL
    }

    /// Runs `body` with the session for requests, again after a passing failure.
    ///
    /// - Parameters:
    ///   - mayRepeat: Whether what was asked for can be done twice; else only getting a session is tried again.
    ///   - operation: As in ``retrying(_:operation:tally:mayRepeat:_:)``.
    func run<Value: Sendable>(
        _ path: ProviderPath, mayRepeat: Bool = true, operation: StaticString = #function,
        _ body: @escaping @Sendable (SFTPSession) async throws -> Value
    ) async throws -> Value {
        if mayRepeat {
            return try await retrying(path, operation: operation) { try await body(self.pool.session()) }
        }
        let session = try await options.retries.run(counters: options.counters) {
            do { return try await self.limited { try await self.pool.session() } } catch {
                throw self.translated(error, path: path)
            }
        }
        return try await logged(operation, path) {
            do { return try await self.limited { try await body(session) } } catch {
                throw self.translated(error, path: path)
            }
        }
    }

    /// Runs `body` until it succeeds, fails for good, or the tries are used up.
    ///
    /// - Parameters:
    ///   - operation: The first word of each try's line in the log: the caller's name unless said otherwise.
    ///   - tally: Asked at the end of a try.
    func retrying<Value: Sendable>(
        _ path: ProviderPath, operation: StaticString = #function,
        tally: @Sendable () -> TransferTally = { TransferTally() },
        mayRepeat: @Sendable (any Error) -> Bool = { $0.isTransient },
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await options.retries.run(counters: options.counters, mayRepeat: mayRepeat) {
            try await self.logged(operation, path, tally: tally) {
                do { return try await self.limited(body) } catch { throw self.translated(error, path: path) }
            }
        }
    }

    /// Runs `body` with a line in the log.
    func logged<Value>(
        _ operation: StaticString, _ path: ProviderPath, tally: () -> TransferTally = { TransferTally() },
        _ body: () async throws -> Value
    ) async throws -> Value {
        try await log.run(body, tally: { _ in tally() }) { _ in
            RequestRecord(
                String("\(operation)".prefix { $0 != "(" }),
                of: LogText.shown(path.string, limit: Secrets.maxPathLength), host: baseURL.host())
        }
    }

    /// Runs `body`, for no longer than `timeouts.whole` says.
    private func limited<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard let whole = options.timeouts.whole else { return try await body() }
        return try await withThrowingTaskGroup(of: Value.self) { [baseURL] group in
            defer { group.cancelAll() }
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: .clamped(seconds: whole))
                throw FileError.make(
                    .timedOut, url: baseURL,
                    sentence: "It took longer than the \(whole) seconds that it may take in all.")
            }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }

    /// Sends a request and counts it.
    func send(_ request: SFTPRequest, _ session: SFTPSession) async throws -> SFTPReply {
        try await send([request], session)[0]
    }

    /// Sends requests in one go and counts them.
    func send(_ requests: [SFTPRequest], _ session: SFTPSession) async throws -> [SFTPReply] {
        try await options.requestLimit?.take(requests.count)
        options.counters.add(.requests, Int64(requests.count))
        log.trace(Self.names(of: requests))
        return try await session.sendTogether(requests)
    }

    /// Sends requests in one go and counts them; the answers are waited for elsewhere.
    func begin(_ requests: [SFTPRequest], _ session: SFTPSession, ticket: SFTPHandleRoom.Ticket? = nil) -> SFTPCall {
        options.counters.add(.requests, Int64(requests.count))
        log.trace(Self.names(of: requests))
        return session.begin(requests, ticket: ticket)
    }

    /// The types of requests, such as `lstat, readlink`; nothing that is in them.
    private static func names(of requests: [SFTPRequest]) -> String {
        requests.map { "\($0.type)" }.joined(separator: ", ")
    }

    /// `sink`, held back where there is a limit on bandwidth.
    func pace(_ sink: any ByteSink) -> any ByteSink {
        receivingPace.map { TappedSink(sink, tap: SFTPPaceTap($0)) } ?? sink
    }

    /// `source`, held back where there is a limit on bandwidth.
    func pace(_ source: any ByteSource) -> any ByteSource {
        sendingPace.map { TappedBytes(source, tap: SFTPPaceTap($0)) } ?? source
    }

    /// `error` in Foundation's words.
    func translated(_ error: any Error, path: ProviderPath) -> any Error {
        // What is cut because nobody waits any more is no failure of its own.
        if Task.isCancelled { return CancellationError() }
        if let refusal = error as? SFTPRefusal {
            return SFTPCondition(status: refusal.status, path: path, url: url(of: path)).error
        }
        return error
    }
}
