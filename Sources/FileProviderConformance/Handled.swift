import FileProviderCore
import Foundation
import Synchronization

/// What a completion handler was called with, and how.
final class Handled<Value: Sendable>: Sendable {
    private let values = Collected<Value>()
    private let first = Signal()
    private let threads = Mutex((caller: ObjectIdentifier?.none, cameBack: true))

    /// Starts an operation; its handler is `called`.
    func start(_ operation: (_ called: @escaping @Sendable (Value) -> Void) -> Progress?) -> Progress? {
        threads.withLock { $0.caller = ObjectIdentifier(Thread.current) }
        let progress = operation { self.call($0) }
        threads.withLock { $0.caller = nil }
        return progress
    }

    private func call(_ value: Value) {
        let isInside = threads.withLock { $0.caller } == ObjectIdentifier(Thread.current)
        if isInside { threads.withLock { $0.cameBack = false } }
        values.append(value)
        first.fire()
    }

    /// The value of the only call.
    ///
    /// - Throws: An unmet expectation when the handler is called twice, or before the operation's call has returned.
    func value(_ what: String) async throws -> Value {
        await first.wait()
        try await Task.sleep(for: .milliseconds(20))
        let values = values.values
        guard values.count == 1, let value = values.first else {
            throw Unmet("\(what): expected one call of the handler, but there were \(values.count).")
        }
        try expect(threads.withLock { $0.cameBack }, "\(what): expected the handler on another thread, but it ran inside the call.")
        return value
    }
}

extension Trial {
    /// Starts an operation with a completion handler, and waits for it.
    func complete<Value: Sendable>(
        _ what: String, _ operation: (_ called: @escaping @Sendable (Value) -> Void) -> Progress?
    ) async throws -> Value {
        let handled = Handled<Value>()
        _ = handled.start(operation)
        return try await handled.value(what)
    }

    /// Like ``complete(_:_:)``, for an operation without a result; throws what it failed with.
    func finish(_ what: String, _ operation: (_ called: @escaping @Sendable ((any Error)?) -> Void) -> Progress?) async throws {
        if let error = try await complete(what, operation) { throw error }
    }

    /// A folder of this machine for the length of `body`.
    func withLocalFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("carrel-conformance-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }
}
