package import FileProviderCore
package import Foundation

extension ByteSink {
    /// Writes `data` to the sink on a thread that may block, and suspends until the sink has room again.
    ///
    /// - Parameter extent: The extent to announce before the bytes; nil if it was announced already.
    package func take(_ data: Data, extent: FileExtent? = nil) async throws {
        let flow: FlowState = try await onItsThread { _ in
            if let extent { try self.begin(extent) }
            return data.isEmpty ? .ready : try data.withUnsafeBytes { try self.write($0) }
        }
        if flow == .wait { try await waitUntilReady() }
    }

    /// Runs `body`, which writes into this sink, on one of our threads if the sink may block. A sink in memory never
    /// blocks, and avoids the thread switches.
    func onItsThread<Value: Sendable>(_ body: @escaping @Sendable (CancellationFlag) throws -> Value) async throws
        -> Value
    {
        guard self is DataSink else { return try await BlockingThreads.shared.run(body) }
        try Task.checkCancellation()
        return try body(CancellationFlag())
    }
}
