import FileProviderCore
import Foundation
import LocalFileProvider
import MemoryFileProvider
import ProviderDoubles
import SyncHistories
import Testing

/// Random histories against a model. `CARREL_SYNC_HISTORIES` says how many, `CARREL_SYNC_SEED` where they begin, and
/// `CARREL_SYNC_STORAGES` on which of the storages, with a comma between them.
@Suite struct HistoryTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["CARREL_SYNC_HISTORIES"].flatMap { Int($0) } ?? 40
    private static let first = environment["CARREL_SYNC_SEED"].flatMap { UInt64($0) } ?? 1

    private static let storages =
        environment["CARREL_SYNC_STORAGES"]?.split(separator: ",").map(String.init)
        ?? ["memory", "local", "without case", "without normalization"]

    @Test(arguments: storages)
    func `nothing is lost, and both sides become what the model says`(storage: String) async throws {
        try await tell(on: storage, losesStates: false)
    }

    @Test(arguments: storages)
    func `nothing is lost, and both sides come in step, where states are set back or lost`(storage: String)
        async throws
    {
        try await tell(on: storage, losesStates: true)
    }

    private func tell(on storage: String, losesStates: Bool) async throws {
        let folder = try TemporaryFolder()
        let failures = CollectedValues<String>()
        let next = LockedValue(Self.first)
        let last = Self.first + UInt64(Self.count)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    while case let seed = next.update({ next in
                        defer { next += 1 }
                        return next
                    }), seed < last, failures.values.isEmpty {
                        do {
                            try await Self.tell(seed, storage, folder.url.appending(path: "\(seed)"), losesStates)
                        } catch { failures.append("seed \(seed): \(error)") }
                    }
                }
            }
        }
        #expect(failures.values == [])
    }

    private static func tell(_ seed: UInt64, _ storage: String, _ folder: URL, _ losesStates: Bool) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var numbers = SeededNumbers(seed ^ 0xABCD)
        let precisions: [Double] = (0...1).map { _ in [0, 1, 2].randomElement(using: &numbers) ?? 0 }
        var blind: SyncHistory.Blind?
        if storage.hasPrefix("without") {
            let side = Int.random(in: 0...1, using: &numbers)
            blind = (side, storage == "without case" ? .inCase : Bool.random(using: &numbers) ? .inForm : .decomposing)
        }
        let knowsItself = blind != nil && Bool.random(using: &numbers)
        let sides = try (0...1).map { side in
            let provider: any FileProvider
            if storage != "local" {
                let memory = MemoryFileProvider(MemoryConfiguration(name: "side\(side)"))
                if let blind, side == blind.side {
                    provider = BlindStorage(blind.kind, underlying: memory, knowsItself: knowsItself)
                } else {
                    provider = memory
                }
            } else {
                let url = folder.appending(path: "side\(side)")
                try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
                provider = try LocalFileProvider(root: url)
            }
            var nature = UnreliableStorage.Nature()
            nature.skew = Double.random(in: -20_000...20_000, using: &numbers)
            (nature.precision, nature.otherPrecision) = (precisions[side], precisions[1 - side])
            nature.keepsDates = Bool.random(using: &numbers)
            nature.hasTags = Bool.random(using: &numbers)
            return UnreliableStorage(provider, nature: nature)
        }
        let history = SyncHistory(
            seed: seed, folders: .init(sides[0], .root, sides[1], .root), state: folder.appending(path: "state.db"),
            blind: blind, losesStates: losesStates)
        try await history.run(rounds: losesStates ? 6 : 4)
        try FileManager.default.removeItem(at: folder)
    }
}
