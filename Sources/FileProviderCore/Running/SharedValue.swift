import Synchronization

/// A value that is made when it is first asked for, once for all who ask.
///
/// Who asks while it is being made waits for it. When the last one of them is cancelled the making is cancelled, too, and begins anew
/// with the next; an error is not kept either.
package final class SharedValue<Value: Sendable>: Sendable {
    private let state = Mutex((value: Value?.none, fetch: SharedFetch<Value>?.none))

    package init() {}

    /// The value, if it was made.
    package var known: Value? { state.withLock { $0.value } }

    /// - Throws: What `make` throws; `CancellationError`, at once, when the calling task is cancelled.
    package func value(_ make: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let (known, fetch, isFirst) = state.withLock { state in
            if let value = state.value { return (Value?.some(value), SharedFetch<Value>?.none, false) }
            let isFirst = state.fetch == nil
            let fetch = state.fetch ?? SharedFetch()
            state.fetch = fetch
            fetch.join()
            return (nil, fetch, isFirst)
        }
        if let known { return known }
        guard let fetch else { throw CancellationError() }
        if isFirst { fetch.start(make) }
        defer { leave(fetch) }
        let value = try await fetch.value()
        state.withLock { $0.value = value }
        return value
    }

    private func leave(_ fetch: SharedFetch<Value>) {
        let isLast = state.withLock { state in
            guard fetch.leave() else { return false }
            if state.fetch === fetch { state.fetch = nil }
            return true
        }
        if isLast { fetch.cancel() }
    }
}
