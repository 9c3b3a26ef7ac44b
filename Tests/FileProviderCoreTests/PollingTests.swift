import Foundation
import MemoryFileProvider
import ProviderDoubles
import Testing

@testable import FileProviderCore

/// Watching by comparing listings, on a Memory provider behind one that counts and fails as a test says.
@Suite struct PollingTests {
    private static let options = WatchOptions(minInterval: 0.002, maxInterval: 0.01)

    @Test func `each kind of change is told`() async throws {
        let provider = ScriptedProvider()
        let memory = provider.memory
        try await memory.write("1", to: "old")
        let watch = try await provider.pollForChanges(at: .root, options: Self.options)
        try await memory.createFolder(path: ProviderPath("d"))
        #expect(try await events(watch, 1) == ["created /d directory"])
        try await memory.write("1", to: "d/a")
        #expect(try await events(watch, 1) == ["created /d/a file"])
        try await memory.write("2", to: "d/a")
        #expect(try await events(watch, 1) == ["modified /d/a file"])
        try await memory.moveItem(path: ProviderPath("d"), to: ProviderPath("e"))
        #expect(try await events(watch, 3) == ["created /e directory", "created /e/a file", "removed /d directory"])
        try await memory.removeItem(path: ProviderPath("e/a"))
        #expect(try await events(watch, 1) == ["removed /e/a file"])
        try await memory.removeItem(path: ProviderPath("e"))
        #expect(try await events(watch, 1) == ["removed /e directory"])
        await watch.stop()
        #expect(try await watch.next() == nil)
    }

    @Test func `a folder in a file's place is created, with all it holds, and the other way round`() async throws {
        let provider = ScriptedProvider()
        let memory = provider.memory
        try await memory.write("1", to: "x")
        let watch = try await provider.pollForChanges(at: .root, options: Self.options)
        let folder = MemoryFileProvider()
        try await folder.createFolder(path: ProviderPath("x"))
        try await folder.write("1", to: "x/in")
        provider.shown.update { $0 = folder }
        #expect(try await events(watch, 2) == ["created /x directory", "created /x/in file"])
        provider.shown.update { $0 = memory }
        #expect(try await events(watch, 1) == ["created /x file"])
        await watch.stop()
    }

    @Test func `size and time tell versions apart where there is no tag, and a mark of weakness does not`() throws {
        let path = try ProviderPath("x")
        var tree = PolledTree()
        func isNews(tag: String? = nil, size: Int64? = nil, time: Double? = nil) -> Bool {
            let object = FileObject(
                path: path, type: .regular, size: size, modifiedDate: time.map { Date(timeIntervalSince1970: $0) },
                entryTag: tag)
            return !tree.update(.root, to: [path: PolledTree.Item(object)]).events.isEmpty
        }
        #expect(isNews(tag: "W/\"1\"", size: 1))
        #expect(!isNews(tag: "\"1\"", size: 2))
        #expect(isNews(tag: "\"2\"", size: 2))
        #expect(isNews(size: 2, time: 1))
        #expect(!isNews(size: 2, time: 1))
        #expect(isNews(size: 3, time: 1))
        #expect(isNews(size: 3, time: 2))
    }

    @Test func `files on their way are not told`() async throws {
        let provider = ScriptedProvider()
        let watch = try await provider.pollForChanges(at: .root, options: Self.options)
        try await provider.memory.write("1", to: TemporaryName.make(beside: ProviderPath("a")).string)
        try await provider.memory.write("1", to: "a")
        #expect(try await events(watch, 1) == ["created /a file"])
        await watch.stop()
    }

    @Test func `a great many changes are one rescan, after which single ones are told again`() async throws {
        let provider = ScriptedProvider()
        var options = Self.options
        options.maxPending = 10
        let watch = try await provider.pollForChanges(at: .root, options: options)
        let filled = MemoryFileProvider()
        for number in 0..<20 { try await filled.write("1", to: "f\(number)") }
        provider.shown.update { $0 = filled }
        #expect(try await watch.next()?.map(\.kind) == [.rescan])
        try await filled.write("1", to: "more")
        #expect(try await events(watch, 1) == ["created /more file"])
        await watch.stop()
    }

