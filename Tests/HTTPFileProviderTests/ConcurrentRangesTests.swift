import Dispatch
import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import ProviderDoubles
import Testing

/// One large file in several ranges at once over HTTP.
@Suite struct ConcurrentRangesTests {
    private static let content = Data.patterned(16 << 20)

    /// Answers a range, or everything, with `tag`.
    private static func answer(_ request: FaultServer.Request, tag: String) -> FaultServer.Answer {
        let headers = ["ETag": tag, "Accept-Ranges": "bytes"]
        guard let range = range(request) else { return .reply(200, headers: headers, body: content) }
        let text = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)"
        return .reply(206, headers: headers.merging(["Content-Range": text]) { $1 }, body: content[range])
    }

    private static func range(_ request: FaultServer.Request) -> Range<Int>? {
        guard let value = request.headers["range"], value.hasPrefix("bytes=") else { return nil }
        let ends = value.dropFirst(6).split(separator: "-").compactMap { Int($0) }
        return ends.first.map { $0..<(ends.count > 1 ? ends[1] + 1 : content.count) }
    }

    /// Reads the file while the first answer stops until there were so many requests, each with its number from 1 on.
    private func read(
        until count: Int, options change: (inout ConnectionOptions) -> Void = { _ in },
        passed: @escaping @Sendable (Int) -> Void = { _ in },
        _ answer: @escaping @Sendable (FaultServer.Request, Int) -> FaultServer.Answer
    ) async throws -> (data: Data, requests: [FaultServer.Request], error: (any Error)?) {
        let number = LockedValue(0)
        let server = try FaultServer { request in
            answer(
                request,
                number.update { number in
                    number += 1
                    return number
                })
        }
        defer { server.stop() }
        var options = ConnectionOptions(
            timeouts: Timeouts(connect: 20, idle: 20), retries: RetryPolicy(retries: 3, firstPause: 0.01))
        change(&options)
        let provider = try WebFileProvider(
            configuration: HTTPConfiguration(baseURL: server.url()), options: options)
        let sink = HeldSink(after: 1 << 20, until: { server.requests.count >= count }, passed: passed)
        let reader = try await provider.open(path: ProviderPath("f"))
        do {
            let extent = try await reader.streamInRanges(.whole, into: sink, limits: .eager)
            #expect(extent.count == Int64(Self.content.count))
            return (sink.data, server.requests, nil)
        } catch { return (sink.data, server.requests, error) }
    }

    // With three requests, the second one was answered in full.
    @Test func `the rest of a file comes in ranges of one version`() async throws {
        let (data, requests, error) = try await read(until: 3) { request, _ in Self.answer(request, tag: "\"1\"") }
        #expect(error == nil)
        #expect(data == Self.content)
        #expect(requests.count > 3)
        #expect(requests.first?.headers["range"] == nil)
        let ranges = requests.dropFirst().compactMap(Self.range).sorted { $0.lowerBound < $1.lowerBound }
        #expect(ranges.count == requests.count - 1)
        #expect(try #require(ranges.first).lowerBound > 8 << 20)
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        #expect(ranges.last?.upperBound == Self.content.count)
    }

    @Test(arguments: ["503", "429", "403", "ignored", "other"])
    func `a server that refuses a range, ignores it or has another version is read in one stream`(second: String)
        async throws
    {
        let (data, requests, error) = try await read(until: 2) { request, number in
            if number == 1 { return Self.answer(request, tag: "\"1\"") }
            switch second {
            case "ignored": return .reply(200, headers: ["ETag": "\"1\""], body: Self.content)
            case "other": return Self.answer(request, tag: "\"2\"")
            default: return .reply(Int(second) ?? 500, headers: ["Retry-After": "30"])
            }
        }
        #expect(error == nil)
        #expect(data == Self.content)
        #expect(requests.count == 2, "a range that is refused is not tried again")
    }

    @Test func `a server that takes no more ranges at once is asked for fewer`() async throws {
        let (data, requests, error) = try await read(until: 3) { request, number in
            number == 4 ? .reply(503, headers: ["Retry-After": "30"]) : Self.answer(request, tag: "\"1\"")
        }
        #expect(error == nil)
        #expect(data == Self.content)
        #expect(requests.count >= 4)
    }

    @Test func `a file that changes on the way is an error, and nothing of the new version arrives`() async throws {
        // The third request is answered when the first one is over.
        let isCut = DispatchSemaphore(value: 0)
        let (data, _, error) = try await read(until: 3, passed: { if $0 > 9 << 20 { isCut.signal() } }) {
            request, number in
            if number == 3 { _ = isCut.wait(timeout: .now() + 60) }
            return Self.answer(request, tag: number < 3 ? "\"1\"" : "\"2\"")
        }
        #expect(((error as? CocoaError)?.underlying as? POSIXError)?.code == .ESTALE, "\(String(describing: error))")
        #expect(data == Self.content.prefix(data.count))
        #expect(data.count < Self.content.count)
    }

    @Test(arguments: ["W/\"1\"", ""]) func `without a strong tag there is one stream`(tag: String) async throws {
        let (data, requests, error) = try await read(until: 1) { request, _ in Self.answer(request, tag: tag) }
        #expect(error == nil)
        #expect(data == Self.content)
        #expect(requests.count == 1)
    }

    @Test func `there is one stream where the options say so, or one connection is all there is`() async throws {
        for change in [{ $0.maxRangesAtOnce = 1 }, { $0.connectionsPerHost = 1 }] as [(inout ConnectionOptions) -> Void]
        {
            let (data, requests, error) = try await read(until: 1, options: change) { request, _ in
                Self.answer(request, tag: "\"1\"")
            }
            #expect(error == nil)
            #expect(data == Self.content)
            #expect(requests.count == 1)
        }
    }
}
