import Carrel
import Foundation

/// The lines of one folder's listing, held as bytes until the listing is complete, because they are printed in order.
///
/// They need a fraction of the items' memory, in a few large blocks.
struct ListedLines: Sendable {
    /// The sort order. Equal items are sorted by name; unknown values come last.
    enum Order: Sendable {
        case name, newest, largest
    }

    /// One line: its position and its sort key.
    struct Line: Sendable {
        let isFolder: Bool
        fileprivate let piece: Int32
        fileprivate let start: Int32
        /// The end of the name and the start of the text.
        fileprivate let middle: Int32
        fileprivate let end: Int32
        fileprivate let key: Int64
    }

    private static let pieceSize = 1 << 20

    private let order: Order
    private var lines: [Line] = []
    private var pieces: [[UInt8]] = []

    init(_ order: Order) { self.order = order }

    /// Adds the line of `item`, whose text `put` appends.
    mutating func add(_ item: FileObject, _ put: (inout [UInt8]) -> Void) {
        if pieces.last.map({ $0.count >= Self.pieceSize }) ?? true {
            pieces.append([])
            // A little more than one piece, for the line that fills it.
            pieces[pieces.count - 1].reserveCapacity(Self.pieceSize + 4096)
        }
        let piece = pieces.count - 1
        let start = pieces[piece].count
        pieces[piece] += item.path.nameBytes
        let middle = pieces[piece].count
        put(&pieces[piece])
        lines.append(
            Line(
                isFolder: item.isDirectory, piece: Int32(piece), start: Int32(start), middle: Int32(middle),
                end: Int32(pieces[piece].count), key: key(of: item)))
    }

    var count: Int { lines.count }

    /// The lines in their order.
    var sorted: [Line] { lines.sorted(by: precedes) }

    func text(of line: Line) -> ArraySlice<UInt8> { pieces[Int(line.piece)][Int(line.middle)..<Int(line.end)] }

    /// The item's name in the storage.
    func name(of line: Line) -> ArraySlice<UInt8> { pieces[Int(line.piece)][Int(line.start)..<Int(line.middle)] }

    private func key(of item: FileObject) -> Int64 {
        switch order {
        case .name: 0
        case .largest: item.size ?? -1
        // Microseconds.
        case .newest: item.modifiedDate.flatMap { Int64(exactly: ($0.timeIntervalSince1970 * 1e6).rounded()) } ?? .min
        }
    }

    private func precedes(_ one: Line, _ other: Line) -> Bool {
        if one.key != other.key { return one.key > other.key }
        return withName(of: one) { one in
            withName(of: other) { other in
                guard let first = one.baseAddress, let second = other.baseAddress else {
                    return one.count < other.count
                }
                let order = memcmp(first, second, min(one.count, other.count))
                return order == 0 ? one.count < other.count : order < 0
            }
        }
    }

    private func withName<Value>(of line: Line, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        pieces[Int(line.piece)].withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[Int(line.start)..<Int(line.middle)]))
        }
    }
}
