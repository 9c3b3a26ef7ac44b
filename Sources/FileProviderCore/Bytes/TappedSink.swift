/// Passes bytes on to a sink, counts them and shows them to a tap.
package final class TappedSink: ByteSink {
    private struct State: Sendable {
        var extent: FileExtent?
        var count: Int64 = 0
        var isFull = false
        var failure: (any Error)?
    }

    private let base: any ByteSink
    private let tap: (any CopyTap)?
    private let progress: ProgressReporter?
    private let limit: (count: Int64, excess: any Error)?
    private let isAnnounced: Bool
    private let state = LockedValue(State())

    /// - Parameters:
    ///   - limit: How many bytes may pass, and the error to throw before more do.
    ///   - isAnnounced: Whether `base` has already received ``ByteSink/begin(_:)``.
    package init(
        _ base: any ByteSink, tap: (any CopyTap)? = nil, progress: ProgressReporter? = nil,
        limit: (count: Int64, excess: any Error)? = nil, isAnnounced: Bool = false
    ) {
        self.base = base
        self.tap = tap
        self.progress = progress
        self.limit = limit
        self.isAnnounced = isAnnounced
    }

    /// The announced extent; nil before.
    package var extent: FileExtent? { state.value.extent }
    /// How many bytes the sink below took.
    package var count: Int64 { state.value.count }
    /// Whether nothing passes because the sink below or the tap has enough for now.
    package var isFull: Bool { state.value.isFull }
    /// Why nothing more passes; a transport may report that as its own error.
    package var failure: (any Error)? { state.value.failure }

    package func begin(_ extent: FileExtent) throws {
        progress?.expect(extent.count < 0 ? nil : extent.count)
        state.update { $0.extent = extent }
        try noting {
            if let limit, extent.count > limit.count { throw limit.excess }
            try tap?.begin(extent)
            if !isAnnounced { try base.begin(extent) }
        }
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        try noting {
            let size = Int64(bytes.count)
            if let limit, size > limit.count - count { throw limit.excess }
            let flow = try base.write(bytes)
            progress?.advance(by: size)
            let isFull = try tap?.pass(bytes) == .wait || flow == .wait
            state.update { state in
                state.count += size
                state.isFull = isFull
            }
            return isFull ? .wait : .ready
        }
    }

    /// Asks the tap to agree; call it after the last byte.
    package func finish() throws { try noting { try tap?.finish() } }

    private func noting<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch {
            state.update { $0.failure = error }
            throw error
        }
    }

    package func whenReady(_ resume: @escaping @Sendable () -> Void) {
        let goOn: @Sendable () -> Void = { [state] in
            state.update { $0.isFull = false }
            resume()
        }
        guard let tap else { return base.whenReady(goOn) }
        tap.whenReady { [base] in base.whenReady(goOn) }
    }
}
