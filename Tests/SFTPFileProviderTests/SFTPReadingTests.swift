import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Synchronization
import Testing

import SFTPFileProvider

/// Reading where nothing goes wrong, or not much.
@Suite struct SFTPReadingTests {
    static let large = 40_000_000

    /// Sees that the bytes are those of the pattern, and keeps none.
    final class PatternSink: ByteSink {
        private let state: Mutex<(next: Int, isRight: Bool)>
        let pause: Bool

        init(from offset: Int = 0, pause: Bool = false) {
            state = Mutex((offset, true))
            self.pause = pause
        }

        var next: Int { state.withLock { $0.next } }
        var isRight: Bool { state.withLock { $0.isRight } }

        func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
            let count = state.withLock { state in
                if !bytes.elementsEqual(SFTPDouble.pattern(state.next..<state.next + bytes.count)) {
                    state.isRight = false
                }
                state.next += bytes.count
                return state.next
            }
            return pause && count % 3 == 0 ? .wait : .ready
        }

        func whenReady(_ resume: @escaping @Sendable () -> Void) { Task { resume() } }
    }

    private func withFile(
        _ size: Int, _ settings: SFTPDouble.Settings = .init(), retries: Int = 0, links: SFTPLinks.Limits = .init(),
        _ body: (SFTPDouble, SFTPFileProvider, any FileReader) async throws -> Void
    ) async throws {
        try await withSFTPProvider(settings, options: { $0.retries.retries = retries }, links: links) {
            double, provider in
            double.putPattern(size, at: "/file")
            let reader = try await provider.open(path: ProviderPath("file"))
            try await body(double, provider, reader)
            await reader.close()
        }
    }

    // MARK: Parts

    @Test(arguments: SFTPWritingTests.servers.map(\.0)) func `Every part is what it is to be`(server: String)
        async throws
    {
        let settings = try #require(SFTPWritingTests.servers.first { $0.0 == server }?.1)
        try await withFile(1_000_000, settings) { _, _, reader in
            try await #expect(reader.attributes().size == 1_000_000)
            for (part, range) in [
                (FilePart.whole, 0..<1_000_000), (.from(999_990), 999_990..<1_000_000), (.from(2_000_000), 0..<0),
                (.range(5..<5), 0..<0), (.range(32_760..<65_540), 32_760..<65_540),
                (.range(999_999..<5_000_000), 999_999..<1_000_000),
                (.range(1_000_000..<1_000_001), 0..<0), (.suffix(10), 999_990..<1_000_000), (.suffix(0), 0..<0),
                (.suffix(5_000_000), 0..<1_000_000),
            ] {
                let sink = DataSink(limit: 2_000_000)
                let extent = try await reader.stream(part, into: sink)
                #expect(sink.data == SFTPDouble.pattern(range), "\(part)")
                #expect(extent.count == Int64(range.count) && extent.size == 1_000_000)
            }
        }
    }

    @Test func `Opening and looking take one round trip, and so do many ranges`() async throws {
        var settings = SFTPDouble.Settings()
        settings.latency = 0.02
        try await withFile(10_000_000, settings) { double, provider, reader in
            try await provider.checkReachability()
            double.resetCounts()
            _ = try await reader.attributes()
            #expect(double.counts.roundTrips == 1)
            double.resetCounts()
            let ranges = (0..<30).map { Int64($0) * 300_000..<Int64($0) * 300_000 + 1_000 }
            let pieces = try await reader.read(ranges)
            #expect(double.counts.roundTrips == 1)
            #expect(
                zip(ranges, pieces).allSatisfy { $1 == SFTPDouble.pattern(Int($0.lowerBound)..<Int($0.upperBound)) })
            #expect(double.counts.bytesRead == 30_000)
            double.resetCounts()
            let small = try await provider.contents(path: ProviderPath("old"))
            #expect(small == Data("old".utf8))
            // The third closes it, and nobody waits for that.
            #expect(double.counts.roundTrips <= 3)
        }
    }

    @Test func `Ranges that are too much for memory are refused before anything is read`() async throws {
        try await withFile(600_000_000) { double, _, reader in
            _ = try await reader.attributes()
            let error = try await SFTPFaults.mustFail { try await reader.read([0..<600_000_000]) }
            #expect(error.cocoaCode == .fileReadTooLarge)
            #expect(double.counts.bytesRead == 0)
        }
    }

    @Test(arguments: [false, true]) func `A large file comes over several channels, in its order`(pauses: Bool)
        async throws
    {
        var settings = SFTPDouble.Settings()
        settings.latency = 0.002
        try await withFile(Self.large, settings) { double, _, reader in
            let sink = PatternSink(pause: pauses)
            _ = try await reader.stream(.whole, into: sink)
            #expect(sink.next == Self.large && sink.isRight)
            #expect(double.counts.channels > 2)
            #expect(double.counts.bytesRead == Self.large)
        }
    }

    @Test func `Short answers are asked for again`() async throws {
        let settings = SFTPDouble.Settings { $0.kind == .read && $0.occurrence % 3 == 0 ? [.shortRead(1_000)] : [] }
        try await withFile(3_000_000, settings) { _, _, reader in
            let sink = PatternSink()
            _ = try await reader.stream(.whole, into: sink)
            #expect(sink.next == 3_000_000 && sink.isRight)
            let pieces = try await reader.read([0..<500_000, 10..<20])
            #expect(pieces == [SFTPDouble.pattern(0..<500_000), SFTPDouble.pattern(10..<20)])
        }
    }

    // MARK: A file that is another one

    @Test func `A file that changes between two reads is told`() async throws {
        let changes: [@Sendable (SFTPDouble) -> Void] = [
            { $0.putPattern(999, at: "/file") },
            { $0.put(SFTPDouble.pattern(0..<1_000), at: "/file", modified: 1_000) },
        ]
        for change in changes {
            try await withFile(1_000) { double, provider, _ in
                let reader = try await provider.open(path: ProviderPath("file"))
                _ = try await reader.read([0..<10])
                change(double)
                // What is open is the file that was there; a reader whose file was taken from it opens the new one.
                double.stop()
                let error = try await SFTPFaults.mustFail { try await reader.read([0..<10]) }
                #expect(error.posixCode == .ESTALE || error.isTransient, "\(error)")
                let again = try await SFTPFaults.mustFail { try await reader.read([0..<10]) }
                #expect(again.posixCode == .ESTALE, "\(again)")
                await reader.close()
            }
        }
    }

    @Test func `A file that is written to while it is open is told, whatever is read`() async throws {
        try await withFile(3_000_000) { double, provider, reader in
            _ = try await reader.read([0..<10])
            _ = try await provider.writeContents(
                path: ProviderPath("file"), from: DataSource(Data("short".utf8)),
                options: WriteOptions(overwrite: true, placement: .inPlace))
            for part in [FilePart.range(0..<3), .whole] {
                let error = try await SFTPFaults.mustFail { try await reader.stream(part, into: PatternSink()) }
                #expect(error.posixCode == .ESTALE, "\(error)")
            }
        }
    }

    @Test func `A file that ends too soon is no success`() async throws {
        let settings = SFTPDouble.Settings { $0.kind == .read ? [.endOfFile(at: 700_000)] : [] }
        for size in [900_000, 3_000_000] {
            try await withFile(size, settings) { _, _, reader in
                let error = try await SFTPFaults.mustFail { try await reader.stream(.whole, into: PatternSink()) }
                #expect(error.posixCode == .ESTALE, "\(error)")
            }
        }
    }

    @Test func `A file that is replaced while it is open goes on being read`() async throws {
        try await withFile(1_000) { _, provider, reader in
            _ = try await reader.read([0..<10])
            _ = try await provider.writeContents(
                path: ProviderPath("file"), contents: Data("other".utf8), overwrite: true)
            try await #expect(reader.read([990..<1_000]) == [SFTPDouble.pattern(990..<1_000)])
        }
    }

    // MARK: Handles

    @Test func `A reader that is closed or let go of gives its handle back`() async throws {
        try await withSFTPProvider { double, provider in
            for isClosed in [true, false] {
                var reader: (any FileReader)? = try await provider.open(path: ProviderPath("book"))
                _ = try await reader?.read([0..<10])
                #expect(double.counts.openHandles == 1)
                if isClosed {
                    await reader?.close()
                    let error = try await SFTPFaults.mustFail { try await reader?.read([0..<10]) }
                    #expect(error.sentence.isEmpty == false)
                }
                reader = nil
                try await eventually { double.counts.openHandles == 0 }
            }
        }
    }

    @Test func `Two readers of a server with one handle take turns`() async throws {
        var settings = SFTPDouble.Settings()
        settings.maximumHandles = 1
        try await withSFTPProvider(settings) { double, provider in
            double.putPattern(3_000_000, at: "/file")
            let readers = [
                try await provider.open(path: ProviderPath("book")),
                try await provider.open(path: ProviderPath("file")),
            ]
            for _ in 0..<3 {
                try await #expect(readers[0].read([10..<20]) == [SFTPFaults.book[10..<20]])
                try await #expect(readers[1].read([10..<20]) == [SFTPDouble.pattern(10..<20)])
            }
            let sink = PatternSink()
            _ = try await readers[1].stream(.whole, into: sink)
            #expect(sink.next == 3_000_000 && sink.isRight)
            // What else takes a handle finds one, too.
            for doing in [SFTPActivity.list, .publish, .publishLarge, .removeTree] {
                try await #expect(readers[0].read([10..<20]) == [SFTPFaults.book[10..<20]])
                try await doing.run(provider, "\(doing)")
            }
            for reader in readers { await reader.close() }
        }
    }
}
