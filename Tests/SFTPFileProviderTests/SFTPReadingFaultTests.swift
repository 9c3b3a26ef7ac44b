import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

import SFTPFileProvider

/// Reading over connections that are lost, and channels that are refused.
@Suite struct SFTPReadingFaultTests {
    typealias PatternSink = SFTPReadingTests.PatternSink

    @Test(arguments: [URLError(.unknown) as any Error, CocoaError(.featureUnsupported)], [1, 2])
    func `A server that gives few channels is used over those`(refusal: any Error, channels: Int) async throws {
        try await withSFTPProvider(
            configure: { $0.connections = 1 }, links: .init(channels: channels, refusal: refusal)
        ) {
            double, provider in
            double.putPattern(20_000_000, at: "/file")
            for _ in 0..<2 {
                let sink = PatternSink()
                try await provider.withReader(path: ProviderPath("file")) {
                    _ = try await $0.stream(.whole, into: sink)
                }
                #expect(sink.next == 20_000_000 && sink.isRight)
            }
            try await SFTPActivity.publishLarge.run(provider)
            #expect(double.file("/new") == SFTPActivity.large)
            #expect(double.counts.channels <= 2)
        }
    }

    @Test(arguments: [3_000_000, 20_000_000]) func `A transfer goes on where its connection was lost`(size: Int)
        async throws
    {
        for location in [1, size / 3, size - 10] {
            try await withSFTPProvider(options: { $0.retries.retries = 2 }) { double, provider in
                double.putPattern(size, at: "/file")
                let reader = try await provider.open(path: ProviderPath("file"))
                _ = try await reader.attributes()
                double.resetCounts()
                double.cut(.sent(location))
                let sink = PatternSink()
                _ = try await reader.stream(.whole, into: sink)
                #expect(sink.isRight && sink.next == size, "\(location)")
                // What the sink had was not asked for again.
                #expect(double.counts.bytesRead <= size + 17 << 20)
                await reader.close()
            }
        }
    }

    @Test func `Without retries a lost connection is told`() async throws {
        try await withSFTPProvider { double, provider in
            double.putPattern(3_000_000, at: "/file")
            for _ in 0..<2 {
                double.cut(.sent(1_000_000))
                let error = try await SFTPFaults.mustFail {
                    try await provider.withReader(path: ProviderPath("file")) {
                        _ = try await $0.stream(.whole, into: PatternSink())
                    }
                }
                #expect(error.urlCode == .networkConnectionLost)
            }
        }
    }

    @Test func `A file that is another one after the connection was lost is told`() async throws {
        let state = LockedValue(0)
        let settings = SFTPDouble.Settings { request in
            request.kind == .read && request.occurrence == 5
                && state.update({
                    $0 += 1; return $0 == 1
                }) ? [.closeAfterReply] : []
        }
        try await withSFTPProvider(settings, options: { $0.retries.retries = 2 }) { double, provider in
            double.putPattern(9_000_000, at: "/file")
            let reader = try await provider.open(path: ProviderPath("file"))
            _ = try await reader.attributes()
            double.put(Data(count: 9_000_000), at: "/file", modified: 77)
            let error = try await SFTPFaults.mustFail { try await reader.stream(.whole, into: PatternSink()) }
            #expect(error.posixCode == .ESTALE, "\(error)")
            await reader.close()
        }
    }

    @Test(arguments: SFTPActivity.allCases) func `After a connection that was lost while nobody used it, all goes on`(
        doing: SFTPActivity
    )
        async throws
    {
        for cutsLink in [false, true] {
            await SFTPFaults.permits.take()
            defer { SFTPFaults.permits.giveBack() }
            let links = SFTPLinks(SFTPDouble(files: SFTPFaults.files))
            let provider = try SFTPFaults.provider(links)
            try await SFTPActivity.publishLarge.run(provider, "first")
            if cutsLink { links.cut() } else { links.double.stop() }
            try await eventually { links.double.counts.openChannels == 0 }
            try await doing.run(provider)
            #expect(links.double.violations == [])
            provider.invalidate()
        }
    }

    @Test(arguments: [URLError.Code.timedOut, .badServerResponse])
    func `A connection that ended by itself, for whatever reason, is made anew`(code: URLError.Code) async throws {
        await SFTPFaults.permits.take()
        defer { SFTPFaults.permits.giveBack() }
        let links = SFTPLinks(
            SFTPDouble(files: SFTPFaults.files), limits: .init(death: URLError(code), tellsDeath: true))
        let provider = try SFTPFaults.provider(links)
        try await SFTPActivity.look.run(provider)
        links.cut()
        try await eventually { links.double.counts.openChannels == 0 }
        try await SFTPActivity.look.run(provider)
        #expect(links.count == 2)
        provider.invalidate()
    }

