import FileProviderCore
import Foundation
import LocalFileProvider
import Testing

extension LocalMonitorTests {
    /// Another process changes a tree at random. Replayed on the listing from before, the events have to give what is
    /// there in the end.
    ///
    /// `CARREL_STRESS=20` runs so many rounds of 20,000 operations instead of a few short ones.
    @Suite struct Stress {
        private static let rounds = ProcessInfo.processInfo.environment["CARREL_STRESS"].flatMap(Int.init)
        private static let operations = rounds == nil ? 2_000 : 20_000

        private static let seeds: [UInt64] = (0..<(rounds ?? 4)).map { _ in .random(in: 0 ... .max) }

        @Test(arguments: seeds) func `events replayed on the first listing give the final tree`(_ seed: UInt64)
            async throws
        {
            let storage = try TestFolder()
            let outside = storage.base + "/outside"
            try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
            var worker = TreeWorker(root: storage.root, outside: outside, seed: seed &+ 1)
            worker.run(300)
            try storage.put("x", at: "/the-end")

            let watch = try await storage.provider.watch(path: .root, options: WatchOptions(window: 0.005))
            var tree = try await ReplayedTree.listing(of: storage.provider, at: .root)
            // What the other process changes last, without opening it, which is told later than anything else.
            let end = try ProviderPath("the-end")
            let work = Task { try await Self.run(storage.root, outside, seed) }
            var counts: [FileEvent.Kind: Int] = [:]
            var reasons: [String] = []
            var batches = 0
            let start = ContinuousClock.now
            while let batch = try await watch.next() {
                batches += 1
                for event in batch {
                    counts[event.kind, default: 0] += 1
                    if let reason = event.reason { reasons.append("\(event): \(reason)") }
                    try await tree.apply(event, of: storage.provider)
                }
                if batch.contains(where: { $0.path == end }) { break }
            }
            try await work.value
            await watch.stop()

            let truth = try await ReplayedTree.listing(of: storage.provider, at: .root)
            #expect(tree.differences(from: truth) == [], "seed \(seed)")
            let reported = counts.values.reduce(0, +)
            if Self.rounds != nil {
                let kinds = counts.sorted { $0.value > $1.value }.map { "\($0.value) \($0.key)" }.joined(
                    separator: ", ")
                print(
                    "seed \(seed): \(reported) events in \(batches) batches, \(ContinuousClock.now - start): \(kinds)")
            }
            #expect(reasons == [], "seed \(seed)")
            // A busy machine joins several changes of a name into one event, and tells a move whose halves come apart as two. Fewer than
            // these would mean that the tree hardly changed.
            #expect(reported > Self.operations / 20, "seed \(seed)")
        }

        /// Changes the tree in another process, a second instance of this one.
        private static func run(_ root: String, _ outside: String, _ seed: UInt64) async throws {
            await #expect(processExitsWith: .success) {
                [
                    root = root as String, outside = outside as String, seed = seed as UInt64,
                    operations = operations as Int
                ] in
                var worker = TreeWorker(root: root, outside: outside, seed: seed)
                worker.run(operations)
                guard truncate(root + "/the-end", 0) == 0 else { exit(2) }
            }
        }
    }
}
