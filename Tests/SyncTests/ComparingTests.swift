import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Sync
import Testing

/// Files that have to be read on both sides before anything can be said about them.
@Suite struct ComparingTests {
    private let left = ControlledProvider("one")
    private let right = ControlledProvider("two")

    /// Files with one content, of which the times tell nothing.
    private func bed(count: Int, size: Int) async throws -> SyncBed {
        for (storage, time) in [(left, 1_600_000_000.0), (right, 1_700_000_000)] {
            for number in 0..<count {
                let options = WriteOptions(modificationDate: Date(timeIntervalSince1970: time))
                let source = DataSource(Data(repeating: UInt8(number), count: size))
                try await storage.memory.writeContents(path: ProviderPath("\(number)"), from: source, options: options)
            }
        }
        return try SyncBed(.twoWay, source: left, destination: right)
    }

    @Test func `no further comparison begins while a run is paused`() async throws {
        let count = 60
        let bed = try await bed(count: count, size: 10)
        let control = SyncControl()
        let (begun, ended) = (LockedValue(0), LockedValue(0))
        for storage in [left, right] {
            storage.before.update {
                $0 = { call in
                    if call != "open" { return }
                    control.pause()
                    begun.update { $0 += 1 }
                    await Task.yield()
                    ended.update { $0 += 1 }
                }
            }
        }
        try await bed.withSync { sync in
            let run = Task { try await sync.run(control: control) }
            try await eventually { begun.value > 0 && begun.value == ended.value }
            for _ in 0..<1000 { await Task.yield() }
            let opened = begun.value
            #expect(opened < count, "those in flight end, and no other begins")
            for storage in [left, right] { storage.before.update { $0 = { _ in } } }
            control.resume()
            #expect(try await run.value.isComplete)
        }
        #expect(left.calls.values.count { $0 == "open" } == count)
        #expect(try await bed.plan() == [])
    }

    @Test(arguments: ["sha256", "md5"])
    func `a file of which a storage gives no hash is read`(kind: String) async throws {
        let bed = try await bed(count: 2, size: 10)
        let hashing = try SyncBed(
            .twoWay, source: HashlessStorage(left, kind: kind), destination: HashlessStorage(right, kind: kind))
        let report = try await hashing.run()
        #expect(report.isComplete && report.unheld == 0 && !report.hasChanges, "\(report)")
        #expect(try await hashing.plan() == [])
        #expect(try await bed.plan() == [], "they were the same all the time")
    }

    @Test func `what cannot be compared has failed, says why, and is compared in the next run`() async throws {
        let bed = try await bed(count: 3, size: 10)
        right.beforePath.update {
            $0 = { call, path in if call == "open", path.name == "1" { throw URLError(.networkConnectionLost) } }
        }
        for isPlan in [true, false] {
            let report = try await bed.withSync { isPlan ? try await $0.plan { _ in } : try await $0.run() }
            #expect(report.failures == 1 && report.unheld == 0 && !report.hasChanges, "\(report)")
            let failed = try #require(report.failed.first)
            #expect(failed.side == .destination && failed.path.string == "/1")
            #expect((failed.error as? URLError)?.code == .networkConnectionLost)
        }
        right.beforePath.update { $0 = { _, _ in } }
        let report = try await bed.run()
        #expect(report.isComplete && !report.hasChanges, "\(report)")
        #expect(try await bed.plan() == [])
    }

    @Test func `comparing keeps to the timetable, in a dry run too`() async throws {
        let bed = try await bed(count: 1, size: 4 << 20)
        bed.options.update { $0.bandwidth = BandwidthTimetable(limit: 16 << 20) }
        let start = ContinuousClock.now
        #expect(try await bed.plan() == [])
        // Both versions, less what may come in one piece at the beginning and at the end.
        #expect(ContinuousClock.now - start > .milliseconds(250))
    }
}

/// A storage that gives hashes, and of no file that is there.
private final class HashlessStorage: ForwardingProvider, FileProviderChecksums {
    static let type = "Hashless"
    let underlying: any FileProvider
    private let kind: String

    init(_ underlying: any FileProvider, kind: String) {
        self.underlying = underlying
        self.kind = kind
    }

    func capabilities() async throws -> Capabilities {
        var capabilities = try await underlying.capabilities()
        capabilities.hashKinds = [kind]
        return capabilities
    }

    func checksum(of path: ProviderPath, kind: String) async throws -> String {
        throw FileError.unsupported("hash this file", by: Self.type, path: path)
    }
}
