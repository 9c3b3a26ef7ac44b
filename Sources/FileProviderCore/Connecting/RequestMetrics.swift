#if Metrics
    import CoreMetrics

    /// Counters and a timer of swift-metrics for one provider, with its name as the dimension `provider`.
    struct RequestMetrics: Sendable {
        private let requests: Counter
        private let bytesIn: Counter
        private let bytesOut: Counter
        private let errors: Counter
        private let retries: Counter
        private let duration: Timer

        /// - Parameter factory: The app has to have set up its own by now.
        init(provider: String, factory: any MetricsFactory = MetricsSystem.factory) {
            func counter(_ name: String) -> Counter {
                Counter(label: "carrel_\(name)_total", dimensions: [("provider", provider)], factory: factory)
            }
            requests = counter("requests")
            bytesIn = counter("received_bytes")
            bytesOut = counter("sent_bytes")
            errors = counter("errors")
            retries = counter("retries")
            duration = Timer(
                label: "carrel_request_duration", dimensions: [("provider", provider)], factory: factory)
        }

        func count(_ tally: TransferTally, duration: Duration, isRepeated: Bool, hasFailed: Bool) {
            requests.increment(by: tally.requests)
            bytesIn.increment(by: tally.bytesIn)
            bytesOut.increment(by: tally.bytesOut)
            if hasFailed { errors.increment() }
            if isRepeated { retries.increment() }
            self.duration.recordNanoseconds(Int64(duration / .nanoseconds(1)))
        }
    }
#endif
