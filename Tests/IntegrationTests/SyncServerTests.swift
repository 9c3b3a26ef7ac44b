import Carrel
import Foundation
import Sync
import SyncHistories
import Testing

/// Two folders in step, one of them on a real server. `CARREL_SYNC_SERVER_HISTORIES` says how many histories each
/// server goes through.
@Suite struct SyncServerTests {
    private static let storages: [TestStorage] =
        ["Apache, Basic", "nginx, Basic", "rclone", "lighttpd, Basic", "WsgiDAV"].compactMap(TestServers.named).map(
            TestStorage.webDAV)
        + TestServers.ftp.map(TestStorage.ftp) + TestServers.sftp.filter { $0.name != "rclone" }.map(TestStorage.sftp)
        + [TestServers.s3].compactMap { $0.map(TestStorage.s3) }

    private static let count = TestServers.environment["CARREL_SYNC_SERVER_HISTORIES"].flatMap { Int($0) } ?? 2
    private static let first = TestServers.environment["CARREL_SYNC_SEED"].flatMap { UInt64($0) } ?? 1

    private func withScratch(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "carrel-sync-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder.appending(path: "local"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    @Test(arguments: storages)
    func `a tree that is in step stays so, and a change costs itself alone`(storage: TestStorage) async throws {
        try await withScratch { scratch in
            try await storage.use { server, root in
                let local = try LocalFileProvider(root: scratch.appending(path: "local"))
                for name in ["a.txt", "b/c d.bin", "b/ü#%.txt", "b/deep/er/x", "e/empty"] {
                    let path = try ProviderPath(name)
                    try await local.createFolderWithParents(path: path.parent ?? .root)
                    try await local.writeContents(path: path, contents: Data((name == "e/empty" ? "" : name).utf8))
                }
                let large = Data(repeating: 7, count: 3 << 20)
                try await local.writeContents(path: ProviderPath("large"), contents: large)
                let sync = try await FolderSync(
                    SyncFolder(ProviderLocation(provider: local, path: .root), label: "here"),
                    SyncFolder(ProviderLocation(provider: server, path: root), label: "there"),
                    state: scratch.appending(path: "state.db"),
                    options: SyncOptions(direction: .twoWay))
                let first = try await sync.run()
                #expect(first.created == 10 && first.isComplete, "\(first)")
                #expect(try await server.contents(path: root.appending(ProviderPath("large"))) == large)
                for _ in 1...2 {
                    let again = try await sync.run()
                    #expect(!again.hasChanges && again.isComplete, "\(again)")
                }
                try await local.moveItem(path: ProviderPath("b"), to: ProviderPath("moved"))
                try await local.writeContents(
                    path: ProviderPath("a.txt"), contents: Data("a newer one".utf8), overwrite: true)
                let changed = try await sync.run()
                #expect(
                    changed.moved == 3 && changed.updated == 1 && changed.bytes == 11 && changed.isComplete,
                    "\(changed)")
                try await server.writeContents(
                    path: root.appending(ProviderPath("a.txt")), contents: Data("the server's own one".utf8),
                    overwrite: true)
                // Tags, or times in small steps, tell a version of the same size apart from the one just sent.
                if storage.testDescription.contains(#/S3|Apache/#) {
                    _ = try await sync.run()
                    try await local.writeContents(
                        path: ProviderPath("a.txt"), contents: Data("by this side".utf8), overwrite: true)
                    #expect(try await sync.run().updated == 1)
                    try await server.writeContents(
                        path: root.appending(ProviderPath("a.txt")), contents: Data("by the other".utf8),
                        overwrite: true)
                    #expect(try await sync.run().updated == 1)
                    #expect(try await local.contents(path: ProviderPath("a.txt")) == Data("by the other".utf8))
                    try await server.writeContents(
                        path: root.appending(ProviderPath("a.txt")), contents: Data("the server's own one".utf8),
                        overwrite: true)
                }
                let back = try await sync.run()
                #expect(back.updated == 1 && back.isComplete, "\(back)")
                #expect(try await local.contents(path: ProviderPath("a.txt")) == Data("the server's own one".utf8))
                #expect(try await !sync.run().hasChanges)
                try await sync.close()
            }
        }
    }

