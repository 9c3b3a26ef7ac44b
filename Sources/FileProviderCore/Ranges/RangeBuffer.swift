import Foundation

/// Holds the bytes of one range until it is their turn, so that nothing is passed on from a range that is refused or of
/// another version.
final class RangeBuffer: ByteSink {
    private struct State: Sendable {
        var pieces: [Data] = []
        var count: Int64 = 0
        var isDropped = false
    }

    let range: Range<Int64>
    private let size: Int64
    private let state = LockedValue(State())
    private let came: @Sendable (_ count: Int, _ isFirst: Bool) -> Void

    /// - Parameters:
    ///   - size: Bytes of the whole file.
    ///   - came: Called with the number of bytes that arrived, and whether they are the first ones.
    init(_ range: Range<Int64>, of size: Int64, came: @escaping @Sendable (_ count: Int, _ isFirst: Bool) -> Void) {
        self.range = range
        self.size = size
        self.came = came
    }

    /// Whether the storage sends the range: its first bytes have arrived.
    var hasBegun: Bool { state.value.count > 0 }
    /// Whether the range is no longer needed.
    var isDropped: Bool { state.value.isDropped }
    /// Whether all bytes have arrived.
    var isWhole: Bool { state.value.count == Int64(range.count) }

    /// Makes the transfer fail at its next bytes.
    func drop() {
        state.update { state in
            state.isDropped = true
            state.pieces = []
        }
    }

    /// Returns the bytes and stops holding them.
    func take() -> [Data] {
        state.update { state in
            defer { state.pieces = [] }
            return state.pieces
        }
    }

    /// - Throws: `CocoaError(.fileReadUnknown)` if the bytes are not those of the range.
    func begin(_ extent: FileExtent) throws {
        guard extent == FileExtent(offset: range.lowerBound, count: Int64(range.count), size: size) else {
            throw FileError.make(
                .fileReadUnknown, path: "", sentence: "The storage sent another part of the file than requested.")
        }
    }

    /// - Throws: `CancellationError` after ``drop()``; `CocoaError(.fileReadUnknown)` for more bytes than the range
    ///   has.
    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        if bytes.isEmpty { return .ready }
        let isFirst = try state.update { state in
            if state.isDropped { throw CancellationError() }
            guard Int64(bytes.count) <= Int64(range.count) - state.count else {
                throw FileError.make(
                    .fileReadUnknown, path: "", sentence: "The storage sent more bytes than requested.")
            }
            state.pieces.append(Data(bytes))
            defer { state.count += Int64(bytes.count) }
            return state.count == 0
        }
        came(bytes.count, isFirst)
        return .ready
    }
}
