package import FileProviderCore
package import Foundation

extension ByteSink {
    /// Gives `data` to the sink on a thread where it may block, and suspends until the sink has room again.
    ///
    /// - Parameter extent: What is announced before the bytes; nil when that has happened.
    package func take(_ data: Data, extent: FileExtent? = nil) async throws {
        let flow: FlowState = try await onItsThread { _ in
            if let extent { try self.begin(extent) }
            return data.isEmpty ? .ready : try data.withUnsafeBytes { try self.write($0) }
        }
        if flow == .wait { try await waitUntilReady() }
    }

    /// Runs `body`, which writes into this sink, where the sink may block: on a thread of ours. A sink in memory never
    /// does, and is spared the way there and back.
    func onItsThread<Value: Sendable>(_ body: @escaping @Sendable (CancellationFlag) throws -> Value) async throws
        -> Value
    {
        guard self is DataSink else { return try await BlockingThreads.shared.run(body) }
        try Task.checkCancellation()
        return try body(CancellationFlag())
    }
}
