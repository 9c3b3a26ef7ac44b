import FileProviderCore
import Foundation
import GRDB
import LocalFileProvider
import MemoryFileProvider
import ProviderDoubles
import Sync
import Testing

/// What happens right before, beside or right after a step of a run.
@Suite struct LastMomentTests {
    private let left = ControlledProvider("one")
    private let right = ControlledProvider("two")

    private func bed(_ direction: SyncOptions.Direction = .twoWay) throws -> SyncBed {
        try SyncBed(direction, source: left, destination: right)
    }

    /// Loses the answers to `call`.
    private func loseReplies(to call: String, of storage: ControlledProvider) {
        storage.after.update { $0 = { if $0 == call { throw URLError(.networkConnectionLost) } } }
    }

    @Test func `what is brought back after a removal that could not be noted is no removal of the other side`()
        async throws
    {
        let bed = try bed()
        for name in ["a", "b", "c"] { try await left.memory.put("/" + name, name) }
        try await bed.run()
        // Into another folder's trash, and back as it was: size, time and identity are the same.
        let bin = try ProviderPath(".bin.carrel-part")
        try #require(TemporaryName.matches(bin.name))
        try await left.memory.moveItem(path: ProviderPath("a"), to: bin)
        loseReplies(to: "remove", of: right)
        #expect(try await bed.run().failures == 1)
        right.after.update { $0 = { _ in } }
        #expect(try await right.memory.tree() == ["/b b", "/c c"])
        try await left.memory.moveItem(path: bin, to: ProviderPath("a"))
        let report = try await bed.run()
        #expect(report.removed == 0 && report.created == 1, "\(report)")
        #expect(try await left.memory.tree() == ["/a a", "/b b", "/c c"])
        #expect(try await right.memory.tree() == ["/a a", "/b b", "/c c"])
    }

    @Test func `what is brought back after an update that could not be noted is kept beside it`() async throws {
        let bed = try bed()
        for name in ["a", "b"] { try await left.memory.put("/" + name, "old \(name)") }
        try await bed.run()
        let bin = try ProviderPath(".bin.carrel-part")
        try await left.memory.moveItem(path: ProviderPath("a"), to: bin)
        try await left.memory.put("/a", "a newer version")
        loseReplies(to: "write", of: right)
        #expect(try await bed.run().failures == 1)
        right.after.update { $0 = { _ in } }
        #expect(try await right.memory.texts().contains("a newer version"))
        try await left.memory.remove("/a")
        try await left.memory.moveItem(path: bin, to: ProviderPath("a"))
        #expect(try await bed.run().isComplete)
        #expect(try await left.memory.tree() == right.memory.tree())
        #expect(try await left.memory.texts().isSuperset(of: ["old a"]))
    }

    @Test(arguments: ["attributes", "move", "remove"])
    func `what is written right before a removal is not removed`(call: String) async throws {
        let bed = try bed()
        for name in ["a", "b"] { try await left.memory.put("/" + name, name) }
        try await bed.run()
        try await left.memory.remove("/a")
        let isWritten = LockedValue(false)
        right.before.update {
            $0 = { [right] now in
                let isFirst = isWritten.update { isWritten in
                    defer { isWritten = isWritten || now == call }
                    return !isWritten && now == call
                }
                if isFirst { try await right.memory.put("/a", "written at the last moment") }
            }
        }
        #expect(try await bed.run().isComplete)
        #expect(isWritten.value)
        #expect(try await bed.run().isComplete)
        #expect(try await left.memory.tree() == ["/a written at the last moment", "/b b"])
        #expect(try await right.memory.tree() == ["/a written at the last moment", "/b b"])
    }

    @Test(arguments: [Capabilities.Support.native, .derived])
    func `what is written right before a move goes along or stays, and is seen`(moving: Capabilities.Support)
        async throws
    {
        let bed = try bed()
        right.adjustment.update { $0 = { $0[.moving] = moving } }
        for name in ["a", "b"] { try await left.memory.put("/" + name, name) }
        try await bed.run()
        try await left.memory.move("/a", "/c")
        // Folders are made before files are moved.
        try await left.memory.createFolder(path: ProviderPath("d"))
        right.before.update { $0 = { [right] in if $0 == "folder" { try await right.memory.put("/a", "A") } } }
        #expect(try await bed.run().isComplete)
        right.before.update { $0 = { _ in } }
        #expect(try await bed.run().isComplete)
        let tree = try await left.memory.tree()
        #expect(try await tree == right.memory.tree())
        #expect(Set(tree.map { $0.suffix(2) }).isSuperset(of: [" A", " b"]), "\(tree)")
        #expect(moving == .native || tree == ["/a A", "/b b", "/c a", "/d/"], "\(tree)")
    }

