import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

@testable import LocalFileProvider

/// Watching folders of this machine. One after the other: the tests look at what the process holds.
@Suite(.serialized) struct LocalMonitorTests {
    // MARK: What is told

    @Test func `each change is told as what it is`() async throws {
        try await WatchedFolder.use { folder in
            let root = folder.storage.root
            try folder.put("one", at: "/a.txt")
            #expect(try await folder.events() == ["created /a.txt file"])
            try folder.put("three", at: "/a.txt")
            #expect(try await folder.events() == ["modified /a.txt file"])
            #expect(rename(root + "/a.txt", root + "/b.txt") == 0)
            #expect(try await folder.events() == ["moved /a.txt → /b.txt file"])
            #expect(chmod(root + "/b.txt", 0o600) == 0)
            #expect(try await folder.events() == ["modified /b.txt file"])
            #expect(truncate(root + "/b.txt", 1) == 0)
            #expect(try await folder.events() == ["modified /b.txt file"])
            #expect(symlink("/etc", root + "/link") == 0)
            #expect(try await folder.events() == ["created /link symlink"])
            #expect(unlink(root + "/b.txt") == 0)
            #expect(try await folder.events() == ["removed /b.txt file"])
            #expect(mkdir(root + "/d", 0o755) == 0)
            #expect(try await folder.events() == ["created /d directory"])
        }
    }

