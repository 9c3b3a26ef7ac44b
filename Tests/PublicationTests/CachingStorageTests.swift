import FileProviderCore
import Foundation
import SampleBooks
import Testing

import Archives
import MediaTypes
import Publication
@testable import PublicationCache

private let block = Int(CacheHeader.usualBlock)

@Suite struct `A cache on disk` {
    private let room: CacheRoom
    private let bytes = Data.seeded(4 * block + 333)
    private let medium: CountedMedium

    init() throws {
        room = try CacheRoom()
        var items = ["a.mp3": bytes]
        for index in 0..<8 { items["\(index)"] = Data.seeded(2 * block, seed: UInt64(index + 50)) }
        medium = CountedMedium(items)
    }

    private func fetcher(_ cache: ResourceCache? = nil, scope: String = "book") -> CachingFetcher {
        CachingFetcher(medium, cache: cache ?? room.cache(), scope: scope)
    }

    private func range(_ start: Int, _ end: Int) -> Range<Int64> { Int64(start)..<Int64(end) }

    // MARK: Damage

    /// What a crash, a full disk or a bad one may leave.
    enum Damage: CaseIterable {
        case empty, headerCutOff, tableCutOff, dataCutOff, lastByteMissing, headerGarbage, markGone, lengthChanged,
            entryGarbage
        case entryBeforeData, entryOfOtherBlock, bitFlipped, dataZeroed, allZero, otherResource, grown
    }

    private func harm(_ damage: Damage, file: FileHandle) throws {
        func write(_ data: Data, at offset: UInt64) throws {
            try file.seek(toOffset: offset)
            try file.write(contentsOf: data)
        }
        let (page, size) = (UInt64(CacheHeader.page), try file.seekToEnd())
        switch damage {
        case .empty: try file.truncate(atOffset: 0)
        case .headerCutOff: try file.truncate(atOffset: 57)
        case .tableCutOff: try file.truncate(atOffset: 141)
        case .dataCutOff: try file.truncate(atOffset: page + UInt64(2 * block + 100))
        case .lastByteMissing: try file.truncate(atOffset: size - 1)
        case .headerGarbage: try write(.seeded(90, seed: 7), at: 8)
        case .markGone: try write(Data([0]), at: 0)
        case .lengthChanged: try write(Data([1, 2, 3, 4]), at: 80)
        case .entryGarbage: try write(.seeded(8, seed: 8), at: UInt64(CacheHeader.size) + 8)
        case .entryBeforeData: try write(Data(count: block), at: page + UInt64(3 * block))
        case .entryOfOtherBlock:
            try file.seek(toOffset: UInt64(CacheHeader.size))
            let entry = try #require(try file.read(upToCount: 8))
            try write(entry, at: UInt64(CacheHeader.size) + 16)
        case .bitFlipped: try write(Data([bytes[block + 5] ^ 4]), at: page + UInt64(block + 5))
        case .dataZeroed: try write(Data(count: bytes.count), at: page)
        case .allZero: try write(Data(count: Int(size)), at: 0)
        case .otherResource: try write(.seeded(32, seed: 5), at: 8)
        case .grown: try write(.seeded(1000, seed: 5), at: size)
        }
    }

    @Test(arguments: Damage.allCases)
    func `never gives bytes of a damaged file`(damage: Damage) async throws {
        _ = try await fetcher().get("a.mp3").read()
        let count = medium.requests.count
        try room.tamper { try harm(damage, file: $0) }
        let resource = fetcher().get("a.mp3")
        #expect(try await resource.read(range(block + 1, block + 9)) == bytes[block + 1..<block + 9])
        #expect(try await resource.read() == bytes)
        #expect((medium.requests.count == count) == (damage == .grown))
        // It is mended.
        let mended = medium.requests.count
        #expect(try await fetcher().get("a.mp3").read() == bytes)
        #expect(medium.requests.count == mended)
    }