    // MARK: Cost

    @Test func `the interval is short after a change and grows while nothing happens`() {
        var pace = PollingPace(WatchOptions(minInterval: 1, maxInterval: 10))
        var pauses: [Duration] = []
        for _ in 0..<8 {
            pauses.append(pace.pause)
            pace.looked(for: .zero, changes: false)
        }
        #expect(pauses == pauses.sorted() && pauses.first == .seconds(1) && pace.pause == .seconds(10))
        pace.looked(for: .zero, changes: true)
        #expect(pace.pause == .seconds(1))
        pace.looked(for: .seconds(5), changes: true)
        #expect(pace.pause == .seconds(20))
    }

    @Test func `an unchanged tree costs one listing for each folder, and where tags cover trees one question for all`()
        async throws
    {
        for coversTrees in [false, true] {
            let provider = ScriptedProvider()
            for path in ["a", "a/b", "c"] { try await provider.memory.createFolder(path: ProviderPath(path)) }
            provider.coversTrees.update { $0 = coversTrees }
            let watch = try await provider.pollForChanges(at: .root, options: Self.options)
            let waiting = Task { try await watch.next() }
            let (listings, questions) = (provider.listings.value.count, provider.questions.value)
            #expect(listings == 4)
            try await eventually {
                coversTrees ? provider.questions.value > questions + 5 : provider.listings.value.count > listings + 20
            }
            if coversTrees {
                #expect(provider.listings.value.count == listings)
            } else {
                // Each look takes every folder once.
                let look = provider.listings.value.dropFirst(listings).prefix(4)
                #expect(Set(look.map(\.string)) == ["/", "/a", "/a/b", "/c"])
            }
            try await provider.memory.write("1", to: "a/b/f")
            #expect(try await waiting.value?.map(\.description) == ["created /a/b/f"])
            if coversTrees {
                #expect(provider.listings.value.dropFirst(listings).map(\.string) == ["/", "/a", "/a/b"])
            }
            await watch.stop()
        }
    }

    @Test func `a look that was interrupted is made up for, although no tag changes any more`() async throws {
        let provider = ScriptedProvider()
        for path in ["a", "a/b"] { try await provider.memory.createFolder(path: ProviderPath(path)) }
        provider.coversTrees.update { $0 = true }
        let watch = try await provider.pollForChanges(at: .root, options: Self.options)
        let failed = LockedValue(0)
        provider.failure.update {
            $0 = { path in
                guard path.string == "/a/b", failed.value < 3 else { return nil }
                failed.update { $0 += 1 }
                return URLError(.networkConnectionLost)
            }
        }
        try await provider.memory.write("1", to: "a/b/f")
        #expect(try await events(watch, 1) == ["created /a/b/f file"])
        #expect(failed.value == 3)
        await watch.stop()
    }

    // MARK: Errors

    @Test func `a server that is away and comes back tells the differences`() async throws {
        let provider = ScriptedProvider()
        let outcomes = CollectedValues<URLError.Code?>()
        let changes = try await provider.changes(at: .root, options: Self.options) { error in
            outcomes.append((error as? URLError)?.code)
        }
        let watch = changes.watch
        let failures = LockedValue(0)
        provider.failure.update {
            $0 = { _ in
                failures.update { $0 += 1 }
                return URLError(.cannotConnectToHost)
            }
        }
        let waiting = Task { try await watch.next() }
        try await eventually { failures.value > 3 }
        try await provider.memory.write("1", to: "a")
        provider.failure.update { $0 = nil }
        #expect(try await waiting.value?.map(\.description) == ["created /a"])
        await watch.stop()
        // Looks before the server went away were told, too.
        let told = Array(outcomes.values.drop { $0 == nil })
        #expect(told == Array(repeating: .cannotConnectToHost, count: failures.value) + [nil])
    }

