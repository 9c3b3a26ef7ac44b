import FileProviderCore
import Foundation

/// A cache of blocks of one PDF file, for code that alternates between its end and its middle.
///
/// The first read fetches the start, which shows whether it is a PDF file; the second the end, which has its table of
/// objects. Then a read fetches one block of 32 KiB; each read that continues the one before fetches twice as much, up
/// to 256 KiB.
final class PDFBlocks: Sendable {
    /// Bytes of a block.
    static let length: Int64 = 32 << 10
    /// Bytes of the largest file, far from where sums of offsets overflow.
    private static let maxSize: Int64 = 1 << 60
    /// Blocks of the end that are read at once: 128 KiB.
    fileprivate static let tail: Int64 = 4
    fileprivate static let maxRun: Int64 = 8
    /// The most blocks of a joined run, 1 MiB, and the most blocks between two runs that are read to join them.
    fileprivate static let maxJoinedRun: Int64 = 32
    fileprivate static let joinedGap: Int64 = 4
    /// Runs of blocks that are asked for at the same time.
    private static let runsAtOnce = 8
    /// Blocks that are kept: 4 MiB.
    fileprivate static let capacity = 128

    private let resource: any Resource
    private let joinsNeighbours: Bool
    private let state = LockedValue(State())

    fileprivate struct State: Sendable {
        var size: Int64?
        var blocks: [Int64: Data] = [:]
        /// Those that are kept, the one used longest ago first.
        var order: [Int64] = []
        /// The blocks that the last read requested.
        var last: Range<Int64> = 0..<0
    }

    /// - Parameter joinsNeighbours: Whether prefetched blocks are read in few large requests, together with up to 128
    ///   KiB between any two of them.
    init(_ resource: any Resource, joinsNeighbours: Bool = false) {
        self.resource = resource
        self.joinsNeighbours = joinsNeighbours
    }

    /// Returns the size of the file in bytes.
    ///
    /// - Complexity: One request the first time, which reads the start of the file as well.
    func size() async throws -> Int64 {
        if let size = state.value.size { return size }
        let start = DataSink(limit: Int(Self.length))
        let sink = TappedSink(start)
        try await resource.stream(0..<Self.length, into: sink)
        // If the storage reports the size along with the bytes, no separate request is made.
        let size =
            if let reportedSize = sink.extent?.size, reportedSize >= 0 { reportedSize } else {
                try await resource.length()
            }
        guard size <= Self.maxSize else {
            let sentence = "“\(resource.link.href)” claims \(size) bytes; at most \(Self.maxSize) can be read."
            throw FileError.make(.fileReadTooLarge, path: resource.link.href, sentence: sentence)
        }
        try check(start.data, count: Int(max(0, min(size, Self.length))))
        state.update { state in
            state.size = size
            state.insert(start.data, from: 0)
        }
        return size
    }

    /// The first block.
    func head() async throws -> Data {
        let size = try await size()
        return try await block(0, size: size)
    }

    /// The block that starts at `index` times its length; empty past the end.
    func block(at offset: Int64) async throws -> Data {
        let size = try await size()
        return try await block(offset / Self.length, size: size)
    }

    private func block(_ index: Int64, size: Int64) async throws -> Data {
        let count = (size + Self.length - 1) / Self.length
        guard index >= 0, index < count else { return Data() }
        let (held, wanted) = state.update { $0.plan(index, count: count) }
        if let held { return held }
        let data = try await load(wanted, size: size)
        return data.dropFirst(Int((index - wanted.lowerBound) * Self.length)).prefix(Int(Self.length))
    }

    /// Reads and keeps the blocks with the bytes at `offsets`, neighbours together, several runs at a time.
    ///
    /// - Complexity: One request for each run of blocks that is not in memory.
    func prefetch(_ offsets: [Int64]) async throws {
        let size = try await size()
        let runs = state.value.missing(offsets.map { $0 / Self.length }, joined: joinsNeighbours)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, run) in runs.enumerated() {
                if index >= Self.runsAtOnce { try await group.next() }
                group.addTask { _ = try await self.load(run, size: size) }
            }
            try await group.waitForAll()
        }
    }

    private func load(_ blocks: Range<Int64>, size: Int64) async throws -> Data {
        let range = blocks.lowerBound * Self.length..<min(blocks.upperBound * Self.length, size)
        let data = try await resource.read(range)
        try check(data, count: range.count)
        state.update { $0.insert(data, from: blocks.lowerBound) }
        return data
    }

    private func check(_ data: Data, count: Int) throws {
        guard data.count == count else {
            let sentence = "The storage returned \(data.count) of \(count) bytes of “\(resource.link.href)”."
            throw FileError.make(.fileReadUnknown, path: resource.link.href, sentence: sentence)
        }
    }
}

extension PDFBlocks.State {
    /// Returns the block at `index`, or the range to read for it.
    fileprivate mutating func plan(_ index: Int64, count: Int64) -> (held: Data?, wanted: Range<Int64>) {
        if let held = blocks[index] {
            order.removeAll { $0 == index }
            order.append(index)
            return (held, index..<index + 1)
        }
        let length = index == last.upperBound && !last.isEmpty ? min(2 * Int64(last.count), PDFBlocks.maxRun) : 1
        var wanted = index..<min(index + length, count)
        if index >= count - PDFBlocks.tail { wanted = max(0, count - PDFBlocks.tail)..<count }
        // Skips blocks that are in memory.
        while wanted.lowerBound < index, blocks[wanted.lowerBound] != nil {
            wanted = wanted.lowerBound + 1..<wanted.upperBound
        }
        if let held = (index + 1..<max(wanted.upperBound, index + 1)).first(where: { blocks[$0] != nil }) {
            wanted = wanted.lowerBound..<held
        }
        last = wanted
        return (nil, wanted)
    }

    /// Returns the runs of `indexes` that are not in memory, in order; at most half of the capacity.
    fileprivate func missing(_ indexes: [Int64], joined: Bool) -> [Range<Int64>] {
        let longest = joined ? PDFBlocks.maxJoinedRun : PDFBlocks.maxRun
        let gap = joined ? PDFBlocks.joinedGap : 0
        var runs: [Range<Int64>] = []
        for index in Set(indexes).filter({ blocks[$0] == nil }).sorted().prefix(PDFBlocks.capacity / 2) {
            if let last = runs.last, index - last.upperBound <= gap, index - last.lowerBound < longest {
                runs[runs.count - 1] = last.lowerBound..<index + 1
            } else {
                runs.append(index..<index + 1)
            }
        }
        return runs
    }

    fileprivate mutating func insert(_ data: Data, from index: Int64) {
        for (number, start) in stride(from: 0, to: data.count, by: Int(PDFBlocks.length)).enumerated() {
            let block = index + Int64(number)
            // A copy, because a slice would keep the whole read alive.
            blocks[block] = Data(data.dropFirst(start).prefix(Int(PDFBlocks.length)))
            order.removeAll { $0 == block }
            order.append(block)
        }
        while order.count > PDFBlocks.capacity { blocks[order.removeFirst()] = nil }
    }
}
