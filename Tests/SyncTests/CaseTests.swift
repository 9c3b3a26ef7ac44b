import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Sync
import Testing

/// Names that differ in case alone, where one side does not tell them apart.
@Suite struct CaseTests {
    private let left = SyncBed.memory("one")
    private let right = SyncBed.memory("two")

    private func bed(_ direction: SyncOptions.Direction, _ knowsItself: Bool) async throws -> SyncBed {
        let bed = try SyncBed(
            direction, source: left, destination: BlindStorage(.inCase, underlying: right, knowsItself: knowsItself))
        bed.options.update { $0.deletes = direction == .mirror }
        for name in ["Foo/a", "Foo/Deep/b", "x.txt", "stays"] { try await left.put("/" + name, name) }
        try await left.createFolder(path: ProviderPath("Bare"))
        try await bed.run()
        return bed
    }

    private static let renamed = [
        "/bare/", "/foo/", "/foo/Deep/", "/foo/Deep/b Foo/Deep/b", "/foo/a Foo/a", "/stays stays", "/X.txt x.txt",
    ]

    private func expectRenamed(_ bed: SyncBed) async throws {
        #expect(try await left.tree() == Self.renamed.sorted())
        #expect(try await right.tree() == Self.renamed.sorted())
        #expect(try await bed.plan() == [])
        #expect(try await bed.run().hasChanges == false)
    }

    @Test(arguments: [SyncOptions.Direction.twoWay, .mirror], [true, false])
    func `a rename in case alone arrives where case does not count`(direction: SyncOptions.Direction, knowsItself: Bool)
        async throws
    {
        let bed = try await bed(direction, knowsItself)
        try await left.move("/Foo", "/foo")
        try await left.move("/Bare", "/bare")
        try await left.move("/x.txt", "/X.txt")
        let report = try await bed.run()
        #expect(report.isComplete && report.bytes == 0, "\(report)")
        try await expectRenamed(bed)
    }

    @Test(arguments: ["Foo", "x.txt"], [true, false])
    func `a rename in case alone that is cut off leaves one of both names`(name: String, isCancelled: Bool) async throws
    {
        let reported = ControlledProvider("two")
        let bed = try SyncBed(
            .twoWay, source: left, destination: BlindStorage(.inCase, underlying: reported, knowsItself: true))
        for name in ["Foo/a", "x.txt", "stays"] { try await left.put("/" + name, name) }
        try await bed.run()
        try await left.move("/\(name)", "/" + (name == "Foo" ? "foo" : "X.txt"))
        let (moves, run) = (LockedValue(0), LockedValue<Task<FolderSyncReport, any Error>?>(nil))
        reported.before.update {
            $0 = { call in
                let number = moves.update { moves in
                    moves += call == "move" ? 1 : 0
                    return moves
                }
                guard call == "move", number == 2 else { return }
                if !isCancelled { throw URLError(.networkConnectionLost) }
                run.value?.cancel()
                try Task.checkCancellation()
            }
        }
        // Whoever asks for it waits until it is there.
        run.update { $0 = Task { try await bed.run() } }
        _ = await run.value?.result
        #expect(moves.value >= 2)
        #expect(try await reported.memory.tree().allSatisfy { !$0.contains("(conflict ") })
        reported.before.update { $0 = { _ in } }
        let report = try await bed.run()
        #expect(report.isComplete && report.bytes == 0 && report.conflicts == 0, "\(report)")
        #expect(try await reported.memory.tree() == left.tree())
    }

    @Test(arguments: [SyncOptions.Direction.twoWay, .mirror], [true, false])
    func `renames in case alone on several levels arrive at once`(direction: SyncOptions.Direction, knowsItself: Bool)
        async throws
    {
        let bed = try await bed(direction, knowsItself)
        bed.options.update { $0.removalLimit = .share(1) }
        for name in ["Top/Deep/Er/b", "Top/Readme", "Top/c"] { try await left.put("/" + name, name) }
        try await bed.run()
        try await left.move("/Top", "/top")
        try await left.move("/top/Deep", "/top/deep")
        try await left.move("/top/deep/Er", "/top/deep/er")
        try await left.move("/top/Readme", "/top/README")
        try await left.put("/top/c", "a newer one")
        let report = try await bed.run()
        #expect(report.isComplete && report.unheld == 0 && report.conflicts == 0, "\(report)")
        #expect(try await right.tree() == left.tree())
        #expect(try await left.tree().contains("/top/deep/er/b Top/Deep/Er/b"))
        #expect(try await bed.run().hasChanges == false)
    }

