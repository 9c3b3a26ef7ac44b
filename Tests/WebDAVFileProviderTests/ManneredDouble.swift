import FaultServer
import FileProviderCore
import Foundation
import WebDAVFileProvider

/// A ``DAVDouble`` that does one thing as some servers, and the proxies in front of them, were seen to do it.
final class ManneredDouble: Sendable {
    enum Manner: Sendable, Hashable {
        case honest
        /// Of what is put, so many bytes are kept.
        case keeps(Int)
        /// `MOVE` is answered with this status and not done.
        case refusesMoves(Int)
        /// A `Destination` with a host in it is another server's.
        case wantsPathAlone
        /// May be written, and neither listed nor read.
        case dropBox(Int)
        /// As `dropBox`, and nothing can be moved or removed.
        case slot(Int)
        /// Puts the file and answers with this status.
        case puts(Int)
        /// Puts the file and says nothing.
        case putsSilently
        /// Puts the file and closes the connection.
        case putsAndCloses
        /// Wants the length of an upload.
        case wantsLength
        case limits(Int)
        case redirectsUploads(Int)
        case answersWithPage
    }

    let double: DAVDouble
    private let manner: LockedValue<Manner>

    init(_ manner: Manner, files: [String: Data] = [:]) {
        self.manner = LockedValue(manner)
        double = DAVDouble(files: files)
    }

    var files: [String: Data] { double.state.files }

    func set(_ manner: Manner) { self.manner.update { $0 = manner } }

    func answer(_ request: FaultServer.Request) -> FaultServer.Answer {
        request.method == "PUT" ? put(request) : other(request)
    }

    private func other(_ request: FaultServer.Request) -> FaultServer.Answer {
        let isLook = ["PROPFIND", "GET", "HEAD"].contains(request.method)
        switch manner.value {
        case .refusesMoves(let status) where request.method == "MOVE": return .reply(status)
        case .wantsPathAlone where request.headers["destination"]?.hasPrefix("http") == true: return .reply(502)
        case .dropBox(let status) where isLook: return .reply(status)
        case .slot(let status) where isLook || ["MOVE", "DELETE"].contains(request.method): return .reply(status)
        default: return double.answer(request)
        }
    }

    private func put(_ request: FaultServer.Request) -> FaultServer.Answer {
        var request = request
        switch manner.value {
        case .keeps(let count): request.body = request.body.prefix(count)
        case .puts(let status):
            _ = double.answer(request)
            return .reply(status)
        case .putsSilently:
            _ = double.answer(request)
            return .silence
        case .putsAndCloses:
            _ = double.answer(request)
            return .raw(Data())
        case .wantsLength where request.headers["transfer-encoding"] != nil: return .reply(411)
        case .limits(let limit) where request.body.count > limit: return .reply(413)
        case .redirectsUploads(let status): return .reply(status, headers: ["Location": "/sign%20in"])
        case .answersWithPage:
            return .reply(200, headers: ["Content-Type": "text/html"], body: Data("<html>Sign in".utf8))
        default: break
        }
        return double.answer(request)
    }

    /// Runs `body` with a provider of this server.
    func serve(
        _ vendor: WebDAVQuirks.Vendor = .other, retries: Int = 2, idle: Double = 20,
        servers: WebDAVServers = WebDAVServers(),
        _ body: (WebDAVFileProvider, FaultServer) async throws -> Void
    ) async throws {
        let server = try FaultServer { self.answer($0) }
        defer { server.stop() }
        try await body(try provider(server, vendor, retries: retries, idle: idle, servers: servers), server)
    }

    func provider(
        _ server: FaultServer, _ vendor: WebDAVQuirks.Vendor = .other, retries: Int = 2, idle: Double = 20,
        servers: WebDAVServers = WebDAVServers()
    ) throws -> WebDAVFileProvider {
        try WebDAVFileProvider(
            configuration: WebDAVConfiguration(baseURL: server.url(), quirks: WebDAVQuirks(vendor)),
            options: ConnectionOptions(
                timeouts: Timeouts(connect: 20, idle: idle),
                retries: RetryPolicy(retries: retries, firstPause: 0.01, longestPause: 0.1)),
            servers: servers)
    }
}

extension FaultServer {
    /// The methods, with the name if it is no temporary one.
    var sent: [String] {
        requests.map { $0.target.contains(TemporaryName.suffix) ? $0.method : "\($0.method) \($0.target)" }
    }
}

/// Bytes that can be read once.
func oneShot(_ data: Data, length: Int64? = nil) -> SequenceSource<AsyncStream<Data>> {
    SequenceSource(
        AsyncStream { pieces in
            for start in stride(from: 0, to: data.count, by: 100_000) {
                pieces.yield(data[start..<min(start + 100_000, data.count)])
            }
            pieces.finish()
        }, length: length)
}
