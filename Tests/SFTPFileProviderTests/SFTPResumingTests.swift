import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

import SFTPFileProvider

/// Going on with an upload where it stopped, in one operation and across two.
@Suite struct SFTPResumingTests {
    /// Larger than what may be ahead of the first gap (``SFTPBulkWrite/spread``).
    private static let size = 24_000_000
    private static let identity = "version 1"

    /// Bytes of the double's pattern.
    private func pattern() -> ScriptedSource { ScriptedSource(SFTPDouble.pattern(0..<Self.size)) }

    private func write(_ provider: SFTPFileProvider, _ source: ScriptedSource, identity: String? = identity)
        async throws
    {
        _ = try await provider.writeContents(
            path: ProviderPath("new"), from: source, options: WriteOptions(resumption: identity))
    }

    @Test func `A cut upload goes on behind what was acknowledged`() async throws {
        for cut in [10_000, 1_500_000, Self.size - 100_000] {
            try await withSFTPProvider(options: { $0.retries.retries = 1 }) { double, provider in
                try await provider.checkReachability()
                double.cut(.received(cut))
                let source = pattern()
                try await write(provider, source, identity: nil)
                #expect(double.isPattern("/new", size: Self.size))
                #expect(source.begun.first == 0)
                // The part has been compared by other begins; the last is where it went on.
                let last = try #require(source.begun.last)
                #expect(last <= cut + Self.size / 10 && (cut < Self.size / 2 || last > 0), "\(source.begun)")
                #expect(double.counts.bytesWritten <= Self.size + 17 << 20)
            }
        }
    }

    @Test func `An upload that is cut again and again arrives`() async throws {
        try await withSFTPProvider(options: { $0.retries.retries = 8 }) { double, provider in
            let cuts = LockedValue(0)
            double.setAnswer { [unowned double] request in
                if request.kind == .open, cuts.value < 6 {
                    cuts.update { $0 += 1 }
                    double.cut(.received(4_000_000))
                }
                return []
            }
            try await write(provider, pattern(), identity: nil)
            #expect(double.isPattern("/new", size: Self.size))
            #expect(double.counts.bytesWritten < 3 * Self.size)
        }
    }

    /// Leaves a part, and has another provider go on.
    private func withPart(
        _ settings: SFTPDouble.Settings = .init(), change: (SFTPDouble, String) -> Void = { _, _ in },
        identity: String = identity,
        _ body: (SFTPDouble, ScriptedSource) throws -> Void
    ) async throws {
        try await withSFTPProvider(settings) { double, provider in
            try await provider.checkReachability()
            double.cut(.received(22_000_000))
            let error = try await SFTPFaults.mustFail { try await write(provider, pattern()) }
            #expect(error.isTransient)
            // Lanes that were not cut bring what they had.
            provider.invalidate()
            try await eventually { double.counts.openChannels == 0 }
            let part = try #require(SFTPFaults.leftovers(double).first)
            change(double, part)
            let other = try SFTPFaults.provider(SFTPLinks(double))
            let source = pattern()
            double.resetCounts()
            try await write(other, source, identity: identity)
            #expect(double.isPattern("/new", size: Self.size))
            try body(double, source)
            double.remove(part)
            other.invalidate()
        }
    }

    @Test func `Another provider goes on where the first stopped, and compares before`() async throws {
        try await withPart { double, source in
            let last = try #require(source.begun.last)
            #expect(last > 0 && double.counts.bytesWritten == Self.size - Int(last), "\(source.begun)")
            #expect(double.counts.bytesRead <= 256 << 10 && double.counts.bytesRead > 0)
            #expect(SFTPFaults.leftovers(double).isEmpty)
        }
    }

    @Test func `A part of another identity is not touched`() async throws {
        try await withPart(identity: "version 2") { double, source in
            #expect(source.begun == [0] && !SFTPFaults.leftovers(double).isEmpty)
        }
    }

    @Test func `A part whose head or tail is foreign is begun anew`() async throws {
        try await withPart(change: { double, part in
            let size = double.size(part) ?? 0
            double.put(Data([1, 2, 3]) + double.bytes(part, 3..<size), at: part)
        }) { double, source in
            #expect(source.begun.last == 0 && double.counts.bytesWritten == Self.size)
        }
        try await withPart(change: { double, part in
            // What counts as whole ends where holes may begin.
            let size = double.size(part) ?? 0
            let start = size - 16 << 20
            double.put(
                double.bytes(part, 0..<start - 10) + Data(count: 10) + double.bytes(part, start..<size), at: part)
        }) { double, source in
            #expect(source.begun.last == 0 && double.counts.bytesWritten == Self.size)
        }
    }

