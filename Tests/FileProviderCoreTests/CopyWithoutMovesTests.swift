import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Testing

/// Copies of folders on a storage that cannot move.
@Suite struct CopyWithoutMovesTests {
    private let memory = MemoryFileProvider(MemoryConfiguration(name: "unmoving"))
    private let storage: UnmovingStorage
    private let source: ProviderPath
    private let copy: ProviderPath

    init() async throws {
        storage = UnmovingStorage(memory)
        source = try ProviderPath("/tree")
        copy = try ProviderPath("/copy")
        for name in ["/tree", "/tree/deep", "/tree/deep/bare"] {
            try await memory.createFolder(path: ProviderPath(name))
        }
        for name in ["/tree/top", "/tree/deep/inner"] {
            try await memory.writeContents(path: ProviderPath(name), contents: Data(name.utf8))
        }
    }

    private func names(below folder: ProviderPath) async throws -> [String] {
        let found = CollectedValues<String>()
        try await memory.walk(path: folder) { found.append($0.path.string) }
        return found.values.sorted()
    }

    @Test func `a folder is made and filled, and nothing has a temporary name`() async throws {
        let written = CollectedValues<String>()
        storage.beforeWriting.update { $0 = { written.append($0.string) } }
        try await storage.copyItem(path: source, to: copy)
        #expect(try await names(below: copy) == ["/copy/deep", "/copy/deep/bare", "/copy/deep/inner", "/copy/top"])
        #expect(written.values.sorted() == ["/copy/deep/inner", "/copy/top"])
        #expect(try await storage.contents(path: copy.appending("top")) == Data("/tree/top".utf8))
    }

    @Test func `a copy that fails removes what it made, and nothing else`() async throws {
        storage.beforeWriting.update {
            $0 = { [memory] path in
                guard path.name == "inner" else { return }
                // Somebody else works in the folder at the same time.
                try await memory.writeContents(path: ProviderPath("/copy/foreign"), contents: Data([1]))
                throw CocoaError(.fileWriteOutOfSpace)
            }
        }
        let error = await #expect(throws: CocoaError.self) { try await storage.copyItem(path: source, to: copy) }
        #expect(error?.code == .fileWriteOutOfSpace)
        #expect(try await names(below: .root).filter { $0.hasPrefix("/copy") } == ["/copy", "/copy/foreign"])
        #expect(try await names(below: source).count == 4)
    }

    @Test func `a copy that fails leaves a file that somebody else has replaced meanwhile`() async throws {
        try await memory.removeItem(path: source.appending("deep"), recursive: true)
        try await memory.createFolder(path: source.appending("deep"))
        try await memory.writeContents(path: source.appending("deep").appending("last"), contents: Data([2]))
        storage.beforeWriting.update {
            $0 = { [memory] path in
                guard path.name == "last" else { return }
                let top = try ProviderPath("/copy/top")
                try await eventually { (try? await memory.attributesOfItem(path: top)) != nil }
                try await memory.writeContents(path: top, contents: Data([7]), overwrite: true)
                throw CocoaError(.fileWriteOutOfSpace)
            }
        }
        await #expect(throws: CocoaError.self) { try await storage.copyItem(path: source, to: copy) }
        #expect(try await names(below: copy) == ["/copy/top"])
        #expect(try await memory.contents(path: copy.appending("top")) == Data([7]))
    }

    @Test(arguments: CopyingStorage.Mark.allCases)
    func `a failed copy leaves a file of the same size that somebody else has put there`(mark: CopyingStorage.Mark)
        async throws
    {
        let storage = CopyingStorage(memory, mark: mark)
        try await memory.writeContents(path: source.appending("unchanged"), contents: Data([1]))
        let (top, unchanged) = (try copy.appending("top"), try copy.appending("unchanged"))
        storage.beforeCopying.update {
            $0 = { [memory, seen = storage.seen] path in
                guard path.name == "inner" else { return }
                try await eventually { seen.values.contains(top) && seen.values.contains(unchanged) }
                let foreign = WriteOptions(overwrite: true, modificationDate: Date(timeIntervalSince1970: 1))
                try await memory.writeContents(path: top, from: DataSource(Data("/TREE/TOP".utf8)), options: foreign)
                throw CocoaError(.fileWriteOutOfSpace)
            }
        }
        let error = await #expect(throws: CocoaError.self) { try await storage.copyItem(path: source, to: copy) }
        #expect(error?.code == .fileWriteOutOfSpace)
        // Where a look tells neither version nor date, no file is known to be the copy's own.
        let left = mark == .nothing ? ["/copy/top", "/copy/unchanged"] : ["/copy/top"]
        #expect(try await names(below: copy) == left)
        #expect(try await memory.contents(path: top) == Data("/TREE/TOP".utf8))
    }

    @Test func `a cancelled copy removes what it made`() async throws {
        let running = LockedValue<Task<Void, any Error>?>(nil)
        storage.beforeWriting.update {
            $0 = { path in
                guard path.name == "inner" else { return }
                try await eventually { running.value != nil }
                running.value?.cancel()
            }
        }
        let copying = Task { [storage, source, copy] in try await storage.copyItem(path: source, to: copy) }
        running.update { $0 = copying }
        let result = await copying.result
        #expect(throws: (any Error).self) { try result.get() }
        #expect(
            try await names(below: .root) == [
                "/tree", "/tree/deep", "/tree/deep/bare", "/tree/deep/inner", "/tree/top",
            ])
    }

    @Test(arguments: [false, true]) func `a folder with content is never copied onto`(overwrite: Bool) async throws {
        try await memory.createFolder(path: copy)
        try await memory.writeContents(path: copy.appending("own"), contents: Data([1]))
        let error = await #expect(throws: CocoaError.self) {
            try await storage.copyItem(path: source, to: copy, overwrite: overwrite)
        }
        #expect(error?.code == .fileWriteFileExists)
        #expect(try await names(below: copy) == ["/copy/own"])
    }

    @Test func `a move names the operation and the provider`() async throws {
        let error = await #expect(throws: CocoaError.self) { try await storage.moveItem(path: source, to: copy) }
        #expect(error?.code == .featureUnsupported && error?.sentence == "Unmoving cannot move here (“/tree”).")
    }
}
