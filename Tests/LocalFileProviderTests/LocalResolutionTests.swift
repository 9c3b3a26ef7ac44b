import FileProviderCore
import Foundation
import LocalFileProvider
import Synchronization
import Testing

@Suite struct LocalResolutionTests {
    @Test(arguments: [
        ("/link", "../outside"), ("/link", "folder/../../outside"), ("/link", "/etc"), ("/link", "."), ("/link", "folder/../.."),
    ])
    func `a link that leads out of the root is refused with a sentence`(name: String, target: String) async throws {
        let folder = try TestFolder()
        try folder.makeFolder("/folder")
        try FileManager.default.createDirectory(atPath: folder.place + "/outside", withIntermediateDirectories: true)
        try Data("out".utf8).write(to: URL(fileURLWithPath: folder.place + "/outside/file"))
        folder.link(name, to: target)
        if target == "." {
            #expect(try await folder.provider.contentsOfDirectory(path: ProviderPath(name)).count == 2)
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
        #expect(FileManager.default.fileExists(atPath: folder.place + "/outside/file"))
    }

    @Test(arguments: ["b/file", "./b/file", "b/../b//file", "b/up/b/file", "b/here/file"])
    func `a link that stays below the root is followed`(target: String) async throws {
        let folder = try TestFolder()
        try folder.makeFolder("/a/b")
        try folder.put("inside", at: "/a/b/file")
        folder.link("/a/b/up", to: "..")
        folder.link("/a/b/here", to: "../b/.")
        folder.link("/a/link", to: target)
        folder.link("/short", to: "a")
        #expect(try await folder.provider.text("/short/link") == "inside")
        #expect(try await folder.provider.contentsOfDirectory(path: ProviderPath("/a/b/up")).count == 2)
    }

    @Test func `links in a circle are an error`() async throws {
        let folder = try TestFolder()
        folder.link("/a", to: "b")
        folder.link("/b", to: "a")
        await #expect { try await folder.provider.open(path: ProviderPath("/a")) } throws: { $0.cause == .ELOOP }
        #expect(try await folder.provider.attributesOfItem(path: ProviderPath("/a")).type == .symbolicLink)
    }

    @Test func `an absolute link is followed where the root is the machine's`() async throws {
        let folder = try TestFolder()
        try folder.put("inside", at: "/file")
        folder.link("/link", to: folder.root + "/../root/file")
        let machine = try LocalFileProvider(root: URL(fileURLWithPath: "/"))
        #expect(try await machine.text(folder.root + "/link") == "inside")
    }

    @Test func `a file on the way is no folder, and a missing item does not exist`() async throws {
        let folder = try TestFolder()
        try folder.put("x", at: "/file")
        let provider = folder.provider
        await #expect { try await provider.attributesOfItem(path: ProviderPath("/file/below")) } throws: { $0.cause == .ENOTDIR }
        await #expect { try await provider.contentsOfDirectory(path: ProviderPath("/file")) } throws: {
            $0.fileCode == .fileReadUnknown && $0.cause == .ENOTDIR
        }
        await #expect { try await provider.attributesOfItem(path: ProviderPath("/no/where")) } throws: {
            $0.fileCode == .fileReadNoSuchFile && (($0 as? CocoaError)?.userInfo[NSURLErrorKey] as? URL)?.path == folder.root + "/no/where"
        }
        await #expect { try await provider.write("x", to: "/no/where") } throws: { $0.fileCode == .fileNoSuchFile }
    }

    /// The attack: between looking and opening, a folder becomes a link to another place, and back, as fast as a thread can.
    @Test func `a folder that is swapped for a link meanwhile never leads out`() async throws {
        let folder = try TestFolder()
        let outside = folder.place + "/outside"
        try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
        try Data("outside".utf8).write(to: URL(fileURLWithPath: outside + "/file"))
        try folder.makeFolder("/dir")
        try folder.put("inside", at: "/dir/file")
        folder.link("/evil", to: "../outside")
        let swapping = Swapping(folder.root + "/dir", with: folder.root + "/evil", spare: folder.root + "/spare")
        var seen = (inside: 0, refused: 0)
        for round in 0..<1500 {
            do {
                #expect(try await folder.provider.text("/dir/file") == "inside")
                seen.inside += 1
            } catch { seen.refused += 1 }
            if round % 10 == 0 { try? await folder.provider.write("new", to: "/dir/new\(round)") }
            if round % 10 == 5 { try? await folder.provider.copy("/dir/file", to: "/dir/copy\(round)") }
            if round % 50 == 7 { _ = try? await folder.provider.contentsOfDirectory(path: ProviderPath("/dir")) }
        }
        try? await folder.provider.removeItem(path: ProviderPath("/dir"))
        await swapping.stop()
        #expect(seen.inside > 0 && seen.refused > 0, "the race took place: \(seen)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside) == ["file"])
    }
}

/// A thread that exchanges two names again and again.
private final class Swapping: Sendable {
    private let isStopped = CancellationFlag()
    private let ended = AsyncStream<Never>.makeStream()

    init(_ one: String, with other: String, spare: String) {
        let thread = Thread { [isStopped, ended] in
            while !isStopped.isCancelled {
                rename(one, spare)
                rename(other, one)
                rename(one, other)
                rename(spare, one)
            }
            ended.continuation.finish()
        }
        thread.start()
    }

    func stop() async {
        isStopped.cancel()
        for await _ in ended.stream {}
    }
}
