import FileProviderCore
import Foundation
import LocalFileProvider
import Testing

/// The attack: between looking and opening, a folder becomes a link to another place, and back, as fast as a thread
/// can.
@Suite struct LocalRaceTests {
    /// A root with `/dir`, which is swapped for a link to a folder beside the root; what lies there must stay as it is.
    private struct Attack {
        let folder: TestFolder
        let swapping: LinkSwapper
        var outside: String { folder.base + "/outside" }

        init(calls: KernelCalls) throws {
            folder = try TestFolder(in: "/dev/shm", calls: calls)
            let outside = folder.base + "/outside"
            try FileManager.default.createDirectory(atPath: outside + "/sub", withIntermediateDirectories: true)
            for name in ["/file", "/sub/file"] {
                try Data("outside".utf8).write(to: URL(fileURLWithPath: outside + name))
            }
            try folder.makeFolder("/dir/sub")
            try folder.put("inside", at: "/dir/file")
            folder.link("/evil", to: "../outside")
            swapping = LinkSwapper(folder.root + "/dir", with: folder.root + "/evil", spare: folder.root + "/spare")
        }

        /// What is outside after the race: names, content and permissions.
        func stop() async throws -> [String] {
            await swapping.stop()
            return try FileManager.default.subpathsOfDirectory(atPath: outside).sorted().map { name in
                var status = stat()
                try #require(lstat(outside + "/" + name, &status) == 0)
                let text = try? String(contentsOfFile: outside + "/" + name, encoding: .utf8)
                return "\(name) \(text ?? "") \(String(status.st_mode & 0o777, radix: 8))"
            }
        }

        static let untouched = ["file outside 644", "sub  755", "sub/file outside 644"]
    }

    @Test(arguments: KernelCalls.bothWaysDown)
    func `a folder that is swapped for a link meanwhile never leads a reader out`(calls: KernelCalls) async throws {
        let attack = try Attack(calls: calls)
        let provider = attack.folder.provider
        var seen = (inside: 0, refused: 0)
        for _ in 0..<2000 {
            do {
                #expect(try await provider.text("/dir/file") == "inside")
                seen.inside += 1
            } catch { seen.refused += 1 }
            if let items = try? await provider.contentsOfDirectory(path: ProviderPath("/dir/sub")) {
                #expect(items.isEmpty)
            }
            if let attributes = try? await provider.extendedAttributes(path: ProviderPath("/dir/file")) {
                #expect(attributes.isEmpty)
            }
        }
        #expect(try await attack.stop() == Attack.untouched)
        #expect(seen.inside > 0 && seen.refused > 0, "the race took place: \(seen)")
    }

    @Test(arguments: KernelCalls.bothWaysDown)
    func `a folder that is swapped for a link meanwhile never leads a change out`(calls: KernelCalls) async throws {
        let attack = try Attack(calls: calls)
        let provider = attack.folder.provider
        let file = try ProviderPath("/dir/file")
        var done = 0
        for round in 0..<900 {
            let steps: [() async throws -> Void] = [
                { try await provider.write("new", to: "/dir/new\(round)", options: WriteOptions(placement: .inPlace)) },
                { try await provider.removeItem(path: ProviderPath("/dir/new\(round - 1)")) },
                { try await provider.removeItem(path: ProviderPath("/dir/sub/file")) },
                { try await provider.createFolder(path: ProviderPath("/dir/sub/new\(round)")) },
                { try await provider.setAttributes(path: file, permissions: 0o600, modificationDate: nil) },
                { try await provider.setExtendedAttribute("user.race", to: [1], path: file) },
            ]
            do {
                try await steps[round % steps.count]()
                done += 1
            } catch { continue }
        }
        for round in 0..<40 {
            try? await provider.copy("/dir/file", to: "/dir/copy\(round)")
            try? await provider.move("/dir/copy\(round)", to: "/dir/sub/moved\(round)")
            try? await provider.removeItem(path: ProviderPath("/dir/sub"))
            try? await provider.createFolder(path: ProviderPath("/dir/sub"))
        }
        #expect(try await attack.stop() == Attack.untouched)
        #expect(done > 0)
    }

    @Test(arguments: KernelCalls.bothWaysDown)
    func `a tree that is swapped for a link while it is copied and removed is no way out`(calls: KernelCalls)
        async throws
    {
        let attack = try Attack(calls: calls)
        let provider = attack.folder.provider
        var copied = 0
        for round in 0..<80 {
            try? await provider.createFolderWithParents(path: ProviderPath("/dir/sub/a/b"))
            do {
                try await provider.copy("/dir", to: "/copy\(round)")
                copied += 1
            } catch { continue }
            // The folder itself, with what lies in it, or the link; never what lies outside.
            let text = try? String(contentsOfFile: attack.folder.root + "/copy\(round)/file", encoding: .utf8)
            if try await provider.attributesOfItem(path: ProviderPath("/copy\(round)")).isDirectory {
                #expect(text != "outside")
            }
            try? await provider.removeItem(path: ProviderPath("/dir/sub"))
        }
        try? await provider.removeItem(path: ProviderPath("/dir"))
        #expect(try await attack.stop() == Attack.untouched)
        #expect(copied > 0)
    }
}

/// A thread that exchanges two names again and again.
private final class LinkSwapper: Sendable {
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
