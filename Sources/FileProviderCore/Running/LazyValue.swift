import Synchronization

/// A value that is made on first use, once for all callers.
///
/// Tasks that ask while the value is being made wait for it. When the last of them is cancelled, the work is cancelled
/// too, and the next request starts it again. An error is not kept.
package final class LazyValue<Value: Sendable>: Sendable {
    private let state = Mutex((value: Value?.none, flight: SingleFlight<Value>?.none))

    package init() {}

    /// The value, if it has been made.
    package var known: Value? { state.withLock { $0.value } }

    /// - Throws: The error of `make`; `CancellationError` at once when the calling task is cancelled.
    package func value(_ make: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let (known, flight, isFirst) = state.withLock { state in
            if let value = state.value { return (Value?.some(value), SingleFlight<Value>?.none, false) }
            let isFirst = state.flight == nil
            let flight = state.flight ?? SingleFlight()
            state.flight = flight
            flight.join()
            return (nil, flight, isFirst)
        }
        if let known { return known }
        guard let flight else { throw CancellationError() }
        if isFirst { flight.start(make) }
        defer { leave(flight) }
        let value = try await flight.value()
        state.withLock { $0.value = value }
        return value
    }

    private func leave(_ flight: SingleFlight<Value>) {
        let isLast = state.withLock { state in
            guard flight.leave() else { return false }
            if state.flight === flight { state.flight = nil }
            return true
        }
        if isLast { flight.cancel() }
    }
}
