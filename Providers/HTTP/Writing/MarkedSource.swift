package import FileProviderCore
import Foundation

/// A source that can be stopped up to the moment when its last byte is taken, and not after it.
///
/// The last bytes are handed on once the source is seen to have no more than it promised: what has come whole is what
/// was to be sent.
package struct MarkedSource: WriteSource {
    fileprivate struct State: Sendable {
        var isStopped = false
        /// Whether the last byte of this round was taken.
        var isSent = false
        /// Bytes that were taken in this round, or lie before it.
        var count: Int64 = 0
    }

    package let base: any WriteSource
    private let state: LockedValue<State>

    package init(_ base: any WriteSource) {
        self.base = base
        state = LockedValue(State())
    }

    package var length: Int64? { base.length }
    package var isRepeatable: Bool { base.isRepeatable }
    /// Whether the last byte was taken, in the last round.
    package var isSent: Bool { state.value.isSent }
    /// How many bytes the source turned out to have; nil before its end.
    package var count: Int64? {
        let state = state.value
        return state.isSent ? state.count : nil
    }

    /// Sees that the source is never given whole, neither now nor in a later round; false when it was already.
    package func stop() -> Bool {
        state.update { state in
            state.isStopped = true
            return !state.isSent
        }
    }

    package func bytes(from offset: Int64) throws -> any ByteSource {
        try state.update { state in
            if state.isStopped { throw CancellationError() }
            state.isSent = length.map { $0 <= offset } ?? false
            state.count = offset
        }
        return MarkedBytes(base: try base.bytes(from: offset), offset: offset, length: length, state: state)
    }
}

private final class MarkedBytes: ByteSource, @unchecked Sendable {
    // Unchecked: a source is called by one side, one call after the other; what others look at is in `state`.
    private let base: any ByteSource
    private let length: Int64?
    private let state: LockedValue<MarkedSource.State>
    private var taken: Int64
    /// The last bytes, which wait for the end behind them to be seen.
    private var held: Data?
    private var sawEnd = false

    init(base: any ByteSource, offset: Int64, length: Int64?, state: LockedValue<MarkedSource.State>) {
        self.base = base
        self.length = length
        self.state = state
        taken = offset
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep {
        if held == nil {
            let step = try base.read(into: buffer)
            guard case .bytes(let count) = step else {
                if step == .end { try mark(0, isLast: true) }
                return step
            }
            taken += Int64(count)
            guard let length, taken >= length else {
                try mark(count, isLast: false)
                return step
            }
            held = Data(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        return try giveHeld(into: buffer)
    }

    private func giveHeld(into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep {
        guard let rest = held else { return .end }
        if !sawEnd {
            switch try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1, { try base.read(into: $0) }) {
            case .end where taken == length: sawEnd = true
            case .wait: return .wait
            case .end, .bytes:
                throw FileError.make(
                    .fileWriteUnknown, path: "",
                    sentence: "The source has more than the \(length ?? 0) bytes that it promised.")
            }
        }
        if rest.isEmpty { return .end }
        let count = min(rest.count, buffer.count)
        try mark(count, isLast: count == rest.count)
        rest.copyBytes(to: buffer, count: count)
        held = rest.dropFirst(count)
        return .bytes(count)
    }

    private func mark(_ count: Int, isLast: Bool) throws {
        try state.update { state in
            // Stopped meanwhile, perhaps by the very read: these bytes are not handed on, and so never all.
            if state.isStopped, !state.isSent { throw CancellationError() }
            state.count += Int64(count)
            if isLast { state.isSent = true }
        }
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) { base.whenReady(resume) }
}
