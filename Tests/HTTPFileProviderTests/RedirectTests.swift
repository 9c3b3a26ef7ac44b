import CurlTransport
import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import Testing

/// Where redirects lead, and what a reader says of it.
@Suite struct RedirectTests {
    private func provider(_ server: FaultServer, cache: CachePolicy = .none) throws -> WebFileProvider {
        var options = ConnectionOptions(retries: RetryPolicy(retries: 0), cache: cache)
        options.proxy = .none
        return try WebFileProvider(configuration: HTTPConfiguration(baseURL: server.url()), options: options)
    }

    @Test(arguments: [
        ("/login?next=%2Ff&token=s3cret", "/login"), ("http://ann:pw@127.0.0.1:PORT/else/f", "/else/f"),
        ("/%66?again=1", nil),
    ])
    func `a reader names the place that a redirect led to, if that is another, without secrets`(
        _ location: String, _ target: String?
    )
        async throws
    {
        let port = LockedValue(0)
        let server = try FaultServer { request in
            if request.target != "/f" { return .reply(200, headers: ["ETag": "\"1\""], body: Data("login form".utf8)) }
            return .reply(302, headers: ["Location": location.replacing("PORT", with: "\(port.value)")])
        }
        port.update { $0 = server.port }
        defer { server.stop() }
        let reader = try await provider(server).open(path: ProviderPath("f"))
        _ = try await reader.read(.whole)
        let attributes = try await reader.attributes()
        #expect(attributes.redirectedTo?.absoluteString == target.map { "http://127.0.0.1:\(server.port)\($0)" })
    }
}
