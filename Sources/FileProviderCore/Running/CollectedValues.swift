import Synchronization

/// Values collected from several tasks or threads.
public final class CollectedValues<Value: Sendable>: Sendable {
    private let store = Mutex<[Value]>([])

    /// Creates an empty collection.
    public init() {}

    /// The values so far, in the order of their arrival.
    public var values: [Value] { store.withLock { $0 } }

    /// Adds values at the end, next to each other.
    public func append(_ more: [Value]) { store.withLock { $0 += more } }

    /// Adds one value at the end.
    public func append(_ value: Value) { store.withLock { $0.append(value) } }
}
