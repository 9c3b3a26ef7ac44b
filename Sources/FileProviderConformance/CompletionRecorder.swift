import FileProviderCore
import Foundation
import Synchronization

/// Records the calls of a completion handler.
final class CompletionRecorder<Value: Sendable>: Sendable {
    private let values = CollectedValues<Value>()
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

    /// Returns the value of the first call.
    func firstValue() async -> Value {
        await withCheckedContinuation { continuation in
            first.then { [values] in values.values.first.map { continuation.resume(returning: $0) } }
        }
    }

    /// Waits for the first call, but no longer than `limit`.
    func first(within limit: Duration) async {
        let isOver = Signal()
        first.then { isOver.fire() }
        let clock = Task {
            try await Task.sleep(for: limit)
            isOver.fire()
        }
        await isOver.wait()
        clock.cancel()
    }

    /// Returns the value of the only call.
    ///
    /// - Throws: An unmet expectation if the handler is called twice, or before the operation's call has returned.
    func value(_ what: String) async throws -> Value {
        let value = await firstValue()
        try await Self.expectOne([self], what: what)
        return value
    }

    /// Expects the handler of each to have been called once, after the operation's call had returned.
    ///
    /// Waits for a while to see that there is no second call; the time is the same for one and for many.
    static func expectOne(_ all: [CompletionRecorder], what: String) async throws {
        try await Task.sleep(for: .milliseconds(20))
        for handled in all {
            let count = handled.values.values.count
            try expect(count == 1, "\(what): expected one call of the handler, but there were \(count).")
            let cameBack = handled.threads.withLock { $0.cameBack }
            try expect(cameBack, "\(what): expected the handler on another thread, but it ran inside the call.")
        }
    }
}

extension Trial {
    /// Starts an operation with a completion handler, and waits for it.
    func complete<Value: Sendable>(
        _ what: String, _ operation: (_ called: @escaping @Sendable (Value) -> Void) -> Progress?
    ) async throws -> Value {
        let handled = CompletionRecorder<Value>()
        _ = handled.start(operation)
        return try await handled.value(what)
    }

    /// As ``complete(_:_:)``, for an operation without a result; throws its error.
    func finish(_ what: String, _ operation: (_ called: @escaping @Sendable ((any Error)?) -> Void) -> Progress?)
        async throws
    {
        if let error = try await complete(what, operation) { throw error }
    }

    /// Creates a local folder for the duration of `body`.
    func withLocalFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "carrel-conformance-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }
}