    @Test(arguments: [false, true])
    func `what could not be looked at again comes back to its place`(keepsReplaced: Bool) async throws {
        let bed = try bed()
        bed.options.update { $0.keepsReplaced = keepsReplaced }
        for name in ["a", "b"] { try await left.memory.put("/" + name, name) }
        try await bed.run()
        try await left.memory.remove("/a")
        let hasMoved = LockedValue(false)
        right.after.update { $0 = { call in if call == "move" { hasMoved.update { $0 = true } } } }
        right.before.update {
            $0 = { call in
                if call == "attributes", hasMoved.value {
                    throw FileError.make(.fileReadUnknown, path: "/a", sentence: "A hiccup.")
                }
            }
        }
        let report = try await bed.run()
        #expect(report.failures == 1, "\(report)")
        #expect(try await right.memory.tree() == ["/a a", "/b b"])
        right.before.update { $0 = { _ in } }
        #expect(try await bed.run().removed == 1)
        #expect(try await right.memory.texts() == (keepsReplaced ? ["a", "b"] : ["b"]))
    }

    @Test(arguments: [true, false])
    func `what cannot be removed is seen, and costs nothing when it is wanted again`(isLost: Bool) async throws {
        let bed = try bed()
        for name in ["a", "b"] { try await left.memory.put("/" + name, name) }
        try await bed.run()
        let bin = try ProviderPath(".bin.carrel-part")
        try await left.memory.moveItem(path: ProviderPath("a"), to: bin)
        if isLost {
            loseReplies(to: "move", of: right)
            #expect(try await bed.run().failures == 1)
            right.after.update { $0 = { _ in } }
        } else {
            right.before.update {
                $0 = { call in
                    if call == "remove" {
                        throw FileError.make(.fileWriteNoPermission, path: "/a", sentence: "Not here.")
                    }
                }
            }
            #expect(try await bed.run().failures == 1)
        }
        #expect(try await right.memory.tree() == ["/a a", "/b b"])
        try await left.memory.moveItem(path: bin, to: ProviderPath("a"))
        let report = try await bed.run()
        #expect(!report.hasChanges && report.isComplete, "\(report)")
        #expect(try await left.memory.tree() == ["/a a", "/b b"])
    }

    @Test func `what a mirror left in a folder that could not be listed comes back later`() async throws {
        let bed = try bed(.mirror)
        for name in ["d/kept", "d/stays", "x", "y"] { try await left.memory.put("/" + name, name) }
        try await bed.run()
        try await left.memory.remove("/d/kept")
        try await bed.run()
        bed.options.update { $0.direction = .twoWay }
        left.beforePath.update {
            $0 = { call, path in
                if call == "list", path.name == "d" {
                    throw FileError.make(.fileReadNoPermission, path: path, sentence: "Not now.")
                }
            }
        }
        #expect(try await bed.run().failures == 1)
        left.beforePath.update { $0 = { _, _ in } }
        let report = try await bed.run()
        #expect(report.removed == 0 && report.created == 1, "\(report)")
        #expect(try await left.memory.tree() == right.memory.tree())
    }

    @Test func `a folder that can never be listed does not keep a pair from being kept in step both ways`() async throws
    {
        let bed = try bed(.mirror)
        for name in ["lost/x", "a", "b", "c"] { try await left.memory.put("/" + name, name) }
        try await bed.run()
        bed.options.update { $0.direction = .twoWay }
        left.beforePath.update {
            $0 = { call, path in
                if call == "list", path.name == "lost" {
                    throw FileError.make(.fileReadNoPermission, path: path, sentence: "Never.")
                }
            }
        }
        #expect(try await bed.run().failures == 1)
        try await left.memory.remove("/a")
        let report = try await bed.run()
        #expect(report.removed == 1 && report.created == 0, "\(report)")
        #expect(try await right.memory.tree() == ["/b b", "/c c", "/lost/", "/lost/x lost/x"])
    }

