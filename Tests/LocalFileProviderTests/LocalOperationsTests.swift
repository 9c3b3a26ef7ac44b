import FileProviderCore
import Foundation
import LocalFileProvider
import Testing

@Suite struct LocalOperationsTests {
    typealias Before = LocalWritingTests.Before

    @Test(arguments: [Before.file, .fullFolder, .link], Before.allCases)
    func `moving and copying replace a file or an empty folder when they may, and nothing else`(
        source: Before, before: Before
    ) async throws {
        let ways = KernelCalls.waysToTakeAName.flatMap { calls in
            [(false, false), (false, true), (true, false), (true, true)].map { (calls, $0.0, $0.1) }
        }
        for (calls, copies, overwrite) in ways {
            let folder = try TestFolder(in: "/dev/shm", calls: calls)
            try LocalWritingTests.prepare(source, at: "/source", in: folder)
            try LocalWritingTests.prepare(before, at: "/target", in: folder)
            let untouched = try folder.names()
            let kind = try await folder.provider.attributesOfItem(path: ProviderPath("/source")).type
            func run() async throws {
                if copies {
                    try await folder.provider.copy("/source", to: "/target", overwrite: overwrite)
                } else {
                    try await folder.provider.move("/source", to: "/target", overwrite: overwrite)
                }
            }
            if before == .nothing || (overwrite && before != .fullFolder) {
                try await run()
                #expect(try await folder.provider.attributesOfItem(path: ProviderPath("/target")).type == kind)
                #expect(try folder.names().contains("source") == copies)
                #expect(try folder.names().contains("target/full") == (source == .fullFolder))
            } else {
                await #expect { try await run() } throws: {
                    $0.fileCode == .fileWriteFileExists && (!overwrite || $0.cause == .ENOTEMPTY)
                }
                #expect(try folder.names() == untouched)
            }
        }
    }

    @Test(arguments: KernelCalls.waysToTakeAName)
    func `a folder goes neither into itself nor onto itself, also through links`(calls: KernelCalls) async throws {
        let folder = try TestFolder(in: "/dev/shm", calls: calls)
        try folder.makeFolder("/a/b")
        folder.link("/a/b/again", to: "..")
        folder.link("/other", to: "a/b")
        let before = try folder.names()
        for destination in ["/a/b/c", "/other/c", "/a/b/again/c"] {
            for overwrite in [false, true] {
                await #expect { try await folder.provider.move("/a", to: destination, overwrite: overwrite) } throws: {
                    $0.fileCode == .fileWriteInvalidFileName
                }
                await #expect { try await folder.provider.copy("/a", to: destination, overwrite: overwrite) } throws: {
                    $0.fileCode == .fileWriteInvalidFileName
                }
            }
        }
        await #expect { try await folder.provider.move("/a", to: "/a", overwrite: true) } throws: {
            $0.fileCode == .fileWriteFileExists
        }
        await #expect { try await folder.provider.copy("/a", to: "/a", overwrite: true) } throws: {
            $0.fileCode == .fileWriteFileExists
        }
        #expect(try folder.names() == before)
    }

    @Test func `a file moved onto its other name is one name less, and onto itself through a link still there`()
        async throws
    {
        let folder = try TestFolder()
        try folder.put("x", at: "/one")
        #expect(link(folder.root + "/one", folder.root + "/two") == 0)
        try await folder.provider.move("/one", to: "/two", overwrite: true)
        #expect(try folder.names() == ["two"])
        #expect(link(folder.root + "/two", folder.root + "/three") == 0)
        folder.link("/here", to: ".")
        try await folder.provider.move("/two", to: "/here/two", overwrite: true)
        #expect(folder.text("/two") == "x")
    }

    @Test func `the root stays`() async throws {
        let folder = try TestFolder()
        await #expect { try await folder.provider.removeItem(path: .root) } throws: {
            $0.fileCode == .fileWriteNoPermission
        }
        await #expect { try await folder.provider.move("/", to: "/a") } throws: {
            $0.fileCode == .fileWriteNoPermission
        }
        await #expect { try await folder.provider.createFolder(path: .root) } throws: {
            $0.fileCode == .fileWriteFileExists
        }
        await #expect { try await folder.provider.write("x", to: "/") } throws: { $0.cause == .EISDIR }
    }

    @Test func `folders are made one by one, or with those above`() async throws {
        let folder = try TestFolder()
        let provider = folder.provider
        await #expect { try await provider.createFolder(path: ProviderPath("/a/b")) } throws: {
            $0.fileCode == .fileNoSuchFile
        }
        try await provider.createFolderWithParents(path: ProviderPath("/a/b/c"))
        try await provider.createFolderWithParents(path: ProviderPath("/a/b/c"))
        await #expect { try await provider.createFolder(path: ProviderPath("/a/b")) } throws: {
            $0.fileCode == .fileWriteFileExists
        }
        #expect(try folder.names() == ["a", "a/b", "a/b/c"])
    }

    @Test func `missing items are named as such`() async throws {
        let folder = try TestFolder()
        await #expect { try await folder.provider.move("/none", to: "/a") } throws: { $0.fileCode == .fileNoSuchFile }
        await #expect { try await folder.provider.copy("/none", to: "/a") } throws: { $0.fileCode == .fileNoSuchFile }
        await #expect { try await folder.provider.removeItem(path: ProviderPath("/none")) } throws: {
            $0.fileCode == .fileNoSuchFile
        }
    }

    @Test func `between file systems a tree is copied and then removed`() async throws {
        let here = try TestFolder()
        let there = try TestFolder(in: "/dev/shm")
        var one = stat()
        var other = stat()
        try #require(stat(here.root, &one) == 0 && stat(there.root, &other) == 0)
        guard one.st_dev != other.st_dev else { return }
        try here.makeFolder("/tree/sub")
        try here.put("x", at: "/tree/sub/file", permissions: 0o600)
        here.link("/tree/link", to: "sub")
        let machine = try LocalFileProvider(root: URL(fileURLWithPath: "/"))
        try await machine.move(here.root + "/tree", to: there.root + "/tree")
        #expect(try here.names() == [])
        #expect(try there.names() == ["tree", "tree/link", "tree/sub", "tree/sub/file"])
        try await machine.copy(there.root + "/tree/sub/file", to: here.root + "/file")
        #expect(here.text("/file") == "x")
        try there.put("new", at: "/file")
        try await machine.move(there.root + "/file", to: here.root + "/file", overwrite: true)
        #expect(here.text("/file") == "new")
        #expect(there.text("/file") == nil)
    }

    /// What stands in for a move that takes a free name in one step still lets exactly one win.
    @Test(arguments: KernelCalls.waysToTakeAName, [false, true])
    func `of two items moved to one name at once exactly one arrives`(calls: KernelCalls, isFolder: Bool) async throws {
        let folder = try TestFolder(in: "/dev/shm", calls: calls)
        let provider = folder.provider
        for round in 0..<50 {
            for name in ["/one", "/two"] {
                if isFolder {
                    try folder.makeFolder("\(name)\(round)/\(name)")
                } else {
                    try folder.put(name, at: "\(name)\(round)")
                }
            }
            let errors = await withTaskGroup(of: (any Error)?.self) { group in
                for name in ["/one", "/two"] {
                    group.addTask {
                        do { try await provider.move("\(name)\(round)", to: "/target\(round)") } catch { return error }
                        return nil
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(errors.compactMap(\.self).map(\.fileCode) == [.fileWriteFileExists])
        }
        // Each winner at its new place, each loser where it was, and nothing else.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.root).count == 100)
        #expect(try folder.names().count == (isFolder ? 200 : 100))
    }
}