    @Test func `a folder that moves takes what it holds along, and goes on being watched`() async throws {
        try await WatchedFolder.use { folder in
            let storage = folder.storage
            try storage.makeFolder("/a/b/c")
            _ = try await folder.events()
            #expect(rename(storage.root + "/a/b", storage.root + "/z") == 0)
            #expect(try await folder.events() == ["moved /a/b → /z directory"])
            try folder.put("x", at: "/z/c/f")
            #expect(try await folder.events() == ["created /z/c/f file"])
            #expect(rename(storage.root + "/z", storage.base + "/outside") == 0)
            #expect(try await folder.events() == ["removed /z directory"])
            try Data("y".utf8).write(to: URL(fileURLWithPath: storage.base + "/outside/c/g"))
            #expect(rename(storage.base + "/outside", storage.root + "/in") == 0)
            #expect(
                try await folder.events().sorted()
                    == [
                        "created /in directory", "created /in/c directory", "created /in/c/f file",
                        "created /in/c/g file",
                    ])
        }
    }

    @Test func `what came and went within a window is not told, and what changed twice is told once`() async throws {
        try await WatchedFolder.use(window: 0.2) { folder in
            let root = folder.storage.root
            try folder.put("x", at: "/kept")
            _ = try await folder.events()
            try folder.put("x", at: "/gone")
            #expect(rename(root + "/gone", root + "/gone2") == 0 && unlink(root + "/gone2") == 0)
            try folder.put("y", at: "/new")
            try folder.put("z", at: "/new")
            #expect(rename(root + "/kept", root + "/t") == 0 && rename(root + "/t", root + "/kept2") == 0)
            try folder.put("changed", at: "/kept2")
            #expect(
                try await folder.events().sorted() == [
                    "created /new file", "modified /kept2 file", "moved /kept → /kept2 file",
                ])
        }
    }

    @Test func `names that change places are told so that a replay is right`() async throws {
        try await WatchedFolder.use(window: 0.2) { folder in
            let storage = folder.storage
            for path in ["/a/x", "/b/y"] {
                try storage.makeFolder(String(path.prefix(2)))
                try folder.put(path, at: path)
            }
            try folder.put("1", at: "/f")
            try folder.put("2", at: "/g")
            try await folder.catchUp()
            for (one, other) in [("/a", "/b"), ("/f", "/g")] {
                #expect(rename(storage.root + one, storage.root + "/t") == 0)
                #expect(rename(storage.root + other, storage.root + one) == 0)
                #expect(rename(storage.root + "/t", storage.root + other) == 0)
            }
            // A folder goes into the one that it held.
            try storage.makeFolder("/outer/inner")
            try await folder.catchUp()
            #expect(rename(storage.root + "/outer/inner", storage.root + "/inner") == 0)
            #expect(rename(storage.root + "/outer", storage.root + "/inner/outer") == 0)
            try await folder.catchUp()
            #expect(folder.tree.items.count == 9)
        }
    }

    @Test func `a long chain of names that move up by one is told as moves`() async throws {
        let storage = try TestFolder()
        let count = 20_000
        for number in 0..<count { #expect(mknod(storage.root + "/f\(number)", S_IFREG | 0o644, 0) == 0) }
        let watch = try await storage.provider.watch(path: .root, options: WatchOptions(window: 0))
        let source = try #require((watch as? LocalMonitor)?.queue.source)
        // After the first look moves are told as such.
        try storage.put("x", at: "/start")
        _ = try await watch.next()
        // Looked at first, so that the whole chain hangs on it.
        #expect(chmod(storage.root + "/f0", 0o600) == 0)
        for number in (0..<count).reversed() {
            #expect(rename(storage.root + "/f\(number)", storage.root + "/f\(number + 1)") == 0)
            // The kernel's queue must not overflow.
            if number % 4_000 == 0 {
                try await eventually {
                    var descriptor = pollfd(fd: Int32(source.handle), events: Int16(POLLIN), revents: 0)
                    return poll(&descriptor, 1, 0) == 0
                }
            }
        }
        var numbers = Dictionary(uniqueKeysWithValues: try (0..<count).map { (try ProviderPath("/f\($0)"), $0) })
        let batch = try #require(try await watch.next())
        for event in batch where event.kind == .moved {
            numbers[event.path] = try numbers.removeValue(forKey: #require(event.from))
        }
        #expect(Set(batch.map(\.kind)).isSubset(of: [.moved, .modified, .created]))
        let shifted = Dictionary(uniqueKeysWithValues: try (0..<count).map { (try ProviderPath("/f\($0 + 1)"), $0) })
        #expect(numbers == shifted)
        await watch.stop()
    }

    @Test func `a link that was made anew is told, whatever number it has`() async throws {
        try await WatchedFolder.use(window: 0.02) { folder in
            let storage = folder.storage
            storage.link("/link", to: "/first")
            #expect(try await folder.events() == ["created /link symlink"])
            for target in ["/second", "/third", "/fourth"] {
                #expect(unlink(storage.root + "/link") == 0)
                storage.link("/link", to: target)
                let reported = try await folder.events()
                #expect(reported == ["modified /link symlink"])
            }
            #expect(rename(storage.root + "/link", storage.root + "/link2") == 0)
            #expect(try await folder.events() == ["moved /link → /link2 symlink"])
        }
    }

    @Test func `a file that this library writes is told when it is whole, without its temporary name`() async throws {
        try await WatchedFolder.use { folder in
            try await folder.storage.provider.write("one", to: "/a")
            #expect(try await folder.events() == ["created /a file"])
            try await folder.storage.provider.write("two", to: "/a", options: WriteOptions(overwrite: true))
            #expect(try await folder.events() == ["modified /a file"])
        }
    }

    @Test func `a file that is written to and not closed is told all the same`() async throws {
        try await WatchedFolder.use { folder in
            try folder.put("x", at: "/log")
            _ = try await folder.events()
            let file = open(folder.storage.root + "/log", O_WRONLY | O_APPEND)
            defer { close(file) }
            #expect(write(file, "y", 1) == 1)
            #expect(try await folder.events() == ["modified /log file"])
        }
    }

    @Test func `without recursion only the folder's own items are told`() async throws {
        try await WatchedFolder.use(options: WatchOptions(isRecursive: false, window: 0.01)) { folder in
            try folder.storage.makeFolder("/d")
            #expect(try await folder.events() == ["created /d directory"])
            try folder.put("x", at: "/d/f")
            try folder.put("x", at: "/f")
            #expect(try await folder.events() == ["created /f file"])
        }
    }

    @Test func `a folder below the root is watched, links to others are not followed`() async throws {
        let storage = try TestFolder()
        try storage.makeFolder("/watched")
        try storage.makeFolder("/other")
        storage.link("/watched/link", to: "../other")
        try await WatchedFolder.use(storage, at: "/watched") { folder in
            try storage.put("x", at: "/other/f")
            try storage.put("x", at: "/watched/g")
            #expect(try await folder.events() == ["created /watched/g file"])
        }
    }

    // MARK: Nothing is lost

    @Test func `a tree that grows while the watch is set up loses nothing`() async throws {
        let storage = try TestFolder()
        let root = storage.root
        let isWatched = LockedValue(false)
        let growth = Task.detached {
            for folder in 0..<100 {
                // The second half comes while it is watched.
                if folder == 50 { try await eventually { isWatched.value } }
                let path = root + (0..<(folder % 10)).map { "/d\($0)" }.joined() + "/x\(folder)/y/z"
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                for file in 0..<100 { try Data().write(to: URL(fileURLWithPath: path + "/f\(file)")) }
            }
        }
        // It has begun.
        try await eventually { try storage.names().count > 300 }
        try await WatchedFolder.use(storage) { folder in
            isWatched.update { $0 = true }
            try await growth.value
            try await folder.catchUp()
            #expect(folder.tree.items.values.filter { $0.type == .regular }.count == 10_001)
        }
    }

    @Test func `an overflow of the kernel's queue is told as a rescan, after which the replay is right`() async throws {
        let storage = try TestFolder()
        try storage.makeFolder("/d")
        try await WatchedFolder.use(storage) { folder in
            let source = try #require((folder.watch as? LocalMonitor)?.queue.source)
            source.suspend()
            for file in 0..<9_000 { try folder.put("x", at: "/d/f\(file)") }
            #expect(rename(storage.root + "/d", storage.root + "/e") == 0)
            source.resume()
            let batch = try await folder.next()
            #expect(batch.last?.kind == .rescan && batch.last?.path == .root)
            #expect(batch.last?.reason?.contains("overflow") == true)
            try folder.put("x", at: "/e/after")
            try await folder.catchUp()
            #expect(folder.tree.items.count == 9_003)
        }
    }

    @Test func `more changes than are kept for a slow consumer become a rescan`() async throws {
        try await WatchedFolder.use(options: WatchOptions(window: 0.01, maxPending: 50)) { folder in
            for file in 0..<200 { try folder.put("x", at: "/f\(file)") }
            #expect(try await folder.next().map(\.kind) == [.rescan])
            try await folder.catchUp()
            #expect(folder.tree.items.count == 201)
        }
    }

    @Test(arguments: [0, 3]) func `at the limit of watches the folder is polled, which a rescan says`(_ limit: Int)
        async throws
    {
        let storage = try TestFolder()
        try storage.makeFolder("/a/b")
        let monitor = LocalMonitor(
            of: storage.provider, path: .root, options: WatchOptions(window: 0.01, minInterval: 0.01), maxWatches: limit
        )
        try await monitor.start()
        try storage.makeFolder("/a/b/c/d")
        let first = try #require(try await monitor.next())
        #expect(first.map(\.kind) == [.rescan])
        #expect(first.first?.reason?.contains("limit") == true && first.first?.reason?.contains("polled") == true)
        try storage.put("x", at: "/a/f")
        var reported: [String] = []
        while !reported.contains("created /a/f") {
            reported += try #require(try await monitor.next()).map(\.description)
        }
        await monitor.stop()
        #expect(try await monitor.next() == nil)
    }
}
