import FileProviderCore
import Foundation
import LocalFileProvider
import ProviderDoubles
import Testing

extension LocalMonitorTests {
    /// The forms with handlers.
    @Suite struct Registrations {
        private static let options = WatchOptions(window: 0.01)

        @Test func `a handler is told in order that the watch stands, then what changed`() async throws {
            let storage = try TestFolder()
            let events = CollectedValues<String>()
            storage.provider.registerNotification(path: "/", options: Self.options) { (event: FileEvent) in
                events.append(event.description + (Thread.isMainThread ? " on main" : ""))
            }
            try await eventually { events.values == ["rescan /"] }
            try storage.makeFolder("/a")
            try await eventually { events.values == ["rescan /", "created /a"] }
            #expect(rename(storage.root + "/a", storage.root + "/b") == 0)
            try await eventually { events.values == ["rescan /", "created /a", "moved /a → /b"] }
            storage.provider.unregisterNotification(path: "/")
        }

        @Test func `a handler may unregister itself, and is not called again`() async throws {
            let storage = try TestFolder()
            let provider = storage.provider
            let calls = CollectedValues<Int>()
            provider.registerNotification(path: "/", options: Self.options) {
                calls.append(1)
                provider.unregisterNotification(path: "/")
            }
            try await eventually { !provider.isRegisteredForNotification(path: "/") }
            let watch = try await provider.watch(path: .root, options: Self.options)
            try storage.put("x", at: "/a")
            _ = try await watch.next()
            await watch.stop()
            #expect(calls.values == [1])
        }

        @Test func `invalidating ends registrations`() async throws {
            let storage = try TestFolder()
            storage.provider.registerNotification(path: "/a") {}
            storage.provider.invalidate()
            #expect(!storage.provider.isRegisteredForNotification(path: "/a"))
        }

        @Test func `a registration does not keep its provider, and ends with it`() async throws {
            let storage = try TestFolder()
            // What the test before has ended is given back a moment later.
            try await eventually { Self.inotifyDescriptors == 0 }
            let events = CollectedValues<String>()
            var provider: LocalFileProvider? = try LocalFileProvider(root: URL(fileURLWithPath: storage.root))
            weak let weakProvider = provider
            provider?.registerNotification(path: "/") { (event: FileEvent) in events.append(event.description) }
            try await eventually { !events.values.isEmpty }
            #expect(Self.inotifyDescriptors == 1)
            provider = nil
            try await eventually { weakProvider == nil }
            try await eventually { Self.inotifyDescriptors == 0 }
        }

        @Test func `a folder that cannot be watched is told by a last rescan`() async throws {
            let storage = try TestFolder()
            let events = CollectedValues<FileEvent>()
            storage.provider.registerNotification(path: "/missing") { (event: FileEvent) in events.append(event) }
            try await eventually { events.values.first?.reason?.contains("does not exist") == true }
            try await eventually { !storage.provider.isRegisteredForNotification(path: "/missing") }
        }

        private static var inotifyDescriptors: Int {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            return names.count {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))
                    == "anon_inode:inotify"
            }
        }
    }
}
