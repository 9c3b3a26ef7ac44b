import FileProviderCore
import Foundation
import SFTPEngine

/// Access to one SFTP server: keeps sessions, retries, and translates the server's refusals to Foundation's errors.
final class SFTPConnection: Sendable {
    /// The root's URL, without secrets.
    let baseURL: URL
    let options: ConnectionOptions
    let host: SFTPHost
    let pool: SFTPPool
    let handles = SFTPHandles()
    private let log: RequestLog
    /// A server with a shorter round trip is near: one lane keeps the line full, however fast it is.
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

    /// The bytes that make one more lane worth opening.
    private static let worthALane: Int64 = 8 << 20

    /// The first lane for a large file. Near servers use the lane for requests, because opening another takes longer.
    /// For the others, starts to open the further connections, each of which needs a login.
    ///
    /// - Parameter bytes: The size of the file; nil if it is unknown.
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

    /// The lanes to open for so many bytes besides the first one: for a distant server, as many as keep the line full;
    /// for a near one, where processors are the limit, as many as this machine can run.
    private func furtherLanes(for bytes: Int64?, beside session: SFTPSession) -> Range<Int> {
        let maxCount =
            isNear(session)
            ? min(pool.lanes, ProcessInfo.processInfo.activeProcessorCount / host.processorsPerLane) : pool.lanes
        return 2..<2 + max(0, min(maxCount - 1, Int(clamping: (bytes ?? .max) / Self.worthALane)))
    }

    /// Opens the lanes for so many bytes besides the first one, whose session is `first`.
    ///
    /// - Parameter use: Called with each lane as soon as it is open, several at once.
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
        // Never nil: the base is a URL, and only unreserved or percent-encoded characters are added.
        return URL(string: (base.hasSuffix("/") ? base : base + "/") + path.percentEncoded) ?? baseURL
    }

    /// Runs `body` with the session for requests, and retries after transient failures.
    ///
    /// - Parameters:
    ///   - mayRepeat: Whether `body` may run twice. If not, only the attempt to get a session is retried.
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

    /// Runs `body` until it succeeds, fails permanently, or no tries are left.
    ///
    /// - Parameters:
    ///   - operation: The first word of each try's line in the log; the caller's name by default.
    ///   - tally: Called at the end of a try.
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

    /// Runs `body`, limited to `timeouts.whole`.
    private func limited<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard let whole = options.timeouts.whole else { return try await body() }
        return try await withThrowingTaskGroup(of: Value.self) { [baseURL] group in
            defer { group.cancelAll() }
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: .clamped(seconds: whole))
                throw FileError.make(
                    .timedOut, url: baseURL,
                    sentence: "The operation took longer than its time limit of \(whole) seconds.")
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

    /// Sends requests in one go and counts them. Doesn't wait for the replies.
    func begin(_ requests: [SFTPRequest], _ session: SFTPSession, ticket: SFTPHandleRoom.Ticket? = nil) -> SFTPCall {
        options.counters.add(.requests, Int64(requests.count))
        log.trace(Self.names(of: requests))
        return session.begin(requests, ticket: ticket)
    }

    /// The types of requests, such as `lstat, readlink`; nothing that is in them.
    private static func names(of requests: [SFTPRequest]) -> String {
        requests.map { "\($0.type)" }.joined(separator: ", ")
    }

    /// `sink`, slowed down to the bandwidth limit if there is one.
    func pace(_ sink: any ByteSink) -> any ByteSink {
        receivingPace.map { TappedSink(sink, tap: SFTPPaceTap($0)) } ?? sink
    }

    /// `source`, slowed down to the bandwidth limit if there is one.
    func pace(_ source: any ByteSource) -> any ByteSource {
        sendingPace.map { TappedBytes(source, tap: SFTPPaceTap($0)) } ?? source
    }

    /// `error` as a Foundation error.
    func translated(_ error: any Error, path: ProviderPath) -> any Error {
        // A request that was cut because its caller was cancelled is not a failure.
        if Task.isCancelled { return CancellationError() }
        if let refusal = error as? SFTPRefusal {
            return SFTPCondition(status: refusal.status, path: path, url: url(of: path)).error
        }
        return error
    }
}
