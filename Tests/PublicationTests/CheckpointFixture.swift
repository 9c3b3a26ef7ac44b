import FileProviderCore
import Foundation
import ProviderDoubles
import Publication
import SampleBooks
import Synchronization
import Testing

/// Something like a PDF: text that packs well, and pictures that do not.
let mixedContent: Data = {
    var numbers = SeededNumbers(seed: 21)
    let noise = numbers.bytes(1 << 20)
    var data = Data(capacity: 25 << 20)
    var line = 0
    while data.count < 24 << 20 {
        for _ in 0..<4_000 {
            data += Data(
                "\(line) 0 obj << /Type /Page /Parent \(line % 97) 0 R /Contents \(line &* 2_654_435 % 100_003) 0 R >>\n"
                    .utf8)
            line += 1
        }
        let start = Int(numbers.next() % 500_000)
        data += noise[start..<start + 400_000 + Int(numbers.next() % 100_000)]
    }
    return data
}()

let mixedArchive: Data =
    (try? ZIPBuilder.data { zip in
        try zip.add("large.pdf", mixedContent)
        try zip.deflate("small.txt", String(repeating: "A small one. ", count: 70_000))
        try zip.store("filler", Data(repeating: 1, count: 70_000))
    }) ?? Data()

/// A store in memory that counts.
final class MemoryCheckpoints: CheckpointStore {
    private let state = Mutex((data: [String: Data](), saves: 0, removals: 0))

    var data: [String: Data] {
        get { state.withLock { $0.data } }
        set { state.withLock { $0.data = newValue } }
    }
    var saves: Int { state.withLock { $0.saves } }
    var removals: Int { state.withLock { $0.removals } }

    func load(_ key: String) async -> Data? { data[key] }

    func save(_ data: Data, for key: String) async {
        state.withLock { state in
            state.data[key] = data
            state.saves += 1
        }
    }

    func remove(_ key: String) async {
        state.withLock { state in
            state.data[key] = nil
            state.removals += 1
        }
    }
}

/// Opens the archive; its reader says how much was read since.
func openMixed(
    _ data: Data = mixedArchive, store: (any CheckpointStore)? = nil, cost: Capabilities.ReadCost = .request
) async throws -> (archive: ZIPArchive, entry: ZIPEntry, reader: CountingReader) {
    let reader = try CountingReader(data, cost: cost)
    let archive = try await ZIPArchive.open(reader, checkpoints: store)
    return (archive, try #require(archive.directory.entry(at: "large.pdf")), reader)
}

/// A sink that takes so many bytes, and then nothing for ever.
final class BlockedSink: ByteSink {
    private let state = Mutex((count: 0, waiting: [CheckedContinuation<Void, Never>]()))
    private let limit: Int

    init(after limit: Int) {
        self.limit = limit
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        state.withLock { state in
            state.count += bytes.count
            return state.count > limit ? .wait : .ready
        }
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns once the sink has taken what it takes.
    func isBlocked() async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.count > limit { return true }
                state.waiting.append(continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
