import FileProviderCore
import Foundation
import MemoryFileProvider
import Sync
import Testing

/// Which items of a tree patterns and lists take, and what copies and removals make of that.
@Suite struct TreeSelectionTests {
    private func part(_ selection: TreeSelection, _ path: String) throws -> TreeSelection.Part {
        selection.part(of: try ProviderPath(path), isFolder: path.hasSuffix("/"))
    }

    private static let matched: [(String, TreeSelection.Part)] = [
        ("/a.epub", .taken), ("/a.txt", .leftOut), ("/b/", .passed), ("/b/c.epub", .taken), ("/x.epub/", .taken),
        ("/x.epub/y.txt", .taken), ("/b/x.epub/y/z", .taken), ("/cache/", .leftOut), ("/b/cache/", .leftOut),
        ("/cache", .leftOut),
        ("/priv/ate/", .leftOut), ("/priv/", .passed), ("/", .passed),
    ]

    @Test(arguments: matched)
    func `patterns take names and paths, and all in folders`(_ path: String, _ part: TreeSelection.Part) throws {
        let selection = try TreeSelection(including: ["*.epub"], excluding: ["cache/", "/priv/*"])
        #expect(try self.part(selection, path) == part)
    }

    private static let listed: [(String, TreeSelection.Part)] = [
        ("/", .passed), ("/a/", .passed), ("/a/b", .taken), ("/a/b/", .taken), ("/a/b/c", .taken), ("/a/x", .leftOut),
        ("/x/", .leftOut), ("/a", .leftOut),
    ]

    @Test(arguments: listed)
    func `a list takes its items, and passes the folders above them`(_ path: String, _ part: TreeSelection.Part) throws
    {
        let selection = try TreeSelection(paths: [ProviderPath("a/b")])
        #expect(try self.part(selection, path) == part)
        #expect(try self.part(TreeSelection(paths: [.root]), path) == .taken)
        #expect(try self.part(TreeSelection(paths: []), path) == (path == "/" ? .passed : .leftOut))
    }

    @Test func `lines of lists are read as find prints them`() throws {
        for line in ["a/b", "/a/b", "./a/b", "a/./b/", "a/b/."] {
            #expect(try TreeSelection.path(ofLine: line.utf8) == ProviderPath("a/b"))
        }
        #expect(try TreeSelection.path(ofLine: []) == nil)
        #expect(try TreeSelection.path(ofLine: ".".utf8) == .root)
        #expect(try TreeSelection.path(ofLine: [0x66, 0xFF])?.bytes == [0x66, 0xFF])
        for line in ["..", "a/../b", "a//b", "a\0b"] {
            #expect(throws: CocoaError.self) { try TreeSelection.path(ofLine: line.utf8) }
        }
    }

    private let memory = MemoryFileProvider(MemoryConfiguration(name: "selected"))

    private func fill() async throws {
        for folder in ["a", "a/deep", "b", "empty"] { try await memory.createFolder(path: ProviderPath(folder)) }
        for file in ["1.epub", "a/2.txt", "a/deep/3.epub", "b/4.txt"] {
            try await memory.writeContents(path: ProviderPath(file), contents: Data(file.utf8))
        }
    }

    private func names(_ provider: any FileProvider) async throws -> [String] {
        let found = CollectedValues<String>()
        try await provider.walk(path: .root) { found.append($0.path.string) }
        return found.values.sorted()
    }

    @Test func `a copy makes only folders in which something is copied`() async throws {
        try await fill()
        let target = MemoryFileProvider(MemoryConfiguration(name: "target"))
        var copy = TreeCopy()
        copy.selection = try TreeSelection(including: ["*.epub"])
        let planned = CollectedValues<String>()
        let plan = try await copy.planFolder(.root, of: memory, to: ProviderPath("c"), of: target) {
            planned.append($1.string)
        }
        #expect(try await names(target) == [])
        let outcome = try await copy.copyFolder(.root, of: memory, to: ProviderPath("c"), of: target)
        #expect(try await names(target) == ["/c", "/c/1.epub", "/c/a", "/c/a/deep", "/c/a/deep/3.epub"])
        #expect(outcome.copied == 2 && outcome.failed.isEmpty && plan.copied == 2 && plan.bytes == outcome.bytes)
        #expect(planned.values.sorted() == ["/c/1.epub", "/c/a/deep/3.epub"])
        // Over what is there, the plan fails where the copy does.
        let again = try await copy.planFolder(.root, of: memory, to: ProviderPath("c"), of: target) { _, _ in }
        let copied = try await copy.copyFolder(.root, of: memory, to: ProviderPath("c"), of: target)
        #expect(
            again.failed.map(\.path.string).sorted() == copied.failed.map(\.path.string).sorted()
                && copied.failed.count == 2)
    }

    @Test func `a removal leaves the folders in which something stays`() async throws {
        try await fill()
        let named = CollectedValues<String>()
        let dry = TreeRemoval(try TreeSelection(excluding: ["4*"]), isDryRun: true)
        let plan = try await dry.remove(.root, of: memory) { named.append($0.string) }
        #expect(
            plan.removed == 6
                && named.values.sorted() == ["/1.epub", "/a", "/a/2.txt", "/a/deep", "/a/deep/3.epub", "/empty"])
        #expect(try await names(memory).count == 8)
        let some = try await TreeRemoval(try TreeSelection(including: ["*.epub"])).remove(.root, of: memory)
        #expect(some.removed == 2 && some.failed.isEmpty)
        #expect(try await names(memory) == ["/a", "/a/2.txt", "/a/deep", "/b", "/b/4.txt", "/empty"])
        let outcome = try await TreeRemoval(try TreeSelection(excluding: ["4*"])).remove(.root, of: memory)
        #expect(outcome.removed == 4 && outcome.failed.isEmpty)
        #expect(try await names(memory) == ["/b", "/b/4.txt"])
        #expect(try await TreeRemoval().remove(ProviderPath("b"), of: memory).removed == 2)
        #expect(try await names(memory) == [])
    }
}