    @Test func `Holes near the end are filled`() async throws {
        try await withPart(change: { double, part in
            let size = double.size(part) ?? 0
            let start = size - 16 << 20
            double.put(
                double.bytes(part, 0..<start + 1_000) + Data(count: 500_000)
                    + double.bytes(part, start + 501_000..<size), at: part)
        }) { _, source in
            #expect((source.begun.last ?? 0) > 0)
        }
    }

    @Test func `A part that is longer than the source, a folder or a link is begun anew`() async throws {
        try await withPart(change: { $0.putPattern(Self.size + 1, at: $1) }) { _, source in
            #expect(source.begun.last == 0)
        }
        try await withPart(change: { $0.putLink(to: "/old", at: $1) }) { double, source in
            #expect(source.begun.last == 0 && double.file("/old") == Data("old".utf8))
        }
    }

    @Test func `A part that somebody else has left, or may have changed, is begun anew`() async throws {
        // Owned by another account; or of an unknown owner, and others may write to it.
        let strange: [Data] = [
            Data([0, 0, 0, 7, 0, 0, 0, 0, 1, 0x4F, 0xB1, 0x80, 0, 0, 0, 99, 0, 0, 0, 99, 0, 0, 0x81, 0xA4]),
            Data([0, 0, 0, 5, 0, 0, 0, 0, 1, 0x4F, 0xB1, 0x80, 0, 0, 0x81, 0xB6]),
        ]
        for attributes in strange {
            try await withPart(change: { double, part in
                double.setAnswer { [unowned double] request in
                    guard request.kind == .lstat, request.path == part else { return [] }
                    double.setAnswer { _ in [] }
                    return [.attributes(attributes)]
                }
            }) { double, source in
                #expect(source.begun == [0] && double.counts.bytesWritten == Self.size)
            }
        }
    }

    @Test func `A link that takes the place of a part is not written through`() async throws {
        try await withSFTPProvider { double, provider in
            let part = try TemporaryName.make(beside: ProviderPath("new"), for: Self.identity)
            double.putPattern(20_000_000, at: "/\(part.name)")
            double.putPattern(20_000_000, at: "/victim")
            double.setAnswer { [unowned double] request in
                guard request.kind == .open, request.flags == .write, request.path == "/\(part.name)" else { return [] }
                double.remove(request.path)
                double.putLink(to: "/victim", at: request.path)
                return []
            }
            let error = try await SFTPFaults.mustFail { try await write(provider, pattern()) }
            #expect(error.cocoaCode == .fileWriteUnknown && error.sentence.contains(part.name), "\(error)")
            #expect(
                double.counts.bytesWritten == 0 && double.isPattern("/victim", size: 20_000_000)
                    && !double.exists("/new"))
            double.remove("/\(part.name)")
        }
    }

    @Test func `A server that empties what is opened is sent the whole file again`() async throws {
        try await withPart(.rclone) { double, source in
            #expect(source.begun.last == 0 && double.counts.bytesWritten == Self.size)
        }
        try await withSFTPProvider(.rclone, options: { $0.retries.retries = 1 }) { double, provider in
            try await provider.checkReachability()
            double.cut(.received(10_000_000))
            try await write(provider, pattern(), identity: nil)
            #expect(double.isPattern("/new", size: Self.size))
        }
    }

    @Test func `A small file leaves no part, and a cancelled large one keeps it`() async throws {
        try await withSFTPProvider(.init { $0.kind == .write ? [.status(.failure)] : [] }) { double, provider in
            _ = try await SFTPFaults.mustFail {
                try await provider.writeContents(
                    path: ProviderPath("new"), from: DataSource(SFTPActivity.content),
                    options: WriteOptions(resumption: "x"))
            }
        }
        try await withSFTPProvider { double, provider in
            double.setWindow(18_000_000)
            let task = Task { try await write(provider, pattern()) }
            try await eventually { double.counts.bytesWritten > 17_000_000 }
            task.cancel()
            let error = try await SFTPFaults.mustFail { try await task.value }
            #expect(error is CancellationError)
            double.setWindow(nil)
            // What had been sent still arrives, and the closing behind it.
            try await eventually { double.counts.openHandles == 0 }
            double.resetCounts()
            try await write(provider, pattern())
            #expect(double.isPattern("/new", size: Self.size))
            #expect(double.counts.bytesWritten < Self.size)
        }
    }
}
