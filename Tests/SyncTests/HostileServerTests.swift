import FileProviderCore
import Foundation
import LocalFileProvider
import MemoryFileProvider
import ProviderDoubles
import Sync
import Testing

/// Servers that list what is not so, to have files written elsewhere.
@Suite struct HostileServerTests {
    private let temporary: TemporaryFolder
    private var folder: URL { temporary.url }
    private let machine: LocalFileProvider
    private let server = ControlledProvider("server")
    private var inside: String { folder.path + "/inside" }
    private var outside: String { folder.path + "/outside" }

    init() throws {
        temporary = try TemporaryFolder()
        for name in ["inside", "outside"] {
            try FileManager.default.createDirectory(
                at: temporary.url.appending(path: name), withIntermediateDirectories: true)
        }
        machine = try LocalFileProvider(root: URL(fileURLWithPath: "/"))
    }

    private func names(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    /// Syncs the server, by way of `listing` if there is one, with `inside`.
    private func sync(
        _ listing: CraftedListing? = nil, _ change: (inout SyncOptions) -> Void = { _ in }
    ) async throws -> FolderSyncReport {
        var options = SyncOptions()
        options.links = .all
        change(&options)
        let sync = try await FolderSync(
            SyncFolder(ProviderLocation(provider: listing ?? server, path: .root), label: "server"),
            SyncFolder(ProviderLocation(provider: machine, path: ProviderPath(inside)), label: "here"),
            state: folder.appending(path: "state.db"), options: options)
        let report = try await sync.run()
        try await sync.close()
        return report
    }

    @Test(arguments: [SyncOptions.Direction.mirror, .twoWay])
    func `a name that is listed twice, first as a folder and then as a link, takes no part`(
        direction: SyncOptions.Direction
    ) async throws {
        try await server.memory.put("/d/x", "written through the link")
        try await server.memory.put("/e/y", "good")
        let listing = CraftedListing(server)
        listing.listTwice("d", linkTo: outside)
        for _ in 1...2 {
            let report = try await sync(listing) { $0.direction = direction }
            #expect(report.failed.map(\.path.string) == ["/d"], "\(report)")
            #expect(report.failed.first?.reason.contains("lists this name twice") == true)
            #expect(try names(outside) == [] && names(inside) == ["e"])
        }
        // Nor is it lost where it was kept in step before.
        listing.craft.update { $0 = { ($1, nil) } }
        #expect(try await sync { $0.direction = direction }.isComplete)
        listing.listTwice("d", linkTo: outside)
        _ = try await sync(listing) { ($0.direction, $0.deletes) = (direction, direction == .mirror) }
        #expect(try names(outside) == [] && names(inside + "/d") == ["x"])
        #expect(try await server.memory.tree().contains("/d/x written through the link"))
    }

    @Test func `items of other folders, and below what is no folder, are refused`() async throws {
        try await server.memory.put("/e/y", "good")
        let listing = CraftedListing(server)
        listing.craft.update {
            $0 = { folder, items in
                guard folder.name == "e", let stranger = try? ProviderPath("/d/x") else { return (items, nil) }
                return (items + [FileObject(path: stranger, type: .regular, size: 1)], nil)
            }
        }
        let report = try await sync(listing)
        #expect(report.failed.map(\.path.string) == ["/e"], "\(report)")
        #expect(try names(inside) == ["e"] && names(inside + "/e") == ["y"])
    }

    @Test func `a link that comes into a folder's place leads no write out of the folder`() async throws {
        try await server.memory.put("/d/x", "written through the link")
        let (location, target) = (inside + "/d", outside)
        let isSwapped = LockedValue(false)
        server.beforePath.update {
            $0 = { call, path in
                guard call == "open", path.name == "x", !isSwapped.value else { return }
                isSwapped.update { $0 = true }
                try FileManager.default.removeItem(atPath: location)
                try FileManager.default.createSymbolicLink(atPath: location, withDestinationPath: target)
            }
        }
        let report = try await sync()
        #expect(isSwapped.value && !report.isComplete, "\(report)")
        #expect(try names(outside) == [])
    }

    @Test func `links that lead out of the folder, or may, are refused unless all are asked for`() async throws {
        let targets = [
            "absolute": "/etc/passwd", "climbing": "../x", "deep/climbing": "../../x", "deep/winding": "a/../b",
            "deep/up": "../x",
            "near": "x",
        ]
        let sources = folder.path + "/links"
        try FileManager.default.createDirectory(atPath: sources + "/deep", withIntermediateDirectories: true)
        for (name, target) in targets {
            try FileManager.default.createSymbolicLink(atPath: sources + "/" + name, withDestinationPath: target)
        }
        var options = SyncOptions()
        for (links, taken) in [
            (SyncOptions.Links.copy, ["deep", "near"]), (.all, ["absolute", "climbing", "deep", "near"]),
        ] {
            options.links = links
            let sync = try await FolderSync(
                SyncFolder(ProviderLocation(provider: machine, path: ProviderPath(sources)), label: "one"),
                SyncFolder(ProviderLocation(provider: machine, path: ProviderPath(inside)), label: "two"),
                state: folder.appending(path: "links.db"), options: options)
            let report = try await sync.run()
            try await sync.close()
            #expect(
                report.skipped.count == (links == .copy ? 4 : 0) && report.unheld == report.skipped.count, "\(report)")
            #expect(try names(inside) == taken)
            #expect(try names(inside + "/deep") == (links == .copy ? ["up"] : ["climbing", "up", "winding"]))
        }
    }
}
