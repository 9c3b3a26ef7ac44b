import Carrel
import FileProviderConformance
import FileProviderUndo
import Foundation
import ProviderDoubles
import Testing

/// Random operations undone step by step, on every kind of storage; and the conformance kit on providers with undo.
struct UndoServerTests {
    private static let folder = FileManager.default.temporaryDirectory
    /// Operations of a history in memory; each is compared with all before it. `CARREL_STRESS=1` takes twice as many.
    private static let count = TestServers.environment["CARREL_STRESS"] != nil ? 120 : 60

    /// A storage that does not copy by itself.
    private final class MovingProvider: ForwardingProvider {
        static let type = "Moving"
        let underlying: any FileProvider = MemoryFileProvider()

        func capabilities() async throws -> Capabilities {
            var capabilities = try await underlying.capabilities()
            for ability in [Capabilities.Ability.serverSideCopying, .appending] { capabilities[ability] = .unavailable }
            return capabilities
        }

        func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
            async throws
        {
            try await copyThroughThisMachine(path: path, to: destination, overwrite: overwrite, progress: progress)
        }
    }

    private func run(_ provider: any FileProvider, seed: UInt64, count: Int) async throws {
        let folder = try ProviderPath("/tree")
        try await provider.createFolder(path: folder)
        var script = UndoScript(seed: seed, provider: try provider.undoable(), folder: folder)
        try await script.run(count: count)
    }

    private func withLocalProvider<Value>(_ body: (LocalFileProvider) async throws -> Value) async throws -> Value {
        let root = Self.folder.appending(path: "undo-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        return try await body(try LocalFileProvider(root: root))
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `in memory, everything can be undone and redone step by step`(_ seed: UInt64) async throws {
        try await run(MemoryFileProvider(), seed: seed, count: Self.count)
    }

    @Test(arguments: 101...104 as ClosedRange<UInt64>)
    func `without copying in the storage, everything can be undone and redone step by step`(_ seed: UInt64) async throws
    {
        try await run(MovingProvider(), seed: seed, count: 120)
    }

    @Test(arguments: 201...202 as ClosedRange<UInt64>)
    func `on a disk, everything can be undone and redone step by step`(_ seed: UInt64) async throws {
        try await withLocalProvider { try await run($0, seed: seed, count: 100) }
    }

    private static let servers =
        TestServers.webDAV.map(TestStorage.webDAV) + (TestServers.ftp + TestServers.ftpes).map(TestStorage.ftp)

    @Test(
        .serialized, .enabled(if: !servers.isEmpty, "the servers are not up; run bash Tests/run.sh"),
        arguments: servers)
    func `on a server, everything can be undone and redone step by step`(_ server: TestStorage) async throws {
        try await server.use { provider, folder in try await run(provider, in: folder) }
    }

    private func run(_ provider: any FileProvider, in folder: ProviderPath) async throws {
        let trash = try folder.appending(".trash")
        let tree = try folder.appending("tree")
        try await provider.createFolder(path: tree)
        let undoable = try provider.undoable(trash: TrashPolicy(path: trash.string))
        var script = UndoScript(seed: 301, provider: undoable, folder: tree)
        try await script.run(count: 25)
        #expect(try await !undoable.undoManager.trashContents().isEmpty)
        try await undoable.undoManager.sweepTrash(all: true)
        #expect(try await undoable.undoManager.trashContents().isEmpty)
    }

    @Test func `providers with undo keep every promise of providers without`() async throws {
        let memory = MemoryFileProvider()
        let reports = [
            await Conformance(provider: try memory.undoable(), folder: .root, connect: { try memory.undoable() }).run(),
            await Conformance(provider: try MovingProvider().undoable(), folder: .root).run(),
            try await withLocalProvider { local in
                await Conformance(provider: try local.undoable(), folder: .root, connect: { try local.undoable() })
                    .run()
            },
        ]
        for report in reports { #expect(report.isConforming, "\(report)") }
    }

    @Test(.enabled(if: !TestServers.webDAV.isEmpty, "the servers are not up; run bash Tests/run.sh"))
    func `on a server, a provider with undo keeps every promise`() async throws {
        let server = try #require(TestServers.named("Apache, Basic"))
        try await server.withFolder { provider, folder in
            let trash = TrashPolicy(path: try folder.appending(".trash").string)
            let inner = try folder.appending("inner")
            try await provider.createFolder(path: inner)
            let report = await Conformance(
                provider: try provider.undoable(trash: trash), folder: inner,
                connect: { try server.provider().undoable(trash: trash) }
            ).run()
            #expect(report.isConforming, "\(report)")
            #expect(report.passed.count >= 60)
            // Apache's own files of uploads that were broken off, which went to the trash with the rest, go when Apache
            // sees that.
            try await eventually { () async throws -> Bool in
                do {
                    try await provider.removeItem(path: ProviderPath(trash.path))
                    return true
                } catch is CocoaError { return false }
            }
            #expect(try await provider.contentsOfDirectory(path: folder).map(\.name) == ["inner"])
        }
    }
}
