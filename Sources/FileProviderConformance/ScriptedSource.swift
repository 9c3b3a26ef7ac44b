import FileProviderCore
import Foundation
import Synchronization

/// A source that follows a script: pauses, fails, stalls, or gives another number of bytes than it promised.
struct ScriptedSource: WriteSource {
    /// The behaviour after the last byte.
    enum Ending: Sendable {
        case end
        /// A ``DeliberateFailure``.
        case failure
        /// Nothing, until ``released`` fires; then a failure.
        case stall
        /// The same bytes repeatedly, slowly.
        case endless
    }

    let length: Int64?
    let isRepeatable = true
    let bytes: Data
    let ending: Ending
    /// Whether the source makes the reader wait before every piece.
    let pauses: Bool
    /// Fires when the ending has been reached, or an endless source has begun to repeat.
    let reached = Signal()
    let released = Signal()

    init(_ bytes: Data, length: Int64?, ending: Ending = .end, pauses: Bool = false) {
        self.bytes = bytes
        self.length = length
        self.ending = ending
        self.pauses = pauses || ending.isEndless
    }

    func bytes(from offset: Int64) throws -> any ByteSource {
        Bytes(script: self, rest: bytes.dropFirst(Int(clamping: offset)))
    }

    private final class Bytes: ByteSource {
        private let script: ScriptedSource
        private let state: Mutex<(rest: Data, hasPaused: Bool)>

        init(script: ScriptedSource, rest: Data) {
            self.script = script
            state = Mutex((rest, false))
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep {
            try state.withLock { state in
                if script.pauses, !state.hasPaused {
                    state.hasPaused = true
                    return .wait
                }
                if state.rest.isEmpty { state.rest = try more() }
                if state.rest.isEmpty { return script.ending == .stall ? .wait : .end }
                let count = min(state.rest.count, buffer.count, 16_384)
                state.rest.copyBytes(to: buffer, count: count)
                state.rest = state.rest.dropFirst(count)
                state.hasPaused = false
                return .bytes(count)
            }
        }

        /// Returns what follows the bytes.
        private func more() throws -> Data {
            script.reached.fire()
            switch script.ending {
            case .end: return Data()
            case .failure: throw DeliberateFailure()
            case .stall:
                if script.released.hasFired { throw DeliberateFailure() }
                return Data()
            case .endless:
                if script.released.hasFired { throw DeliberateFailure() }
                return script.bytes
            }
        }

        func whenReady(_ resume: @escaping @Sendable () -> Void) {
            let isStalled = state.withLock { $0.rest.isEmpty } && script.ending == .stall && script.reached.hasFired
            if isStalled { return script.released.then(resume) }
            Task {
                try? await Task.sleep(for: .milliseconds(1))
                resume()
            }
        }
    }
}

extension ScriptedSource.Ending {
    fileprivate var isEndless: Bool { self == .endless }
}
