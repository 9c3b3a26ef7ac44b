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
        let old = [
            timespec(tv_sec: 1_000_000_000, tv_nsec: 123_456_789),
            timespec(tv_sec: 1_000_000_000, tv_nsec: 123_456_789),
        ]
        for name in ["/tree/deep/deeper/file", "/tree/empty", "/tree/link", "/tree"] {
            #expect(utimensat(AT_FDCWD, folder.root + name, old, AT_SYMLINK_NOFOLLOW) == 0)
        }
        let counted = CollectedValues<Int64>()
        let progress = ProgressReporter { completed, _ in counted.append(completed) }
        try await folder.provider.copyItem(
            path: ProviderPath("/tree"), to: ProviderPath("/copy"), overwrite: false, progress: progress)
        #expect(counted.values.last == 400_001 && progress.total == 400_001)
        let names = try folder.names()
        #expect(
            names.filter { $0.hasPrefix("copy") }.map { "tree" + $0.dropFirst(4) }
                == names.filter { $0.hasPrefix("tree") })
        for name in names where name.hasPrefix("tree") {
            #expect(try state(folder.root + "/" + name) == state(folder.root + "/copy" + name.dropFirst(4)), "\(name)")
        }
        #expect(folder.text("/copy/large") == folder.text("/tree/large"))
        #expect(
            try await folder.provider.attributesOfItem(path: ProviderPath("/copy/gone")).linkTarget
                == Array("../../no where".utf8))
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
        let running = LockedValue<Task<Void, any Error>?>(nil)
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

    /// Makes folders called `d`, each in the one before, with a file and an empty folder in every hundredth.
    private func makeDeep(_ depth: Int, at path: String) throws {
        var folder = open(path, O_RDONLY | O_DIRECTORY)
        for level in 1...depth {
            try #require(mkdirat(folder, "d", 0o755) == 0)
            let below = openat(folder, "d", O_RDONLY | O_DIRECTORY)
            try #require(below >= 0)
            close(folder)
            folder = below
            guard level % 100 == 0 else { continue }
            try #require(mkdirat(folder, "side", 0o755) == 0)
            close(openat(folder, "file", O_WRONLY | O_CREAT, 0o644))
        }
        close(folder)
    }

    /// How many folders called `d` lie in each other, and the files beside them.
    private func depth(of path: String) throws -> (folders: Int, files: Int) {
        var folder = open(path, O_RDONLY | O_DIRECTORY)
        var count = (folders: 0, files: 0)
        var status = stat()
        while case let below = openat(folder, "d", O_RDONLY | O_DIRECTORY), below >= 0 {
            close(folder)
            folder = below
            count.folders += 1
            if fstatat(folder, "file", &status, 0) == 0 { count.files += 1 }
        }
        close(folder)
        return count
    }

    /// A second or so of work; with a walk from the top for each folder, it would be minutes.
    @Test(.timeLimit(.minutes(5)))
    func `a tree of 5,000 levels is copied and removed with few descriptors`() async throws {
        let folder = try TestFolder(in: "/dev/shm")
        try folder.makeFolder("/deep")
        try makeDeep(5000, at: folder.root + "/deep")
        try await folder.provider.copy("/deep", to: "/copy")
        let copied = try depth(of: folder.root + "/copy")
        #expect(copied.folders == 5000 && copied.files == 50)
        let progress = ProgressReporter()
        try await folder.provider.removeItem(path: ProviderPath("/copy"), recursive: true, progress: progress)
        #expect(progress.completed == 5000 + 1 + 50 + 50)
        try await folder.provider.removeItem(path: ProviderPath("/deep"))
        #expect(try folder.names() == [])
    }

    @Test func `a comb of folders, wide and deep, is copied and removed whole`() async throws {
        let folder = try TestFolder(in: "/dev/shm")
        // Each level has three folders, and a file in each; one of them goes on.
        var path = "/comb"
        for level in 0..<120 {
            for name in ["/a", "/b", "/c"] {
                try folder.makeFolder(path + name)
                try folder.put("\(level)", at: path + name + "/file")
            }
            path += ["/a", "/b", "/c"][level % 3]
        }
        try await folder.provider.copy("/comb", to: "/copy")
        let names = try folder.names()
        #expect(
            names.filter { $0.hasPrefix("copy") }.map { "comb" + $0.dropFirst(4) }
                == names.filter { $0.hasPrefix("comb") })
        #expect(names.count == 2 * (1 + 120 * 6))
        try await folder.provider.removeItem(path: ProviderPath("/comb"))
        try await folder.provider.removeItem(path: ProviderPath("/copy"))
        #expect(try folder.names() == [])
    }

    @Test func `a folder of 100,000 files is listed, copied and removed whole`() async throws {
        let folder = try TestFolder(in: "/dev/shm")
        try folder.makeFolder("/wide")
        let wide = open(folder.root + "/wide", O_RDONLY | O_DIRECTORY)
        for number in 0..<100_000 { close(openat(wide, "\(number)", O_WRONLY | O_CREAT | O_EXCL, 0o644)) }
        close(wide)
        try await folder.provider.copy("/wide", to: "/copy")
        let count = LockedValue(0)
        try await folder.provider.contentsOfDirectory(path: ProviderPath("/copy")) { page in
            count.update { $0 += page.count }
        }
        #expect(count.value == 100_000)
        try await folder.provider.removeItem(path: ProviderPath("/wide"))
        try await folder.provider.removeItem(path: ProviderPath("/copy"))
        #expect(try folder.names() == [])
    }

    @Test func `a removal that is cancelled stops`() async throws {
        let folder = try TestFolder()
        try folder.makeFolder("/wide")
        for number in 0..<100 { try folder.put("", at: "/wide/\(number)") }
        let running = LockedValue<Task<Void, any Error>?>(nil)
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
