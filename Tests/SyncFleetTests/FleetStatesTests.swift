import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Sync
import Testing

@testable import SyncFleet

@Suite(.timeLimit(.minutes(2))) struct FleetStatesTests {
    private let bed: FleetBed

    init() throws { bed = try FleetBed() }

    @Test func `a state is fetched by a worker that does not have it, and only then`() async throws {
        bed.queue.add(FleetBed.pair())
        try await bed.source.put("/a", "1")
        #expect(try await bed.runOnce(cache: "first").outcome == "success")
        try await bed.source.put("/b", "2")
        try await bed.runOnce(cache: "first")
        #expect(bed.stored.count("open") == 0)
        try await bed.source.put("/c", "3")
        let release = try await bed.runOnce(cache: "second")
        #expect(bed.stored.count("open") == 1)
        // It went on from there: the files before were not new.
        #expect(release.changes == 1)
        try await bed.source.put("/d", "4")
        #expect(try await bed.runOnce(cache: "first").changes == 1)
        #expect(bed.stored.count("open") == 2)
        #expect(try await bed.destination.names() == ["a", "b", "c", "d"])
    }

    @Test func `a state is uploaded, then published, then the lease is given back, then former states go`() async throws
    {
        bed.queue.add(FleetBed.pair())
        try await bed.source.put("/a", "1")
        try await bed.runOnce()
        let first = try #require(bed.queue.row()?.state)
        #expect(FleetStateName(first.name)?.fence == 1)
        bed.queue.before.update { before in
            before = { [bed] call in
                guard call == "publish" else { return }
                // The former state counts until now.
                let count = try await bed.stored.names("/1").count
                #expect(count == 2)
            }
        }
        try await bed.source.put("/b", "2")
        try await bed.runOnce()
        let second = try #require(bed.queue.row()?.state)
        #expect(FleetStateName(second.name)?.fence == 2)
        let file = try #require(FleetStateName(second.name)).file
        #expect(try await bed.stored.names("/1") == [file])
        let calls = bed.queue.calls.values.filter { ["publish", "release"].contains($0) }
        #expect(calls == ["publish", "release", "publish", "release"])
        let stored = try await bed.stored.memory.contents(path: ProviderPath(second.name))
        #expect(Int64(stored.count) == second.size)
    }

    @Test func `a state that did not change is not uploaded again`() async throws {
        bed.queue.add(FleetBed.pair())
        try await bed.source.put("/a", "1")
        // The second run learns how the listing shows what the first one wrote.
        for _ in 1...2 { try await bed.runOnce() }
        let writes = bed.stored.count("write")
        let state = bed.queue.row()?.state
        for _ in 1...3 { #expect(try await bed.runOnce().outcome == "success") }
        #expect(bed.stored.count("write") == writes)
        #expect(bed.queue.row()?.state == state)
        try await bed.source.put("/b", "2")
        #expect(try await bed.runOnce().changes == 1)
        #expect(bed.stored.count("write") == writes + 1)
    }

    @Test(arguments: ["missing", "cut", "changed", "no name"])
    func `without its state, a pair starts again, and nothing is lost`(damage: String) async throws {
        bed.queue.add(FleetBed.pair { $0.options = #"{"direction": "twoWay"}"# })
        try await bed.source.put("/a", "1")
        try await bed.runOnce(cache: "first")
        let name = try #require(bed.queue.row()?.state?.name)
        let path = try ProviderPath(name)
        var bytes = try await bed.stored.memory.contents(path: path)
        switch damage {
        case "missing": try await bed.stored.memory.removeItem(path: path)
        case "cut": try await bed.stored.memory.writeContents(path: path, contents: bytes.prefix(100), overwrite: true)
        case "changed":
            bytes[bytes.count - 1] ^= 1
            try await bed.stored.memory.writeContents(path: path, contents: bytes, overwrite: true)
        default: bed.queue.change { $0.state?.name = "../../etc/passwd" }
        }
        try await bed.destination.put("/b", "2")
        let log = RecordedLog()
        let release = try await bed.runOnce(cache: "second", logger: log.logger)
        #expect(release.outcome == "success")
        #expect(log.text.contains("starts without a state"))
        for side in [bed.source, bed.destination] { #expect(try await side.names() == ["a", "b"]) }
        #expect(bed.queue.row()?.state?.name != name)
    }

    @Test func `a cached state that was damaged is fetched again`() async throws {
        bed.queue.add(FleetBed.pair())
        try await bed.source.put("/a", "1")
        try await bed.runOnce()
        let kept = try #require(try bed.cachedFiles().first)
        let file = bed.cache().appending(path: "states").appending(path: kept)
        try Data("no state".utf8).write(to: file)
        try await bed.source.put("/b", "2")
        #expect(try await bed.runOnce().changes == 1)
        #expect(bed.stored.count("open") == 1)
    }

    @Test func `a pair whose folders were replaced starts with a new state`() async throws {
        bed.queue.add(FleetBed.pair())
        try await bed.source.put("/a", "1")
        try await bed.runOnce()
        let bed = self.bed
        // The state knows this folder under another user's name.
        let folders = RenamedFolders(bed: bed)
        let worker = FleetWorker(queue: bed.queue, folders: folders, states: bed.states())
        bed.queue.change { $0.due = 0 }
        let task = Task { try await worker.run() }
        try await eventually { bed.queue.releases().count == 2 }
        await worker.stop()
        try await task.value
        #expect(bed.queue.releases().last?.outcome == "success")
        #expect(await worker.metrics.missingStates == 1)
    }

    @Test func `a lost lease can't publish, and its upload is removed`() async throws {
        bed.queue.add(FleetBed.pair())
        try await bed.source.put("/a", "1")
        bed.queue.before.update { before in
            before = { [bed] call in
                // Another worker has the pair by now.
                if call == "publish" { bed.queue.change { $0.fence += 1 } }
            }
        }
        try await bed.withWorker { worker in
            try await eventually { await worker.metrics.runs[.lost] == 1 }
        }
        #expect(bed.queue.row()?.state == nil)
        #expect(bed.queue.releases().isEmpty)
        #expect(bed.stored.count("write") > 0)
        #expect(try await bed.stored.names("/1") == [])
        #expect(try bed.cachedFiles() == [])
        #expect(try bed.workingFiles() == [])
    }

    @Test func `a publication whose answer was lost is repeated, and its upload stays`() async throws {
        bed.queue.add(FleetBed.pair())
        try await bed.source.put("/a", "1")
        let tries = LockedValue(0)
        bed.queue.after.update { after in
            after = { call in
                guard call == "publish" else { return }
                let number = tries.update { tries in
                    tries += 1
                    return tries
                }
                if number == 1 { throw URLError(.networkConnectionLost) }
            }
        }
        #expect(try await bed.runOnce().outcome == "success")
        #expect(tries.value == 2)
        let name = try #require(bed.queue.row()?.state?.name)
        let file = try #require(FleetStateName(name)).file
        #expect(try await bed.stored.names("/1") == [file])
    }

    @Test func `after a publication of unknown effect, a refusal leaves the upload`() async throws {
        bed.queue.add(FleetBed.pair())
        try await bed.source.put("/a", "1")
        bed.queue.after.update { after in
            after = { [bed] call in
                guard call == "publish", bed.queue.row()?.fence == 1 else { return }
                bed.queue.change { $0.fence += 1 }
                throw URLError(.networkConnectionLost)
            }
        }
        try await bed.withWorker { worker in
            try await eventually { await worker.metrics.runs[.lost] == 1 }
        }
        let name = try #require(bed.queue.row()?.state?.name)
        let file = try #require(FleetStateName(name)).file
        #expect(try await bed.stored.names("/1") == [file])
    }

    @Test func `a state that can't be stored fails the run, and the former one counts`() async throws {
        bed.queue.add(FleetBed.pair())
        try await bed.source.put("/a", "1")
        try await bed.runOnce()
        let state = bed.queue.row()?.state
        bed.stored.before.update { before in
            before = { call, path in
                if call == "write" { throw FileError.make(.fileWriteNoPermission, path: path) }
            }
        }
        try await bed.source.put("/b", "2")
        let release = try await bed.runOnce()
        #expect(release.outcome == "failed")
        #expect(release.gate == nil)
        #expect(release.error?.contains("permission denied") == true)
        #expect(bed.queue.row()?.state == state)
        bed.stored.before.update { $0 = { _, _ in } }
        #expect(try await bed.runOnce().outcome == "success")
        #expect(try await bed.destination.names() == ["a", "b"])
    }

    @Test func `uploads of workers that lost their leases are removed, and those of later holders stay`() async throws {
        bed.queue.add(FleetBed.pair())
        bed.queue.change { $0.fence = 4 }
        try await bed.stored.memory.createFolder(path: ProviderPath("/1"))
        for name in ["3-00000000.sqlite", "9-00000000.sqlite", "note.txt"] {
            try await bed.stored.put("/1/\(name)", "x")
        }
        try await bed.source.put("/a", "1")
        try await bed.runOnce()
        let text = try #require(bed.queue.row()?.state?.name)
        let name = try #require(FleetStateName(text))
        #expect(name.fence == 5)
        #expect(try await bed.stored.names("/1") == [name.file, "9-00000000.sqlite", "note.txt"].sorted())
    }
}

/// The bed's folders as another user sees them.
private struct RenamedFolders: FleetFolders {
    let bed: FleetBed

    func folder(at location: String, credential: String?, of pair: FleetPair) async throws -> SyncFolder {
        let folder = try await bed.folder(at: location, credential: credential, of: pair)
        return SyncFolder(
            ProviderLocation(provider: folder.provider, path: folder.path), label: folder.label, user: "ann")
    }
}
