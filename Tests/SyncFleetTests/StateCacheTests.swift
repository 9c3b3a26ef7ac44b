import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

@testable import SyncFleet

struct StateCacheTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Keeps a state of so many bytes.
    private func keep(_ name: FleetStateName, _ size: Int, in cache: StateCache) async throws {
        let file = try await cache.workingFile(pair: name.pair, fence: name.fence)
        try Data(count: size).write(to: file.url)
        try await cache.keep(file, as: name, size: Int64(size))
    }

    private var kept: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "states").path).sorted()
        }
    }

    private func use(_ name: FleetStateName, secondsAgo: Double) throws {
        let file = folder.url.appending(path: "states").appending(path: name.cached)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -secondsAgo)], ofItemAtPath: file.path)
    }

    @Test func `the cache stays within its limit and drops what was used longest ago`() async throws {
        let cache = StateCache(folder.url, most: 1000)
        let names = (1...4).map { FleetStateName(pair: Int64($0), fence: 1) }
        for (index, name) in names.prefix(3).enumerated() {
            try await keep(name, 300, in: cache)
            try use(name, secondsAgo: Double([20, 30, 10][index]))
        }
        #expect(try kept.count == 3)
        try await keep(names[3], 300, in: cache)
        #expect(try kept == [names[0], names[2], names[3]].map(\.cached).sorted())
        // The largest that fits drops the others, and a larger one is not kept.
        try await keep(FleetStateName(pair: 5, fence: 1), 1000, in: cache)
        #expect(try kept.count == 1)
        try await keep(FleetStateName(pair: 6, fence: 1), 1001, in: cache)
        #expect(try kept.count == 1)
        #expect(try kept.first?.hasPrefix("5-") == true)
    }

    @Test func `a cache that is opened again counts what it holds`() async throws {
        let first = StateCache(folder.url, most: 1000)
        for pair in 1...3 { try await keep(FleetStateName(pair: Int64(pair), fence: 1), 300, in: first) }
        let second = StateCache(folder.url, most: 500)
        try await second.open()
        #expect(try kept.count == 1)
    }

    @Test func `a kept state is taken once`() async throws {
        let cache = StateCache(folder.url, most: 1000)
        let name = FleetStateName(pair: 1, fence: 1)
        try await keep(name, 10, in: cache)
        let file = try await cache.workingFile(pair: 1, fence: 2)
        let first = try await cache.take(name, to: file)
        #expect(first)
        #expect(try await cache.measure(file).size == 10)
        let second = try await cache.take(name, to: file)
        #expect(!second)
        #expect(try kept == [])
    }

    @Test(arguments: ["-wal", "-journal"])
    func `a state with a part in another file is not whole`(suffix: String) async throws {
        let cache = StateCache(folder.url, most: 1000)
        let file = try await cache.workingFile(pair: 1, fence: 1)
        try Data("state".utf8).write(to: file.url)
        #expect(try await cache.measure(file).size == 5)
        let rest = URL(fileURLWithPath: file.url.path + suffix)
        try Data().write(to: rest)
        #expect(try await cache.measure(file).size == 5)
        try Data("rest".utf8).write(to: rest)
        await #expect(throws: CocoaError.self) { try await cache.measure(file) }
        try await cache.discard(file)
        #expect(!FileManager.default.fileExists(atPath: rest.path))
    }

    @Test func `the start removes the working copies of dead workers and leaves those of living ones`() throws {
        let all = folder.url.appending(path: "work", directoryHint: .isDirectory)
        var dead: WorkFolder? = try WorkFolder(in: all)
        let living = try WorkFolder(in: all)
        let folder = try #require(dead?.url)
        let files = [folder, living.url].map { $0.appending(path: "1-1.sqlite") }
        for file in files { try Data("state".utf8).write(to: file) }
        // A crash ends the lock and leaves the file.
        dead = nil
        // A folder of a process that died before it had a lock.
        try FileManager.default.createDirectory(at: all.appending(path: "unlocked"), withIntermediateDirectories: true)
        let new = try WorkFolder(in: all)
        let left = Set(try FileManager.default.contentsOfDirectory(atPath: all.path))
        #expect(left == [living.url.lastPathComponent, new.url.lastPathComponent, "carrel-fleet.lock"])
        #expect(FileManager.default.fileExists(atPath: files[1].path))
        #expect(dead == nil)
    }
}
