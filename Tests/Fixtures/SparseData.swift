public import Foundation

/// Bytes with holes in them that take no memory, for files of any size; a hole is read as zeros.
public struct SparseData: Sendable {
    private var pieces: [(offset: Int64, data: Data)] = []
    /// How many bytes there are, holes included.
    public private(set) var count: Int64 = 0

    /// No bytes.
    public init() {}

    /// Bytes without a hole.
    public init(_ data: Data) { append(data) }

    /// A hole of `count` bytes.
    public init(hole count: Int64) { self.count = count }

    /// Adds bytes at the end.
    public mutating func append(_ data: Data) {
        if !data.isEmpty { pieces.append((count, data)) }
        count += Int64(data.count)
    }

    /// Adds `other` at the end.
    public mutating func append(_ other: SparseData) {
        for piece in other.pieces { pieces.append((count + piece.offset, piece.data)) }
        count += other.count
    }

    /// The bytes in `range`, clamped to what there is.
    public func bytes(_ range: Range<Int64>) -> Data {
        let range = range.clamped(to: 0..<count)
        var result = Data(count: range.count)
        for piece in pieces {
            let common = (piece.offset..<piece.offset + Int64(piece.data.count)).clamped(to: range)
            guard !common.isEmpty else { continue }
            let start = Int(common.lowerBound - range.lowerBound)
            let part = piece.data.dropFirst(Int(common.lowerBound - piece.offset)).prefix(common.count)
            result.replaceSubrange(start..<start + common.count, with: part)
        }
        return result
    }

    /// Writes the bytes to a new file, in which the holes are holes.
    public func write(to file: URL) throws {
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: UInt64(count))
        for piece in pieces {
            try handle.seek(toOffset: UInt64(piece.offset))
            try handle.write(contentsOf: piece.data)
        }
        try handle.close()
    }

    /// All bytes.
    public var data: Data { bytes(0..<count) }

    /// One after the other.
    public static func joined(_ parts: [SparseData]) -> SparseData {
        parts.reduce(into: SparseData()) { $0.append($1) }
    }
}
