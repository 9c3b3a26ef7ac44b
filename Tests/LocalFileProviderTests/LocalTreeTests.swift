import FileProviderCore
import Foundation
import LocalFileProvider
import Testing

@Suite struct LocalTreeTests {
    @Test func `a copied tree has the same content, permissions, times and links`() async throws {
        let folder = try TestFolder()
        try folder.makeFolder("/tree/empty")
        try folder.makeFolder("/tree/deep/deeper")
        try folder.put("x", at: "/tree/deep/deeper/file", permissions: 0o600)
        try folder.put(String(repeating: "long", count: 100_000), at: "/tree/large", permissions: 0o755)
        folder.link("/tree/link", to: "deep/deeper")
        folder.link("/tree/gone", to: "../../no where")
        #expect(chmod(folder.root + "/tree/empty", 0o511) == 0)
        let old = [timespec(tv_sec: 1_000_000_000, tv_nsec: 123_456_789), timespec(tv_sec: 1_000_000_000, tv_nsec: 123_456_789)]
        for name in ["/tree/deep/deeper/file", "/tree/empty", "/tree/link", "/tree"] {
            #expect(utimensat(AT_FDCWD, folder.root + name, old, AT_SYMLINK_NOFOLLOW) == 0)
        }
        let counted = Collected<Int64>()
        let progress = ProgressReporter { completed, _ in counted.append(completed) }
        try await folder.provider.copyItem(
            path: ProviderPath("/tree"), to: ProviderPath("/copy"), overwrite: false, progress: progress)
        #expect(counted.values.last == 400_001 && progress.total == 400_001)
        let names = try folder.names()
        #expect(names.filter { $0.hasPrefix("copy") }.map { "tree" + $0.dropFirst(4) } == names.filter { $0.hasPrefix("tree") })
        for name in names where name.hasPrefix("tree") {
            #expect(try state(folder.root + "/" + name) == state(folder.root + "/copy" + name.dropFirst(4)), "\(name)")
        }
        #expect(folder.text("/copy/large") == folder.text("/tree/large"))
        #expect(try await folder.provider.attributesOfItem(path: ProviderPath("/copy/gone")).linkTarget == Array("../../no where".utf8))
    }

    /// Mode, seconds, nanoseconds.
    private func state(_ path: String) throws -> [Int] {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        // Links and folders in the tree that were not given a time are as new as their copies are.
        return [Int(status.st_mode), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    }

    @Test func `a copy that fails half way leaves nothing`() async throws {
        let folder = try TestFolder()
        try folder.makeFolder("/tree/sub")
        for number in 0..<20 { try folder.put("x", at: "/tree/\(number)") }
        #expect(mkfifo(folder.root + "/tree/sub/pipe", 0o600) == 0)
        try folder.put("old", at: "/target")
        let before = try folder.names()
        await #expect { try await folder.provider.copy("/tree", to: "/target", overwrite: true) } throws: {
            $0.fileCode == .featureUnsupported && $0.sentence.contains("/tree/sub/pipe")
        }
        #expect(try folder.names() == before)
        #expect(folder.text("/target") == "old")
    }

    @Test(arguments: ["/tree", "/tree/0"])
    func `a copy that is cancelled leaves nothing`(source: String) async throws {
        let folder = try TestFolder()
        try folder.makeFolder("/tree")
        for number in 0..<3 {
            try folder.put("", at: "/tree/\(number)")
            #expect(truncate(folder.root + "/tree/\(number)", 64 << 20) == 0)
        }
        let before = try folder.names()
        let running = Locked<Task<Void, any Error>?>(nil)
        let (known, signal) = AsyncStream<Never>.makeStream()
        let progress = ProgressReporter { completed, _ in
            if completed > 0 { running.value?.cancel() }
        }
        let copy = Task {
            for await _ in known {}
            try await folder.provider.copyItem(
                path: ProviderPath(source), to: ProviderPath("/copy"), overwrite: false, progress: progress)
        }
        running.update { $0 = copy }
        signal.finish()
        await #expect(throws: CancellationError.self) { try await copy.value }
        #expect(try folder.names() == before)
    }

    @Test func `removing a tree counts its items and follows no link`() async throws {
        let folder = try TestFolder()
        try folder.makeFolder("/tree/a/b")
        try folder.makeFolder("/kept")
        try folder.put("x", at: "/kept/file")
        try folder.put("x", at: "/tree/a/b/file")
        folder.link("/tree/a/link", to: "../../kept")
        folder.link("/tree/absolute", to: folder.root + "/kept")
        let progress = ProgressReporter()
        try await folder.provider.removeItem(path: ProviderPath("/tree"), recursive: true, progress: progress)
        #expect(progress.completed == 6 && progress.total == 6)
        #expect(try folder.names() == ["kept", "kept/file"])
    }

    @Test func `a folder with content is removed only with all it holds`() async throws {
        let folder = try TestFolder()
        try folder.makeFolder("/full/empty")
        let path = try ProviderPath("/full")
        await #expect { try await folder.provider.removeItem(path: path, recursive: false) } throws: {
            $0.fileCode == .fileWriteFileExists && $0.cause == .ENOTEMPTY
        }
        try await folder.provider.removeItem(path: ProviderPath("/full/empty"), recursive: false)
        try await folder.provider.removeItem(path: path, recursive: false)
        #expect(try folder.names() == [])
    }

    @Test func `a tree deeper than descriptors and stack is copied and removed`() async throws {
        let folder = try TestFolder()
        let path = try ProviderPath(String(repeating: "/d", count: 300))
        try await folder.provider.createFolderWithParents(path: path)
        try await folder.provider.writeContents(path: path.appending("file"), contents: Data("x".utf8))
        try await folder.provider.copy("/d", to: "/copy")
        let copied = try ProviderPath("/copy" + String(repeating: "/d", count: 299) + "/file")
        #expect(try await folder.provider.text(copied.string) == "x")
        try await folder.provider.removeItem(path: ProviderPath("/copy"))
        try await folder.provider.removeItem(path: ProviderPath("/d"))
        #expect(try folder.names() == [])
    }

    @Test func `a wide folder is removed whole`() async throws {
        let folder = try TestFolder()
        try folder.makeFolder("/wide")
        for number in 0..<3000 { try folder.put("", at: "/wide/\(number)") }
        try await folder.provider.removeItem(path: ProviderPath("/wide"))
        #expect(try folder.names() == [])
    }

    @Test func `a removal that is cancelled stops`() async throws {
        let folder = try TestFolder()
        try folder.makeFolder("/wide")
        for number in 0..<100 { try folder.put("", at: "/wide/\(number)") }
        let running = Locked<Task<Void, any Error>?>(nil)
        let (known, signal) = AsyncStream<Never>.makeStream()
        let removal = Task {
            for await _ in known {}
            let progress = ProgressReporter { completed, _ in
                if completed == 5 { running.value?.cancel() }
            }
            try await folder.provider.removeItem(path: ProviderPath("/wide"), recursive: true, progress: progress)
        }
        running.update { $0 = removal }
        signal.finish()
        await #expect(throws: CancellationError.self) { try await removal.value }
        #expect(try folder.names().count == 96)
    }
}
