import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Sync
import Testing

/// Storages that do not keep what is written to them.
@Suite struct UnkeptTests {
    private static let sentence = "the storage did not keep what was written"
    private let left = MemoryFileProvider(MemoryConfiguration(name: "one"))
    private let right = MemoryFileProvider(MemoryConfiguration(name: "two"))
    private let texts = ["/a": "the first file", "/b": "the second file", "/d/c": "the third file"]

    private func fill() async throws -> [String] {
        for (path, text) in texts { try await left.put(path, text) }
        return try await left.tree()
    }

    /// Every run fails the three files, and says so; nothing is lost, and nothing multiplies.
    @Test(arguments: [SyncOptions.Direction.twoWay, .mirror], [ForgetfulStorage.Keeping.nothing, .half, .noFile])
    func `what was not kept fails in each run, without conflict copies`(
        direction: SyncOptions.Direction, keeping: ForgetfulStorage.Keeping
    ) async throws {
        let full = try await fill()
        let storage = ForgetfulStorage(right, keeping: keeping, answers: false)
        let bed = try SyncBed(direction, source: left, destination: storage)
        for number in 1...4 {
            let report = try await bed.run()
            #expect(
                report.failures == 3 && report.conflicts == 0 && report.postponed.isEmpty, "run \(number): \(report)")
            #expect(
                report.failed.allSatisfy { $0.reason.contains(Self.sentence) && $0.side == .destination },
                "\(report.failed)")
            #expect(try await left.tree() == full)
            #expect(try await right.tree().count == (keeping == .noFile ? 1 : 4))
        }
        storage.keeping.update { $0 = .everything }
        #expect(try await bed.run().isComplete)
        #expect(try await right.tree() == full)
        #expect(try await !bed.run().hasChanges)
    }

    /// The first run believes the storage; the second finds out what became of it, and loses nothing of the source.
    @Test(arguments: [SyncOptions.Direction.twoWay, .mirror], [ForgetfulStorage.Keeping.nothing, .half])
    func `what was said to be kept and was not goes to no other side`(
        direction: SyncOptions.Direction, keeping: ForgetfulStorage.Keeping
    ) async throws {
        let full = try await fill()
        let storage = ForgetfulStorage(right, keeping: keeping, answers: true)
        let bed = try SyncBed(direction, source: left, destination: storage)
        try await bed.run()
        for number in 2...4 {
            let report = try await bed.run()
            #expect(report.failures == 3 && report.conflicts == 0, "run \(number): \(report)")
            #expect(report.failed.allSatisfy { $0.reason.contains(Self.sentence) }, "\(report.failed)")
            #expect(try await left.tree() == full)
            #expect(try await right.tree().count == 4)
        }
        storage.keeping.update { $0 = .everything }
        #expect(try await bed.run().isComplete)
        #expect(try await right.tree() == full)
    }

    @Test func `of what may be somebody else's there is one conflict copy, and never another`() async throws {
        _ = try await fill()
        let storage = ForgetfulStorage(right, keeping: .another, answers: false)
        let bed = try SyncBed(.twoWay, source: left, destination: storage)
        for number in 1...4 {
            let report = try await bed.run()
            #expect(report.failures == 3, "run \(number): \(report)")
            #expect(try await left.tree().filter { $0.contains("(conflict") }.count == 3, "run \(number)")
            #expect(try await right.tree().filter { $0.contains("(conflict") }.count == 3, "run \(number)")
            #expect(try await left.texts().isSuperset(of: texts.values))
        }
    }

    @Test(arguments: ["", "the first", nil])
    func `a run that finds its own upload changed leaves it to the next one`(rest: String?) async throws {
        let (first, second) = (ControlledProvider("first"), ControlledProvider("second"))
        for (path, text) in texts { try await first.memory.put(path, text) }
        // A conflict makes a second pass.
        for (storage, text) in [(first, "mine"), (second, "yours")] { try await storage.memory.put("/both", text) }
        let isSpoilt = LockedValue(false)
        second.beforePath.update {
            $0 = { call, path in
                // The second pass lists what the first one has written.
                guard call == "list", !isSpoilt.value,
                    (try? await second.memory.attributesOfItem(path: ProviderPath("a"))) != nil
                else {
                    return
                }
                isSpoilt.update { $0 = true }
                if let rest { try await second.memory.put("/a", rest) } else { try await second.memory.remove("/a") }
            }
        }
        let bed = try SyncBed(.twoWay, source: first, destination: second)
        let report = try await bed.run()
        try #require(isSpoilt.value)
        #expect(report.failed.map(\.path.string) == ["/a"] && report.conflicts == 1, "\(report)")
        #expect(try await first.memory.tree().contains("/a the first file"))
        #expect(try await bed.run().isComplete)
        #expect(try await second.memory.tree().contains("/a the first file"))
    }

    @Test func `a version that was not kept is no reason to lose the next one`() async throws {
        _ = try await fill()
        let storage = ForgetfulStorage(right, keeping: .everything, answers: false)
        let bed = try SyncBed(.twoWay, source: left, destination: storage)
        #expect(try await bed.run().isComplete)
        storage.keeping.update { $0 = .nothing }
        try await left.put("/a", "a new version")
        for _ in 1...2 {
            let report = try await bed.run()
            #expect(report.failures == 1 && report.conflicts == 0, "\(report)")
            #expect(try await left.tree().contains("/a a new version"))
        }
        storage.keeping.update { $0 = .everything }
        try await left.put("/a", "the newest version")
        #expect(try await bed.run().isComplete)
        #expect(try await right.tree().contains("/a the newest version"))
        #expect(try await right.tree() == left.tree())
    }
}