    @Test(arguments: [
        "id = -5", "id = -9223372036854775808", "type = -9223372036854775808", "type = 0",
        "listed1 = 0, tag1 = NULL, time1 = -9223372036854775808",
        "size0 = -9223372036854775808, size1 = 9223372036854775807",
    ])
    func `a state with numbers that make no sense ends no process`(change: String) async throws {
        let bed = try bed()
        try await left.memory.put("/a", "a")
        try await bed.run()
        try await DatabaseQueue(path: bed.state.path).write { try $0.execute(sql: "UPDATE item SET \(change)") }
        do { _ = try await bed.run() } catch let error as CocoaError where error.code == .fileReadCorruptFile {}
        for side in [left, right] { #expect(try await side.memory.texts() == ["a"]) }
    }

    @Test func `sizes of which no number holds the sum end no process`() async throws {
        for name in ["a", "b"] { try await left.memory.put("/" + name, name) }
        let bed = try SyncBed(.mirror, source: HugeFiles(left), destination: right)
        #expect(try await bed.withSync { try await $0.plan { _ in } }.bytes == .max)
        #expect(try await bed.run().bytes == .max)
        #expect(try await right.memory.texts() == ["a", "b"])
    }

    @Test func `a file that changes whenever it is read is sent twice at most, and left for the next run`() async throws
    {
        try await left.memory.put("/log", "line 0")
        try await left.memory.put("/quiet", "quiet")
        let busy = BusyStorage(left.memory)
        let bed = try SyncBed(.mirror, source: busy, destination: right)
        let report = try await bed.run()
        #expect(report.postponed.map(\.path.string) == ["/log"] && report.created == 1, "\(report)")
        #expect(busy.lines.value == 2)
        busy.isQuiet.update { $0 = true }
        #expect(try await bed.run().isComplete)
        #expect(try await right.memory.tree() == ["/log line 2", "/quiet quiet"])
    }

    @Test(arguments: [SyncOptions.Direction.mirror, .twoWay])
    func `a file that grows while its storage copies it is copied again, and is no conflict`(
        direction: SyncOptions.Direction
    ) async throws {
        try await withOneDisk(direction) { disk, sync in
            disk.beforeCopy.update { $0 = { try await disk.put("/a/log", "01") } }
            let report = try await sync.run()
            #expect(
                report.isComplete && report.conflicts == 0 && report.created == 2 && report.updated == 1, "\(report)")
            let again = try await sync.run()
            #expect(!again.hasChanges, "\(again)")
            for side in ["a", "b"] {
                let names = try await disk.contentsOfDirectory(path: ProviderPath(side)).map(\.name)
                let log = try await disk.contents(path: ProviderPath("\(side)/log"))
                #expect(names.sorted() == ["log", "quiet"] && log == Data("01".utf8))
            }
        }
    }

