public import FileProviderCore
import Foundation

/// The one Swift owner of libcurl: an event loop on a thread of its own, connections that are kept, back-pressure both
/// ways.
///
/// A provider has one transport and lets all its requests go through it. Bytes move between socket and sink, or source
/// and socket, on the transport's thread; nothing is queued beyond libcurl's own half megabyte for each direction of a
/// transfer and a quarter for the sink.
public final class CurlTransport: Sendable {
    private let loop: EventLoop
    private let proxy: ProxyLogin
    /// The ports of the proxies that requests may go by.
    private let proxyPorts: Set<Int>
    private let log: RequestLog

    /// Starts the thread. Nothing is sent.
    ///
    /// - Parameter provider: Whose requests they are, in the log.
    /// - Throws: `CocoaError` when libcurl cannot be started.
    public init(options: ConnectionOptions, provider: String = "HTTP") throws {
        log = RequestLog(options.logger, provider: provider)
        loop = try EventLoop(options: options, slots: max(1, options.connectionsPerHost))
        proxy = ProxyLogin(options)
        proxyPorts = options.proxy.ports(ProcessInfo.processInfo.environment)
    }

    deinit {
        loop.stop()
    }

    /// Sends `request` and returns the answer's head once its body has gone where `request.receive` said.
    ///
    /// Any status is an answer; only what kept an answer from coming is thrown. Redirects are answers too. The login of
    /// the proxy that the options name is the transport's business: where that is refused, no answer came.
    ///
    /// - Throws: `URLError` for the transport's conditions; an error of the sink or the source; `CancellationError`,
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

    /// - Parameter tally: Filled at the end, if there is one.
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

    /// Ends what runs with `URLError(.cancelled)` and closes all connections. Requests after it start anew.
    public func cancelAll() { loop.cancelAll() }
}
