public import FileProviderCore
import Foundation

/// The one Swift owner of libcurl: an event loop on a dedicated thread, kept connections, and back-pressure in both
/// directions.
///
/// A provider has one transport and sends all its requests through it. Bytes move between socket and sink, or source
/// and socket, on the transport's thread. Nothing is queued beyond libcurl's own half megabyte for each direction of a
/// transfer and a quarter for the sink.
public final class CurlTransport: Sendable {
    private let loop: EventLoop
    private let proxy: ProxyLogin
    /// The ports of the proxies that may be used.
    private let proxyPorts: Set<Int>
    private let log: RequestLog

    /// Starts the thread. Sends nothing.
    ///
    /// - Parameter provider: The provider's name in the log.
    /// - Throws: `CocoaError` if libcurl cannot be started.
    public init(options: ConnectionOptions, provider: String = "HTTP") throws {
        log = RequestLog(options.logger, provider: provider)
        loop = try EventLoop(options: options, slots: max(1, options.connectionsPerHost))
        proxy = ProxyLogin(options)
        proxyPorts = options.proxy.ports(ProcessInfo.processInfo.environment)
    }

    deinit {
        loop.stop()
    }

    /// Sends `request` and returns the answer's head once its body has been written to the sink of `request.receive`.
    ///
    /// Returns answers with any status, and redirects too. Throws only if there is no answer. The transport logs in to
    /// the proxy that the options name; if the proxy refuses, there is no answer.
    ///
    /// - Throws: `URLError` for a failure of the transport; an error of the sink or the source; `CancellationError`,
    ///   within milliseconds, when the task is cancelled.
    public func send(_ request: TransferRequest) async throws -> ResponseHead {
        try request.checkHeaders()
        let access = try await proxy.access()
        do { return try await send(request, access) } catch let refusal as ProxyRefusal {
            guard refusal.asksForLogin, let other = try await proxy.access(after: access) else { throw refusal.error }
            if case .source(let source) = request.body, !source.isRepeatable { throw FileError.notRepeatable() }
            do { return try await send(request, other) } catch let refusal as ProxyRefusal {
                if refusal.asksForLogin { proxy.refused(other) }
                throw refusal.error
            }
        }
    }

    private func send(_ request: TransferRequest, _ access: ProxyLogin.Access) async throws -> ResponseHead {
        guard let start = log.begin() else { return try await send(request, access, tally: nil) }
        let tally = LockedValue(TransferTally(requests: 0))
        do {
            let head = try await send(request, access, tally: tally)
            log.end(start, tally: tally.value) { request.record(head) }
            return head
        } catch {
            log.end(start, tally: tally.value, error: (error as? ProxyRefusal)?.error ?? error) { request.record(nil) }
            throw error
        }
    }

    /// - Parameter tally: Filled at the end, if it is not nil.
    private func send(
        _ request: TransferRequest, _ access: ProxyLogin.Access, tally: LockedValue<TransferTally>?
    ) async throws -> ResponseHead {
        let (head, transfer) = try await loop.run { resume, done in
            let transfer = HTTPTransfer(
                request, proxyLogin: access, proxyPorts: proxyPorts, resume: resume, done: done)
            transfer.tally = tally
            return transfer
        }
        if head.isSuccess { try await transfer?.checkSourceEnded() }
        return head
    }

    /// Cancels running requests with `URLError(.cancelled)` and closes all connections. Later requests open new ones.
    public func cancelAll() { loop.cancelAll() }
}
