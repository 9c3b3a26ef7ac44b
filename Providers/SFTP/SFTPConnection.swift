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
    /// Nil without a limit on bandwidth, as ``receivingPace``.
    let sendingPace: SFTPPace?
    let receivingPace: SFTPPace?

    init(configuration: SFTPConfiguration, options: ConnectionOptions, connect: @escaping @Sendable () async throws -> any SFTPLink) throws
    {
        let url = configuration.baseURL
        baseURL = url.withoutSecrets
        self.options = options
        sendingPace = options.bandwidth.map { SFTPPace(bytesPerSecond: $0) }
        receivingPace = options.bandwidth.map { SFTPPace(bytesPerSecond: $0) }
        host = SFTPHost(root: try ProviderPath(percentEncoded: url.path(percentEncoded: true)))
        pool = SFTPPool(
            connections: min(configuration.connections, options.connectionsPerHost), channels: configuration.channels,
            patience: .seconds(min(options.timeouts.idle, 2_600_000)), connect: connect)
    }

    /// The URL of `path`.
    func url(of path: ProviderPath) -> URL {
        let base = baseURL.absoluteString
        // Never nil: the base is a URL, and all that is added is unreserved or percent-encoded.
        return URL(string: (base.hasSuffix("/") ? base : base + "/") + path.percentEncoded) ?? baseURL
    }

    /// Runs `body` with the session for requests, again after a passing failure.
    ///
    /// - Parameter mayRepeat: Whether what was asked for can be done twice; else only getting a session is tried again.
    func run<Value: Sendable>(
        _ path: ProviderPath, mayRepeat: Bool = true, _ body: @Sendable (SFTPSession) async throws -> Value
    ) async throws -> Value {
        if mayRepeat {
            return try await retrying(path) { try await body(self.pool.session()) }
        }
        let session = try await retrying(path) { try await self.pool.session() }
        do { return try await body(session) } catch { throw translated(error, path) }
    }

    /// Runs `body` until it succeeds, fails for good, or the tries are used up.
    func retrying<Value: Sendable>(_ path: ProviderPath, _ body: @Sendable () async throws -> Value) async throws -> Value {
        try await options.retries.run(counters: options.counters) {
            do { return try await body() } catch { throw self.translated(error, path) }
        }
    }

    /// Sends a request and counts it.
    func send(_ request: SFTPRequest, _ session: SFTPSession) async throws -> SFTPReply { try await send([request], session)[0] }

    /// Sends requests in one go and counts them.
    func send(_ requests: [SFTPRequest], _ session: SFTPSession) async throws -> [SFTPReply] {
        options.counters.add(.requests, Int64(requests.count))
        return try await session.sendTogether(requests)
    }

    /// Sends requests in one go and counts them; the answers are waited for elsewhere.
    func begin(_ requests: [SFTPRequest], _ session: SFTPSession) -> SFTPCall {
        options.counters.add(.requests, Int64(requests.count))
        return session.begin(requests)
    }

    /// `sink`, held back where there is a limit on bandwidth.
    func pace(_ sink: any ByteSink) -> any ByteSink { receivingPace.map { SFTPPacedSink(sink, $0) } ?? sink }

    /// `source`, held back where there is a limit on bandwidth.
    func pace(_ source: any ByteSource) -> any ByteSource { sendingPace.map { SFTPPacedSource(source, $0) } ?? source }

    /// `error` in Foundation's words.
    func translated(_ error: any Error, _ path: ProviderPath) -> any Error {
        // What is cut because nobody waits any more is no failure of its own.
        if Task.isCancelled { return CancellationError() }
        if let refusal = error as? SFTPRefusal { return SFTPCondition(status: refusal.status, path: path, url: url(of: path)).error }
        return error
    }
}
