import FileProviderCore

/// Passes bytes on, and knows how many and what the first and the last were; more than once it may be the sink of a transfer that goes on.
final class SFTPCountedSink: ByteSink {
    /// Bytes that are kept of the head and of the tail.
    static let proof = 64 << 10

    fileprivate struct State {
        var count: Int64 = 0
        var head: [UInt8] = []
        /// The last bytes, up to ``SFTPCountedSink/proof``.
        var tail: [UInt8] = []
    }

    private let base: any ByteSink
    private let state = Locked(State())

    init(_ base: any ByteSink) { self.base = base }

    var count: Int64 { state.value.count }

    /// Parts of what came, counted from its beginning, and their bytes.
    var proofs: [(range: Range<Int64>, bytes: [UInt8])] {
        let state = state.value
        return [
            (0..<Int64(state.head.count), state.head), (state.count - Int64(state.tail.count)..<state.count, state.tail),
        ].filter { !$0.bytes.isEmpty }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        let flow = try base.write(bytes)
        state.update { state in
            state.count += Int64(bytes.count)
            if state.head.count < Self.proof { state.head += bytes.prefix(Self.proof - state.head.count) }
            state.keepTail(bytes)
        }
        return flow
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) { base.whenReady(resume) }
}

extension SFTPCountedSink.State {
    /// In place: this is done with every block.
    fileprivate mutating func keepTail(_ bytes: UnsafeRawBufferPointer) {
        let most = SFTPCountedSink.proof
        if bytes.count >= most {
            if tail.count < most { tail = [UInt8](repeating: 0, count: most) }
            tail.withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.suffix(most))) }
        } else {
            tail.removeFirst(max(0, tail.count + bytes.count - most))
            tail += bytes
        }
    }
}
