import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Testing

/// A storage in memory whose watches tell what a test says, and nothing else; it fails and waits as a test says.
final class ControlledProvider: ForwardingProvider, FileProviderMonitor {
    static let type = "Told"
    let memory: MemoryFileProvider
    var underlying: any FileProvider { memory }
    /// Watches that were asked for, those that failed too.
    let attempts = LockedValue(0)
    /// The watches that stand or stood.
    let watches = CollectedValues<ControlledWatch>()
    /// Called before each call; `watch` is one of them.
    let before = LockedValue<@Sendable (_ call: String) async throws -> Void>({ _ in })
    /// The same, with the path.
    let beforePath = LockedValue<@Sendable (_ call: String, _ path: ProviderPath) async throws -> Void>({ _, _ in })
    /// Called after each call that succeeded.
    let after = LockedValue<@Sendable (_ call: String) async throws -> Void>({ _ in })
    /// What the storage says of itself otherwise than the one in memory.
    let adjustment = LockedValue<@Sendable (inout Capabilities) -> Void>({ _ in })
    /// Calls that were made, by name.
    let calls = CollectedValues<String>()

    init(_ name: String) {
        memory = MemoryFileProvider(MemoryConfiguration(name: name))
    }

    func capabilities() async throws -> Capabilities {
        var capabilities = try await memory.capabilities()
        adjustment.value(&capabilities)
        return capabilities
    }

    /// With a secret in it, as a URL has one at times.
    func url(of path: ProviderPath) -> URL {
        let url = memory.url(of: path).absoluteString
        return URL(string: url.replacing("mem://", with: "mem://reader:s3cret@")) ?? memory.url(of: path)
    }

    func pass<Value: Sendable>(_ call: String, _ path: ProviderPath, _ body: () async throws -> Value) async throws
        -> Value
    {
        calls.append(call)
        try await before.value(call)
        try await beforePath.value(call, path)
        let value = try await body()
        try await after.value(call)
        return value
    }

    func watch(path: ProviderPath, options: WatchOptions) async throws -> any FileWatch {
        attempts.update { $0 += 1 }
        try await before.value("watch")
        let watch = ControlledWatch()
        watches.append(watch)
        return watch
    }

    /// Has the last watch tell that `path` changed, and waits until that was taken.
    func tell(_ path: String, _ kind: FileEvent.Kind = .modified, type: FileType? = .regular) async throws {
        try await eventually { !self.watches.values.isEmpty }
        guard let watch = watches.values.last else { return }
        try await watch.tell([FileEvent(kind, path: ProviderPath(path), type: type)])
    }

    /// Puts a file and tells so.
    func change(_ path: String, _ text: String) async throws {
        try await memory.put(path, text)
        try await tell(path)
    }
}

/// A watch that a test feeds.
final class ControlledWatch: FileWatch {
    private let pipe = AsyncThrowingStream<[FileEvent], any Error>.makeStream()
    private let told = LockedValue(0)
    private let asked = LockedValue(0)

    func tell(_ events: [FileEvent]) async throws {
        let count = told.update { told in
            told += 1
            return told
        }
        pipe.continuation.yield(events)
        // Whoever asks again has taken what was there.
        try await eventually { self.asked.value > count }
    }

    /// Ends the watch as a lost connection would.
    func fall(_ error: any Error) { pipe.continuation.finish(throwing: error) }

    func next() async throws -> [FileEvent]? {
        asked.update { $0 += 1 }
        var iterator = pipe.stream.makeAsyncIterator()
        return try await iterator.next()
    }

    func stop() async { pipe.continuation.finish() }
}
