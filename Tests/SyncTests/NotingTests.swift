import FileProviderCore
import Foundation
import GRDB
import MemoryFileProvider
import ProviderDoubles
import Sync
import Testing

/// What is noted as common to both sides is on their disks.
@Suite struct NotingTests {
    /// A disk that cannot be waited for.
    private final class FailingDisk: ForwardingProvider, FileProviderSynchronization {
        static let type = "FailingDisk"
        let underlying: any FileProvider = SyncBed.memory("two")
        private let failures: LockedValue<Int>
        let waits = LockedValue(0)

        init(failures: Int) { self.failures = LockedValue(failures) }

        var unsynchronized: any FileProvider { underlying }

        func synchronize(path: ProviderPath) async throws {
            waits.update { $0 += 1 }
            let fails = failures.update { failures in
                failures -= 1
                return failures >= 0
            }
            if fails { throw FileError.make(errno: EIO, path: path, writing: true) }
        }
    }

    private func noted(_ bed: SyncBed) throws -> Int {
        try DatabaseQueue(path: bed.state.path).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM item") ?? -1 }
    }

    @Test(arguments: [(files: 10, failures: Int.max), (3000, Int.max), (3000, 1)])
    func `a disk's error ends the run, and what the disk has not is not noted`(_ scene: (files: Int, failures: Int))
        async throws
    {
        let disk = FailingDisk(failures: scene.failures)
        let bed = try SyncBed(.twoWay, destination: disk)
        for number in 0..<scene.files { try await bed.source.put("/\(number)", "\(number)") }
        let error = await #expect(throws: CocoaError.self) { try await bed.run() }
        #expect((error?.underlying as? POSIXError)?.code == .EIO)
        let arrived = try await bed.destination.tree().count
        // Also where the disk says the next time that all is well: it tells of what it could not write once.
        #expect(try noted(bed) == 0)
        // The first error ends it: not all of three thousand files are begun.
        #expect(arrived < 3000)
        guard scene.failures == 1 else { return }
        #expect(try await bed.run().isComplete)
        #expect(try await bed.destination.tree() == bed.source.tree())
    }

    @Test(arguments: [SyncOptions.Direction.mirror, .twoWay])
    func `what a first run that was cut off left is compared by content`(direction: SyncOptions.Direction) async throws
    {
        let disk = FailingDisk(failures: 1)
        let bed = try SyncBed(direction, destination: disk)
        for number in 0..<10 { try await bed.source.put("/\(number)", "whole") }
        await #expect(throws: CocoaError.self) { try await bed.run() }
        let path = try ProviderPath("4")
        let date = try await bed.destination.attributesOfItem(path: path).modifiedDate
        let halfWritten = WriteOptions(overwrite: true, modificationDate: date)
        _ = try await disk.underlying.writeContents(
            path: path, from: DataSource(Data(repeating: 0, count: 5)), options: halfWritten)
        #expect(try await disk.underlying.attributesOfItem(path: path).modifiedDate == date)
        #expect(try await bed.run().isComplete)
        #expect(try await bed.run().isComplete)
        for side in [bed.source, disk] { #expect(try await side.tree().contains("/4 whole")) }
    }

    @Test func `many steps wait for the disk together, while others are taken`() async throws {
        let disk = FailingDisk(failures: 0)
        let bed = try SyncBed(.mirror, destination: disk)
        for number in 0..<1000 { try await bed.source.put("/\(number)", "\(number)") }
        #expect(try await bed.run().isComplete)
        #expect(try noted(bed) == 1000)
        #expect(1...8 ~= disk.waits.value)
    }
}
