import FileProviderCore
import Foundation
import LocalFileProvider
import MemoryFileProvider
import ProviderDoubles
import Sync
import Testing

/// What storages and runs do not take, and how long something is kept.
@Suite(.timeLimit(.minutes(2))) struct LimitsTests {
    private let left = SyncBed.memory("one")
    private let right = SyncBed.memory("two")

    @Test func `what a storage cannot hold is named, and the rest arrives`() async throws {
        let bed = try SyncBed(.twoWay, source: left, destination: StrictStorage(right))
        for name in ["a", "a name of more than sixteen bytes", "folder with a long name/x"] {
            try await left.put("/" + name, "text")
        }
        try await left.put("/large", String(repeating: "x", count: 101))
        try await left.writeContents(
            path: ProviderPath.root.appending(nameBytes: [0x66, 0xFF]), contents: Data("raw".utf8))
        for _ in 1...2 {
            let report = try await bed.run()
            #expect(report.isComplete && report.unheld == 4 && report.leftOut == 0 && report.removed == 0, "\(report)")
            #expect(report.skipped.contains { $0.reason == "The destination limits names to 16 bytes." })
            #expect(report.skipped.contains { $0.reason == "The destination limits files to 100 bytes." })
            #expect(report.skipped.contains { $0.reason == "The destination accepts only names in UTF-8." })
        }
        #expect(try await right.tree() == ["/a text"])
        #expect(try await left.texts().count == 3)
    }

    @Test func `a tree without an end is entered so far, and costs nothing else`() async throws {
        let endless = EndlessStorage(left)
        try await left.put("/b", "b")
        let bed = try SyncBed(.twoWay, source: endless, destination: right)
        let report = try await bed.run()
        #expect(report.failures == 1 && report.failed.first?.reason.contains("deep") == true, "\(report)")
        #expect(try await right.contents(path: ProviderPath("b")) == Data("b".utf8))
        #expect(try await bed.run().removed == 0)
    }

    @Test func `the trash keeps what is younger than it is said to, and what is not its own`() async throws {
        let bed = try SyncBed(.mirror, source: left, destination: right)
        bed.options.update { ($0.deletes, $0.keepsReplaced, $0.trashAge) = (true, true, 86_400) }
        for name in ["a", "b"] { try await left.put("/" + name, name) }
        try await bed.run()
        for name in ["2025-01-01T000000Z/old", "1970-01-02T000000Z/just now", "somebody's/own"] {
            try await right.put("/\(SyncOptions.trashName)/\(name)", name)
        }
        try await left.remove("/a")
        #expect(try await bed.run().removed == 1)
        #expect(try await right.texts() == ["a", "b", "1970-01-02T000000Z/just now", "somebody's/own"])
    }

    @Test func `a trash that is not there yet is made, however a storage says so`() async throws {
        let vague = ControlledProvider("vague")
        let bed = try SyncBed(.mirror, source: left, destination: vague)
        bed.options.update { ($0.deletes, $0.keepsReplaced) = (true, true) }
        for name in ["a", "b"] { try await left.put("/" + name, name) }
        try await bed.run()
        try await left.remove("/a")
        vague.before.update {
            $0 = { call in
                let hasTrash = try await vague.memory.contentsOfDirectory(path: .root).contains {
                    $0.name == SyncOptions.trashName
                }
                if call == "move", !hasTrash {
                    throw FileError.make(.fileWriteUnknown, path: "/a", sentence: "550 No.")
                }
            }
        }
        let report = try await bed.run()
        #expect(report.removed == 1 && report.isComplete, "\(report)")
        #expect(try await vague.memory.texts() == ["a", "b"])
    }

    // MARK: Progress

    /// What a completion handler was told, each time.
    private final class OutcomeRecorder: Sendable {
        let outcomes = CollectedValues<(report: FolderSyncReport?, error: (any Error)?)>()

        func start(_ sync: FolderSync) -> Progress { sync.start { self.outcomes.append(($0, $1)) } }
    }

    @Test func `a run with a progress counts its bytes, and tells its end once`() async throws {
        for number in 0..<5 { try await left.put("/\(number)", String(repeating: "x", count: 100)) }
        let reported = OutcomeRecorder()
        let slow = ControlledProvider("slow")
        let progress = LockedValue<Progress?>(nil)
        let totals = CollectedValues<Int64>()
        slow.before.update { $0 = { if $0 == "write" { totals.append(progress.value?.totalUnitCount ?? -1) } } }
        let bed = try SyncBed(.mirror, source: left, destination: slow)
        bed.options.update { $0.transfers = 1 }
        try await bed.withSync { sync in
            // No step begins before the progress is known.
            slow.beforePath.update {
                $0 = { call, _ in if call == "list" { try await eventually { progress.value != nil } } }
            }
            progress.update { $0 = reported.start(sync) }
            try await eventually { !reported.outcomes.values.isEmpty }
            // The first step knows what all of them come to.
            #expect(totals.values == [500, 500, 500, 500, 500])
            let progress = try #require(progress.value)
            #expect(progress.isFinished && progress.totalUnitCount == 500 && progress.completedUnitCount == 500)
        }
        #expect(
            reported.outcomes.values.count == 1 && reported.outcomes.values[0].report?.created == 5
                && reported.outcomes.values[0].error == nil)
    }

    @Test func `what is not transferred after all is not waited for`() async throws {
        for number in 0..<5 { try await left.put("/\(number)", String(repeating: "x", count: 100)) }
        let reported = OutcomeRecorder()
        let picky = ControlledProvider("picky")
        picky.beforePath.update {
            $0 = { call, path in
                if call == "write", path.name == "3" { throw FileError.make(.fileWriteNoPermission, path: path) }
            }
        }
        try await SyncBed(.mirror, source: left, destination: picky).withSync { sync in
            let progress = reported.start(sync)
            try await eventually { !reported.outcomes.values.isEmpty }
            #expect(progress.isFinished && progress.totalUnitCount == 400 && progress.completedUnitCount == 400)
        }
    }

    @Test func `a progress is finished when the run is over, and not when all bytes are there`() async throws {
        for name in ["kept", "old"] { try await left.put("/" + name, name) }
        let reported = OutcomeRecorder()
        let slow = ControlledProvider("slow")
        let bed = try SyncBed(.mirror, source: left, destination: slow)
        bed.options.update { $0.deletes = true }
        try await bed.run()
        try await left.remove("/old")
        try await left.put("/new", "text")
        let progress = LockedValue<Progress?>(nil)
        let states = CollectedValues<(isFinished: Bool, completed: Int64, total: Int64)>()
        try await bed.withSync { sync in
            slow.beforePath.update {
                $0 = { call, path in
                    // No step begins before the progress is known.
                    if call == "list" { try await eventually { progress.value != nil } }
                    // What is removed goes when all files are there.
                    guard path.name == "old", let progress = progress.value else { return }
                    states.append((progress.isFinished, progress.completedUnitCount, progress.totalUnitCount))
                }
            }
            progress.update { $0 = reported.start(sync) }
            try await eventually { !reported.outcomes.values.isEmpty }
            #expect(progress.value?.isFinished == true && reported.outcomes.values[0].report?.removed == 1)
        }
        let last = try #require(states.values.last)
        #expect(!last.isFinished && last.completed == 4 && last.total == 4)
    }

    // MARK: Content that is known

    @Test(arguments: [SyncOptions.Direction.twoWay, .mirror])
    func `a file that got another time and kept its content is not sent again`(direction: SyncOptions.Direction)
        async throws
    {
        let bed = try SyncBed(direction, source: left, destination: right)
        for name in ["touched", "edited", "still"] { try await left.put("/" + name, name) }
        try await bed.run()
        try await left.put("/touched", "touched")
        try await left.put("/edited", "detide")
        let report = try await bed.run()
        #expect(report.updated == 1 && report.bytes == 6 && report.isComplete, "\(report)")
        #expect(try await right.tree() == ["/edited detide", "/still still", "/touched touched"])
        #expect(try await !bed.run().hasChanges)
        if direction == .mirror { return }
        try await right.put("/still", "still")
        #expect(try await bed.run().bytes == 0)
        #expect(try await !bed.run().hasChanges)
        // It counts as the version that both have: without it, the other one goes.
        try await right.remove("/still")
        #expect(try await bed.run().removed == 1)
    }

    @Test func `a new version on a disk has the permissions of the old one`() async throws {
        let folder = try TemporaryFolder()
        let disk = try LocalFileProvider(root: folder.url)
        let bed = try SyncBed(.mirror, source: left, destination: disk)
        let modes: [String: UInt16] = ["secret": 0o600, "script": 0o755, "kept": 0o444]
        for name in modes.keys { try await left.put("/" + name, name) }
        try await bed.run()
        for (name, mode) in modes {
            try await disk.setAttributes(path: ProviderPath(name), permissions: mode, modificationDate: nil)
            try await left.put("/" + name, "a newer " + name)
        }
        for keepsReplaced in [false, true] {
            bed.options.update { $0.keepsReplaced = keepsReplaced }
            #expect(try await bed.run().updated == 3)
            for (name, mode) in modes {
                #expect(try await disk.attributesOfItem(path: ProviderPath(name)).permissions == mode)
                try await left.put("/" + name, "an even newer " + name)
            }
        }
    }

    // MARK: Pausing

    @Test func `a run is paused, goes on, and is cancelled by its progress`() async throws {
        let count = 40
        for number in 0..<count { try await left.put("/\(number)", "text \(number)") }
        let slow = ControlledProvider("slow")
        let reported = OutcomeRecorder()
        let begun = LockedValue(0)
        let progress = LockedValue<Progress?>(nil)
        let isHeld = LockedValue(false)
        slow.before.update {
            $0 = { call in
                guard call == "write" else { return }
                let number = begun.update { begun in
                    begun += 1
                    return begun
                }
                if number == 3 { progress.value?.pause() }
                // Foundation tells of it on a thread of its own, some time later.
                if number >= 3 { try await eventually { isHeld.value } }
                if number == 20 { progress.value?.cancel() }
                if number >= 20 { try await Task.sleep(for: .seconds(60)) }
            }
        }
        let bed = try SyncBed(.mirror, source: left, destination: slow)
        bed.options.update { $0.transfers = 2 }
        try await bed.withSync { sync in
            // No step begins before the progress is known.
            slow.beforePath.update {
                $0 = { call, _ in if call == "list" { try await eventually { progress.value != nil } } }
            }
            let running = reported.start(sync)
            let pause = running.pausingHandler
            running.pausingHandler = {
                pause?()
                isHeld.update { $0 = true }
            }
            progress.update { $0 = running }
            try await eventually { isHeld.value }
            for _ in 0..<1000 { await Task.yield() }
            #expect(running.isPaused && begun.value <= 5, "those in flight end, and no other begins")
            #expect(reported.outcomes.values.isEmpty)
            running.resume()
            try await eventually { !reported.outcomes.values.isEmpty }
        }
        #expect(reported.outcomes.values.count == 1 && reported.outcomes.values[0].error?.isCancellation == true)
        #expect(begun.value < count)
        slow.before.update { $0 = { _ in } }
        #expect(try await bed.run().isComplete)
        #expect(try await slow.memory.tree() == left.tree())
    }
}

/// A storage that takes short names, small files and text alone.
private final class StrictStorage: ForwardingProvider {
    static let type = "Strict"
    let underlying: any FileProvider

    init(_ underlying: any FileProvider) {
        self.underlying = underlying
    }

    func capabilities() async throws -> Capabilities {
        var capabilities = try await underlying.capabilities()
        (capabilities.longestName, capabilities.largestFile) = (16, 100)
        capabilities[.rawNames] = .unavailable
        return capabilities
    }
}

/// A storage with one more folder in each folder of its name.
private final class EndlessStorage: ForwardingProvider {
    static let type = "Endless"
    let underlying: any FileProvider

    init(_ underlying: any FileProvider) {
        self.underlying = underlying
    }

    func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        if path.isRoot { try await underlying.contentsOfDirectory(path: path, page: page) }
        try await page([FileObject(path: path.appending("d"), type: .directory)])
    }
}
