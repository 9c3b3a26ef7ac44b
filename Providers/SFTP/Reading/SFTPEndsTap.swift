import FileProviderCore

/// Counts the bytes that pass, and keeps the first and the last of them, for a transfer that may continue over another
/// connection.
final class SFTPEndsTap: CopyTap {
    /// Bytes that are kept of the head and of the tail.
    static let proof = 64 << 10

    fileprivate struct State {
        var count: Int64 = 0
        var head: [UInt8] = []
        /// The last bytes, up to ``SFTPEndsTap/proof``.
        var tail: [UInt8] = []
    }

    private let state = LockedValue(State())

    var count: Int64 { state.value.count }

    /// The head and the tail of the bytes so far, with their ranges relative to the first byte.
    var proofs: [(range: Range<Int64>, bytes: [UInt8])] {
        let state = state.value
        return [
            (0..<Int64(state.head.count), state.head),
            (state.count - Int64(state.tail.count)..<state.count, state.tail),
        ].filter { !$0.bytes.isEmpty }
    }

    func pass(_ bytes: UnsafeRawBufferPointer) -> FlowState {
        state.update { state in
            state.count += Int64(bytes.count)
            if state.head.count < Self.proof { state.head += bytes.prefix(Self.proof - state.head.count) }
            state.keepTail(bytes)
        }
        return .ready
    }
}

extension SFTPEndsTap.State {
    /// In place, because it runs for every block.
    fileprivate mutating func keepTail(_ bytes: UnsafeRawBufferPointer) {
        let maxCount = SFTPEndsTap.proof
        if bytes.count >= maxCount {
            if tail.count < maxCount { tail = [UInt8](repeating: 0, count: maxCount) }
            tail.withUnsafeMutableBytes {
                $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.suffix(maxCount)))
            }
        } else {
            tail.removeFirst(max(0, tail.count + bytes.count - maxCount))
            tail += bytes
        }
    }
}
