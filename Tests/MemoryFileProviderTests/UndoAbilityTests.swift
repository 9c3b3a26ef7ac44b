import FileProviderCore
import FileProviderUndo
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Testing

/// A memory that makes links, as files that hold their target, shares, and has one hash for all.
private final class LinkingProvider: ForwardingProvider, FileProviderSymbolicLink, FileProviderSharing,
    FileProviderChecksums
{
    static let type = "Linking"
    let underlying: any FileProvider = MemoryFileProvider()

    func createSymbolicLink(path: ProviderPath, target: [UInt8]) async throws {
        try await underlying.writeContents(path: path, contents: Data(target))
    }

    func destinationOfSymbolicLink(path: ProviderPath) async throws -> FileObject {
        try await underlying.attributesOfItem(path: ProviderPath(bytes: underlying.contents(path: path)))
    }

    func publicLink(to path: ProviderPath) async throws -> PublicLink { PublicLink(url: url(of: path)) }

    func checksum(of path: ProviderPath, kind: String) async throws -> String { "\(kind) of \(path)" }
}

@Suite struct UndoAbilityTests {
    @Test func `the versions of the base pass through`() async throws {
        let provider: any FileProvider & FileProviderUndoable = try
            (KeepingProvider(MemoryFileProvider()) as any FileProvider).undoable()
        let keeping = try #require(provider as? any FileProviderVersions)
        #expect(provider as? any FileProviderTrash == nil)
        let version = try #require(try await keeping.versions(of: ProviderPath("f")).first)
        try await keeping.restore(version)
        #expect(try await keeping.open(version).read(.whole).data == Data("1".utf8))
        #expect(!provider.undoManager.canUndo)
    }

    @Test func `the abilities of the base are found on what wraps it`() async throws {
        let provider: any FileProvider & FileProviderUndoable = try (LinkingProvider() as any FileProvider).undoable()
        let sharing = try #require(provider as? any FileProviderSharing)
        #expect(try await sharing.publicLink(to: ProviderPath("/a")).url.absoluteString == "mem://memory/a")
        let hashing = try #require(provider as? any FileProviderChecksums)
        #expect(try await hashing.checksum(of: ProviderPath("/a"), kind: "md5") == "md5 of /a")
        #expect(provider as? any FileProviderPushWrite == nil)
        #expect(provider.type == "Linking")
        let linking = try #require(provider as? any FileProviderSymbolicLink)
        try await provider.write("a", to: "/a")
        try await linking.createSymbolicLink(path: ProviderPath("/link"), target: Array("a".utf8))
        #expect(try await linking.destinationOfSymbolicLink(path: ProviderPath("/link")).path.string == "/a")
        #expect(provider.undoManager.undoTitle == "Undo Linking link")
        #expect(try await provider.canUndo(operation: .link(link: "link", target: "/a")))
        try await provider.undoManager.undo()
        #expect(try await provider.tree() == ["/a": "a"])
        try await provider.undoManager.redo()
        #expect(try await provider.tree() == ["/a": "a", "/link": "a"])
    }

    @Test func `canUndo tells the truth about every kind of operation before it is done`() async throws {
        let provider = try MemoryFileProvider().undoable()
        try await provider.write("a", to: "/a")
        try await provider.makeFolder("/full")
        try await provider.write("b", to: "/full/b")
        provider.undoManager.removeAll()
        let possible: [FileOperationType] = [
            .create(path: "/new"), .modify(path: "/new"), .modify(path: "/a"), .remove(path: "/full"),
            .link(link: "/l", target: "/a"),
            .move(source: "/a", destination: "/new"), .copy(source: "/full", destination: "/new"),
            .move(source: "/a", destination: "/full/b"),
        ]
        for operation in possible { #expect(try await provider.canUndo(operation: operation), "\(operation)") }
        let impossible: [FileOperationType] = [
            .fetch(path: "/a"), .remove(path: "/nothing"), .remove(path: "/"), .create(path: "/.carrel-trash"),
            .modify(path: "/.carrel-trash/a"), .move(source: "/.carrel-trash/a", destination: "/b"),
            .remove(path: "/.carrel-trash"),
        ]
        for operation in impossible { #expect(try await !provider.canUndo(operation: operation), "\(operation)") }
    }
}
