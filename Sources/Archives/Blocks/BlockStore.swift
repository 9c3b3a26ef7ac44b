import FileProviderCore
import Foundation

/// The blocks of one file that are in memory or being loaded; decides what to request. Bounded: the least recently used
/// are dropped first.
struct BlockStore: Sendable {
    /// Bytes with their offset in the file.
    struct Block: Sendable {
        var range: Range<Int64>
        var data: Data
        fileprivate var lastUse = 0

        init(offset: Int64, data: Data) {
            range = offset..<offset + Int64(data.count)
            self.data = data
        }
    }

    typealias Fetch = SingleFlight<[Block]>

    /// The steps of a read.
    struct Plan {
        /// Blocks that are in memory.
        var held: [Block]
        /// Fetches to wait for, including those of other readers.
        var fetches: [Fetch]
        /// The fetch among them to start, and the ranges that it requests.
        var new: (fetch: Fetch, ranges: [Range<Int64>])?
    }

    /// The size of the file; nil before the first response.
    var size: Int64?
    let capacity: Int
    private let cost: Capabilities.ReadCost
    /// In order of offset, none overlapping another.
    private var blocks: [Block] = []
    private var underWay: [(fetch: Fetch, ranges: [Range<Int64>])] = []
    private var bytesHeld = 0
    private var uses = 0
    private var readAhead: ReadAhead

    init(capacity: Int, cost: Capabilities.ReadCost) {
        self.capacity = capacity
        self.cost = cost
        readAhead = ReadAhead(cost: cost, capacity: capacity)
    }

    // MARK: Planning

    /// Returns `range`, extended up to `limit` by what a sequential reader will want next.
    mutating func extend(_ range: Range<Int64>, to limit: Int64) -> Range<Int64> {
        readAhead.extend(range, to: limit, isHeld: isHere(range) || isComing(range))
    }

    private func isHere(_ range: Range<Int64>) -> Bool {
        var next = range.lowerBound
        for block in blocks[firstIndex(endingAfter: next)...] {
            guard block.range.lowerBound <= next, next < range.upperBound else { break }
            next = block.range.upperBound
        }
        return next >= range.upperBound
    }

    /// Whether all of it is in memory or being loaded.
    private func isComing(_ range: Range<Int64>) -> Bool {
        if underWay.isEmpty { return false }
        let all = ByteRanges.union(blocks.map(\.range) + underWay.flatMap(\.ranges))
        return ByteRanges.subtract(all, from: [range]).isEmpty
    }

    /// Returns the steps to get all of `ranges`. The caller leaves each of the plan's fetches when it is done.
    mutating func plan(_ ranges: [Range<Int64>]) -> Plan {
        let wanted = ByteRanges.union(ranges.map { $0.clamped(to: 0..<(size ?? .max)) })
        var plan = Plan(held: wanted.flatMap { use($0) }, fetches: [], new: nil)
        var missing = ByteRanges.subtract(plan.held.map(\.range), from: wanted)
        for (fetch, coming) in underWay
        where coming.contains(where: { range in missing.contains { $0.overlaps(range) } }) {
            fetch.join()
            plan.fetches.append(fetch)
        }
        missing = ByteRanges.subtract(ByteRanges.union(underWay.flatMap(\.ranges)), from: missing)
        if missing.isEmpty { return plan }
        let fetch = Fetch()
        fetch.join()
        let asked = requests(for: missing)
        underWay.append((fetch, asked))
        plan.fetches.append(fetch)
        plan.new = (fetch, asked)
        return plan
    }

