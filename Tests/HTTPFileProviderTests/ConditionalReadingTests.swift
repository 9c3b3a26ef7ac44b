import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import Testing

/// `open(path:options:)` over HTTP: conditions that the server looks at, and servers that do not.
@Suite struct ConditionalReadingTests {
    private static let body = Data("the words".utf8)

    private func read(_ options: ReadOptions, _ answer: @escaping @Sendable (FaultServer.Request) -> FaultServer.Answer)
        async throws -> (result: Result<Data, any Error>, requests: [FaultServer.Request])
    {
        let server = try FaultServer(answer)
        defer { server.stop() }
        let provider = try WebFileProvider(
            configuration: HTTPConfiguration(baseURL: server.url()),
            options: ConnectionOptions(
                timeouts: Timeouts(connect: 5, idle: 5), retries: RetryPolicy(retries: 1, firstPause: 0.01)))
        let reader = try await provider.open(path: ProviderPath("f"), options: options)
        #expect(server.requests.isEmpty)
        let result: Result<Data, any Error>
        do { result = .success(try await reader.read(.whole).data) } catch { result = .failure(error) }
        return (result, server.requests)
    }

    @Test(arguments: [
        ("\"1\"", "if-none-match"), ("W/\"1\"", "if-none-match"),
        ("Sat, 28 Nov 2026 10:00:00 GMT", "if-modified-since"),
    ])
    func `a server that has the same version sends nothing`(version: String, header: String) async throws {
        let (result, requests) = try await read(ReadOptions(ifNoneMatch: version)) { request in
            request.headers[header] == version ? .reply(304, headers: ["ETag": "\"1\""]) : .reply(200, body: Self.body)
        }
        #expect(throws: CocoaError.self) { try result.get() }
        if case .failure(let error) = result { #expect(error.unmodifiedFile != nil, "\(error)") }
        #expect(requests.count == 1)
    }

    @Test(
        arguments: [
            (["ETag": "\"1\""], nil), (["Last-Modified": "yesterday"], .distantFuture),
            (["Last-Modified": "Sat, 28 Nov 2026 10:00:00 GMT"], Date(timeIntervalSince1970: 1_795_860_000)),
            (["ETag": "\"1\"", "Last-Modified": "Sat, 28 Nov 2026 10:00:00 GMT"], nil), ([:], nil),
        ] as [([String: String], Date?)])
    func `a version that only a date tells is known for one`(headers: [String: String], date: Date?) async throws {
        let server = try FaultServer { _ in .reply(200, headers: headers, body: Self.body) }
        defer { server.stop() }
        let provider = try WebFileProvider(configuration: HTTPConfiguration(baseURL: server.url()))
        let attributes = try await provider.open(path: ProviderPath("f")).attributes()
        #expect(attributes.validatorDate == date)
        #expect((attributes.validator == nil) == headers.isEmpty)
    }

    @Test func `a server that passes a condition over is compared with by its answer`() async throws {
        let answer: @Sendable (FaultServer.Request) -> FaultServer.Answer = { _ in
            .reply(200, headers: ["ETag": "\"1\""], body: Self.body)
        }
        let (same, _) = try await read(ReadOptions(ifNoneMatch: "\"1\""), answer)
        if case .failure(let error) = same { #expect(error.unmodifiedFile?.version == "\"1\"") } else { Issue.record() }
        let (other, _) = try await read(ReadOptions(ifMatch: "\"2\""), answer)
        #expect(throws: CocoaError.self) { try other.get() }
        let (wanted, _) = try await read(ReadOptions(ifNoneMatch: "\"2\"", ifMatch: "\"1\""), answer)
        #expect(try wanted.get() == Self.body)
    }

    @Test func `412 to a tag that is only weak is asked about again, without the header`() async throws {
        for (tag, isSame) in [("W/\"1\"", true), ("\"2\"", false)] {
            let (result, requests) = try await read(ReadOptions(ifMatch: "\"1\"")) { request in
                request.headers["if-match"] != nil
                    ? .reply(412) : .reply(200, headers: ["ETag": tag], body: Self.body)
            }
            #expect(requests.map { $0.headers["if-match"] } == ["\"1\"", nil])
            if isSame {
                #expect(try result.get() == Self.body)
            } else if case .failure(let error) = result {
                #expect(((error as? CocoaError)?.underlying as? POSIXError)?.code == .ESTALE, "\(error)")
            } else {
                Issue.record("another version was read")
            }
        }
    }

    @Test func `the version of an empty file is looked at, whose range is refused without one`() async throws {
        for (version, isSame) in [("\"1\"", true), ("\"2\"", false)] {
            let server = try FaultServer { request in
                switch request.method {
                case "HEAD": .reply(200, headers: ["ETag": "\"1\""])
                default:
                    request.headers["range"] == nil ? .reply(200) : .reply(416, headers: ["Content-Range": "bytes */0"])
                }
            }
            defer { server.stop() }
            let provider = try WebFileProvider(configuration: HTTPConfiguration(baseURL: server.url()))
            let reader = try await provider.open(path: ProviderPath("f"), options: ReadOptions(ifMatch: version))
            if isSame {
                #expect(try await reader.attributes().size == 0)
            } else {
                await #expect(throws: CocoaError.self) { _ = try await reader.attributes() }
            }
        }
    }

    @Test func `only the first read of a reader has conditions`() async throws {
        let server = try FaultServer { _ in .reply(200, headers: ["ETag": "\"1\""], body: Self.body) }
        defer { server.stop() }
        let provider = try WebFileProvider(configuration: HTTPConfiguration(baseURL: server.url()))
        let reader = try await provider.open(path: ProviderPath("f"), options: ReadOptions(ifMatch: "\"1\""))
        _ = try await reader.read(.whole)
        _ = try await reader.read(.whole)
        #expect(server.requests.map { $0.headers["if-match"] } == ["\"1\"", nil])
    }
}
