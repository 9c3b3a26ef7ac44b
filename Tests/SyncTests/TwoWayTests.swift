import FileProviderCore
import Foundation
import LocalFileProvider
import MemoryFileProvider
import Sync
import SyncHistories
import Testing

@Suite struct TwoWayTests {
    private let left = MemoryFileProvider(MemoryConfiguration(name: "one"))
    private let right = MemoryFileProvider(MemoryConfiguration(name: "two"))

    private func bed() throws -> SyncBed { try SyncBed(.twoWay, source: left, destination: right) }

    private func expectAlike() async throws {
        let (first, second) = (try await left.tree(), try await right.tree())
        #expect(first == second)
    }

    @Test func `changes of both sides meet`() async throws {
        let bed = try bed()
        try await left.put("/a/one", "1")
        try await right.put("/b/two", "2")
        try await bed.run()
        #expect(try await left.tree() == ["/a/", "/a/one 1", "/b/", "/b/two 2"])
        try await expectAlike()
        try await left.put("/b/two", "2 new")
        try await right.remove("/a")
        try await bed.run()
        #expect(try await left.tree() == ["/b/", "/b/two 2 new"])
        try await expectAlike()
        #expect(try await bed.plan() == [])
    }

    @Test func `two versions of one file both stay, and the name says when and from where`() async throws {
        let bed = try bed()
        try await left.put("/notes.txt", "base")
        try await bed.run()
        try await left.put("/notes.txt", "mine")
        try await right.put("/notes.txt", "yours")
        let report = try await bed.run()
        #expect(report.conflicts == 1 && report.isComplete)
        let tree = try await left.tree()
        #expect(tree.contains("/notes.txt mine"))
        let copy = try #require(tree.first { $0.hasSuffix(" yours") })
        #expect(copy.contains(#/^/notes \(conflict \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d two\)\.txt yours$/#))
        try await expectAlike()
    }

    @Test func `one change made on both sides is no conflict`() async throws {
        let bed = try bed()
        try await left.put("/a", "base")
        try await bed.run()
        try await left.put("/a", "same")
        try await right.put("/a", "same")
        #expect(try await bed.run().conflicts == 0)
        #expect(try await bed.plan() == [])
    }

    @Test func `folders that were filled before they met lose nothing`() async throws {
        let bed = try bed()
        let date = Date(timeIntervalSince1970: 1_600_000_000)
        for provider in [left, right] {
            try await provider.put("/same", "same")
            try await provider.writeContents(
                path: ProviderPath("/dated"), from: DataSource(Data("dated".utf8)),
                options: WriteOptions(modificationDate: date))
        }
        try await left.put("/own", "1")
        try await right.put("/other", "2")
        try await left.put("/both", "left")
        try await right.put("/both", "right!")
        let report = try await bed.run()
        #expect(report.removed == 0 && report.conflicts == 1)
        try await expectAlike()
        #expect(try await left.texts() == ["same", "dated", "1", "2", "left", "right!"])
    }

    @Test func `what changed outlives its removal on the other side`() async throws {
        let bed = try bed()
        try await left.put("/d/a", "1")
        try await left.put("/d/b", "2")
        try await left.put("/stays", "3")
        try await bed.run()
        try await left.remove("/d")
        try await right.put("/d/b", "changed")
        try await right.put("/d/new", "new")
        try await bed.run()
        #expect(try await left.tree() == ["/d/", "/d/b changed", "/d/new new", "/stays 3"])
        try await expectAlike()
    }

    @Test func `a file becomes a folder, and a folder a file`() async throws {
        let bed = try bed()
        try await left.put("/x", "file")
        try await left.put("/y/in", "folder")
        try await bed.run()
        try await left.remove("/x")
        try await left.put("/x/in", "now a folder")
        try await left.remove("/y")
        try await left.put("/y", "now a file")
        try await bed.run()
        #expect(try await right.tree() == ["/x/", "/x/in now a folder", "/y now a file"])
        try await expectAlike()
    }

    @Test func `a file against a folder of its name gets another name`() async throws {
        let bed = try bed()
        try await left.put("/x", "file")
        try await right.put("/x/in", "folder")
        try await bed.run()
        try await expectAlike()
        #expect(try await left.texts() == ["file", "folder"])
    }

    @Test func `a rename of either side is no transfer`() async throws {
        let bed = try bed()
        try await left.put("/a/1", "first content")
        try await left.put("/a/2", "second content")
        try await bed.run()
        try await left.move("/a/1", "/a/one")
        try await right.move("/a/2", "/two")
        let report = try await bed.run()
        #expect(report.moved == 2 && report.bytes == 0)
        #expect(try await left.tree() == ["/a/", "/a/one first content", "/two second content"])
        try await expectAlike()
    }

    @Test func `a folder that cannot be listed is left alone on both sides`() async throws {
        let locked = UnreliableStorage(left)
        let bed = try SyncBed(.twoWay, source: locked, destination: right)
        for folder in ["a", "b", "c"] { try await left.put("/\(folder)/file", folder) }
        try await bed.run()
        try await right.put("/b/file", "changed")
        try await right.put("/b/other", "new")
        locked.arm([2: .failure])  // the root, one folder, then this one
        let report = try await bed.run()
        #expect(report.failures == 1 && report.removed == 0)
        #expect(try await right.tree().count == 7)
        locked.arm([:])
        try await bed.run()
        try await expectAlike()
    }

