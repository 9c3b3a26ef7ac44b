import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import Testing

/// What a provider makes of a service whose server keeps removed files and versions.
@Suite struct HTTPHistoryTests {
    private let options = ConnectionOptions(
        timeouts: Timeouts(connect: 20, idle: 60), retries: RetryPolicy(retries: 0), cache: CachePolicy(lifetime: 600))

    private func provider(_ server: ArchiveServer) throws -> HTTPFileProvider<ArchiveService> {
        try HTTPFileProvider(service: ArchiveService(), url: server.url, options: options)
    }

    /// - Parameter code: What `attempt` fails with.
    private func expect(
        _ code: CocoaError.Code, at location: SourceLocation = #_sourceLocation,
        _ attempt: () async throws -> Void
    ) async {
        let error = await #expect(throws: CocoaError.self, sourceLocation: location) { try await attempt() }
        #expect(error?.code == code, sourceLocation: location)
    }

    // MARK: Removed files

    @Test func `removed files are listed page by page, of the folder and from below it alone`() async throws {
        let server = try ArchiveServer()
        let provider = try provider(server)
        for path in ["/d/a", "/e", "/d/deep/b", "/d/c"] {
            try server.put(path, path)
            try await provider.removeItem(path: ProviderPath(path))
        }
        let pages = CollectedValues<Int>()
        try await provider.trashItems(below: ProviderPath("d")) { pages.append($0.count) }
        #expect(pages.values == [2, 1])
        let items = try await provider.trashItems(below: ProviderPath("d"))
        #expect(items.map(\.path.string) == ["/d/a", "/d/c", "/d/deep/b"])
        #expect(items.map(\.identifier) == ["1", "4", "3"] && items.map(\.size) == [4, 4, 9])
        #expect(try await provider.trashItems().count == 4)
    }

    @Test func `a removed file comes back once, and what was remembered of its folder is not used afterwards`()
        async throws
    {
        let server = try ArchiveServer()
        let provider = try provider(server)
        try server.put("a", "text")
        let path = try ProviderPath("a")
        try await provider.removeItem(path: path)
        #expect(try await provider.contentsOfDirectory(path: .root).isEmpty)
        let item = try #require(try await provider.trashItems().first)
        try await provider.restore(item)
        #expect(try await provider.contentsOfDirectory(path: .root).map(\.path) == [path])
        #expect(try await provider.contents(path: path) == Data("text".utf8))
        #expect(try await provider.trashItems().isEmpty)
        await expect(.fileNoSuchFile) { try await provider.restore(item) }
        await expect(.fileNoSuchFile) { try await provider.removeFromTrash(item) }
        #expect(try await provider.contents(path: path) == Data("text".utf8))
    }

    @Test func `two removed files of one path are two items, each restored and removed by its identifier`()
        async throws
    {
        let server = try ArchiveServer()
        let provider = try provider(server)
        let path = try ProviderPath("a")
        for text in ["first", "second!"] {
            try server.put("a", text)
            try await provider.removeItem(path: path)
        }
        let items = try await provider.trashItems().sorted { $0.identifier < $1.identifier }
        #expect(items.map(\.path) == [path, path] && items.map(\.identifier) == ["1", "2"])
        try await provider.restore(items[0])
        #expect(try await provider.contents(path: path) == Data("first".utf8))
        await expect(.fileWriteFileExists) { try await provider.restore(items[1]) }
        #expect(try await provider.contents(path: path) == Data("first".utf8))
        #expect(try await provider.trashItems() == [items[1]])
        try await provider.removeFromTrash(items[1])
        #expect(try await provider.trashItems().isEmpty)
        #expect(try await provider.contents(path: path) == Data("first".utf8))
    }

    @Test func `removed files and versions under a name that is not UTF-8 are not asked for`() async throws {
        let server = try ArchiveServer()
        let provider = try provider(server)
        let path = try ProviderPath(bytes: [0x66, 0xFF])
        let item = TrashItem(identifier: "1", path: path, type: .regular)
        let version = FileVersion(identifier: "1", path: path)
        await expect(.fileReadNoSuchFile) { _ = try await provider.trashItems(below: path) }
        await expect(.fileNoSuchFile) { try await provider.restore(item) }
        await expect(.fileNoSuchFile) { try await provider.removeFromTrash(item) }
        await expect(.fileReadNoSuchFile) { _ = try await provider.versions(of: path) }
        await expect(.fileReadNoSuchFile) { _ = try await provider.open(version) }
        await expect(.fileNoSuchFile) { try await provider.restore(version) }
        #expect(server.requests.isEmpty)
    }

    // MARK: Versions

    @Test func `versions are listed, read, and made the newest`() async throws {
        let server = try ArchiveServer()
        let provider = try provider(server)
        for text in ["one", "two!"] { try server.put("f", text) }
        let path = try ProviderPath("f")
        let versions = try await provider.versions(of: path)
        #expect(versions.map(\.identifier) == ["2", "1"] && versions.map(\.size) == [4, 3])
        #expect(versions.map(\.isCurrent) == [true, false] && versions.map(\.path) == [path, path])
        let first = try #require(versions.last)
        #expect(try await provider.open(first).read(.whole).data == Data("one".utf8))
        // Remembered.
        #expect(try await provider.contentsOfDirectory(path: .root).map(\.size) == [4])
        try await provider.restore(first)
        #expect(try await provider.attributesOfItem(path: path).size == 3)
        #expect(try await provider.contents(path: path) == Data("one".utf8))
        #expect(try await provider.versions(of: path).map(\.size) == [3, 4, 3])
    }

    @Test func `a version that is gone is neither read nor restored`() async throws {
        let server = try ArchiveServer()
        let provider = try provider(server)
        try server.put("f", "one")
        let gone = FileVersion(identifier: "9", path: try ProviderPath("f"))
        let reader = try await provider.open(gone)
        await expect(.fileReadNoSuchFile) { _ = try await reader.read(.whole) }
        await expect(.fileNoSuchFile) { try await provider.restore(gone) }
        await expect(.fileReadNoSuchFile) { _ = try await provider.versions(of: ProviderPath("none")) }
        #expect(try await provider.versions(of: gone.path).count == 1)
    }
}
