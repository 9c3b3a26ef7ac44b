package import FileProviderCore
package import Foundation

/// Collects bytes, and once, after some of them, takes no more before a condition holds.
package final class HeldSink: ByteSink {
    private struct State: Sendable {
        var data = Data()
        var extents: [FileExtent] = []
        var wasHeld = false
    }

    private let state = LockedValue(State())
    private let limit: Int
    private let condition: @Sendable () -> Bool
    private let passed: @Sendable (_ count: Int) -> Void

    /// - Parameters:
    ///   - limit: Bytes that are taken before the pause.
    ///   - condition: Ends the pause; looked at every few milliseconds.
    ///   - passed: Told after each write how many bytes have come.
    package init(
        after limit: Int, until condition: @escaping @Sendable () -> Bool,
        passed: @escaping @Sendable (_ count: Int) -> Void = { _ in }
    ) {
        self.limit = limit
        self.condition = condition
        self.passed = passed
    }

    /// What has come so far.
    package var data: Data { state.value.data }
    /// What was announced.
    package var extents: [FileExtent] { state.value.extents }

    package func begin(_ extent: FileExtent) { state.update { $0.extents.append(extent) } }

    package func write(_ bytes: UnsafeRawBufferPointer) -> FlowState {
        let (count, flow): (Int, FlowState) = state.update { state in
            state.data.append(contentsOf: bytes)
            let isHeld = state.data.count >= limit && !state.wasHeld
            state.wasHeld = state.wasHeld || isHeld
            return (state.data.count, isHeld ? .wait : .ready)
        }
        passed(count)
        return flow
    }

    package func whenReady(_ resume: @escaping @Sendable () -> Void) {
        Task { [condition] in
            try? await eventually { condition() }
            resume()
        }
    }
}
