import FileProviderCore
import Foundation
import LocalFileProvider
import MemoryFileProvider
import ProviderDoubles
import Testing

/// Parts that killed writers left.
@Suite struct PartSweepTests {
    private static let day = 86_400.0
    private let storage = AgedStorage()

    private func sweep(_ change: (inout PartSweep) -> Void = { _ in }) async throws -> PartSweep.Outcome {
        var sweep = PartSweep()
        sweep.settling = .zero
        change(&sweep)
        return try await sweep.sweep(.root, of: storage)
    }

    private func part(_ name: String) throws -> String { try TemporaryName.make(beside: ProviderPath(name)).string }

    private func resumable(_ name: String) throws -> String {
        try TemporaryName.make(beside: ProviderPath(name), for: "1").string
    }

    @Test func `kinds of names are told apart, and what is not exactly one is somebody's own`() throws {
        for _ in 1...100 {
            #expect(TemporaryName.kind(of: try TemporaryName.make(beside: .root).name) == .single)
            #expect(TemporaryName.kind(of: try TemporaryName.makeAside(beside: .root).name) == .aside)
        }
        #expect(TemporaryName.kind(of: try TemporaryName.make(beside: ProviderPath("a"), for: "1").name) == .resumable)
        #expect(TemporaryName.kind(of: ".3hthufwk0y7zj.carrel-part") == .resumable)
        for name in [
            ".bin.carrel-part", "3hthufwk0y7zj.carrel-part", ".carrel-part", ".3hthufwk0y7zj.carrel-part.old",
            ".3hthufwk0y7zj-x.carrel-part",
            ".3Hthufwk0y7zj.carrel-part", ".my-own-w.carrel-part", ".3hthufwk0y7zj-w-w.carrel-part",
            ".3hthufwk0y7zjj.carrel-part",
        ] { #expect(TemporaryName.kind(of: name) == nil, "\(name)") }
    }

    @Test func `what is older than a day goes, what may be gone on with after a week, and nothing else`() async throws {
        let gone = try [
            storage.put(part("d/e/old"), age: 1.1 * Self.day), storage.put(part("older"), age: 400 * Self.day),
            storage.put(resumable("d/old"), age: 7.1 * Self.day),
        ]
        let kept = try [
            storage.put(part("d/young"), age: 0.9 * Self.day), storage.put(resumable("week"), age: 6.9 * Self.day),
        ]
        let own = try [
            storage.put(TemporaryName.makeAside(beside: ProviderPath("d/mine")).string, age: 400 * Self.day),
            storage.put("/.bin.carrel-part", age: 400 * Self.day), storage.put("/d/old.txt", age: 400 * Self.day),
            storage.put("/.0000000000000-w.carrel-part.old", age: 400 * Self.day),
        ]
        let planned = try await sweep { $0.isDryRun = true }
        #expect(Set(planned.removed.map(\.string)) == Set(gone) && planned.kept == 2)
        #expect(Set(try await storage.files()) == Set(gone + kept + own))
        let outcome = try await sweep()
        #expect(Set(outcome.removed.map(\.string)) == Set(gone) && outcome.kept == 2 && outcome.failed.isEmpty)
        #expect(Set(try await storage.files()) == Set(kept + own))
        #expect(try await sweep { $0.age = 0.5 * Self.day }.removed.map(\.string) == [kept[0]])
        #expect(try await sweep { $0.age = 8 * Self.day }.removed.isEmpty)
    }

    @Test func `age is counted by the storage's clock, and without one nothing goes`() async throws {
        let old = try storage.put(part("old"), age: 2 * Self.day)
        // Its clock is as far behind as the part is old.
        storage.skew.update { $0 = -2 * Self.day }
        #expect(try await sweep().kept == 1)
        storage.skew.update { $0 = 2 * Self.day }
        let young = try storage.put(part("young"), age: 0)
        #expect(Set(try await sweep { $0.isDryRun = true }.removed.map(\.string)) == [old, young])
        storage.hasTimes.update { $0 = false }
        let outcome = try await sweep()
        #expect(outcome.kept == 2 && outcome.removed.isEmpty)
        #expect(Set(try await storage.files()) == [old, young], "its own small file is gone again")
    }

    @Test func `a folder that was on its way goes with all it holds, once nothing in it is young`() async throws {
        let (old, young) = (try part("one"), try part("two"))
        for folder in [old, young] { _ = try storage.put(folder + "/d/a", age: 3 * Self.day) }
        _ = try storage.put(young + "/d/b", age: 0)
        storage.folderAge.update { $0 = 3 * Self.day }
        let outcome = try await sweep()
        #expect(outcome.removed.map(\.string) == [old] && outcome.kept == 1)
        #expect(try await storage.files().sorted() == [young + "/d/a", young + "/d/b"])
    }

    @Test func `a part that changes, or is gone, after the first look is left alone`() async throws {
        let (changed, renamed) = (try part("d/changed"), try part("d/renamed"))
        for name in [changed, renamed] { _ = try storage.put(name, age: 2 * Self.day) }
        let parts = try await storage.contentsOfDirectory(path: ProviderPath("d"))
        _ = try storage.put(changed, age: 1.5 * Self.day)
        try await storage.memory.moveItem(path: ProviderPath(renamed), to: ProviderPath("d/arrived"))
        var sweep = PartSweep()
        sweep.settling = .zero
        let outcome = try await sweep.sweep(parts, of: storage)
        #expect(outcome.removed.isEmpty && outcome.kept == 2)
        #expect(try await storage.files().sorted() == [changed, "/d/arrived"].sorted())
    }

    @Test func `without parts nothing is written`() async throws {
        _ = try storage.put("/a", age: 2 * Self.day)
        let outcome = try await sweep()
        #expect(outcome.removed.isEmpty && outcome.kept == 0 && storage.writes.value == 0)
    }

    /// Files keep the time of their originals, so parts look years old right before they get their names.
    @Test func `two copies and a sweep of one folder at once do each other no harm`() async throws {
        let folder = try TemporaryFolder()
        let disk = try LocalFileProvider(root: folder.url)
        for name in ["one", "two", "all"] { try await disk.createFolder(path: ProviderPath(name)) }
        let date = Date(timeIntervalSinceNow: -700 * Self.day)
        for (source, number) in [("one", 0), ("two", 1)] {
            for index in 0..<150 {
                try await disk.writeContents(
                    path: ProviderPath("\(source)/\(number)-\(index)"),
                    from: DataSource(Data(repeating: 1, count: 20_000)),
                    options: WriteOptions(modificationDate: date))
            }
        }
        let left = try ProviderPath("all").appending(TemporaryName.make(beside: .root).name)
        try await disk.writeContents(
            path: left, from: DataSource(Data("left".utf8)), options: WriteOptions(modificationDate: date))
        let (copies, target) = (try ["one", "two"].map { try ProviderPath($0) }, try ProviderPath("all"))
        let running = LockedValue(copies.count)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for source in copies {
                group.addTask {
                    defer { running.update { $0 -= 1 } }
                    let outcome = try await TreeCopy(preservesDates: true).copyFolder(
                        source, of: disk, to: target, of: disk)
                    #expect(
                        outcome.failed.isEmpty && outcome.copied == 150, "\(outcome.failed.first?.error.sentence ?? "")"
                    )
                }
            }
            group.addTask {
                var sweep = PartSweep()
                sweep.settling = .milliseconds(500)
                repeat { _ = try await sweep.sweep(target, of: disk) } while running.value > 0
            }
            try await group.waitForAll()
        }
        let names = try await disk.contentsOfDirectory(path: target).map(\.name)
        #expect(names.count == 300 && !names.contains(left.name))
    }
}

