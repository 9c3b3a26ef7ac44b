import Foundation

/// A position between two blocks of deflate data at which unpacking can begin (RFC 1951, section 3.2.3).
struct Checkpoint: Sendable, Hashable {
    /// Offset in the compressed data of the first byte to read.
    let compressed: Int64
    /// Offset in the unpacked data of the first byte that is produced.
    let uncompressed: Int64
    /// The number of unused bits of the byte before ``compressed``, 0 to 7.
    let pendingBits: UInt8
    /// These bits.
    let pending: UInt8
    /// The preceding 32 KiB of unpacked data, packed (``CheckpointWindow``).
    let window: Data
    /// The compressed bytes before it, which identify the data that it belongs to.
    var approach = CheckpointApproach()

    /// Its approximate size in memory.
    var cost: Int { window.count + 64 }
}

/// The checkpoints of one entry, in order. Checkpoints are added, or thinned out; each is valid by itself, from
/// whatever pass.
struct CheckpointIndex: Sendable, Hashable {
    /// The initial distance between checkpoints, in unpacked or compressed bytes, whichever comes first.
    ///
    /// A read downloads and unpacks at most that and one block; the largest blocks of usual packers have 300 kB. That
    /// is less than 1.1 MiB, and 8 ms. The windows of incompressible data take 4 % of it.
    static let usualSpacing: Int64 = 768 << 10

    private(set) var points: [Checkpoint] = []
    private(set) var spacing: Int64
    /// The approximate size of all in memory.
    private(set) var cost = 0

    init(spacing: Int64 = usualSpacing) {
        self.spacing = spacing
    }

    /// Returns the last checkpoint from which the byte at `offset` of the unpacked data can be reached.
    func last(upTo offset: Int64) -> Checkpoint? {
        let index = firstIndex { $0.uncompressed > offset }
        return index > 0 ? points[index - 1] : nil
    }

    /// Returns the first checkpoint that has all unpacked data up to `end` before it.
    func first(notBefore end: Int64) -> Checkpoint? {
        let index = firstIndex { $0.uncompressed >= end }
        return index < points.count ? points[index] : nil
    }

    /// Returns whether a checkpoint at this position would be far enough from the others.
    func wants(compressed: Int64, uncompressed: Int64) -> Bool {
        let index = firstIndex { $0.uncompressed >= uncompressed }
        let (lastIn, lastOut) = index > 0 ? (points[index - 1].compressed, points[index - 1].uncompressed) : (0, 0)
        guard compressed > lastIn, max(compressed - lastIn, uncompressed - lastOut) >= spacing else { return false }
        guard index < points.count else { return true }
        let next = points[index]
        return next.compressed > compressed
            && max(next.compressed - compressed, next.uncompressed - uncompressed) >= spacing / 2
    }

    /// Adds `point` if it is far enough from the others.
    mutating func add(_ point: Checkpoint) {
        guard wants(compressed: point.compressed, uncompressed: point.uncompressed) else { return }
        points.insert(point, at: firstIndex { $0.uncompressed >= point.uncompressed })
        cost += point.cost
    }

    /// Adds `point`, which is behind all others, without checking the distance.
    mutating func append(_ point: Checkpoint) {
        points.append(point)
        cost += point.cost
    }

    /// Removes every other checkpoint.
    mutating func thin() {
        points = points.indices.filter { $0 % 2 == 1 }.map { points[$0] }
        cost = points.reduce(0) { $0 + $1.cost }
        spacing *= 2
    }

    /// The first index from which on `isBeyond` holds.
    private func firstIndex(where isBeyond: (Checkpoint) -> Bool) -> Int {
        var (low, high) = (0, points.count)
        while low < high {
            let middle = (low + high) / 2
            if isBeyond(points[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
