import FileProviderCore
import Foundation
import Synchronization
import Testing

@Suite struct BytePipeTests {
    private func put(_ count: Int, into pipe: BytePipe) throws -> FlowState {
        try Data(repeating: 7, count: count).withUnsafeBytes { try pipe.write($0) }
    }

    @Test func `a full pipe makes the writing side wait until half is taken`() async throws {
        let pipe = BytePipe(capacity: 10)
        #expect(try put(6, into: pipe) == .ready)
        #expect(try put(6, into: pipe) == .wait)
        let calls = Atomic(0)
        pipe.whenReady { calls.add(1, ordering: .relaxed) }
        #expect(calls.load(ordering: .relaxed) == 0)
        _ = try await pipe.next()
        #expect(calls.load(ordering: .relaxed) == 0, "6 of 10 are still held")
        _ = try await pipe.next()
        #expect(calls.load(ordering: .relaxed) == 1)
    }

    @Test(arguments: [1, 7, 1000])
    func `all bytes arrive in order however small the pipe`(capacity: Int) async throws {
        let pipe = BytePipe(capacity: capacity)
        let sent = Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        async let sending: Void = {
            for start in stride(from: 0, to: sent.count, by: 13) {
                try await pipe.send(sent[start..<min(start + 13, sent.count)])
            }
            pipe.finish()
        }()
        var received = Data()
        while let piece = try await pipe.next() { received += piece }
        try await sending
        #expect(received == sent)
    }

    @Test func `an error is thrown after the bytes before it`() async throws {
        let pipe = BytePipe()
        try await pipe.send(Data([1]))
        pipe.finish(throwing: CocoaError(.fileReadCorruptFile))
        pipe.finish()
        #expect(try await pipe.next() == Data([1]))
        await #expect(throws: CocoaError.self) { try await pipe.next() }
    }

    @Test func `a reading side that goes away frees the writing side`() async throws {
        let pipe = BytePipe(capacity: 1)
        let (waiting, signal) = AsyncStream<Void>.makeStream()
        let writer = Task {
            #expect(try put(5, into: pipe) == .wait)
            signal.finish()
            try await pipe.waitUntilReady()
            try await pipe.send(Data([1]))
        }
        for await _ in waiting {}
        pipe.abandon()
        await #expect(throws: CancellationError.self) { try await writer.value }
    }

    @Test func `letting go of the source abandons the pipe`() throws {
        let pipe = BytePipe()
        do { _ = pipe.source }
        #expect(throws: CancellationError.self) { try put(1, into: pipe) }
    }

    @Test func `a reader that is cancelled while it waits ends, and the pipe takes no more`() async throws {
        let pipe = BytePipe()
        let reader = Task { try await pipe.next() }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(throws: CancellationError.self) { try put(1, into: pipe) }
    }

    @Test func `waiting for a sink whose reader sleeps ends with the task`() async throws {
        let pipe = BytePipe(capacity: 1)
        #expect(try put(5, into: pipe) == .wait)
        let waiting = Task { try await pipe.waitUntilReady() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func `a source reads what the pipe has, then waits, then ends`() async throws {
        let pipe = BytePipe()
        let source = pipe.source
        var bytes = [UInt8](repeating: 0, count: 2)
        func step() throws -> SourceStep { try bytes.withUnsafeMutableBytes { try source.read(into: $0) } }
        #expect(try step() == .wait)
        try await pipe.send(Data([1, 2, 3]))
        pipe.finish()
        #expect(try step() == .bytes(2))
        #expect(try step() == .bytes(1))
        #expect(bytes == [3, 2])
        #expect(try step() == .end)
    }

    @Test func `a sequence that may be read once cannot be sent again`() throws {
        let source = SequenceSource(AsyncStream<Data> { $0.finish() })
        #expect(!source.isRepeatable)
        _ = try source.bytes(from: 0)
        #expect { try source.bytes(from: 0) } throws: { $0.sentence.contains("only once") }
    }
}