    @Test func `what somebody writes to the place right after a storage has copied to it is not taken for the copy`()
        async throws
    {
        try await withOneDisk(.twoWay) { disk, sync in
            disk.afterCopy.update { $0 = { try await disk.put("/b/log", "somebody else's") } }
            let report = try await sync.run()
            let again = try await sync.run()
            let texts = try await disk.texts()
            #expect(
                report.conflicts == 1 && again.isComplete && texts == ["0", "quiet", "somebody else's"],
                "\(report) \(texts)")
        }
    }

    /// Two folders of one disk, of which the first holds something.
    private func withOneDisk(
        _ direction: SyncOptions.Direction, _ body: (BusyDisk, FolderSync) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "disk"), withIntermediateDirectories: true)
        let disk = try BusyDisk(LocalFileProvider(root: folder.url.appending(path: "disk")))
        try await disk.put("/a/log", "0")
        try await disk.put("/a/quiet", "quiet")
        let sync = try await FolderSync(
            SyncFolder(ProviderLocation(provider: disk, path: ProviderPath("a")), label: "one"),
            SyncFolder(ProviderLocation(provider: disk, path: ProviderPath("b")), label: "two"),
            state: folder.url.appending(path: "state.db"),
            options: SyncOptions(direction: direction))
        try await body(disk, sync)
        try await sync.close()
    }

    // MARK: Sides that have lost everything

    @Test(arguments: [SyncOptions.RemovalLimit.count(1000), .share(0.999)])
    func `a disk that was replaced by another one takes nothing from the other side`(limit: SyncOptions.RemovalLimit)
        async throws
    {
        let bed = try bed()
        bed.options.update { $0.removalLimit = limit }
        for number in 0..<20 { try await left.memory.put("/\(number)", "\(number)") }
        try await bed.run()
        for number in 0..<20 { try await right.memory.remove("/\(number)") }
        try await right.memory.createFolder(path: ProviderPath("lost+found"))
        let error = await #expect(throws: CocoaError.self) { try await bed.run() }
        #expect(error?.removalStop == .emptySide(.destination, held: 20))
        try await right.memory.put("/a stray file", "text")
        await #expect(throws: CocoaError.self) { try await bed.run() }
        #expect(try await left.memory.tree().count == 20)
        // Everything under another name is no loss.
        for number in 0..<20 { try await right.memory.put("/\(number)", "\(number)") }
        _ = try await bed.run()
        try await right.memory.createFolder(path: ProviderPath("all"))
        for item in try await right.memory.contentsOfDirectory(path: .root) where item.name != "all" {
            try await right.memory.move(item.path.string, "/all\(item.path)")
        }
        bed.options.update { $0.removalLimit = .share(0.5) }
        #expect(try await bed.run().isComplete)
        #expect(try await left.memory.tree() == right.memory.tree())
    }

    @Test func `of a few items none is lost to another disk, be it empty or not`() async throws {
        let bed = try bed()
        try await left.memory.put("/a", "a")
        try await bed.run()
        try await left.memory.remove("/a")
        try await left.memory.createFolder(path: ProviderPath("lost+found"))
        await #expect(throws: CocoaError.self) { try await bed.run() }
        try await left.memory.put("/b", "another")
        await #expect(throws: CocoaError.self) { try await bed.run() }
        #expect(try await right.memory.tree() == ["/a a"])
        bed.options.update { $0.removalLimit = .share(1) }
        #expect(try await bed.run().removed == 1)
        #expect(try await right.memory.tree() == ["/b another", "/lost+found/"])
    }

    @Test func `no share allows no removal`() async throws {
        let bed = try bed()
        bed.options.update { $0.removalLimit = .share(0) }
        for name in ["a", "b"] { try await left.memory.put("/" + name, name) }
        try await bed.run()
        try await left.memory.remove("/a")
        await #expect(throws: CocoaError.self) { try await bed.run() }
        #expect(try await right.memory.tree() == ["/a a", "/b b"])
    }

    @Test func `after a mirror, one file that cannot be brought back brings back nothing else`() async throws {
        let bed = try bed(.mirror)
        for name in ["a", "b", "kept"] { try await left.memory.put("/" + name, name) }
        try await bed.run()
        try await left.memory.remove("/kept")
        try await bed.run()
        bed.options.update { $0.direction = .twoWay }
        left.before.update {
            $0 = { call in
                if call == "write" {
                    throw FileError.make(.fileWriteNoPermission, path: "/kept", sentence: "Not ever.")
                }
            }
        }
        #expect(try await bed.run().failures == 1)
        try await left.memory.remove("/a")
        let report = try await bed.run()
        #expect(report.removed == 1 && report.failures == 1, "\(report)")
        #expect(try await right.memory.tree() == ["/b b", "/kept kept"])
    }

    // MARK: Room

    @Test func `a full disk takes what it has room for, and what is removed makes more`() async throws {
        let disk = SmallDisk(right.memory)
        let bed = try SyncBed(.twoWay, source: left, destination: disk)
        // The disk looks for room before it writes.
        bed.options.update { $0.transfers = 1 }
        try await left.memory.put("/old", String(repeating: "o", count: 100))
        try await left.memory.put("/other", "other")
        try await bed.run()
        try await left.memory.remove("/old")
        for name in ["b", "d"] { try await left.memory.put("/\(name) large", String(repeating: name, count: 90)) }
        for name in ["a", "c", "e"] { try await left.memory.put("/\(name) small", name) }
        disk.bytes.update { $0 = 120 }
        let report = try await bed.run()
        #expect(report.removed == 1 && report.created == 4 && report.failures == 1, "\(report)")
        #expect((report.failed.first?.error as? CocoaError)?.code == .fileWriteOutOfSpace)
        #expect(try await right.memory.tree().count == 5)
    }

    // MARK: The state

    @Test func `a state with values that it cannot have is damaged, and says so`() async throws {
        let bed = try bed()
        try await left.memory.put("/a", "a")
        try await bed.run()
        try await DatabaseQueue(path: bed.state.path).write { db in
            try db.execute(
                sql: "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, ' STRICT', '')")
        }
        try await DatabaseQueue(path: bed.state.path).write {
            try $0.execute(sql: "UPDATE item SET size0 = 'many', key = 'text'")
        }
        try await DatabaseQueue(path: bed.state.path).write { db in
            try db.execute(
                sql: "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = sql || ' STRICT' WHERE name = 'item'")
        }
        await #expect { try await bed.run() } throws: { error in
            (error as? CocoaError)?.code == .fileReadCorruptFile && error.sentence.contains("is damaged")
        }
    }

    @Test func `a dry run says what it finds, and changes neither sides nor state`() async throws {
        let bed = try bed(.mirror)
        for name in ["a", "b"] { try await left.memory.put("/" + name, name) }
        try await bed.run()
        try await left.memory.remove("/a")
        try await bed.run()
        func items() throws -> [Row] {
            try DatabaseQueue(path: bed.state.path).read {
                try Row.fetchAll($0, sql: "SELECT * FROM item ORDER BY key")
            }
        }
        let before = try items()
        bed.options.update { $0.direction = .twoWay }
        #expect(try await bed.plan() == ["create source /a"])
        #expect(try items() == before)
    }
}