    @Test func `a folder that may not be read is told once, and the rest goes on`() async throws {
        let provider = ScriptedProvider()
        try await provider.memory.createFolder(path: ProviderPath("closed"))
        provider.failure.update {
            $0 = { $0.string == "/closed" ? FileError.make(.fileReadNoPermission, path: $0) : nil }
        }
        let watch = try await provider.pollForChanges(at: .root, options: Self.options)
        let first = try #require(try await watch.next())
        #expect(first.map(\.description) == ["rescan /closed"])
        #expect(first.first?.reason?.contains("permission") == true)
        try await provider.memory.write("1", to: "a")
        #expect(try await events(watch, 1) == ["created /a file"])
        await watch.stop()
    }

    @Test func `the end of the watched folder is told, then thrown; a closed one is thrown`() async throws {
        for code in [CocoaError.fileReadNoSuchFile, .fileReadNoPermission] {
            let provider = ScriptedProvider()
            let watch = try await provider.pollForChanges(at: .root, options: Self.options)
            provider.failure.update { $0 = { FileError.make(code, path: $0) } }
            if code == .fileReadNoSuchFile { #expect(try await events(watch, 1) == ["removed / directory"]) }
            for _ in 0..<2 {
                let error = await #expect(throws: CocoaError.self) { try await watch.next() }
                #expect(error?.code == code)
            }
            await watch.stop()
        }
    }

    @Test func `a folder that is missing at the start is an error`() async throws {
        let error = await #expect(throws: CocoaError.self) {
            try await ScriptedProvider().changes(at: ProviderPath("missing"))
        }
        #expect(error?.code == .fileReadNoSuchFile)
    }

    @Test func `a watch does not keep its provider, the sequence does`() async throws {
        var provider: ScriptedProvider? = ScriptedProvider()
        weak let weakProvider = provider
        var changes = try await provider?.changes(at: .root, options: Self.options)
        provider = nil
        #expect(weakProvider != nil)
        let watch = try #require(changes?.watch)
        changes = nil
        #expect(weakProvider == nil)
        #expect(try await watch.next() == nil)
    }

    @Test func `the sequence gives events one by one, and ends when it is stopped`() async throws {
        let provider = ScriptedProvider()
        let changes = try await provider.changes(at: .root, options: Self.options)
        for name in ["a", "b"] { try await provider.memory.write("1", to: name) }
        var seen: [String] = []
        for try await event in changes {
            seen.append(event.description)
            if seen.count == 2 { await changes.stop() }
        }
        #expect(seen.sorted() == ["created /a", "created /b"])
    }

    @Test func `a handler under the older, misspelt names works`() async throws {
        let provider = ScriptedProvider()
        let calls = CollectedValues<Int>()
        let old: any Misspelt = provider
        old.register { calls.append(1) }
        try await eventually { !calls.values.isEmpty }
        #expect(provider.isRegisteredForNotification(path: "/"))
        old.unregister()
        #expect(!provider.isRegisteredForNotification(path: "/"))
    }

    /// Events until there are `count`, in lines, sorted.
    private func events(_ watch: any FileWatch, _ count: Int) async throws -> [String] {
        var events: [FileEvent] = []
        while events.count < count { events += try #require(try await watch.next()) }
        return events.map { "\($0) \($0.type?.rawValue ?? "?")" }.sorted()
    }
}

/// Calls deprecated names without a warning.
private protocol Misspelt {
    func register(_ handler: @escaping @Sendable () -> Void)
    func unregister()
}

extension ScriptedProvider: Misspelt {
    @available(*, deprecated) func register(_ handler: @escaping @Sendable () -> Void) {
        registerNotifcation(path: "/", eventHandler: handler)
    }
    @available(*, deprecated) func unregister() { unregisterNotifcation(path: "/") }
}
