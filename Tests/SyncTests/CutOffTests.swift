import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Sync
import Testing

/// Runs that end in the middle, and what people do before the next one.
@Suite struct CutOffTests {
    private let left = ControlledProvider("one")
    private let right = ControlledProvider("two")

    private func bed(_ direction: SyncOptions.Direction = .twoWay) throws -> SyncBed {
        try SyncBed(direction, source: left, destination: right)
    }

    /// Has a storage be away for good once `count` calls of a kind were answered.
    private func leave(_ storage: ControlledProvider, after call: String, count: Int = 1) {
        let isAway = LockedValue(false)
        let seen = LockedValue(0)
        storage.before.update { $0 = { _ in if isAway.value { throw URLError(.networkConnectionLost) } } }
        storage.after.update {
            $0 = { now in
                guard now == call else { return }
                let number = seen.update { seen in
                    seen += 1
                    return seen
                }
                if number == count { isAway.update { $0 = true } }
            }
        }
    }

    private func comeBack(_ storage: ControlledProvider) {
        storage.before.update { $0 = { _ in } }
        storage.after.update { $0 = { _ in } }
    }

    private static let bin = ".bin.carrel-part"

    /// What somebody throws away, and may bring back as it was: size, time and identity are the same.
    private func throwAway(_ name: String) async throws { try await left.memory.move("/" + name, "/" + Self.bin) }

    private func bringBack(_ name: String) async throws {
        try? await left.memory.remove("/" + name)
        try await left.memory.move("/" + Self.bin, "/" + name)
    }

    @Test func `a version that a removal took along, and could not bring back, is seen afterwards`() async throws {
        let bed = try bed()
        for name in ["d/x", "y", "z"] { try await left.memory.put("/" + name, name) }
        try await bed.run()
        try await left.memory.removeItem(path: ProviderPath("d"), recursive: true)
        leave(right, after: "move")
        right.beforePath.update {
            $0 = { [right] call, _ in
                if call == "move" { try await right.memory.put("/d/x", "written at the last moment") }
            }
        }
        await #expect(throws: URLError.self) { try await bed.run() }
        comeBack(right)
        right.beforePath.update { $0 = { _, _ in } }
        for _ in 1...2 {
            #expect(try await bed.run().isComplete)
            #expect(try await left.memory.texts() == ["written at the last moment", "y", "z"])
            #expect(try await left.memory.tree() == right.memory.tree())
        }
    }

    @Test func `what was removed though the request came twice is put back, and then removed`() async throws {
        let bed = try bed()
        for name in ["x", "y"] { try await left.memory.put("/" + name, name) }
        try await bed.run()
        try await left.memory.remove("/x")
        let isFirst = LockedValue(true)
        right.after.update {
            $0 = { call in
                guard call == "move",
                    isFirst.update({ isFirst in
                        defer { isFirst = false }
                        return isFirst
                    })
                else { return }
                throw FileError.make(.fileNoSuchFile, path: "/x")
            }
        }
        let report = try await bed.run()
        #expect(report.removed == 1 && report.created == 0 && report.isComplete, "\(report)")
        #expect(try await !bed.run().hasChanges)
        #expect(try await left.memory.tree() == ["/y y"])
        #expect(try await right.memory.tree() == ["/y y"])
    }

    @Test func `what is brought back in the middle of a conflict is not removed`() async throws {
        let bed = try bed()
        for name in ["x", "y"] { try await left.memory.put("/" + name, "agreed \(name)") }
        try await bed.run()
        try await throwAway("x")
        try await left.memory.put("/x", "the source's")
        try await right.memory.put("/x", "the destination's")
        let isFirst = LockedValue(true)
        right.after.update {
            $0 = { call in
                guard call == "move",
                    isFirst.update({ isFirst in
                        defer { isFirst = false }
                        return isFirst
                    })
                else { return }
                try await self.bringBack("x")
            }
        }
        try await bed.run()
        #expect(!isFirst.value)
        try await bed.run()
        #expect(try await left.memory.texts() == ["agreed x", "agreed y", "the destination's"])
        #expect(try await left.memory.tree() == right.memory.tree())
    }

    @Test func `what is brought back after a file came back to life is not replaced`() async throws {
        let bed = try bed()
        for name in ["x", "y"] { try await left.memory.put("/" + name, "agreed \(name)") }
        try await bed.run()
        try await throwAway("x")
        try await left.memory.put("/x", "the source's")
        try await right.memory.remove("/x")
        right.after.update { $0 = { if $0 == "write" { throw URLError(.networkConnectionLost) } } }
        #expect(try await bed.run().failures == 1)
        comeBack(right)
        try await bringBack("x")
        try await bed.run()
        #expect(try await left.memory.texts().isSuperset(of: ["agreed x"]))
        #expect(try await left.memory.tree() == right.memory.tree())
    }

    @Test(arguments: [true, false])
    func `what a mirror left that was cut off is not removed by a two-way run`(isFirst: Bool) async throws {
        let bed = try bed(isFirst ? .mirror : .twoWay)
        for name in ["a", "b", "c"] { try await left.memory.put("/" + name, name) }
        bed.options.update { $0.transfers = 1 }
        if isFirst {
            leave(right, after: "write", count: 2)
            await #expect(throws: URLError.self) { try await bed.run() }
            comeBack(right)
        } else {
            try await bed.run()
            bed.options.update { $0.direction = .mirror }
        }
        try await left.memory.remove("/a")
        for name in ["d", "e"] { try await left.memory.put("/" + name, name) }
        leave(right, after: "write", count: 1)
        await #expect(throws: URLError.self) { try await bed.run() }
        comeBack(right)
        bed.options.update { $0.direction = .twoWay }
        let report = try await bed.run()
        #expect(report.removed == 0, "\(report)")
        #expect(try await left.memory.texts() == ["a", "b", "c", "d", "e"])
        #expect(try await left.memory.tree() == right.memory.tree())
        try await left.memory.remove("/a")
        #expect(try await bed.run().removed == 1)
    }

