import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

@testable import LocalFileProvider

/// How watches end, and what is left of them.
extension LocalMonitorTests {
    @Test func `the end of the watched folder is told, then thrown`() async throws {
        for change in ["remove", "move"] {
            let storage = try TestFolder()
            try storage.makeFolder("/watched")
            let watch = try await storage.provider.watch(
                path: ProviderPath("watched"), options: WatchOptions(window: 0.01))
            #expect(
                change == "remove"
                    ? rmdir(storage.root + "/watched") == 0
                    : rename(storage.root + "/watched", storage.root + "/w") == 0)
            #expect(try await watch.next()?.map(\.description) == ["removed /watched"])
            let error = await #expect(throws: CocoaError.self) { try await watch.next() }
            #expect(error?.code == .fileReadNoSuchFile)
            await watch.stop()
        }
    }

    @Test func `the end of a provider's own root is told at the next look`() async throws {
        let storage = try TestFolder()
        let watch = try await storage.provider.watch(path: .root, options: WatchOptions(window: 0.01))
        #expect(rmdir(storage.root) == 0)
        (watch as? LocalMonitor)?.queue.wake()
        #expect(try await watch.next()?.map(\.description) == ["removed /"])
        await watch.stop()
    }

    @Test func `what cannot be watched is an error`() async throws {
        let storage = try TestFolder()
        try storage.put("x", at: "/file")
        for (path, code) in [("/missing", POSIXErrorCode.ENOENT), ("/file", .ENOTDIR)] {
            let error = await #expect(throws: CocoaError.self) {
                _ = try await storage.provider.changes(at: ProviderPath(path))
            }
            #expect(error?.cause == code)
        }
    }

    @Test func `stopping ends a wait, and a cancelled consumer may come back`() async throws {
        let storage = try TestFolder()
        let watch = try await storage.provider.watch(path: .root, options: WatchOptions(window: 0.01))
        let cancelled = Task { try await watch.next() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        try storage.put("x", at: "/f")
        #expect(try await watch.next()?.count == 1)
        let waiting = Task { try await watch.next() }
        await watch.stop()
        #expect(try await waiting.value == nil)
    }

    @Test func `a consumer that is cancelled while polling begins may come back`() async throws {
        let storage = try TestFolder()
        let monitor = LocalMonitor(
            of: storage.provider, path: .root, options: WatchOptions(window: 0, minInterval: 0.01), maxWatches: 1)
        try await monitor.start()
        try storage.makeFolder("/a")
        let cancelled = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await monitor.next()
        }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(try await monitor.next()?.map(\.kind) == [.rescan])
        try storage.put("x", at: "/a/f")
        #expect(try await monitor.next()?.map(\.description) == ["created /a/f"])
        await monitor.stop()
    }

    @Test func `a folder that is gone when polling begins is told, then thrown`() async throws {
        let storage = try TestFolder()
        try storage.makeFolder("/watched")
        let monitor = LocalMonitor(
            of: storage.provider, path: try ProviderPath("watched"), options: WatchOptions(window: 0), maxWatches: 1)
        try await monitor.start()
        try storage.makeFolder("/watched/a")
        let cancelled = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await monitor.next()
        }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(rmdir(storage.root + "/watched/a") == 0 && rmdir(storage.root + "/watched") == 0)
        #expect(try await monitor.next()?.map(\.description) == ["removed /watched"])
        let error = await #expect(throws: CocoaError.self) { try await monitor.next() }
        #expect(error?.code == .fileReadNoSuchFile)
        await monitor.stop()
    }

    @Test(.enabled(if: geteuid() != 0, "Nothing is closed to root."))
    func `a folder that was closed for a while is to be listed anew, and goes on being watched`() async throws {
        let storage = try TestFolder()
        try storage.makeFolder("/d")
        try await WatchedFolder.use(storage, window: 0.1) { folder in
            try folder.put("x", at: "/d/f")
            #expect(chmod(storage.root + "/d", 0) == 0)
            #expect(try await folder.watch.next()?.map(\.description) == ["modified /d", "rescan /d"])
            #expect(chmod(storage.root + "/d", 0o755) == 0)
            #expect(try await folder.next().map(\.description) == ["modified /d", "created /d/f", "rescan /d"])
            try folder.put("x", at: "/d/g")
            try await folder.catchUp()
        }
    }

    @Test func `a hundred watches and registrations leave no descriptor`() async {
        await #expect(processExitsWith: .success) {
            let storage = try TestFolder()
            try storage.makeFolder("/a/b/c")
            func descriptors() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                    try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
                        // What this process was started with may be deleted by the other tests at any time.
                        .replacing(" (deleted)", with: "")
                }
                // The folder that is just being listed; what Dispatch opens and closes for its timers.
                .filter { !$0.hasPrefix("/proc/") && !$0.contains("timerfd") }.sorted()
            }
            /// What is open now and was not before, and the other way round.
            func changes(since before: [String]) throws -> [String] {
                try descriptors().difference(from: before).map { change in
                    switch change {
                    case .insert(_, let descriptor, _): "opened \(descriptor)"
                    case .remove(_, let descriptor, _): "closed \(descriptor)"
                    }
                }
            }
            // What the libraries open once and keep: also for the first timer, which `wait` needs only where the first
            // look is too early.
            try await Task.sleep(for: .milliseconds(1))
            await (try storage.provider.watch(path: .root, options: WatchOptions(window: 0))).stop()
            let before = try descriptors()
            for round in 0..<100 {
                let watch = try await storage.provider.watch(path: .root, options: WatchOptions(window: 0))
                try storage.put("x", at: "/a/f\(round)")
                _ = try await watch.next()
                await watch.stop()
            }
            #expect(try changes(since: before) == [])
            for _ in 0..<100 { storage.provider.registerNotification(path: "/a") { (_: FileEvent) in } }
            #expect(storage.provider.isRegisteredForNotification(path: "a/"))
            storage.provider.unregisterNotification(path: "/a/")
            #expect(!storage.provider.isRegisteredForNotification(path: "/a"))
            do { try await eventually { try changes(since: before).isEmpty } } catch {
                let left = try changes(since: before)
                // One more call wakes a thread that has missed the last one: what goes now was never leaked.
                try await BlockingThreads.shared.run {}
                try? await eventually { try changes(since: before).isEmpty }
                Issue.record("\(error) It left \(left), and after one more call \(try changes(since: before)).")
            }
        }
    }
}