    private func sync(
        _ local: LocalFileProvider, _ server: any FileProvider, _ root: ProviderPath, _ scratch: URL,
        _ options: SyncOptions
    ) async throws -> FolderSync {
        try await FolderSync(
            SyncFolder(ProviderLocation(provider: local, path: .root), label: "here"),
            SyncFolder(ProviderLocation(provider: server, path: root), label: "there"),
            state: scratch.appending(path: "state.db"),
            options: options)
    }

    @Test(.enabled(if: TestServers.areRequired || TestServers.named("nginx, Basic") != nil, "nginx is not up"))
    func `where listings hide names, a folder with something in it stays`() async throws {
        try await withScratch { scratch in
            try await #require(TestServers.named("nginx, Basic")).withFolder { server, root in
                let local = try LocalFileProvider(root: scratch.appending(path: "local"))
                try await local.createFolder(path: ProviderPath("f"))
                for name in ["f/a", "b", "c"] {
                    try await local.writeContents(path: ProviderPath(name), contents: Data(name.utf8))
                }
                var options = SyncOptions(direction: .twoWay)
                options.filter = try SyncFilter(["- *.db"])
                let sync = try await sync(local, server, root, scratch, options)
                _ = try await sync.run()
                let own = try root.appending(ProviderPath("f/private.db"))
                try await server.writeContents(path: own, contents: Data("private".utf8))
                try await local.removeItem(path: ProviderPath("f"))
                let report = try await sync.run()
                #expect(report.removed == 1 && report.isComplete && report.unheld == 0, "\(report)")
                #expect(report.skipped.contains { $0.path.name == "f" && $0.isLeftOut }, "\(report)")
                #expect(try await server.contents(path: own) == Data("private".utf8))
                #expect(
                    try await server.contentsOfDirectory(path: root.appending(ProviderPath("f"))).map(\.name) == [
                        "private.db"
                    ])
                try await sync.close()
            }
        }
    }

    @Test(.enabled(if: TestServers.areRequired || TestServers.named("Apache, Basic") != nil, "Apache is not up"))
    func `a provider that remembers answers is asked anew`() async throws {
        try await withScratch { scratch in
            let apache = try #require(TestServers.named("Apache, Basic"))
            var remembering = TestServers.options()
            remembering.cache.lifetime = 300
            try await apache.withFolder(remembering) { server, root in
                let local = try LocalFileProvider(root: scratch.appending(path: "local"))
                try await local.writeContents(path: ProviderPath("a"), contents: Data("a".utf8))
                let sync = try await sync(local, server, root, scratch, SyncOptions(direction: .twoWay))
                _ = try await sync.run()
                #expect(try await !sync.run().hasChanges)
                try await apache.provider().writeContents(
                    path: root.appending(ProviderPath("a")), contents: Data("somebody else's".utf8), overwrite: true)
                #expect(try await sync.run().updated == 1)
                #expect(try await local.contents(path: ProviderPath("a")) == Data("somebody else's".utf8))
                try await sync.close()
            }
        }
    }

    @Test(arguments: storages)
    func `nothing is lost, and both sides become what the model says`(storage: TestStorage) async throws {
        for seed in Self.first..<Self.first + UInt64(Self.count) {
            try await withScratch { scratch in
                try await storage.use { server, root in
                    var nature = UnreliableStorage.Nature()
                    nature.hasOwnClock = false
                    var numbers = SeededNumbers(seed &* 7919)
                    nature.skew = Double.random(in: -20_000...20_000, using: &numbers)
                    let sides = SyncHistory.Sides(
                        UnreliableStorage(
                            try LocalFileProvider(root: scratch.appending(path: "local")), nature: nature), .root,
                        UnreliableStorage(server, nature: nature), root)
                    // The clocks of the others are real and coarse, and they give no tags: two versions are told apart
                    // by their sizes alone.
                    let history = SyncHistory(
                        seed: seed, folders: sides, state: scratch.appending(path: "state.db"),
                        hasUniqueSizes: !storage.testDescription.contains(#/S3|Apache/#))
                    do { try await history.run(rounds: 3) } catch { Issue.record("seed \(seed): \(error)") }
                }
            }
        }
    }
}
