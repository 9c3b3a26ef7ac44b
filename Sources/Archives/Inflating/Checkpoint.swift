import Foundation

/// A place between two blocks of deflate data where unpacking can begin (RFC 1951, section 3.2.3).
struct Checkpoint: Sendable, Hashable {
    /// Offset in the compressed data of the first byte to read.
    let compressed: Int64
    /// Offset in the unpacked data of the first byte that comes out.
    let uncompressed: Int64
    /// How many bits of the byte before ``compressed`` are still to be used, 0 to 7.
    let pendingBits: UInt8
    /// These bits.
    let pending: UInt8
    /// The 32 KiB that were unpacked before, packed (``CheckpointWindow``).
    let window: Data
    /// The compressed bytes in front of it, by which it is told whether it is one of this data.
    var approach = CheckpointApproach()

    /// What it takes in memory, about.
    var cost: Int { window.count + 64 }
}

/// The checkpoints of one entry, in order. It only ever gains some, or is thinned out; whoever made them, each is right
/// by itself.
struct CheckpointIndex: Sendable, Hashable {
    /// How far apart they are at first, in unpacked or compressed bytes, whichever comes first.
    ///
    /// A read downloads and unpacks at most that and one block, of which the largest that usual packers make are 300
    /// kB: less than 1.1 MiB, and 8 ms. The windows of data that cannot be compressed take 4 % of it.
    static let usualSpacing: Int64 = 768 << 10

    private(set) var points: [Checkpoint] = []
    private(set) var spacing: Int64
    /// What all take in memory, about.
    private(set) var cost = 0

    init(spacing: Int64 = usualSpacing) {
        self.spacing = spacing
    }

    /// The last one from which the byte at `offset` of the unpacked data can be reached.
    func last(upTo offset: Int64) -> Checkpoint? {
        let index = firstIndex { $0.uncompressed > offset }
        return index > 0 ? points[index - 1] : nil
    }

    /// The first one before which all up to `end` of the unpacked data has come out.
    func first(notBefore end: Int64) -> Checkpoint? {
        let index = firstIndex { $0.uncompressed >= end }
        return index < points.count ? points[index] : nil
    }

    /// Whether one at this place would be far enough from the others.
    func wants(compressed: Int64, uncompressed: Int64) -> Bool {
        let index = firstIndex { $0.uncompressed >= uncompressed }
        let (lastIn, lastOut) = index > 0 ? (points[index - 1].compressed, points[index - 1].uncompressed) : (0, 0)
        guard compressed > lastIn, max(compressed - lastIn, uncompressed - lastOut) >= spacing else { return false }
        guard index < points.count else { return true }
        let next = points[index]
        return next.compressed > compressed
            && max(next.compressed - compressed, next.uncompressed - uncompressed) >= spacing / 2
    }

    /// Takes `point` if it is far enough from the others.
    mutating func add(_ point: Checkpoint) {
        guard wants(compressed: point.compressed, uncompressed: point.uncompressed) else { return }
        points.insert(point, at: firstIndex { $0.uncompressed >= point.uncompressed })
        cost += point.cost
    }

    /// Takes `point`, which lies behind all others, as it is.
    mutating func append(_ point: Checkpoint) {
        points.append(point)
        cost += point.cost
    }

    /// Lets every other one go.
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
