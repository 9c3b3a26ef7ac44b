import FileProviderCore
import FileProviderUndo
import Foundation
import MemoryFileProvider
import Testing

/// Undo beside operations that run: in completion forms, many at once, and under way.
@Suite struct UndoRunningTests {
    private let base = MemoryFileProvider()
    private let provider: UndoableFileProvider<MemoryFileProvider>

    init() throws {
        provider = try UndoableFileProvider(base)
    }

    private var stack: UndoStack { provider.undoManager }

    @Test func `completion forms are recorded, and their handles tell whether they can be undone`() async throws {
        try await base.fill()
        let local = FileManager.default.temporaryDirectory.appending(path: "undo-\(UUID())")
        try Data("local".utf8).write(to: local)
        defer { try? FileManager.default.removeItem(at: local) }
        let start: [(@escaping @Sendable ((any Error)?) -> Void) -> Progress?] = [
            { [provider] in provider.create(folder: "new", at: "/", completionHandler: $0) },
            { [provider] in provider.copyItem(localFile: local, to: "/new/local", completionHandler: $0) },
            { [provider] in provider.moveItem(path: "a/", to: "/new/a", completionHandler: $0) },
            { [provider] in provider.writeContents(path: "/b", contents: nil, overwrite: true, completionHandler: $0) },
            { [provider] in provider.writeContents(path: "/b", contents: nil, overwrite: true, completionHandler: $0) },
            { [provider] in provider.removeItem(path: "/full", completionHandler: $0) },
        ]
        var handles: [Progress] = []
        for start in start {
            var handle: Progress?
            await withCheckedContinuation { continuation in
                handle = start { error in
                    #expect(error == nil)
                    continuation.resume()
                }
            }
            handles.append(try #require(handle))
        }
        for count in handles.indices.reversed() {
            #expect(handles.map { provider.canUndo(handle: $0) } == handles.indices.map { $0 <= count })
            try await stack.undo()
        }
        #expect(handles.allSatisfy { !provider.canUndo(handle: $0) })
        let listing = try #require(provider.contentsOfDirectory(path: "/") { _, _ in })
        #expect(!provider.canUndo(handle: listing) && !provider.canUndo(handle: Progress(totalUnitCount: 1)))
    }

    @Test func `operations at once are all undone`() async throws {
        try await base.fill()
        let before = try await base.tree()
        stack.levels = 100
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<20 {
                group.addTask { [provider] in try await provider.write("\(index)", to: "/a", overwrite: true) }
                group.addTask { [provider] in try await provider.write("\(index)", to: "/full/\(index)") }
            }
            group.addTask { [stack] in try await stack.undo() }
            try await group.waitForAll()
        }
        while try await stack.undo() {}
        #expect(try await base.tree() == before)
        while try await stack.redo() {}
        while try await stack.undo() {}
        #expect(try await base.tree() == before)
    }

    @Test func `an undo waits for what runs, and gives up waiting when cancelled`() async throws {
        try await provider.makeFolder("/new")
        let (started, start) = AsyncStream<Never>.makeStream()
        let (ended, end) = AsyncStream<Never>.makeStream()
        let pieces = AsyncStream<Data> {
            start.finish()
            for await _ in ended {}
            return nil
        }
        let write = Task { [provider] in
            try await provider.writeContents(
                path: ProviderPath("/file"), from: SequenceSource(pieces), options: WriteOptions())
        }
        for await _ in started {}
        let given = Task { [stack] in try await stack.undo() }
        given.cancel()
        await #expect(throws: CancellationError.self) { try await given.value }
        let undo = Task { [stack] in try await stack.undo() }
        end.finish()
        _ = try await write.value
        #expect(try await undo.value)
        #expect(try await base.tree() == ["/new/": ""])
    }
}