/// A storage with a log to which somebody writes whenever it is read.
private final class BusyStorage: ForwardingProvider {
    static let type = "Busy"
    let underlying: any FileProvider
    private let memory: MemoryFileProvider
    let lines = LockedValue(0)
    let isQuiet = LockedValue(false)

    init(_ memory: MemoryFileProvider) {
        self.memory = memory
        underlying = memory
    }

    func pass<Value: Sendable>(_ call: String, _ path: ProviderPath, _ body: () async throws -> Value) async throws
        -> Value
    {
        guard call == "open", path.name == "log", !isQuiet.value else { return try await body() }
        let number = lines.update { lines in
            lines += 1
            return lines
        }
        try await memory.put("/log", "line \(number)")
        throw FileError.changedWhileReading(path)
    }
}

/// A disk on which something happens once, right before or after it copies the log.
private final class BusyDisk: ForwardingProvider {
    static let type = "BusyDisk"
    let underlying: any FileProvider
    let beforeCopy = LockedValue<@Sendable () async throws -> Void>({})
    let afterCopy = LockedValue<@Sendable () async throws -> Void>({})

    init(_ underlying: LocalFileProvider) {
        self.underlying = underlying
    }

    func pass<Value: Sendable>(_ call: String, _ path: ProviderPath, _ body: () async throws -> Value) async throws
        -> Value
    {
        guard call == "copy", path.name == "log" else { return try await body() }
        try await Self.take(beforeCopy)()
        let value = try await body()
        try await Self.take(afterCopy)()
        return value
    }

    private static func take(_ work: LockedValue<@Sendable () async throws -> Void>)
        -> @Sendable () async throws -> Void
    {
        work.update { work in
            defer { work = {} }
            return work
        }
    }
}

/// A storage with room for so many bytes.
private final class SmallDisk: ForwardingProvider {
    static let type = "SmallDisk"
    let underlying: any FileProvider
    private let memory: MemoryFileProvider
    let bytes = LockedValue(Int64.max)

    init(_ memory: MemoryFileProvider) {
        self.memory = memory
        underlying = memory
    }

    func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        let taken = LockedValue(source.length ?? 0)
        try await memory.walk(path: .root) { item in taken.update { $0 += item.size ?? 0 } }
        if taken.value > bytes.value { throw FileError.make(errno: ENOSPC, path: path, writing: true) }
        return try await memory.writeContents(path: path, from: source, options: options)
    }
}

/// A storage that lists every file as large as a number can say.
private final class HugeFiles: ForwardingProvider {
    static let type = "Huge"
    let underlying: any FileProvider

    init(_ underlying: any FileProvider) {
        self.underlying = underlying
    }

    func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        try await underlying.contentsOfDirectory(path: path) { items in
            try await page(
                items.map { item in
                    var item = item
                    if item.isRegularFile { item.size = .max }
                    return item
                })
        }
    }
}