    @Test(arguments: Damage.allCases)
    func `gives offline what was not damaged, and nothing else`(damage: Damage) async throws {
        _ = try await fetcher().get("a.mp3").read()
        try room.tamper { try harm(damage, file: $0) }
        medium.change { $0.isOffline = true }
        let resource = fetcher().get("a.mp3")
        for start in stride(from: 0, to: bytes.count, by: block) {
            let range = range(start, min(start + block, bytes.count))
            do {
                #expect(try await resource.read(range) == bytes[Int(range.lowerBound)..<Int(range.upperBound)])
            } catch {
                #expect(error.isUnavailable && damage != .grown)
            }
        }
    }

    @Test func `serves nothing wrong while its file is cut off under a reader`() async throws {
        let resource = fetcher().get("a.mp3")
        #expect(try await resource.read() == bytes)
        try room.tamper { try $0.truncate(atOffset: UInt64(CacheHeader.page) + 10) }
        #expect(try await resource.read() == bytes)
    }

    @Test func `removes temporary files that nobody holds`() async throws {
        let cache = room.cache()
        _ = try await fetcher(cache).get("0").read()
        let folder = try room.files()[0].deletingLastPathComponent()
        let leftover = folder.appending(path: try TemporaryName.make(beside: .root).string.drop { $0 == "/" })
        try Data("left".utf8).write(to: leftover)
        let kept = folder.appending(path: try TemporaryName.make(beside: .root).string.drop { $0 == "/" })
        try Data("held".utf8).write(to: kept)
        let holder = try FileDescriptor(path: kept.path, flags: O_RDONLY)
        #expect(holder.lock(LOCK_SH))
        _ = try await fetcher(room.cache()).get("1").read()
        #expect(!FileManager.default.fileExists(atPath: leftover.path))
        #expect(FileManager.default.fileExists(atPath: kept.path))
    }

    // MARK: Room

    @Test func `lets what was not read for longest go when it is full`() async throws {
        let cache = room.cache(Int64(9 * block))
        for href in ["0", "1", "2"] { _ = try await fetcher(cache).get(href).read() }
        _ = try await fetcher(cache).get("0").read()
        // Four resources with their headers take more than eight blocks, and an eighth of the cache is to be free.
        for href in ["3", "4"] { _ = try await fetcher(cache).get(href).read() }
        #expect(try await cache.usedBytes() <= Int64(9 * block))
        medium.change { $0.isOffline = true }
        let offline = fetcher(cache)
        #expect(await readingFails(offline.get("1"))?.isUnavailable == true)
        for href in ["0", "4"] { #expect(await readingFails(offline.get(href)) == nil) }
    }

    @Test func `keeps what is pinned, and reads on past the cache when nothing can go`() async throws {
        let cache = room.cache(Int64(7 * block))
        let pinned = fetcher(cache, scope: "pinned")
        try await pinned.preload([Link(href: "0"), Link(href: "1")])
        for href in ["2", "3", "4"] {
            #expect(try await fetcher(cache).get(href).read() == Data.seeded(2 * block, seed: UInt64(href)! + 50))
        }
        await #expect { try await pinned.preload([Link(href: "a.mp3")]) } throws: {
            ($0 as? CocoaError)?.code == .fileWriteOutOfSpace
        }
        #expect(try await cache.usedBytes() <= Int64(7 * block))
        medium.change { $0.isOffline = true }
        for href in ["0", "1"] { #expect(await readingFails(fetcher(cache, scope: "pinned").get(href)) == nil) }
        #expect(try await cache.isPinned(scope: "pinned"))
        medium.change { $0.isOffline = false }
        try await pinned.unpin()
        for href in ["5", "6", "7"] { _ = try await fetcher(cache).get(href).read() }
        medium.change { $0.isOffline = true }
        #expect(await readingFails(fetcher(cache, scope: "pinned").get("0"))?.isUnavailable == true)
    }

    @Test func `a cleaner that never rests takes no file from one who makes it`() async throws {
        let cache = room.cache(Int64(7 * block))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask { for _ in 0..<200 { try await cache.pin(scope: "\(writer)") } }
            }
            let cleaner = Task { while !Task.isCancelled { _ = try await cache.usedBytes() } }
            defer { cleaner.cancel() }
            try await group.waitForAll()
        }
        for writer in 0..<4 { #expect(try await cache.isPinned(scope: "\(writer)")) }
    }

