import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

/// A file in several ranges at once: the bytes are right, or one stream brings them.
@Suite struct RangedTransferTests {
    private static let size = Int64(RangeServer.content.count)

    private func run(_ server: RangeServer, _ part: FilePart = .whole, limits: RangePace.Limits = .eager) async
        -> (sink: HeldSink, result: Result<FileExtent, any Error>)
    {
        let sink = HeldSink(
            after: .max, until: { true }, passed: { count in server.delivered.update { $0 = count } })
        do {
            return (sink, .success(try await server.reader().streamInRanges(part, into: sink, limits: limits)))
        } catch { return (sink, .failure(error)) }
    }

    private func isChange(_ result: Result<FileExtent, any Error>) -> Bool {
        guard case .failure(let error) = result else { return false }
        return ((error as? CocoaError)?.underlying as? POSIXError)?.code == .ESTALE
    }

    @Test(arguments: [FilePart.whole, .from(1_000)])
    func `the bytes come in order, each once, in no more ranges at once than allowed`(part: FilePart) async throws {
        // Two of them are there at once, and then four: so many are measured.
        let server = RangeServer(progress: { server, request, sent in
            guard sent == 16 << 10, (2...7).contains(request.index) else { return }
            try await eventually { server.answered >= (request.index < 4 ? 4 : 8) }
        })
        let (sink, result) = await run(server, part)
        let expected = part.resolved(size: Self.size)
        let extent = FileExtent(offset: expected.lowerBound, count: Int64(expected.count), size: Self.size)
        #expect(try result.get() == extent)
        #expect(sink.data == RangeServer.content[Int(expected.lowerBound)...])
        #expect(sink.extents == [extent])
        let ranges = server.asked.dropFirst().sorted { $0.lowerBound < $1.lowerBound }
        #expect(server.asked.first == expected)
        #expect(ranges.count > 8)
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound }, "\(ranges)")
        #expect(ranges.last?.upperBound == Self.size)
        #expect(server.maxActive == 4)
        #expect(server.active == 0)
    }

    @Test func `a storage that refuses a second range sends everything in one stream`() async throws {
        let server = RangeServer(answer: { request in
            if request.index > 0 { throw URLError(.resourceUnavailable) }
            return "1"
        })
        let (sink, result) = await run(server)
        #expect(try result.get().count == Self.size)
        #expect(sink.data == RangeServer.content)
        #expect(server.asked.count == 2)
    }

    @Test func `a storage that shows another version on another connection sends everything in one stream`()
        async throws
    {
        let server = RangeServer(answer: { "\($0.index)" })
        let (sink, result) = await run(server)
        #expect(try result.get().count == Self.size)
        #expect(sink.data == RangeServer.content)
        #expect(server.asked.count == 2)
    }

    @Test func `a file that changes on the way is an error, and nothing of the new version arrives`() async throws {
        let server = RangeServer(answer: { $0.index < 4 ? "1" : "2" })
        let (sink, result) = await run(server)
        #expect(isChange(result), "\(result)")
        #expect(sink.data == RangeServer.content.prefix(sink.data.count))
        #expect(sink.data.count < Self.size)
        #expect(server.active == 0)
    }

    @Test func `a storage that takes only so many gets fewer`() async throws {
        let server = RangeServer(answer: { request in
            if request.active > 3 { throw URLError(.resourceUnavailable) }
            return "1"
        })
        let (sink, result) = await run(server)
        #expect(try result.get().count == Self.size)
        #expect(sink.data == RangeServer.content)
        #expect(server.asked.count > 8)
    }

    @Test func `a range that is lost on its way is fetched again`() async throws {
        let server = RangeServer(progress: { _, request, sent in
            if request.index == 3, sent > 0 { throw URLError(.networkConnectionLost) }
        })
        let (sink, result) = await run(server)
        #expect(try result.get().count == Self.size)
        #expect(sink.data == RangeServer.content)
        let lost = server.asked[3]
        #expect(server.asked.count { $0 == lost } == 2)
    }

    @Test func `an answer that does not tell its version has the rest come in one stream`() async throws {
        let server = RangeServer(answer: { (4...8).contains($0.index) ? nil : "1" })
        let (sink, result) = await run(server)
        #expect(try result.get().count == Self.size)
        #expect(sink.data == RangeServer.content)
        #expect(try #require(server.asked.last).upperBound == Self.size)
        #expect(try #require(server.asked.last).count > 128 << 10)
    }

    @Test func `one stream where no ranges are allowed, or the file is small`() async throws {
        for ranges in [nil, ConcurrentRanges(maxCount: 1, minSize: 1, maxSize: 1 << 20)] {
            let server = RangeServer(ranges: ranges, holdsFirst: false)
            let sink = DataSink(limit: 1 << 20)
            _ = try await server.reader().streamInRanges(.whole, into: sink, limits: .eager)
            #expect(sink.data == RangeServer.content)
            #expect(server.asked.count == 1)
        }
        let server = RangeServer(holdsFirst: false)
        var limits = RangePace.Limits.eager
        limits.minFileSize = Self.size + 1
        let sink = DataSink(limit: 1 << 20)
        _ = try await server.reader().streamInRanges(.whole, into: sink, limits: limits)
        #expect(sink.data == RangeServer.content)
        #expect(server.asked.count == 1)
    }

    @Test func `what is held is bounded, however slow the sink`() async throws {
        var limits = RangePace.Limits.eager
        limits.maxHeld = 128 << 10
        let most = LockedValue<Int64>(0)
        let server = RangeServer(progress: { server, _, _ in
            let held = server.sent - Int64(server.delivered.value)
            most.update { $0 = max($0, held) }
        })
        // Sleeps until everything has come that may come meanwhile.
        let sink = HeldSink(
            after: 400 << 10, until: { server.active == 0 },
            passed: { count in server.delivered.update { $0 = count } })
        _ = try await server.reader().streamInRanges(.whole, into: sink, limits: limits)
        #expect(sink.data == RangeServer.content)
        // What one range may have more than its share, and a piece of the first stream that nobody wanted.
        #expect((32 << 10...(128 + 32 + 16) << 10).contains(most.value), "\(most.value)")
    }

    @Test func `cancelling ends every stream`() async throws {
        let server = RangeServer(progress: { _, _, sent in if sent > 0 { try await Gate.wait { _ in } } })
        let reader = try server.reader()
        let task = Task { try await reader.streamInRanges(.whole, into: DiscardingSink(), limits: .eager) }
        try await eventually { server.answered > 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(server.active == 0)
    }

    @Test func `an error of the sink ends every stream, and is what is thrown`() async throws {
        let server = RangeServer()
        let sink = FailingSink(after: 300 << 10, server)
        let reader = try server.reader()
        await #expect(throws: CocoaError.self) {
            try await reader.streamInRanges(.whole, into: sink, limits: .eager)
        }
        #expect(server.active == 0)
    }
}

/// Takes so many bytes, and then fails.
private final class FailingSink: ByteSink {
    private let limit: Int
    private let server: RangeServer

    init(after count: Int, _ server: RangeServer) { (limit, self.server) = (count, server) }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        try server.delivered.update { count in
            count += bytes.count
            if count > limit { throw CocoaError(.fileWriteOutOfSpace) }
        }
        return .ready
    }
}
