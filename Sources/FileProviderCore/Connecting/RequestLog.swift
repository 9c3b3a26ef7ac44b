package import Logging

/// Writes one line at `.debug` for each request of a provider, and counts it for swift-metrics in a build with the
/// package trait `Metrics`. Documentation/Logging.md names the keys.
package struct RequestLog: Sendable {
    /// When a request began.
    package struct Start: Sendable {
        fileprivate let time = ContinuousClock.now
    }

    private let logger: Logger?
    #if Metrics
        private let metrics: RequestMetrics
    #endif

    /// - Parameters:
    ///   - logger: Nil writes no lines.
    ///   - provider: The provider's name, as in `FileProviderBasic.type`, such as `WebDAV`.
    package init(_ logger: Logger?, provider: String) {
        var logger = logger
        logger?[metadataKey: "provider"] = "\(provider)"
        self.logger = logger
        #if Metrics
            metrics = RequestMetrics(provider: provider)
        #endif
    }

    /// Begins a request. Returns nil, at the cost of one branch, if nothing is logged or counted.
    package func begin() -> Start? {
        #if Metrics
            return Start()
        #else
            guard let logger, logger.logLevel <= .debug else { return nil }
            return Start()
        #endif
    }

    /// Ends the request that began at `start`; does nothing if that is nil.
    ///
    /// - Parameters:
    ///   - error: Why there was no answer, or why the operation failed.
    ///   - record: Called if a line is written.
    package func end(
        _ start: Start?, tally: TransferTally, error: (any Error)? = nil, _ record: () -> RequestRecord
    ) {
        guard let start else { return }
        let duration = ContinuousClock.now - start.time
        let again = RepeatedTry.current
        #if Metrics
            metrics.count(tally, duration: duration, isRepeated: again != nil, hasFailed: error != nil)
        #endif
        guard let logger, logger.logLevel <= .debug else { return }
        let record = record()
        var metadata = Self.metadata(of: tally, duration: duration, again: again, error: error)
        if let host = record.host { metadata["host"] = "\(host)" }
        if let status = record.status { metadata["status"] = "\(status)" }
        for (key, value) in record.details { metadata[key] = "\(value)" }
        logger.debug("\(record.operation)\(record.item.isEmpty ? "" : " " + record.item)", metadata: metadata)
    }

    /// Runs `body` as one operation. Both other closures are called at its end, with nil if it failed.
    package func run<Value>(
        _ body: () async throws -> Value, tally: (Value?) -> TransferTally = { _ in TransferTally() },
        record: (Value?) -> RequestRecord
    ) async throws -> Value {
        guard let start = begin() else { return try await body() }
        do {
            let value = try await body()
            end(start, tally: tally(value)) { record(value) }
            return value
        } catch {
            end(start, tally: tally(nil), error: error) { record(nil) }
            throw error
        }
    }

    /// Writes one packet of a request at `.trace`. No secret may be in `text`.
    package func trace(_ text: @autoclosure () -> String) { logger?.trace("\(text())") }

    private static func metadata(
        of tally: TransferTally, duration: Duration, again: RepeatedTry?, error: (any Error)?
    ) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "ms": "\(Int64(duration / .milliseconds(1)))", "bytes-in": "\(tally.bytesIn)",
            "bytes-out": "\(tally.bytesOut)",
        ]
        if tally.requests > 1 { metadata["requests"] = "\(tally.requests)" }
        if let again {
            metadata["retry"] = "\(again.number)"
            metadata["reason"] = "\(again.cause.loggedSentence)"
        }
        if let error { metadata["error"] = "\(error.loggedSentence)" }
        return metadata
    }
}
