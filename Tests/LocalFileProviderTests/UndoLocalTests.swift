import FileProviderCore
import FileProviderUndo
import Foundation
import LocalFileProvider
import Testing

@Suite struct UndoLocalTests {
    private let folder: TestFolder
    private let provider: UndoableFileProvider<LocalFileProvider>

    init() throws {
        folder = try TestFolder()
        provider = try UndoableFileProvider(folder.provider)
    }

    private var stack: UndoStack { provider.undoManager }

    @Test func `what comes back is the very item, with its permissions, time and link`() async throws {
        try folder.put("text", at: "/a", permissions: 0o640)
        folder.link("/link", to: "nowhere")
        let before = try await provider.attributesOfItem(path: ProviderPath("/a"))
        for path in ["/a", "/link"] { try await provider.removeItem(path: ProviderPath(path)) }
        #expect(try folder.names().allSatisfy { $0.hasPrefix(".carrel-trash") })
        while try await stack.undo() {}
        let after = try await provider.attributesOfItem(path: ProviderPath("/a"))
        #expect(after.permissions == before.permissions && after.entryTag == before.entryTag)
        #expect(try await provider.attributesOfItem(path: ProviderPath("/link")).linkTarget == Array("nowhere".utf8))
    }

    @Test func `a replaced file comes back with its permissions and time`() async throws {
        try folder.put("old", at: "/a", permissions: 0o640)
        let path = try ProviderPath("/a")
        let before = try await provider.attributesOfItem(path: path)
        try await provider.writeContents(path: path, contents: Data("new".utf8), overwrite: true)
        try await stack.undo()
        let after = try await provider.attributesOfItem(path: path)
        #expect(folder.text("/a") == "old")
        #expect(after.permissions == before.permissions && after.modifiedDate == before.modifiedDate)
    }

    @Test func `bytes that are pushed into it are recorded`() async throws {
        let pushing = try #require(folder.provider.undoable() as? any FileProviderPushWrite & FileProviderUndoable)
        try folder.put("old", at: "/a")
        let data = Data(repeating: 7, count: 1000)
        let extent = FileExtent(offset: 0, count: 1000, size: 1000)
        try await pushing.writeContents(path: ProviderPath("/a"), options: WriteOptions(overwrite: true)) { sink in
            try sink.begin(extent)
            _ = try data.withUnsafeBytes { try sink.write($0) }
            return extent
        }
        #expect(folder.text("/a")?.utf8.count == 1000)
        try await pushing.undoManager.undo()
        #expect(folder.text("/a") == "old")
    }

    @Test func `a copied tree is one step`() async throws {
        try folder.makeFolder("/from/inner")
        try folder.put("x", at: "/from/inner/x")
        folder.link("/from/link", to: "inner/x")
        let before = try folder.names()
        try await provider.copyItem(path: ProviderPath("/from"), to: ProviderPath("/to"))
        try await stack.undo()
        #expect(try folder.names().filter { !$0.hasPrefix(".carrel-trash") } == before)
        try await stack.redo()
        #expect(folder.text("/to/link") == "x")
    }

    @Test func `a step further back is undone though the item was replaced and moved since`() async throws {
        let (a, b) = (try ProviderPath("/a"), try ProviderPath("/b"))
        try await provider.writeContents(path: a, contents: Data("1".utf8))
        try await provider.writeContents(path: a, contents: Data("2".utf8), overwrite: true)
        try await provider.moveItem(path: a, to: b)
        try await provider.writeContents(path: b, contents: Data("3".utf8), overwrite: true)
        try await provider.removeItem(path: b)
        for expected in ["3", "2"] {
            try await stack.undo()
            #expect(folder.text("/b") == expected)
        }
        for expected in ["2", "1", nil] {
            try await stack.undo()
            #expect(folder.text("/a") == expected)
        }
        while try await stack.redo() {}
        #expect(try folder.names().allSatisfy { $0.hasPrefix(".carrel-trash") })
    }

    @Test func `what was moved and then changed by somebody else is moved back, and its write is not undone`()
        async throws
    {
        let (a, b) = (try ProviderPath("/a"), try ProviderPath("/b"))
        try await provider.writeContents(path: a, contents: Data("ours".utf8))
        try await provider.moveItem(path: a, to: b)
        try folder.put("changed", at: "/b")
        try await stack.undo()
        #expect(folder.text("/a") == "changed")
        let error = await #expect(throws: CocoaError.self) { try await stack.undo() }
        #expect(error?.code == .fileWriteUnknown)
        #expect(folder.text("/a") == "changed")
    }

    @Test func `a trash that cannot be made leaves everything in place`() async throws {
        try folder.put("text", at: "/a")
        try folder.put("in the way", at: "/.carrel-trash")
        await #expect(throws: CocoaError.self) { try await provider.removeItem(path: ProviderPath("/a")) }
        await #expect(throws: CocoaError.self) {
            try await provider.writeContents(path: ProviderPath("/a"), contents: Data(), overwrite: true)
        }
        #expect(folder.text("/a") == "text")
        #expect(!stack.canUndo)
    }
}
