import FileProviderCore
import FileProviderUndo
import Foundation
import MemoryFileProvider
import Testing

@Suite struct UndoTests {
    private let base = MemoryFileProvider()
    private let provider: UndoableFileProvider<MemoryFileProvider>

    init() throws {
        provider = try UndoableFileProvider(base)
    }

    private var stack: UndoStack { provider.undoManager }

    typealias Operation = @Sendable (UndoableFileProvider<MemoryFileProvider>) async throws -> Void

    static let operations: [(title: String, run: Operation)] = [
        ("Creating new", { try await $0.makeFolder("/new") }),
        ("Writing new", { try await $0.write("new", to: "/new") }),
        ("Writing a", { try await $0.write("new", to: "/a", overwrite: true) }),
        ("Writing empty", { try await $0.write("new", to: "/empty", overwrite: true) }),
        ("Moving a", { try await $0.move("/a", to: "/full/a") }),
        ("Moving a", { try await $0.move("/a", to: "/b", overwrite: true) }),
        ("Moving a", { try await $0.move("/a", to: "/empty", overwrite: true) }),
        ("Moving full", { try await $0.move("/full", to: "/b", overwrite: true) }),
        ("Moving full", { try await $0.move("/full", to: "/empty", overwrite: true) }),
        ("Copying a", { try await $0.copy("/a", to: "/full/a") }),
        ("Copying a", { try await $0.copy("/a", to: "/b", overwrite: true) }),
        ("Copying full", { try await $0.copy("/full", to: "/empty", overwrite: true) }),
        ("Removing a", { try await $0.remove("/a") }),
        ("Removing empty", { try await $0.remove("/empty", recursive: false) }),
        ("Removing full", { try await $0.remove("/full") }),
    ]

    @Test(arguments: operations.indices)
    func `every operation can be undone and redone, as often as one likes`(_ index: Int) async throws {
        try await base.fill()
        let before = try await base.tree()
        try await Self.operations[index].run(provider)
        let after = try await base.tree()
        #expect(before != after)
        #expect(stack.undoTitle == "Undo \(Self.operations[index].title)")
        for _ in 0..<3 {
            #expect(try await stack.undo())
            #expect(try await base.tree() == before)
            #expect(!stack.canUndo && stack.canRedo)
            #expect(try await stack.redo())
            #expect(try await base.tree() == after)
            #expect(stack.canUndo && !stack.canRedo)
        }
    }

    @Test func `an empty stack has nothing to do and says so`() async throws {
        #expect(try await !stack.undo())
        #expect(try await !stack.redo())
        #expect(stack.undoTitle == nil && stack.redoTitle == nil)
    }