    @Test func `more removals than the limit change nothing`() async throws {
        let bed = try bed()
        for number in 0..<20 { try await left.put("/\(number)", "\(number)") }
        try await bed.run()
        for number in 0..<11 { try await left.remove("/\(number)") }
        await #expect { try await bed.run() } throws: { error in
            (error as? CocoaError)?.code == .fileWriteNoPermission && error.removalStop == .overLimit(11, of: 20)
                && error.sentence.contains("11 of 20")
        }
        #expect(try await right.tree().count == 20)
        bed.options.update { $0.removalLimit = .count(11) }
        #expect(try await bed.run().removed == 11)
    }

    @Test(arguments: [SyncOptions.Direction.twoWay, .mirror])
    func `a folder that is gone stays where it holds what the filter leaves out, and nothing fails`(
        direction: SyncOptions.Direction
    ) async throws {
        let bed = try SyncBed(direction, source: left, destination: right)
        let filter = try SyncFilter(["- *.tmp"])
        bed.options.update { ($0.filter, $0.deletes) = (filter, direction == .mirror) }
        for name in ["/a/b/x", "/a/c/y", "/z"] { try await left.put(name, name) }
        try await bed.run()
        try await right.put("/a/b/own.tmp", "own")
        try await left.removeItem(path: ProviderPath("/a"), recursive: true)
        for _ in 1...2 {
            let report = try await bed.run()
            #expect(
                report.isComplete && report.unheld == 0 && Set(report.skipped.map(\.path.string)) == ["/a", "/a/b"],
                "\(report)")
            #expect(try await right.tree() == ["/a/", "/a/b/", "/a/b/own.tmp own", "/z /z"])
            #expect(try await left.tree() == ["/z /z"])
        }
        try await right.remove("/a/b/own.tmp")
        #expect(try await bed.run().removed == 2)
        #expect(try await right.tree() == ["/z /z"])
        #expect(try await bed.run().hasChanges == false)
    }

    @Test func `what the filter leaves out is touched on neither side`() async throws {
        let bed = try bed()
        let filter = try SyncFilter(["+ keep.tmp", "- *.tmp", "- /private/"])
        bed.options.update { $0.filter = filter }
        for name in ["a.txt", "b.tmp", "keep.tmp", "private/c.txt", "d/private/e.txt"] {
            try await left.put("/\(name)", name)
        }
        try await right.put("/z.tmp", "z")
        try await bed.run()
        #expect(
            try await right.tree() == [
                "/a.txt a.txt", "/d/", "/d/private/", "/d/private/e.txt d/private/e.txt", "/keep.tmp keep.tmp",
                "/z.tmp z",
            ])
        #expect(try await bed.plan() == [])
    }

    @Test func `what the filter leaves out keeps its name to itself`() async throws {
        let bed = try bed()
        let filter = try SyncFilter(["- d/"])
        bed.options.update { $0.filter = filter }
        try await left.put("/d", "a file")
        try await left.put("/moved", "moved")
        try await right.put("/d/e", "in a folder")
        for _ in 1...2 {
            let report = try await bed.run()
            #expect(
                report.skipped.map(\.path.name) == ["d"] && report.postponed.isEmpty && report.failures == 0,
                "\(report)")
            #expect(report.skipped[0].reason.contains("excluded"))
            #expect(try await right.tree() == ["/d/", "/d/e in a folder", "/moved moved"])
        }
        try await left.remove("/d")
        try await left.move("/moved", "/d")
        let report = try await bed.run()
        #expect(
            report.skipped.map(\.path.name) == ["d"] && report.postponed.isEmpty && report.failures == 0, "\(report)")
        #expect(try await left.tree() == ["/d moved"])
        #expect(try await right.tree().contains("/d/e in a folder"))
    }

    @Test func `a rule that is none is refused`() {
        for rule in ["*.tmp", "", "-", "- "] {
            #expect(throws: CocoaError.self) { try SyncFilter([rule]) }
        }
    }

    @Test func `the state of two other folders is refused, and so is a second run`() async throws {
        let bed = try bed()
        try await bed.run()
        _ = try await bed.withSync { _ in
            await #expect { try await bed.run() } throws: { ($0 as? CocoaError)?.code == .fileLocking }
        }
        let url = bed.state.deletingLastPathComponent().appending(path: "inner")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let other = SyncFolder(ProviderLocation(provider: try LocalFileProvider(root: url), path: .root), label: "")
        await #expect { _ = try await FolderSync(other, other, state: bed.state) } throws: { error in
            (error as? CocoaError)?.code == .fileWriteInvalidFileName
        }
        let memory = SyncFolder(ProviderLocation(provider: left, path: .root), label: "")
        await #expect { _ = try await FolderSync(other, memory, state: bed.state) } throws: { error in
            error.sentence.contains("two other folders")
        }
    }
}
