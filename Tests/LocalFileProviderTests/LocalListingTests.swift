import FileProviderCore
import Foundation
import LocalFileProvider
import Testing

@Suite struct LocalListingTests {
    @Test func `a listing tells type, size, time, permissions, version and link target`() async throws {
        let folder = try TestFolder()
        let start = Date.now
        try folder.put("12345", at: "/file", permissions: 0o640)
        try folder.makeFolder("/folder")
        folder.link("/link", to: "nowhere")
        #expect(mkfifo(folder.root + "/pipe", 0o600) == 0)
        let items = try await folder.provider.contentsOfDirectory(path: .root)
        let named = Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0) })
        let file = try #require(named["file"])
        #expect(file.type == .regular && file.size == 5 && file.permissions == 0o640)
        // The kernel's clock for files runs in steps of a few milliseconds.
        #expect((start - 1...Date.now + 1).contains(try #require(file.modifiedDate)))
        #expect(file.entryTag?.hasPrefix("\"") == true)
        #expect(named["folder"]?.type == .directory && named["folder"]?.size == nil)
        #expect(named["link"]?.type == .symbolicLink && named["link"]?.linkTarget == Array("nowhere".utf8))
        #expect(named["pipe"]?.type == .other)
        #expect(items.count == 4)
        #expect(try await folder.provider.attributesOfItem(path: file.path).entryTag == file.entryTag)
        // Where the disk keeps it.
        if let created = file.creationDate { #expect((start - 1...Date.now + 1).contains(created)) }
    }

    @Test func `an item is known by its identity wherever it is moved, and one that comes after it is another`()
        async throws
    {
        let folder = try TestFolder()
        var known: Set<String> = []
        for round in 0..<20 {
            let path = try ProviderPath("/\(round)")
            try folder.put("text", at: path.string)
            let item = try await folder.provider.attributesOfItem(path: path)
            #expect(known.insert(try #require(item.identity)).inserted)
            let moved = try ProviderPath("/moved")
            try await folder.provider.moveItem(path: path, to: moved)
            #expect(try await folder.provider.attributesOfItem(path: moved).identity == item.identity)
            try await folder.provider.removeItem(path: moved)
        }
    }

    @Test func `a large folder comes in pages, each item once`() async throws {
        let folder = try TestFolder()
        for number in 0..<2500 { try folder.put("", at: "/\(number)") }
        let pages = CollectedValues<Int>()
        let names = CollectedValues<String>()
        try await folder.provider.contentsOfDirectory(path: .root) { page in
            pages.append(page.count)
            names.append(page.map(\.name))
        }
        #expect(pages.values.count == 3 && pages.values.max() == 1000)
        #expect(Set(names.values).count == 2500 && names.values.count == 2500)
    }

    @Test func `an error of the page ends the listing`() async throws {
        let folder = try TestFolder()
        try folder.put("", at: "/a")
        await #expect(throws: URLError.self) {
            try await folder.provider.contentsOfDirectory(path: .root) { _ in throw URLError(.cancelled) }
        }
    }

    @Test(
        arguments: [
            [0xFF, 0x61], [0x63, 0x61, 0x66, 0xE9], [0x0A], [0x25, 0x32, 0x46], [0x5C], [0xF4, 0x8F, 0xBF, 0xBF],
        ] as [[UInt8]])
    func `names that are not UTF-8 or look odd are kept byte by byte`(name: [UInt8]) async throws {
        let folder = try TestFolder()
        let provider = folder.provider
        let path = try ProviderPath.root.appending(nameBytes: name)
        try await provider.writeContents(path: path, contents: Data("x".utf8))
        let listed = try await provider.contentsOfDirectory(path: .root)
        #expect(listed.map(\.path) == [path])
        #expect(try ProviderPath(path.string) == path)
        let second = try ProviderPath.root.appending(nameBytes: name + [0x62])
        try await provider.moveItem(path: path, to: second)
        try await provider.copyItem(path: second, to: path)
        try await provider.removeItem(path: second)
        let url = provider.url(of: path)
        #expect(try await LocalFileProvider.registration.location(of: url).provider.contentsOf(url) == Data("x".utf8))
    }

    @Test func `names in NFC and NFD are two files`() async throws {
        let folder = try TestFolder()
        try await folder.provider.write("composed", to: "/caf\u{E9}")
        try await folder.provider.write("decomposed", to: "/cafe\u{301}")
        #expect(try await folder.provider.contentsOfDirectory(path: .root).count == 2)
        #expect(try await folder.provider.text("/caf\u{E9}") == "composed")
        #expect(try await folder.provider.text("/cafe\u{301}") == "decomposed")
    }

    @Test func `the root is a folder that is there`() async throws {
        let folder = try TestFolder()
        #expect(try await folder.provider.attributesOfItem(path: .root).isDirectory)
        #expect(folder.provider.baseURL?.absoluteString == "file://\(folder.root)/")
        let volume = try #require(try await folder.provider.storageProperties())
        #expect(try #require(volume.totalCapacity) > 0 && volume.isReadOnly == false)
    }

    @Test func `a root that is no folder is refused`() throws {
        let folder = try TestFolder()
        try folder.put("x", at: "/file")
        #expect { try LocalFileProvider(root: URL(fileURLWithPath: folder.root + "/file")) } throws: {
            $0.cause == .ENOTDIR
        }
        #expect { try LocalFileProvider(root: URL(fileURLWithPath: folder.root + "/none")) } throws: {
            $0.fileCode == .fileReadNoSuchFile
        }
        #expect { try LocalFileProvider(root: #require(URL(string: "http://h/"))) } throws: {
            $0.fileCode == .fileReadUnsupportedScheme
        }
        _ = try LocalFileProvider(root: URL(fileURLWithPath: folder.root + "/../root"))
    }

    @Test func `a configuration survives its coded form`() throws {
        let configuration = try LocalConfiguration(root: URL(fileURLWithPath: "/a b/c"))
        #expect(configuration.root == "/a b/c")
        #expect(
            try JSONDecoder().decode(LocalConfiguration.self, from: JSONEncoder().encode(configuration))
                == configuration)
    }

    @Test func `a file URL of another machine is refused`() async throws {
        let registry = ProviderRegistry()
        try registry.register(LocalFileProvider.registration)
        let url = try #require(URL(string: "file://server/share"))
        await #expect { try await registry.location(of: url) } throws: { ($0 as? URLError)?.code == .unsupportedURL }
    }
}

extension ProviderRegistration {
    fileprivate func location(of url: URL) async throws -> ProviderLocation {
        let registry = ProviderRegistry()
        try registry.register(self)
        return try await registry.location(of: url)
    }
}

extension FileProviderReadWrite {
    fileprivate func contentsOf(_ url: URL) async throws -> Data {
        try await contents(path: ProviderPath(percentEncoded: url.path(percentEncoded: true)))
    }
}
