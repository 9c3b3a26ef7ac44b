import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import ProviderDoubles
import Testing

@Suite struct RequestLimitTests {
    @Test func `each request waits for its turn, those of a repeated one too`() async throws {
        let fails = LockedValue(true)
        let server = try FaultServer { _ in
            let isFirst = fails.update { fails in
                defer { fails = false }
                return fails
            }
            return isFirst ? .reply(503) : .reply(200, body: Data("x".utf8))
        }
        defer { server.stop() }
        let clock = SteppedClock()
        let provider = try WebFileProvider(
            configuration: HTTPConfiguration(baseURL: server.url()),
            options: ConnectionOptions(
                retries: RetryPolicy(retries: 1, firstPause: 0.01),
                requestLimit: RequestLimit(perSecond: 2, clock: clock)))
        for _ in 0..<3 { _ = try await provider.contents(path: ProviderPath("f")) }
        #expect(server.requests.count == 4)
        #expect(clock.slept == [Duration](repeating: .milliseconds(500), count: 3))
    }
}