    @Test func `what a mirror was about to put back is not removed from the source`() async throws {
        let bed = try bed(.mirror)
        for name in ["x", "y"] { try await left.memory.put("/" + name, "agreed \(name)") }
        try await bed.run()
        try await right.memory.put("/x", "the destination's")
        // Into the trash, and no further.
        leave(right, after: "move")
        await #expect(throws: URLError.self) { try await bed.run() }
        comeBack(right)
        bed.options.update { $0.direction = .twoWay }
        let report = try await bed.run()
        #expect(report.removed == 0, "\(report)")
        #expect(try await left.memory.texts() == ["agreed x", "agreed y"])
        #expect(try await right.memory.texts() == ["agreed x", "agreed y", "the destination's"])
    }

    // MARK: What is to blame for a lost connection

    @Test(arguments: [URLError.Code.timedOut, .networkConnectionLost])
    func `a file at which every transfer breaks off holds up no other`(code: URLError.Code) async throws {
        for name in ["a", "b", "large", "x", "y"] { try await left.memory.put("/" + name, name) }
        let bed = try bed(.mirror)
        bed.options.update { $0.transfers = 1 }
        right.beforePath.update {
            $0 = { call, path in if call == "write", path.name == "large" { throw URLError(code) } }
        }
        let report = try await bed.run()
        #expect(report.failed.map(\.path.name) == ["large"] && report.created == 4, "\(report)")
        #expect(try await right.memory.texts() == ["a", "b", "x", "y"])
    }

    @Test func `a way on which every transfer breaks off ends the run`() async throws {
        for number in 1...20 { try await left.memory.put("/\(number)", "\(number)") }
        let bed = try bed(.mirror)
        bed.options.update { $0.transfers = 1 }
        right.before.update { $0 = { if $0 == "write" { throw URLError(.timedOut) } } }
        await #expect(throws: URLError.self) { try await bed.run() }
        #expect(right.calls.values.filter { $0 == "write" }.count == 8)
    }

    @Test func `a first two-way run that is cut off removes nothing, and the one after it does`() async throws {
        let bed = try bed()
        bed.options.update { $0.transfers = 1 }
        for name in ["a", "b", "c", "d"] { try await left.memory.put("/" + name, name) }
        leave(right, after: "write", count: 2)
        await #expect(throws: URLError.self) { try await bed.run() }
        comeBack(right)
        try await left.memory.remove("/a")
        #expect(try await bed.run().removed == 0)
        #expect(try await left.memory.texts() == ["a", "b", "c", "d"])
        try await left.memory.remove("/a")
        let report = try await bed.run()
        #expect(report.removed == 1, "\(report)")
        #expect(try await right.memory.texts() == ["b", "c", "d"])
    }

    @Test(arguments: [SyncOptions.Direction.twoWay, .mirror])
    func `a file that becomes a folder while the first run is cut off is kept`(direction: SyncOptions.Direction)
        async throws
    {
        let bed = try bed(direction)
        bed.options.update {
            $0.transfers = 1
            $0.deletes = direction == .mirror
        }
        for name in ["a", "b", "c", "d"] { try await left.memory.put("/" + name, name) }
        leave(right, after: "write", count: 2)
        await #expect(throws: URLError.self) { try await bed.run() }
        comeBack(right)
        // Which ones had come is not said.
        for name in ["a", "b", "c", "d"] {
            try await left.memory.remove("/" + name)
            try await left.memory.put("/\(name)/x", "in a folder")
        }
        let arrived = try await right.memory.texts()
        #expect(arrived.count == 2)
        #expect(try await bed.run().isComplete)
        #expect(try await right.memory.texts() == arrived.union(["in a folder"]))
        #expect(try await bed.plan() == [])
    }

    @Test func `a name of any length is removed where the limit is not known`() async throws {
        let short = ControlledProvider("short")
        short.beforePath.update {
            $0 = { call, path in
                // Where a move goes is not told here: what is asked for afterwards is.
                if path.nameBytes.count > 143 { throw FileError.make(.fileWriteInvalidFileName, path: path) }
            }
        }
        let bed = try SyncBed(.twoWay, source: left, destination: short)
        let long = String(repeating: "n", count: 140)
        for name in [long, "b"] { try await left.memory.put("/" + name, name) }
        try await bed.run()
        try await left.memory.remove("/" + long)
        let report = try await bed.run()
        #expect(report.removed == 1 && report.isComplete, "\(report)")
        #expect(try await short.memory.texts() == ["b"])
    }

    @Test func `a side that does not answer any more ends the run`() async throws {
        for name in ["a", "b", "c", "d"] { try await left.memory.put("/" + name, name) }
        let bed = try bed(.mirror)
        bed.options.update { $0.transfers = 1 }
        leave(right, after: "write", count: 2)
        await #expect(throws: URLError.self) { try await bed.run() }
        #expect(right.calls.values.filter { $0 == "write" }.count == 3)
    }
}