    @Test func `A file of the same size and time is another one where its bytes are others`() async throws {
        let size = 9_000_000
        for change in [0, 2_000_000 - 1] {
            let oneLane: (inout SFTPConfiguration) -> Void = { ($0.connections, $0.channels) = (1, 1) }
            try await withSFTPProvider(options: { $0.retries.retries = 2 }, configure: oneLane) { double, provider in
                double.put(SFTPDouble.pattern(0..<size), at: "/file", modified: 77)
                let reader = try await provider.open(path: ProviderPath("file"))
                _ = try await reader.attributes()
                let isOther = LockedValue(false)
                double.setAnswer { [unowned double] request in
                    guard request.kind == .read, request.offset >= 2_000_000, !isOther.value else { return [] }
                    isOther.update { $0 = true }
                    var other = SFTPDouble.pattern(0..<size)
                    other.replaceSubrange(change..<change + 1_000_000, with: Data(count: 1_000_000))
                    double.put(other, at: "/file", modified: 77)
                    return [.close]
                }
                let error = try await SFTPFaults.mustFail { try await reader.stream(.whole, into: PatternSink()) }
                #expect(error.posixCode == .ESTALE, "\(error)")
                await reader.close()
            }
        }
    }

    @Test func `What takes longer than it may in all is timed out, whether something moves or not`() async throws {
        let settings = SFTPDouble.Settings { [.read, .write].contains($0.kind) ? [.delay(0.3)] : [] }
        try await withSFTPProvider(settings, options: { $0.timeouts.whole = 2.5 }) { double, provider in
            // So much that no machine is fast enough for it.
            double.putPattern(1 << 40, at: "/file")
            try await SFTPActivity.look.run(provider)
            let source = DataSource(Data(count: 1 << 30))
            let errors = [
                try await SFTPFaults.mustFail {
                    try await provider.withReader(path: ProviderPath("file")) {
                        _ = try await $0.stream(.whole, into: PatternSink())
                    }
                },
                try await SFTPFaults.mustFail {
                    try await provider.writeContents(path: ProviderPath("new"), from: source, options: WriteOptions())
                },
            ]
            for error in errors {
                #expect(error.urlCode == .timedOut && error.sentence.contains("2.5 seconds"), "\(error)")
            }
        }
    }

    @Test func `Ranges of a file that is said to be endless are too much, and no trap`() async throws {
        let settings = SFTPDouble.Settings {
            [.stat, .fstat].contains($0.kind)
                ? [.attributes(Data([0, 0, 0, 1, 0x7F] + [UInt8](repeating: 0xFF, count: 7)))] : []
        }
        try await withSFTPProvider(settings) { _, provider in
            try await provider.withReader(path: ProviderPath("book")) { reader in
                let error = try await SFTPFaults.mustFail { try await reader.read([0..<Int64.max, 0..<Int64.max]) }
                #expect(error.cocoaCode == .fileReadTooLarge, "\(error)")
            }
        }
    }

    @Test func `Many wait for one login, and a refused one is tried anew by the next`() async throws {
        let settings = SFTPDouble.Settings()
        let refusal = URLError(.userAuthenticationRequired)
        try await withSFTPProvider(settings, links: .init(login: { $0 == 1 ? refusal : nil })) { double, provider in
            let error = try await SFTPFaults.mustFail { try await SFTPActivity.look.run(provider) }
            #expect(error.urlCode == .userAuthenticationRequired)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 { group.addTask { try await SFTPActivity.look.run(provider) } }
                try await group.waitForAll()
            }
            #expect(double.counts.channels == 1)
        }
    }

    @Test func `Who is cancelled while others wait for the login takes nothing from them`() async throws {
        let settings = SFTPDouble.Settings { $0.kind == .initialize ? [.held] : [] }
        try await withSFTPProvider(settings) { double, provider in
            let first = Task { try await SFTPActivity.look.run(provider) }
            try await eventually { double.counts.channels == 1 }
            let second = Task { try await SFTPActivity.look.run(provider) }
            first.cancel()
            let error = try await SFTPFaults.mustFail { try await first.value }
            #expect(error is CancellationError)
            double.letGo()
            try await second.value
            #expect(double.counts.channels == 1)
        }
    }

    @Test func `A reader that is closed while it opens says so, and waits for nobody`() async throws {
        try await withSFTPProvider(.init { $0.kind == .open ? [.held] : [] }) { double, provider in
            let reader = try await provider.open(path: ProviderPath("book"))
            let reading = Task { try await reader.attributes() }
            try await eventually { double.requests.contains { $0.kind == .open } }
            await reader.close()
            let error = try await SFTPFaults.mustFail { try await reading.value }
            #expect(error.posixCode == .EBADF, "\(error)")
            double.letGo()
        }
    }

    @Test func `A sink's own error comes back as it was thrown`() async throws {
        struct Full: Error {}
        final class FullSink: ByteSink {
            func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState { throw Full() }
            func whenReady(_ resume: @escaping @Sendable () -> Void) { resume() }
        }
        try await withSFTPProvider(options: { $0.retries.retries = 2 }) { double, provider in
            double.putPattern(3_000_000, at: "/file")
            for name in ["book", "file"] {
                await #expect(throws: Full.self) {
                    try await provider.withReader(path: ProviderPath(name)) {
                        _ = try await $0.stream(.whole, into: FullSink())
                    }
                }
            }
        }
    }
}
