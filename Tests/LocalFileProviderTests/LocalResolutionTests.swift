import FileProviderCore
import Foundation
import LocalFileProvider
import Testing

@Suite struct LocalResolutionTests {
    @Test(
        arguments: [
            ("/link", "../outside"), ("/link", "folder/../../outside"), ("/link", "/etc"), ("/link", "."),
            ("/link", "folder/../.."),
            ("/link", "../root/folder"), ("/link", "inner"),
        ], KernelCalls.bothWaysDown)
    func `a link that leads out of the root is refused with a sentence`(
        link: (name: String, target: String), calls: KernelCalls
    )
        async throws
    {
        let (name, target) = link
        let folder = try TestFolder(calls: calls)
        // A link that leads to one that leads out.
        folder.link("/inner", to: folder.base + "/outside")
        try folder.makeFolder("/folder")
        try FileManager.default.createDirectory(atPath: folder.base + "/outside", withIntermediateDirectories: true)
        try Data("out".utf8).write(to: URL(fileURLWithPath: folder.base + "/outside/file"))
        folder.link(name, to: target)
        if target == "." {
            #expect(try await folder.provider.contentsOfDirectory(path: ProviderPath(name)).count == 3)
            return
        }
        let provider = folder.provider
        let below = try ProviderPath(name).appending("file")
        await #expect { try await provider.contentsOfDirectory(path: ProviderPath(name)) } throws: {
            $0.fileCode == .fileReadNoPermission && $0.sentence.contains("leads out of this provider's root")
        }
        await #expect { try await provider.open(path: below) } throws: { $0.fileCode == .fileReadNoPermission }
        await #expect { try await provider.writeContents(path: below, contents: Data(), overwrite: true) } throws: {
            $0.fileCode == .fileReadNoPermission
        }
        await #expect { try await provider.removeItem(path: below) } throws: { $0.fileCode == .fileReadNoPermission }
        #expect(try await provider.attributesOfItem(path: ProviderPath(name)).linkTarget == Array(target.utf8))
        try await provider.removeItem(path: ProviderPath(name))
        #expect(FileManager.default.fileExists(atPath: folder.base + "/outside/file"))
    }

    @Test(arguments: ["b/file", "./b/file", "b/../b//file", "b/up/b/file", "b/here/file"], KernelCalls.bothWaysDown)
    func `a link that stays below the root is followed`(target: String, calls: KernelCalls) async throws {
        let folder = try TestFolder(calls: calls)
        try folder.makeFolder("/a/b")
        try folder.put("inside", at: "/a/b/file")
        folder.link("/a/b/up", to: "..")
        folder.link("/a/b/here", to: "../b/.")
        folder.link("/a/link", to: target)
        folder.link("/short", to: "a")
        #expect(try await folder.provider.text("/short/link") == "inside")
        #expect(try await folder.provider.contentsOfDirectory(path: ProviderPath("/a/b/up")).count == 2)
    }

    @Test(arguments: KernelCalls.bothWaysDown)
    func `links in a circle are an error`(calls: KernelCalls) async throws {
        let folder = try TestFolder(calls: calls)
        folder.link("/a", to: "b")
        folder.link("/b", to: "a")
        await #expect { try await folder.provider.open(path: ProviderPath("/a")) } throws: { $0.cause == .ELOOP }
        #expect(try await folder.provider.attributesOfItem(path: ProviderPath("/a")).type == .symbolicLink)
    }

    @Test(arguments: KernelCalls.bothWaysDown)
    func `an absolute link is followed where the root is the machine's`(calls: KernelCalls) async throws {
        let folder = try TestFolder(calls: calls)
        try folder.put("inside", at: "/file")
        folder.link("/link", to: folder.root + "/../root/file")
        folder.link("/high", to: String(repeating: "../", count: 40) + "etc")
        folder.link("/folder", to: folder.root)
        let machine = try TestFolder.machine(calls: calls)
        #expect(try await machine.text(folder.root + "/link") == "inside")
        #expect(try await machine.text(folder.root + "/folder/link") == "inside")
        #expect(
            try await machine.contentsOfDirectory(path: ProviderPath(folder.root + "/high")).contains {
                $0.name == "passwd"
            })
    }

    @Test(arguments: KernelCalls.bothWaysDown)
    func `a file on the way is no folder, and a missing item does not exist`(calls: KernelCalls) async throws {
        let folder = try TestFolder(calls: calls)
        try folder.put("x", at: "/file")
        let provider = folder.provider
        await #expect { try await provider.attributesOfItem(path: ProviderPath("/file/below")) } throws: {
            $0.cause == .ENOTDIR
        }
        await #expect { try await provider.contentsOfDirectory(path: ProviderPath("/file")) } throws: {
            $0.fileCode == .fileReadUnknown && $0.cause == .ENOTDIR
        }
        await #expect { try await provider.attributesOfItem(path: ProviderPath("/no/where")) } throws: {
            $0.fileCode == .fileReadNoSuchFile
                && (($0 as? CocoaError)?.userInfo[NSURLErrorKey] as? URL)?.path == folder.root + "/no/where"
        }
        await #expect { try await provider.write("x", to: "/no/where") } throws: { $0.fileCode == .fileNoSuchFile }
    }

    @Test(arguments: KernelCalls.bothWaysDown)
    func `forty links on the way are passed, and no more`(calls: KernelCalls) async throws {
        let folder = try TestFolder(calls: calls)
        try folder.put("end", at: "/0")
        for number in 1...41 { folder.link("/\(number)", to: "\(number - 1)") }
        #expect(try await folder.provider.text("/40") == "end")
        await #expect { try await folder.provider.text("/41") } throws: { $0.cause == .ELOOP }
    }

    @Test(arguments: KernelCalls.bothWaysDown)
    func `a path that is longer than the kernel takes at once is walked`(calls: KernelCalls) async throws {
        let folder = try TestFolder(calls: calls)
        let name = String(repeating: "n", count: 200)
        var path = ProviderPath.root
        for _ in 0..<30 {
            path = try path.appending(name)
            try await folder.provider.createFolder(path: path)
        }
        #expect(path.bytes.count > Int(PATH_MAX))
        try await folder.provider.write("deep", to: path.appending("file").string)
        #expect(try await folder.provider.text(path.appending("file").string) == "deep")
        try await folder.provider.removeItem(path: ProviderPath("/" + name))
    }
}
