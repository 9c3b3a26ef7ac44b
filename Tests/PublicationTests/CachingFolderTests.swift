import FileProviderCore
import Foundation
import SampleBooks
import Testing

import Archives
import MediaTypes
import Publication
@testable import PublicationCache

private let block = Int(CacheHeader.usualBlock)

/// Whom the folder belongs to, and what is in it.
@Suite struct `A cache's folder` {
    private let room: CacheRoom
    private let bytes = Data.seeded(block + 333)
    private let medium: CountedMedium

    init() throws {
        room = try CacheRoom()
        medium = CountedMedium(["a.mp3": bytes, "b.txt": Data("short".utf8)])
    }

    private func fetcher(scope: String = "book") -> CachingFetcher {
        CachingFetcher(medium, cache: room.cache(), scope: scope)
    }

    /// The publication's folder.
    private var location: String { room.cache().folder(of: "book").path }

    private func names(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    // MARK: Ownership

    /// Who else may have put something there. Another user's needs the right to give files away: without it, the test
    /// says so and fails.
    enum Owner: CaseIterable {
        case group, everybody, anotherUser, whoeverSetTheLink

        func take(_ path: String) throws {
            switch self {
            case .group: #expect(chmod(path, 0o770) == 0)
            case .everybody: #expect(chmod(path, 0o707) == 0)
            case .anotherUser: try #require(chown(path, 65_534, 65_534) == 0, "Giving a file away needs root.")
            case .whoeverSetTheLink:
                try FileManager.default.moveItem(atPath: path, toPath: path + "-moved")
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + "-moved")
            }
        }
    }

    @Test(arguments: Owner.allCases, [false, true])
    func `is used only where nobody else may write`(owner: Owner, isRoot: Bool) async throws {
        _ = try await fetcher().get("a.mp3").read()
        let root = URL(filePath: location).deletingLastPathComponent().path
        try owner.take(isRoot ? root : location)
        let (before, asked) = (try [names(root), names(location)], medium.requests.count)
        let fetcher = fetcher()
        for _ in 0..<2 { #expect(try await fetcher.get("a.mp3").read() == bytes) }
        #expect(
            medium.requests.dropFirst(asked).filter { $0.range.count == bytes.count }.count == 2, "the medium gave both"
        )
        #expect(try await fetcher.links().count == 2)
        for scope in ["book", "other"] where isRoot || scope == "book" {
            let fetcher = self.fetcher(scope: scope)
            #expect(try await fetcher.get("b.txt").readAsString() == "short")
            await #expect(throws: CocoaError.self) { try await fetcher.preload([Link(href: "b.txt")]) }
            #expect((try? await room.cache().isPinned(scope: scope)) != true)
        }
        medium.change { $0.isOffline = true }
        #expect(await readingFails(self.fetcher().get("a.mp3"))?.isUnavailable == true)
        #expect(try [names(root), names(location)] == before)
    }

    enum Stranger: CaseIterable {
        case anotherUsersFile, link, pipe
    }