    /// Joins ranges that are closer than the cost model's gap, and rounds up to its block, without requesting bytes
    /// that are in memory.
    private func requests(for missing: [Range<Int64>]) -> [Range<Int64>] {
        let taken = ByteRanges.union(blocks.map(\.range) + underWay.flatMap(\.ranges))
        var result: [Range<Int64>] = []
        for range in missing {
            if let last = result.last, range.lowerBound - last.upperBound <= Int64(cost.coalescingGap),
                range.lowerBound <= last.upperBound
                    || !taken.contains(where: { $0.overlaps(last.upperBound..<range.lowerBound) })
            {
                result[result.count - 1] = rounded(
                    last.lowerBound..<max(last.upperBound, range.upperBound), taken: taken)
            } else {
                result.append(rounded(range, taken: taken))
            }
        }
        return result
    }

    private func rounded(_ range: Range<Int64>, taken: [Range<Int64>]) -> Range<Int64> {
        let next = taken.first { $0.lowerBound >= range.upperBound }?.lowerBound ?? size ?? .max
        let (end, overflow) = range.lowerBound.addingReportingOverflow(Int64(cost.preferredBlock))
        return range.lowerBound..<max(range.upperBound, min(overflow ? .max : end, next))
    }

    // MARK: What is held

    /// Returns the blocks that overlap `range`, and marks them as used.
    mutating func use(_ range: Range<Int64>) -> [Block] {
        uses += 1
        var found: [Block] = []
        var index = firstIndex(endingAfter: range.lowerBound)
        while index < blocks.count, blocks[index].range.lowerBound < range.upperBound {
            blocks[index].lastUse = uses
            found.append(blocks[index])
            index += 1
        }
        return found
    }

    /// Inserts the blocks that a fetch loaded.
    mutating func insert(_ new: [Block]) {
        for block in new { insert(block) }
        while bytesHeld > capacity, let oldest = blocks.indices.min(by: { blocks[$0].lastUse < blocks[$1].lastUse }) {
            bytesHeld -= blocks.remove(at: oldest).data.count
        }
    }

    /// Keeps the parts of `block` that are not in memory yet. A block larger than half of the capacity would evict all
    /// others, and is dropped.
    private mutating func insert(_ block: Block) {
        guard block.data.count <= capacity / 2 else { return }
        for part in ByteRanges.subtract(blocks.map(\.range), from: block.range.isEmpty ? [] : [block.range]) {
            var piece = block
            if part != block.range {
                let offset = Int(part.lowerBound - block.range.lowerBound)
                piece = Block(offset: part.lowerBound, data: Data(block.data.dropFirst(offset).prefix(part.count)))
            }
            uses += 1
            piece.lastUse = uses
            blocks.insert(piece, at: firstIndex(endingAfter: part.lowerBound))
            bytesHeld += piece.data.count
        }
    }

    private func firstIndex(endingAfter offset: Int64) -> Int {
        blocks.firstIndex { $0.range.upperBound > offset } ?? blocks.count
    }

    /// Removes a fetch that has ended or that no reader waits for any more.
    mutating func remove(_ fetch: Fetch) { underWay.removeAll { $0.fetch === fetch } }

    /// Forgets all bytes.
    mutating func removeAll() {
        blocks = []
        bytesHeld = 0
    }
}

/// Arithmetic with lists of ranges in order, none overlapping another.
enum ByteRanges {
    /// Returns the union of `ranges`, which may be in any order; adjacent ranges are joined.
    static func union(_ ranges: [Range<Int64>]) -> [Range<Int64>] {
        var result: [Range<Int64>] = []
        for range in ranges.filter({ !$0.isEmpty }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, range.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }

    /// Returns the parts of `ranges` outside all `holes`; both lists are in order.
    static func subtract(_ holes: [Range<Int64>], from ranges: [Range<Int64>]) -> [Range<Int64>] {
        var result: [Range<Int64>] = []
        for range in ranges {
            var start = range.lowerBound
            for hole in holes where hole.overlaps(range) {
                if hole.lowerBound > start { result.append(start..<hole.lowerBound) }
                start = max(start, hole.upperBound)
            }
            if start < range.upperBound { result.append(start..<range.upperBound) }
        }
        return result
    }
}
