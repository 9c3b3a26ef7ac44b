import Synchronization

/// Values that come from several tasks or threads.
public final class Collected<Value: Sendable>: Sendable {
    private let store = Mutex<[Value]>([])

    public init() {}

    public var values: [Value] { store.withLock { $0 } }

    public func append(_ more: [Value]) { store.withLock { $0 += more } }

    public func append(_ value: Value) { store.withLock { $0.append(value) } }
}
