import FileProviderCore
import Foundation

/// A source that gives its last bytes only once it is seen that there are no more than it promised, and that can be stopped up to then.
///
/// A server that has all the bytes it was promised keeps the file: what is wrong with the source has to show before.
struct PromisedSource: WriteSource {
    private struct State: Sendable {
        var isStopped = false
        /// Whether the last byte of this round was given.
        var isSent = false
    }

    private let base: any WriteSource
    private let state = Locked(State())

    init(_ base: any WriteSource) {
        self.base = base
    }

    var length: Int64? { base.length }
    var isRepeatable: Bool { base.isRepeatable }

    /// Sees that the source is never given whole, neither now nor in a later round; false when it was already.
    func stop() -> Bool {
        state.update { state in
            state.isStopped = true
            return !state.isSent
        }
    }

    func bytes(from offset: Int64) throws -> any ByteSource {
        try state.update { state in
            if state.isStopped { throw CancellationError() }
            state.isSent = false
        }
        return Bytes(try base.bytes(from: offset), left: length.map { $0 - offset }, promised: length, state: state)
    }

    private final class Bytes: ByteSource {
        private struct Reading: Sendable {
            var left: Int64?
            /// The last bytes, while it is not known that they are.
            var held: [UInt8] = []
        }

        private let base: any ByteSource
        private let promised: Int64?
        private let reading: Locked<Reading>
        private let state: Locked<State>

        init(_ base: any ByteSource, left: Int64?, promised: Int64?, state: Locked<State>) {
            self.base = base
            self.promised = promised
            self.state = state
            reading = Locked(Reading(left: left))
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep {
            let held = reading.value.held
            if !held.isEmpty { return try giveLast(held, into: buffer) }
            let step = try base.read(into: buffer)
            guard case .bytes(let count) = step else {
                if step == .end { try markSent() }
                return step
            }
            let left = reading.update { reading -> Int64? in
                reading.left = reading.left.map { $0 - Int64(count) }
                return reading.left
            }
            guard let left, left <= 0 else { return step }
            return try giveLast(Array(buffer.prefix(count)), into: buffer)
        }

        /// Gives `last` if the source ends behind it.
        private func giveLast(_ last: [UInt8], into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep {
            let next = try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { try base.read(into: $0) }
            switch next {
            case .bytes:
                throw FileError.make(
                    .fileWriteUnknown, path: "",
                    sentence: "The source promised \(promised ?? 0) bytes and has more; nothing was kept.")
            case .wait:
                reading.update { $0.held = last }
                return .wait
            case .end:
                // What libcurl asked for the second time may be less than it was at first.
                let count = min(last.count, buffer.count)
                if count == last.count { try markSent() }
                buffer.copyBytes(from: last.prefix(count))
                reading.update { $0.held = Array(last.dropFirst(count)) }
                return .bytes(count)
            }
        }

        /// Stopped meanwhile, perhaps by the very read: these bytes are not handed on, and so never all.
        private func markSent() throws {
            try state.update { state in
                if state.isStopped, !state.isSent { throw CancellationError() }
                state.isSent = true
            }
        }

        func whenReady(_ resume: @escaping @Sendable () -> Void) { base.whenReady(resume) }
    }
}
