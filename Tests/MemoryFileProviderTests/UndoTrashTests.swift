import FileProviderCore
import FileProviderUndo
import Foundation
import MemoryFileProvider
import Testing

@Suite struct UndoTrashTests {
    private let base = MemoryFileProvider()
    private let clock = TestClock()

    private func provider(
        longestAge: TimeInterval? = nil, greatestSize: Int64? = nil
    ) throws -> UndoableFileProvider<MemoryFileProvider> {
        try UndoableFileProvider(
            base, trash: TrashPolicy(longestAge: longestAge, greatestSize: greatestSize), now: { [clock] in clock.now })
    }

    private func originals(_ provider: any FileProviderUndoable) async throws -> [String] {
        try await provider.undoManager.trashContents().map(\.originalPath.string)
    }

    @Test func `the trash tells what is in it, to another process too`() async throws {
        try await base.makeFolder("/a=b")
        try await base.write("one", to: "/a=b/ü _ %2F.txt")
        try await base.write("bytes", to: "/\u{10FF80}\u{10FFFF}")
        let first = try provider()
        try await first.remove("/a=b/ü _ %2F.txt")
        clock.advance(by: 60.125)
        try await first.remove("/a=b")
        clock.advance(by: 60)
        try await first.remove("/\u{10FF80}\u{10FFFF}")
        let second = try provider()
        let entries = try await second.undoManager.trashContents()
        #expect(entries.map(\.originalPath.string) == ["/a=b/ü _ %2F.txt", "/a=b", "/\u{10FF80}\u{10FFFF}"])
        #expect(entries.map(\.item.isDirectory) == [false, true, false])
        #expect(entries.map { clock.now.timeIntervalSince($0.date).rounded() } == [120, 60, 0])
        #expect(await code { try await second.undoManager.restore(entries[0]) } == .fileNoSuchFile)
        try await second.undoManager.restore(entries[1])
        try await second.undoManager.restore(entries[0])
        try await second.undoManager.restore(entries[2], to: ProviderPath("/elsewhere"))
        #expect(try await base.tree() == ["/a=b/": "", "/a=b/ü _ %2F.txt": "one", "/elsewhere": "bytes"])
        #expect(try await originals(second) == [])
        #expect(second.undoManager.undoTitle == "Undo Restoring elsewhere")
        while try await second.undoManager.undo() {}
        #expect(try await base.tree() == [:])
        #expect(try await first.undoManager.trashContents().count == 3)
    }

    @Test(arguments: ["x", "=", "ü", "本", "\u{10FF80}"])
    func `a path longer than a name comes back whole`(_ character: String) async throws {
        let provider = try provider()
        let folder = "/" + String(repeating: character, count: 60)
        try await base.createFolderWithParents(path: ProviderPath(folder + folder + folder))
        let path = folder + folder + folder + "/" + String(repeating: character, count: 80)
        try await base.write("deep", to: path)
        try await provider.remove(path)
        #expect(try await originals(provider) == [path])
        let names = CollectedValues<[UInt8]>()
        try await base.walk(path: ProviderPath("/.carrel-trash")) { names.append(Array($0.path.nameBytes)) }
        #expect(names.values.count > 1)
        #expect(names.values.allSatisfy { $0.count <= 255 })
        if character != "\u{10FF80}" {
            #expect(names.values.allSatisfy { String(validating: $0, as: UTF8.self) != nil })
        }
        try await provider.undoManager.undo()
        #expect(try await base.text(path) == "deep")
        #expect(try await base.contentsOfDirectory(path: ProviderPath("/.carrel-trash")).isEmpty)
    }

    @Test func `restoring an entry takes the step that needs it from the stack`() async throws {
        let provider = try provider()
        try await base.write("a", to: "/a")
        try await provider.remove("/a")
        try await provider.undoManager.restore(provider.undoManager.trashContents()[0])
        #expect(provider.undoManager.undoTitle == "Undo Restoring a")
        try await provider.undoManager.undo()
        #expect(!provider.undoManager.canUndo)
        try await provider.undoManager.redo()
        #expect(try await base.text("/a") == "a")
    }

