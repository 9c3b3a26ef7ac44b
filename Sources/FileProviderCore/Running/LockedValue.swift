import Synchronization

/// A value behind a lock, for objects that share a little state between threads.
package final class LockedValue<Value: Sendable>: Sendable {
    private let store: Mutex<Value>

    package init(_ value: Value) {
        store = Mutex(value)
    }

    package var value: Value { store.withLock { $0 } }

    package func update<Result: Sendable>(_ change: (inout Value) throws -> Result) rethrows -> Result {
        try store.withLock { value in try change(&value) }
    }
}