    @Test func `keeps what another process reads`() async throws {
        let cache = room.cache(Int64(7 * block))
        _ = try await fetcher(cache).get("0").read()
        // flock(1) holds a shared lock, as a process with the file open does, until its standard input ends.
        let (child, input, output) = (Process(), Pipe(), Pipe())
        child.executableURL = URL(filePath: "/usr/bin/flock")
        child.arguments = ["--shared", try room.files()[0].path, "/bin/sh", "-c", "echo ready; cat"]
        (child.standardInput, child.standardOutput) = (input, output)
        try child.run()
        #expect(try output.fileHandleForReading.read(upToCount: 1) != nil)
        for href in ["1", "2", "3", "4"] { _ = try await fetcher(cache).get(href).read() }
        medium.change { $0.isOffline = true }
        #expect(await readingFails(fetcher(cache).get("0")) == nil)
        try input.fileHandleForWriting.close()
        child.waitUntilExit()
        medium.change { $0.isOffline = false }
        for href in ["5", "6", "7"] { _ = try await fetcher(cache).get(href).read() }
        medium.change { $0.isOffline = true }
        #expect(await readingFails(fetcher(cache).get("0"))?.isUnavailable == true)
    }

    @Test func `removes a publication, and who reads it reads on`() async throws {
        let cache = room.cache()
        let resource = fetcher(cache).get("a.mp3")
        _ = try await resource.read(range(0, block))
        try await cache.remove(scope: "book")
        #expect(try room.files().isEmpty)
        #expect(try await cache.usedBytes() == 0)
        #expect(try await resource.read() == bytes)
        #expect(try await resource.read() == bytes)
        #expect(try await fetcher(cache).get("a.mp3").read() == bytes)
    }

    // MARK: Storage that fails

    @Test func `is gone past where its place is taken`() async throws {
        let inTheWay = CacheFolder(path: room.cache().folder(of: "book").path)
        _ = try inTheWay.make()
        try FileManager.default.createDirectory(
            atPath: "\(inTheWay.path)/\(NameDigest("0").name)", withIntermediateDirectories: true)
        #expect(try await fetcher().get("0").read() == Data.seeded(2 * block, seed: 50))
        try Data().write(to: URL(filePath: room.cache().folder(of: "other").path))
        #expect(try await fetcher(scope: "other").get("0").read() == Data.seeded(2 * block, seed: 50))
    }

