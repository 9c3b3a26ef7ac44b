import FileProviderCore
import Foundation
import MemoryFileProvider
import Sync
import SyncHistories
import Testing

@Suite struct MirrorTests {
    private let source = MemoryFileProvider(MemoryConfiguration(name: "one"))
    private let destination = MemoryFileProvider(MemoryConfiguration(name: "two"))
    private func bed() throws -> SyncBed { try SyncBed(source: source, destination: destination) }

    @Test func `everything arrives, and the next run has nothing to do`() async throws {
        let bed = try bed()
        try await source.put("/a/b/one.txt", "1")
        try await source.put("/two.txt", "2")
        try await source.createFolder(path: ProviderPath("/empty"))
        let plan = ["/a", "/empty", "/a/b", "/two.txt", "/a/b/one.txt"].map { "create destination \($0)" }
        #expect(try await bed.plan() == plan)
        let report = try await bed.run()
        #expect(report.created == 5 && report.bytes == 2 && report.isComplete)
        #expect(try await destination.tree() == ["/a/", "/a/b/", "/a/b/one.txt 1", "/empty/", "/two.txt 2"])
        #expect(try await bed.plan() == [])
        #expect(try await !bed.run().hasChanges)
    }

    @Test func `changes go one way, and what only the destination has stays unless it is to go`() async throws {
        let bed = try bed()
        try await source.put("/one", "1")
        try await source.put("/two", "2")
        try await bed.run()
        try await source.put("/one", "new")
        try await source.remove("/two")
        try await destination.put("/own", "mine")
        #expect(try await bed.run().updated == 1)
        #expect(try await destination.tree() == ["/one new", "/own mine", "/two 2"])
        bed.options.update { $0.deletes = true }
        #expect(try await bed.plan() == ["remove destination /own", "remove destination /two"])
        try await bed.run()
        #expect(try await destination.tree() == ["/one new"])
        #expect(try await destination.texts().contains("mine"), "nobody else has it, so it is in the trash")
        #expect(try await !destination.texts().contains("2"), "that was the source's own")
    }

    @Test func `a first run that was cut off is still the first, and removes nothing`() async throws {
        let broken = UnreliableStorage(destination)
        let bed = try SyncBed(source: source, destination: broken)
        bed.options.update { $0.deletes = true }
        for number in 1...5 { try await source.put("/\(number)", "\(number)") }
        try await destination.put("/own", "mine")
        broken.arm([4: .crash])
        await #expect(throws: URLError.self) { try await bed.run() }
        broken.arm([:])
        try await bed.run()
        #expect(try await destination.tree().contains("/own mine"))
        #expect(try await bed.plan() == ["remove destination /own"])
    }

    @Test func `nothing is noted before both disks have it`() async throws {
        let (one, two) = (UnreliableStorage(source), UnreliableStorage(destination))
        let bed = try SyncBed(.twoWay, source: one, destination: two)
        try await source.put("/folder/1", "1")
        try await source.put("/2", "2")
        // A folder and two files, their attributes, then the disk: it goes with all that it has not written.
        var calls = 0
        repeat {
            calls += 1
            two.arm([calls: .crash])
            let report = try? await bed.run()
            two.arm([:])
            if report?.isComplete ?? false { break }
            #expect(try await source.tree() == ["/2 2", "/folder/", "/folder/1 1"], "after a crash at call \(calls)")
            try await bed.run()
            #expect(try await bed.run().hasChanges == false)
            for side in [source, destination] {
                #expect(try await side.tree() == ["/2 2", "/folder/", "/folder/1 1"], "after a crash at call \(calls)")
            }
            try await destination.remove("/2")
            try await destination.removeItem(path: ProviderPath("/folder"), recursive: true)
            bed.options.update { $0.removalLimit = .share(1) }
            try await bed.run()
            #expect(try await source.tree() == [])
            try await source.put("/folder/1", "1")
            try await source.put("/2", "2")
        } while calls < 100
        #expect((5..<100).contains(calls))
    }

    @Test func `a change at the destination is taken back, and kept in the trash`() async throws {
        let bed = try bed()
        try await source.put("/one", "1")
        try await bed.run()
        try await destination.put("/one", "other")
        try await bed.run()
        #expect(try await destination.tree() == ["/one 1"])
        #expect(try await destination.texts() == ["1", "other"])
    }

    @Test func `what only the destination changed is taken back once`() async throws {
        let bed = try SyncBed(.mirror, source: source, destination: destination)
        try await source.put("/a", "as it is")
        try await bed.run()
        try await destination.put("/a", "another version")
        #expect(try await bed.run().updated == 1)
        #expect(try await !bed.run().hasChanges)
        #expect(try await destination.contents(path: ProviderPath("a")) == Data("as it is".utf8))
    }

    @Test func `a renamed folder is moved and not sent again`() async throws {
        let bed = try bed()
        bed.options.update { $0.deletes = true }
        for number in 1...5 { try await source.put("/old/\(number)", "content \(number)") }
        try await bed.run()
        try await source.move("/old", "/new")
        let report = try await bed.run()
        #expect(report.moved == 5 && report.bytes == 0 && report.removed == 1)
        #expect(try await destination.tree() == ["/new/"] + (1...5).map { "/new/\($0) content \($0)" })
    }

    @Test func `a side that is suddenly empty stops the run`() async throws {
        let bed = try bed()
        bed.options.update { $0.deletes = true }
        try await source.put("/one", "1")
        try await bed.run()
        try await source.remove("/one")
        await #expect { try await bed.run() } throws: { $0.removalStop == .emptySide(.source, held: 1) }
        #expect(try await destination.tree() == ["/one 1"])
        bed.options.update { $0.removalLimit = .share(1) }
        #expect(try await bed.run().removed == 1)
    }
}