    @Test(arguments: [true, false])
    func `a rename in case alone comes from where case does not count`(knowsItself: Bool) async throws {
        let bed = try await bed(.twoWay, knowsItself)
        try await right.move("/Foo", "/foo")
        try await right.move("/Bare", "/bare")
        try await right.move("/x.txt", "/X.txt")
        let report = try await bed.run()
        #expect(report.isComplete && report.bytes == 0, "\(report)")
        try await expectRenamed(bed)
    }

    @Test(arguments: [true, false], [true, false])
    func `a mirror that removes nothing carries a rename in case alone over`(knowsItself: Bool, isChanged: Bool)
        async throws
    {
        let bed = try await bed(.mirror, knowsItself)
        bed.options.update { $0.deletes = false }
        try await left.move("/x.txt", "/X.txt")
        if isChanged { try await left.put("/X.txt", "a newer one") }
        let report = try await bed.run()
        #expect(report.isComplete && report.unheld == 0, "\(report)")
        #expect(try await right.tree() == left.tree())
        #expect(try await right.texts().isSuperset(of: ["x.txt"]))
        #expect(try await !bed.run().hasChanges)
    }

    @Test(arguments: [true, false])
    func `a name that the filter leaves out in another case is left alone`(knowsItself: Bool) async throws {
        let bed = try await bed(.twoWay, knowsItself)
        let filter = try SyncFilter(["- Thumbs.db", "- cache/"])
        bed.options.update { $0.filter = filter }
        try await right.put("/Thumbs.db", "the destination's own")
        try await right.put("/cache/a", "cached")
        let before = try await right.tree()
        try await left.put("/thumbs.db", "the source's")
        try await left.put("/Cache/b", "cached, too")
        for _ in 1...2 {
            let report = try await bed.run()
            #expect(report.skipped.map(\.path.string).sorted() == ["/Cache", "/thumbs.db"], "\(report)")
            #expect(report.postponed.isEmpty && report.failures == 0 && !report.hasChanges, "\(report)")
            #expect(try await right.tree() == before)
            #expect(try await !left.texts().contains("cached"))
        }
    }

    @Test(arguments: [true, false])
    func `a file that is renamed in case and changed keeps its last content`(knowsItself: Bool) async throws {
        let bed = try await bed(.twoWay, knowsItself)
        try await left.move("/x.txt", "/X.txt")
        try await left.put("/X.txt", "a newer one")
        try await bed.run()
        #expect(try await right.tree().contains("/X.txt a newer one"))
        #expect(try await left.tree() == right.tree())
        #expect(try await bed.plan() == [])
    }

    @Test(arguments: [true, false])
    func `of two names that one side takes for one, one is skipped, and nothing is lost`(knowsItself: Bool) async throws
    {
        let bed = try await bed(.twoWay, knowsItself)
        try await left.put("/X.txt", "another")
        try await left.put("/FOO/c", "c")
        for _ in 1...2 {
            let report = try await bed.run()
            #expect(report.skipped.count == 2 && report.failures == 0, "\(report)")
            #expect(try await left.texts() == ["Foo/a", "Foo/Deep/b", "x.txt", "stays", "another", "c"])
            #expect(try await right.texts() == ["Foo/a", "Foo/Deep/b", "x.txt", "stays"])
        }
    }

    @Test(arguments: [SyncOptions.Direction.twoWay, .mirror], [true, false])
    func `the first run, too, keeps two names that one side takes for one apart`(
        direction: SyncOptions.Direction, knowsItself: Bool
    ) async throws {
        let bed = try SyncBed(
            direction, source: left, destination: BlindStorage(.inCase, underlying: right, knowsItself: knowsItself))
        for name in ["Foo/a", "foo/a", "foo/b", "x.txt", "X.txt"] { try await left.put("/" + name, name) }
        let report = try await bed.run()
        #expect(!report.skipped.isEmpty && report.failures == 0 && report.postponed.isEmpty, "\(report)")
        #expect(try await left.texts() == ["Foo/a", "foo/a", "foo/b", "x.txt", "X.txt"])
        let arrived = try await right.texts()
        #expect(arrived.contains("x.txt") != arrived.contains("X.txt"))
        #expect(arrived.contains("foo/a") != arrived.contains("Foo/a"), "\(arrived)")
        #expect(arrived.contains("foo/a") == arrived.contains("foo/b"), "\(arrived)")
        #expect(try await !bed.run().hasChanges)
    }

    @Test func `a storage that tells case is asked once for each pair, and believed`() async throws {
        let bed = try SyncBed(.twoWay, source: left, destination: right)
        try await left.put("/x.txt", "x.txt")
        try await bed.run()
        try await left.put("/X.txt", "X.txt")
        #expect(try await bed.run().created == 1)
        #expect(try await right.tree() == ["/X.txt X.txt", "/x.txt x.txt"])
    }
}