    @Test func `what is too old is swept, and its step leaves the stack with those below it`() async throws {
        let provider = try provider(longestAge: 300)
        try await base.write("a", to: "/a")
        try await base.write("b", to: "/b")
        try await provider.makeFolder("/folder")
        try await provider.remove("/a")
        clock.advance(by: 200)
        try await provider.remove("/b")
        #expect(try await originals(provider) == ["/a", "/b"])
        clock.advance(by: 101)
        try await provider.undoManager.sweepTrash()
        #expect(try await originals(provider) == ["/b"])
        #expect(try await !provider.canUndo(operation: .remove(path: "/a")))
        #expect(try await provider.canUndo(operation: .remove(path: "/b")))
        #expect(try await provider.undoManager.undo())
        #expect(try await !provider.undoManager.undo())
        #expect(try await base.tree() == ["/b": "b", "/folder/": ""])
    }

    @Test func `putting something into the trash sweeps it, too`() async throws {
        let provider = try provider(longestAge: 300)
        for name in ["/a", "/b"] { try await base.write(name, to: name) }
        try await provider.remove("/a")
        clock.advance(by: 301)
        try await provider.remove("/b")
        #expect(try await originals(provider) == ["/b"])
        #expect(provider.undoManager.sweepFailure == nil)
    }

    @Test func `over the size limit the oldest goes`() async throws {
        let provider = try provider(greatestSize: 10)
        for name in ["/a", "/b", "/c"] { try await base.write("1234", to: name) }
        try await base.makeFolder("/folder")
        try await base.write("123456", to: "/folder/x")
        for name in ["/a", "/b", "/c"] {
            try await provider.remove(name)
            clock.advance(by: 1)
        }
        #expect(try await originals(provider) == ["/b", "/c"])
        try await provider.remove("/folder")
        #expect(try await originals(provider) == ["/c", "/folder"])
        #expect(try await !provider.canUndo(operation: .remove(path: "/b")))
        while try await provider.undoManager.undo() {}
        #expect(try await base.tree() == ["/c": "1234", "/folder/": "", "/folder/x": "123456"])
    }

    @Test(arguments: [true, false]) func `a sweep leaves what an operation still running has put aside`(_ fails: Bool)
        async throws
    {
        let faulty = FaultyProvider(without: [.serverSideCopying])
        let policy = TrashPolicy(longestAge: 300, greatestSize: 10)
        let provider = try UndoableFileProvider(faulty, trash: policy, now: { [clock] in clock.now })
        for name in ["/a", "/b", "/c"] { try await faulty.base.write("123456", to: name) }
        let (started, start) = AsyncStream<Never>.makeStream()
        let (ended, end) = AsyncStream<Never>.makeStream()
        let pieces = AsyncThrowingStream<Data, any Error> {
            start.finish()
            for await _ in ended {}
            if fails { throw FaultyProvider.Failure() }
            return nil
        }
        let write = Task {
            try await provider.writeContents(
                path: ProviderPath("/a"), from: SequenceSource(pieces), options: WriteOptions(overwrite: true))
        }
        for await _ in started {}
        clock.advance(by: 200)
        try await provider.remove("/b")
        #expect(try await originals(provider) == ["/a", "/b"])
        clock.advance(by: 200)
        try await provider.remove("/c")
        #expect(try await originals(provider) == ["/a", "/c"])
        end.finish()
        let error = await failure { _ = try await write.value }
        #expect((error is FaultyProvider.Failure) == fails)
        #expect(try await faulty.base.tree() == ["/a": fails ? "123456" : ""])
        // What is settled is swept as ever.
        try await provider.undoManager.sweepTrash()
        #expect(try await originals(provider) == ["/c"])
        #expect(provider.undoManager.sweepFailure == nil)
    }

