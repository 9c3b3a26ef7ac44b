#if Metrics
    import CoreMetrics
    import Testing

    @testable import FileProviderCore

    /// What a build with the package trait `Metrics` counts.
    @Suite struct RequestMetricsTests {
        @Test func `requests, bytes, errors, retries and the time are counted for each provider`() {
            let factory = RecordingFactory()
            let metrics = RequestMetrics(provider: "FTP", factory: factory)
            metrics.count(
                TransferTally(requests: 2, bytesIn: 30, bytesOut: 4), duration: .milliseconds(5), isRepeated: false,
                hasFailed: true)
            metrics.count(TransferTally(), duration: .milliseconds(1), isRepeated: true, hasFailed: false)
            #expect(
                factory.sums.value == [
                    "carrel_requests_total FTP": 3, "carrel_received_bytes_total FTP": 30,
                    "carrel_sent_bytes_total FTP": 4, "carrel_errors_total FTP": 1, "carrel_retries_total FTP": 1,
                    "carrel_request_duration FTP": 6_000_000,
                ])
        }
    }

    /// Adds up what is told.
    private final class RecordingFactory: MetricsFactory {
        let sums = LockedValue<[String: Int64]>([:])

        private final class Sum: CounterHandler, TimerHandler, RecorderHandler {
            let name: String
            let sums: LockedValue<[String: Int64]>

            init(_ name: String, _ dimensions: [(String, String)], _ sums: LockedValue<[String: Int64]>) {
                self.name = ([name] + dimensions.map(\.1)).joined(separator: " ")
                self.sums = sums
            }

            private func add(_ value: Int64) { sums.update { $0[name, default: 0] += value } }
            func increment(by amount: Int64) { add(amount) }
            func reset() {}
            func recordNanoseconds(_ duration: Int64) { add(duration) }
            func record(_ value: Int64) { add(value) }
            func record(_ value: Double) { add(Int64(value)) }
        }

        func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
            Sum(label, dimensions, sums)
        }
        func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
            Sum(label, dimensions, sums)
        }
        func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
            Sum(label, dimensions, sums)
        }
        func destroyCounter(_ handler: any CounterHandler) {}
        func destroyTimer(_ handler: any TimerHandler) {}
        func destroyRecorder(_ handler: any RecorderHandler) {}
    }
#endif