    /// A file system of a megabyte, which needs the right to mount one: where that is missing, the test says so and
    /// fails.
    @Test func `reads on when the disk is full`() async throws {
        let location = room.folder.appending(path: "small", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: location, withIntermediateDirectories: true)
        try #require(
            mount("none", location.path, "tmpfs", 0, "size=1m") == 0,
            "Mounting a tmpfs needs root: \(String(cString: strerror(errno))).")
        defer { umount2(location.path, 2) }
        let cache = ResourceCache(folder: location, capacity: 1 << 30)
        let fetcher = fetcher(cache)
        #expect(try await fetcher.get("a.mp3").read() == bytes)
        #expect(try await fetcher.get("a.mp3").read(range(block, bytes.count)) == bytes[block...])
        for href in ["0", "1"] { #expect(try await fetcher.get(href).read().count == 2 * block) }
        await #expect { try await fetcher.preload([Link(href: "2")]) } throws: {
            ($0 as? CocoaError)?.code == .fileWriteOutOfSpace
        }
        // What fitted is good.
        medium.change { $0.isOffline = true }
        #expect(try await self.fetcher(cache).get("a.mp3").read(range(0, 2 * block)) == bytes[..<(2 * block)])
    }

    // MARK: Several at once

    @Test func `is shared by several that read and write at once`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<6 {
                // Each with its own locks, as processes have.
                let fetcher = fetcher(room.cache())
                group.addTask {
                    for step in 0..<12 {
                        let start = (index * 7 + step * 5) % 4 * block + index * 100
                        let read = try await fetcher.get("a.mp3").read(range(start, start + block))
                        #expect(read == bytes[start..<min(start + block, bytes.count)])
                        let small = UInt64((index + step) % 8)
                        #expect(try await fetcher.get("\(small)").read() == Data.seeded(2 * block, seed: small + 50))
                    }
                }
            }
            try await group.waitForAll()
        }
        let count = medium.requests.count
        #expect(try await fetcher().get("a.mp3").read() == bytes)
        #expect(medium.requests.count == count)
    }

    @Test func `goes on with what another one has loaded meanwhile`() async throws {
        let (one, other) = (fetcher(room.cache()).get("a.mp3"), fetcher(room.cache()).get("a.mp3"))
        _ = try await one.read(range(0, 1))
        _ = try await other.read(range(0, 1))
        _ = try await one.read(range(block, 3 * block))
        let count = medium.requests.count
        #expect(try await other.read(range(0, 3 * block)) == bytes[..<(3 * block)])
        #expect(medium.requests.count == count)
    }

    @Test func `mixes nothing when two find different versions`() async throws {
        let one = fetcher(room.cache()).get("a.mp3")
        _ = try await one.read(range(0, block))
        let next = Data.seeded(bytes.count, seed: 77)
        medium.change { $0.items["a.mp3"] = .init(data: next, tag: "2") }
        let other = fetcher(room.cache()).get("a.mp3")
        #expect(try await other.read(range(block, 2 * block)) == next[block..<2 * block])
        // The first has its old version open: what it holds is whole, what it lacks is an error once, and then new.
        #expect(try await one.read(range(0, block)) == bytes[..<block])
        _ = await readingFails(one)
        #expect(try await one.read() == next)
        #expect(try await other.read() == next)
    }

    // MARK: Real processes

    @Test func `is whole after a process was killed in the middle of writing`() async throws {
        let path = room.folder.path
        var kept = 0
        for pieces in [1, 3, 4, 6, 9, 11] {
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, pieces = pieces as Int] in
                let medium = CountedMedium(["a.mp3": Data.seeded(4 * block + 333)])
                let sent = CollectedValues<Int>()
                medium.change { state in
                    state.afterPiece = { piece in
                        sent.append(piece)
                        if sent.values.count == pieces { kill(getpid(), SIGKILL) }
                    }
                }
                let cache = ResourceCache(folder: URL(filePath: path), capacity: 1 << 30)
                _ = try await CachingFetcher(medium, cache: cache, scope: "book").get("a.mp3").read()
            }
            let offline = CountedMedium(["a.mp3": bytes])
            offline.change { $0.isOffline = true }
            let rest = CachingFetcher(offline, cache: room.cache(), scope: "book").get("a.mp3")
            if let first = try? await rest.read(range(0, block)) {
                kept += 1
                #expect(first == bytes[..<block])
            }
            #expect(try await fetcher().get("a.mp3").read() == bytes)
            #expect(try room.files().count == 1)
            try await room.cache().remove(scope: "book")
        }
        #expect(kept >= 2, "\(kept)")
    }

    @Test func `is used by two processes at once`() async throws {
        let path = room.folder.path
        async let child: ExitTest.Result? = #expect(processExitsWith: .success) { [path = path as String] in
            let bytes = Data.seeded(4 * block + 333)
            for _ in 0..<20 {
                let medium = CountedMedium(["a.mp3": bytes])
                let cache = ResourceCache(folder: URL(filePath: path), capacity: Int64(3 * block))
                let fetcher = CachingFetcher(medium, cache: cache, scope: "book")
                guard try await fetcher.get("a.mp3").read() == bytes else { exit(3) }
                guard try await fetcher.get("a.mp3").read() == bytes else { exit(4) }
            }
        }
        for round in 0..<20 {
            let fetcher = fetcher(room.cache(Int64(3 * block)))
            let start = round % 4 * block
            #expect(try await fetcher.get("a.mp3").read(range(start, bytes.count)) == bytes[start...])
            #expect(
                try await fetcher.get("\(round % 8)").read() == Data.seeded(2 * block, seed: UInt64(round % 8 + 50)))
            if round % 5 == 4 { try await room.cache().remove(scope: "book") }
        }
        _ = await child
    }
}