    @Test(arguments: Stranger.allCases)
    func `has files of others replaced, not read`(stranger: Stranger) async throws {
        _ = try await fetcher().get("a.mp3").read()
        let file = "\(location)/\(NameDigest("a.mp3").name)"
        switch stranger {
        case .anotherUsersFile: try #require(chown(file, 65_534, 65_534) == 0, "Giving a file away needs root.")
        case .link:
            let moved = room.folder.appending(path: "moved").path
            try FileManager.default.moveItem(atPath: file, toPath: moved)
            try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: moved)
        case .pipe:
            try FileManager.default.removeItem(atPath: file)
            #expect(mkfifo(file, 0o600) == 0)
        }
        medium.change { $0.isOffline = true }
        #expect(await readingFails(fetcher().get("a.mp3"))?.isUnavailable == true)
        medium.change { $0.isOffline = false }
        #expect(try await fetcher().get("a.mp3").read() == bytes)
        medium.change { $0.isOffline = true }
        #expect(try await fetcher().get("a.mp3").read() == bytes)
        let status = try FileManager.default.attributesOfItem(atPath: file)
        #expect(status[.type] as? FileAttributeType == .typeRegular && status[.posixPermissions] as? Int == 0o600)
        #expect(status[.ownerAccountID] as? Int == Int(geteuid()))
    }

    // MARK: Coming and going

    @Test func `goes with its last resource, unless it is pinned`() async throws {
        let cache = room.cache(Int64(8 * block))
        let root = URL(filePath: location).deletingLastPathComponent().path
        try await CachingFetcher(medium, cache: cache, scope: "pinned").preload([Link(href: "b.txt")])
        for index in 0..<12 {
            let fetcher = CachingFetcher(medium, cache: cache, scope: "\(index)")
            _ = try await fetcher.links()
            _ = try await fetcher.get("a.mp3").read()
            await fetcher.close()
        }
        let left = try names(root)
        #expect(
            left.count >= 2 && left.count <= 8,
            "each of the twelve takes more than a block, and eight blocks are the limit")
        #expect(left.contains(NameDigest("pinned").name) && left.contains(NameDigest("11").name))
        for name in left { #expect(try names("\(root)/\(name)").contains { $0.count == 64 }) }
        try await cache.remove(scope: "11")
        #expect(try !names(root).contains(NameDigest("11").name))
    }

    @Test func `goes when its pin was all there was, or what the medium no longer has`() async throws {
        let root = URL(filePath: location).deletingLastPathComponent().path
        try await room.cache().pin(scope: "book")
        #expect(try names(root).count == 1)
        try await room.cache().unpin(scope: "book")
        #expect(try names(root).isEmpty)
        _ = try await fetcher().get("b.txt").read()
        medium.change { $0.items["b.txt"] = nil }
        #expect(await readingFails(fetcher().get("b.txt")) != nil)
        #expect(try names(root).isEmpty)
    }

    @Test func `may be removed at any moment by who finds it empty`() async throws {
        let location = location
        let remover = Task.detached { while !Task.isCancelled { CacheSurvey.removeIfEmpty(location) } }
        for _ in 0..<2_000 {
            let (folder, _, name) = try CacheFolder(path: location).temporaryFile()
            #expect(CacheFolder.remove(name, in: folder))
        }
        remover.cancel()
        await remover.value
    }

    @Test func `of each of many publications needs no descriptor of its own`() async throws {
        let path = room.folder.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let cache = ResourceCache(folder: URL(filePath: path), capacity: 1 << 20)
            for index in 0..<200 {
                try cache.folder(of: "\(index)").write(Data(count: 8_000), to: Array("\(index)".utf8))
            }
            var limit = rlimit(rlim_cur: 60, rlim_max: 60)
            guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(3) }
            let before = try CacheSurvey.of(path + "/carrel-resources-1", capacity: .max).used
            guard before > 1 << 20 else { exit(4) }
            try await cache.makeRoom(for: 1_000)
            guard try await cache.usedBytes() <= 1 << 20 - 1_000 else { exit(5) }
        }
        let root = URL(filePath: location).deletingLastPathComponent().path
        #expect(try names(root).count < 128, "folders went with what was in them")
    }

    // MARK: What a crash may leave

    enum ListDamage: CaseIterable {
        case empty, cutOff, flipped, grown, pipe
    }

    @Test(arguments: ListDamage.allCases)
    func `has no list of links where that is damaged`(damage: ListDamage) async throws {
        #expect(try await fetcher().links().count == 2)
        let file = URL(filePath: location).appending(path: "links")
        var data = try Data(contentsOf: file)
        switch damage {
        case .empty: data = Data()
        case .cutOff: data.removeLast()
        case .flipped: data[data.count / 2] ^= 1
        case .grown: data.append(0)
        case .pipe: break
        }
        try FileManager.default.removeItem(at: file)
        if damage == .pipe { #expect(mkfifo(file.path, 0o600) == 0) } else { try data.write(to: file) }
        medium.change { $0.isOffline = true }
        await #expect(throws: URLError.self) { try await fetcher().links() }
        medium.change { $0.isOffline = false }
        #expect(try await fetcher().links().count == 2)
        medium.change { $0.isOffline = true }
        #expect(try await fetcher().links().count == 2)
    }

    @Test func `has no block whose entry was written in part`() async throws {
        _ = try await fetcher().get("a.mp3").read()
        let slot = UInt64(CacheHeader.size) + 8
        var entry = Data()
        try room.tamper { file in
            try file.seek(toOffset: slot)
            entry = try #require(try file.read(upToCount: 8))
        }
        medium.change { $0.isOffline = true }
        for count in 0...8 {
            try room.tamper { file in
                try file.seek(toOffset: slot)
                try file.write(contentsOf: entry.prefix(count) + Data(count: 8 - count))
            }
            let resource = fetcher().get("a.mp3")
            #expect(try await resource.read(0..<Int64(block)) == bytes.prefix(block))
            let rest = try? await resource.read(Int64(block)..<Int64(bytes.count))
            // The entry's last bytes may be zeros themselves.
            #expect(rest == (entry.dropFirst(count).allSatisfy { $0 == 0 } ? bytes.dropFirst(block) : nil))
        }
    }
}