/// A storage in memory whose times are as a test says.
private final class AgedStorage: ForwardingProvider {
    static let type = "Aged"
    let memory = MemoryFileProvider(MemoryConfiguration(name: "aged"))
    var underlying: any FileProvider { memory }
    /// Seconds that what is written now gets a later time than this machine has.
    let skew = LockedValue(0.0)
    let hasTimes = LockedValue(true)
    let folderAge = LockedValue(0.0)
    let writes = LockedValue(0)
    private let ages = LockedValue<[ProviderPath: Double]>([:])

    /// Makes a file whose time is so many seconds ago, by this machine's clock.
    func put(_ name: String, age: Double) throws -> String {
        let path = try ProviderPath(name)
        ages.update { $0[path] = age }
        return name
    }

    /// Files that were announced are made when they are first asked for.
    private func make() async throws {
        let announced: [ProviderPath: Double] = ages.update { ages in
            defer { ages = [:] }
            return ages
        }
        for (path, age) in announced {
            try await memory.createFolderWithParents(path: path.parent ?? .root)
            let options = WriteOptions(overwrite: true, modificationDate: Date(timeIntervalSinceNow: -age))
            try await memory.writeContents(path: path, from: DataSource(Data("a part".utf8)), options: options)
        }
    }

    func files() async throws -> [String] {
        let found = CollectedValues<String>()
        try await walk(path: .root) { if $0.isRegularFile { found.append($0.path.string) } }
        return found.values
    }

    func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        try await make()
        try await memory.contentsOfDirectory(path: path) { items in
            try await page(
                items.map { item in
                    var item = item
                    if item.isDirectory { item.modifiedDate = item.modifiedDate?.addingTimeInterval(-folderAge.value) }
                    if !hasTimes.value { item.modifiedDate = nil }
                    return item
                })
        }
    }

    func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        try await make()
        writes.update { $0 += 1 }
        var options = options
        options.modificationDate = options.modificationDate ?? Date(timeIntervalSinceNow: skew.value)
        return try await memory.writeContents(path: path, from: source, options: options)
    }
}