    @Test func `what does not fit into the trash is removed and replaced for good, and is known to be before`()
        async throws
    {
        let provider = try provider(greatestSize: 10)
        try await base.makeFolder("/folder")
        try await base.write("12345678901", to: "/folder/x")
        try await base.write("12345678901", to: "/y")
        try await base.write("1", to: "/small")
        try await provider.remove("/small")
        #expect(try await !provider.canUndo(operation: .remove(path: "/folder")))
        #expect(try await !provider.canUndo(operation: .modify(path: "/y")))
        #expect(try await !provider.canUndo(operation: .copy(source: "/folder/x", destination: "/y")))
        #expect(try await provider.canUndo(operation: .move(source: "/folder/x", destination: "/z")))
        try await provider.write("new", to: "/y", overwrite: true)
        try await provider.remove("/folder")
        #expect(try await originals(provider) == ["/small"])
        #expect(provider.undoManager.undoTitle == "Undo Removing small")
    }

    @Test func `an undone file too large for the trash is swept from it, and cannot be redone`() async throws {
        let provider = try provider(greatestSize: 10)
        try await base.write("1", to: "/small")
        try await provider.remove("/small")
        clock.advance(by: 1)
        try await provider.write("12345678901", to: "/large")
        try await provider.undoManager.undo()
        #expect(try await originals(provider) == ["/small"])
        #expect(!provider.undoManager.canRedo && provider.undoManager.canUndo)
    }

    @Test func `removing what lies in the trash is final, and foreign files in it are left alone`() async throws {
        let provider = try provider(longestAge: 300)
        try await base.write("a", to: "/a")
        try await provider.remove("/a")
        try await base.write("mine", to: "/.carrel-trash/note")
        let entry = try await provider.undoManager.trashContents()[0]
        #expect(try await !provider.canUndo(operation: .remove(path: entry.item.path.string)))
        try await provider.removeItem(path: entry.item.path)
        #expect(try await originals(provider) == [])
        #expect(!provider.undoManager.canUndo)
        clock.advance(by: 1000)
        try await provider.undoManager.sweepTrash(all: true)
        #expect(try await base.text("/.carrel-trash/note") == "mine")
    }

    @Test func `a step whose data somebody else took from the trash says so and goes`() async throws {
        let provider = try provider()
        try await base.write("a", to: "/a")
        try await provider.remove("/a")
        try await base.remove("/.carrel-trash")
        let error = await failure { try await provider.undoManager.undo() }
        #expect(
            (error as? CocoaError)?.code == .fileNoSuchFile
                && error?.sentence.contains("no longer in the trash") == true)
        #expect(!provider.undoManager.canUndo)
    }

    @Test func `emptying the trash forgets what needs it, on both sides`() async throws {
        let provider = try provider()
        try await base.write("a", to: "/a")
        try await provider.remove("/a")
        try await provider.makeFolder("/one")
        try await provider.makeFolder("/two")
        try await provider.undoManager.undo()
        #expect(provider.undoManager.canUndo && provider.undoManager.canRedo)
        try await provider.undoManager.sweepTrash(all: true)
        #expect(provider.undoManager.undoTitle == "Undo Creating one" && !provider.undoManager.canRedo)
        #expect(try await provider.undoManager.undo())
        #expect(try await !provider.undoManager.undo())
    }

    @Test func `a sweep that fails is told, and the operation is done`() async throws {
        let faulty = FaultyProvider()
        let provider = try UndoableFileProvider(
            faulty, trash: TrashPolicy(longestAge: 300), now: { [clock] in clock.now })
        try await faulty.base.write("a", to: "/a")
        // The look, the move, the folder, the move, and then the sweep's listing.
        faulty.fail(5..<6)
        try await provider.remove("/a")
        #expect(provider.undoManager.sweepFailure is FaultyProvider.Failure)
        try await provider.undoManager.undo()
        #expect(try await faulty.base.tree() == ["/a": "a"])
        #expect(provider.undoManager.sweepFailure == nil)
    }
}