    @Test func `an operation that failed is not recorded, and what was undone can still be redone`() async throws {
        try await base.fill()
        try await provider.remove("/a")
        try await stack.undo()
        #expect(await code { try await provider.makeFolder("/b") } == .fileWriteFileExists)
        #expect(await code { try await provider.write("new", to: "/full", overwrite: true) } == .fileWriteFileExists)
        #expect(
            await code { try await provider.move("/full", to: "/full/x/y", overwrite: true) }
                == .fileWriteInvalidFileName)
        #expect(await code { try await provider.move("/a", to: "/a", overwrite: true) } == .fileWriteFileExists)
        #expect(await code { try await provider.remove("/nothing") } == .fileNoSuchFile)
        #expect(await code { try await provider.remove("/full", recursive: false) } == .fileWriteFileExists)
        #expect(!stack.canUndo)
        #expect(stack.redoTitle == "Redo Removing a")
        try await provider.makeFolder("/new")
        #expect(!stack.canRedo)
    }

    @Test func `the oldest steps go when there are more than the levels`() async throws {
        for index in 0..<12 { try await provider.makeFolder("/\(index)") }
        var undone = 0
        while try await stack.undo() { undone += 1 }
        #expect(undone == UndoStack.usualLevels)
        #expect(try await Set(base.tree().keys) == ["/0/", "/1/"])
        stack.levels = 0
        try await provider.makeFolder("/new")
        #expect(!stack.canUndo)
        provider.setupUndoManager()
        #expect(stack.levels == 10 && !stack.canRedo)
    }

    @Test func `a removed item whose place is taken stays in the trash and on the stack`() async throws {
        try await base.fill()
        try await provider.remove("/a")
        try await base.write("other", to: "/a")
        #expect(await code { try await stack.undo() } == .fileWriteFileExists)
        #expect(try await base.text("/a") == "other")
        #expect(stack.undoTitle == "Undo Removing a")
        try await base.remove("/a")
        try await stack.undo()
        #expect(try await base.text("/a") == "a")
    }

    @Test func `forced, what is in the way goes to the trash`() async throws {
        try await base.fill()
        try await provider.remove("/a")
        try await base.makeFolder("/a")
        try await base.write("other", to: "/a/inner")
        try await stack.undo(force: true)
        #expect(try await base.text("/a") == "a")
        try await stack.redo()
        #expect(try await base.text("/a/inner") == "other")
    }

    @Test func `an item that cannot move back stays, and forced it moves, and what is in the way goes to the trash`()
        async throws
    {
        try await base.fill()
        try await provider.move("/a", to: "/new")
        try await base.write("other", to: "/a")
        #expect(await code { try await stack.undo() } == .fileWriteFileExists)
        #expect(try await base.text("/new") == "a" && stack.canUndo)
        try await stack.undo(force: true)
        #expect(try await base.text("/a") == "a")
        let entries = try await stack.trashContents()
        #expect(entries.map(\.originalPath.string) == ["/a"])
        try await stack.restore(entries[0], to: ProviderPath("/other"))
        #expect(try await base.text("/other") == "other")
    }

    @Test func `a folder that was made is not undone once it holds something`() async throws {
        try await provider.makeFolder("/new")
        try await base.write("other", to: "/new/file")
        let error = await failure { try await stack.undo() } as? CocoaError
        #expect(error?.code == .fileWriteFileExists && (error?.underlying as? POSIXError)?.code == .ENOTEMPTY)
        #expect(try await base.text("/new/file") == "other")
        try await base.remove("/new/file")
        #expect(try await stack.undo())
        #expect(try await base.tree() == [:])
    }

    @Test func `a file that somebody else changed is not undone unless forced`() async throws {
        try await base.fill()
        try await provider.write("ours", to: "/a", overwrite: true)
        try await base.write("their", to: "/a", overwrite: true)
        let error = await failure { try await stack.undo() }
        #expect((error as? CocoaError)?.code == .fileWriteUnknown)
        #expect(error?.sentence.contains("has changed since that step") == true)
        #expect(try await base.text("/a") == "their")
        try await stack.undo(force: true)
        #expect(try await base.text("/a") == "a")
        #expect(try await base.texts().contains("their"))
    }

    @Test func `a file that somebody else removed makes its undo fail, and forcing goes on`() async throws {
        try await provider.write("ours", to: "/a")
        try await provider.makeFolder("/new")
        try await base.remove("/a")
        try await stack.undo()
        #expect(await code { try await stack.undo() } == .fileNoSuchFile)
        #expect(try await stack.undo(force: true))
        #expect(!stack.canUndo)
    }

    @Test func `a group is one step, and what others do in between splits it`() async throws {
        try await stack.group("Tidying") {
            try await provider.makeFolder("/one")
            try await provider.write("x", to: "/one/x")
            try await stack.group("Inner") { try await provider.move("/one/x", to: "/x") }
        }
        #expect(stack.undoTitle == "Undo Tidying")
        try await stack.undo()
        #expect(try await base.tree() == [:])
        #expect(!stack.canUndo)
        try await stack.redo()
        #expect(try await base.tree() == ["/one/": "", "/x": "x"])
        #expect(!stack.canRedo)
        let titles = CollectedValues<String?>()
        try await stack.group("Split") {
            try await provider.makeFolder("/two")
            try await Task.detached { [provider] in try await provider.makeFolder("/three") }.value
            try await provider.makeFolder("/two/four")
        }
        while stack.canUndo {
            titles.append(stack.undoTitle)
            try await stack.undo()
        }
        #expect(titles.values == ["Undo Split", "Undo Creating three", "Undo Split", "Undo Tidying"])
        #expect(try await base.tree() == [:])
    }

    @Test func `a group that stops half way can be gone on with or redone`() async throws {
        try await stack.group("Both") {
            try await provider.makeFolder("/one")
            try await provider.makeFolder("/two")
        }
        try await base.write("other", to: "/one/file")
        await #expect(throws: CocoaError.self) { try await stack.undo() }
        #expect(try await Set(base.tree().keys) == ["/one/", "/one/file"])
        #expect(stack.undoTitle == "Undo Both" && stack.redoTitle == "Redo Both")
        try await stack.redo()
        #expect(try await Set(base.tree().keys) == ["/one/", "/one/file", "/two/"])
        try await base.remove("/one/file")
        try await stack.undo()
        #expect(try await base.tree() == [:])
        #expect(!stack.canUndo)
    }

    @Test func `what is undoable already is not wrapped again, and abilities of the base alone show`() throws {
        let any: any FileProvider = base
        let once = try any.undoable()
        #expect(try once.undoable() === once)
        #expect(once.type == "Memory" && once.baseURL == base.baseURL)
        #expect(!(once is any FileProviderSymbolicLink) && !(once is any FileProviderPushWrite))
        #expect(throws: CocoaError.self) { try any.undoable(trash: TrashPolicy(path: "/")) }
        #expect(throws: CocoaError.self) { try any.undoable(trash: TrashPolicy(path: "/../x")) }
    }
}
