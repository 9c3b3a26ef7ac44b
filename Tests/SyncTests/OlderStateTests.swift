import FileProviderCore
import Foundation
import LocalFileProvider
import ProviderDoubles
import Sync
import Testing

/// Runs on a copy of a state that later runs are not in.
@Suite struct OlderStateTests {
    private static let directions = [SyncOptions.Direction.twoWay, .mirror]

    /// Two folders of this machine, in step, and the state that they have then.
    private func withPair(
        _ direction: SyncOptions.Direction, _ body: (_ bed: SyncBed, _ top: URL, _ state: Data) async throws -> Void
    ) async throws {
        let top = try TemporaryFolder()
        for name in ["one", "two"] {
            try FileManager.default.createDirectory(
                at: top.url.appending(path: name), withIntermediateDirectories: true)
        }
        let bed = try SyncBed(
            direction, source: LocalFileProvider(root: top.url.appending(path: "one")),
            destination: LocalFileProvider(root: top.url.appending(path: "two")))
        bed.options.update { $0.deletes = true }
        for name in ["x", "y", "z"] { try await bed.source.put("/" + name, name) }
        try await bed.run()
        try await bed.run()
        try await body(bed, top.url, Data(contentsOf: bed.state))
    }

    private func move(_ top: URL, _ path: String, _ target: String) throws {
        try FileManager.default.moveItem(at: top.appending(path: path), to: top.appending(path: target))
    }

    /// `x` is removed on both sides, which a run sees, and comes back as it was on one.
    private func bringBack(_ bed: SyncBed, _ top: URL, _ state: Data) async throws {
        try await bed.source.remove("/x")
        try move(top, "two/x", "aside")
        try await bed.run()
        try move(top, "aside", "two/x")
        try state.write(to: bed.state)
    }

    @Test(arguments: directions)
    func `what was removed and came back as it was is in the trash at worst`(direction: SyncOptions.Direction)
        async throws
    {
        try await withPair(direction) { bed, top, state in
            try await bringBack(bed, top, state)
            let report = try await bed.run(isOlder: true)
            #expect(report.isComplete && report.removed == 1)
            for side in [bed.source, bed.destination] { #expect(try await side.tree() == ["/y y", "/z z"]) }
            #expect(try await bed.destination.texts().contains("x"))
        }
    }

    @Test(arguments: directions)
    func `what was replaced and changed back is in the trash at worst`(direction: SyncOptions.Direction) async throws {
        try await withPair(direction) { bed, top, state in
            try await bed.source.put("/x", "another")
            try move(top, "two/x", "aside")
            try await bed.run()
            try await bed.destination.remove("/x")
            try move(top, "aside", "two/x")
            try state.write(to: bed.state)
            let report = try await bed.run(isOlder: true)
            #expect(report.isComplete && report.updated == 1)
            for side in [bed.source, bed.destination] {
                #expect(try await side.tree() == ["/x another", "/y y", "/z z"])
            }
            #expect(try await bed.destination.texts().contains("x"))
        }
    }

    @Test func `a state keeps in mind that it is older until a run is complete`() async throws {
        try await withPair(.twoWay) { bed, top, state in
            try await bringBack(bed, top, state)
            try await bed.withSync(isOlder: true) { _ in }
            try await bed.run()
            #expect(try await bed.destination.texts().contains("x"))
            try await bed.source.remove("/y")
            try await bed.run()
            #expect(try await bed.destination.tree() == ["/z z"])
            #expect(try await !bed.destination.texts().contains("y"))
        }
    }

    @Test func `what was removed since the older state stays removed, and what is new since then stays`() async throws {
        try await withPair(.twoWay) { bed, _, state in
            try await bed.source.remove("/x")
            try await bed.source.put("/new", "new")
            try await bed.source.put("/y", "changed")
            try await bed.run()
            try state.write(to: bed.state)
            let report = try await bed.run(isOlder: true)
            #expect(report.isComplete && !report.hasChanges)
            for side in [bed.source, bed.destination] {
                #expect(try await side.tree() == ["/new new", "/y changed", "/z z"])
            }
        }
    }
}
