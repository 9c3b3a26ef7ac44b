import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Testing

/// Copies within a storage that takes two names for one item.
@Suite struct FoldedNamesCopyTests {
    /// In what the two names differ.
    enum Difference: CaseIterable {
        case letters, form

        var kind: BlindStorage.Kind { self == .letters ? .inCase : .inForm }
        var name: String { self == .letters ? "Folder" : "\u{E9}" }
        var otherName: String { self == .letters ? "folder" : "e\u{301}" }
    }

    private let memory = MemoryFileProvider(MemoryConfiguration(name: "folding"))

    private func storage(_ difference: Difference, moves: Bool) -> any FileProvider {
        let storage = BlindStorage(difference.kind, underlying: memory, knowsItself: true)
        return moves ? storage : UnmovingStorage(storage)
    }

    private func names() async throws -> [String] {
        let found = CollectedValues<String>()
        try await memory.walk(path: .root) { found.append($0.path.string) }
        return found.values.sorted()
    }

    @Test(arguments: Difference.allCases, [true, false])
    func `an item is not copied onto itself under the other name`(difference: Difference, moves: Bool) async throws {
        let storage = storage(difference, moves: moves)
        let (path, other) = (try ProviderPath(difference.name), try ProviderPath(difference.otherName))
        for isFolder in [true, false] {
            if isFolder {
                try await memory.createFolder(path: path)
            } else {
                try await memory.removeItem(path: path)
                try await memory.writeContents(path: path, contents: Data([1]))
            }
            let error = await #expect(throws: CocoaError.self) {
                try await storage.copyThroughThisMachine(
                    path: path, to: other, overwrite: true, progress: ProgressReporter())
            }
            #expect(error?.code == .fileWriteFileExists)
            #expect(try await memory.attributesOfItem(path: path).isDirectory == isFolder)
        }
    }

    @Test(arguments: Difference.allCases, [true, false])
    func `a folder is not copied into itself under the other name`(difference: Difference, moves: Bool) async throws {
        let storage = storage(difference, moves: moves)
        let path = try ProviderPath(difference.name)
        let inside = try ProviderPath(difference.otherName).appending("inside")
        try await memory.createFolder(path: path)
        try await memory.writeContents(path: path.appending("file"), contents: Data([1]))
        let before = try await names()
        let error = await #expect(throws: CocoaError.self) {
            try await storage.copyThroughThisMachine(
                path: path, to: inside, overwrite: false, progress: ProgressReporter())
        }
        #expect(error?.code == .fileWriteInvalidFileName)
        let treeError = await #expect(throws: CocoaError.self) {
            try await TreeCopy().copyFolder(path, of: storage, to: inside, of: storage)
        }
        #expect(treeError?.code == .fileWriteInvalidFileName)
        #expect(try await names() == before)
    }
}
