import Foundation
import Testing

@testable import Sync

@Suite struct SyncMetricsTests {
    private var metrics: SyncMetrics {
        var metrics = SyncMetrics()
        (metrics.runs, metrics.failedRuns, metrics.created, metrics.bytes) = (3, 1, 2, 5_000_000_000)
        (metrics.state, metrics.lastRun, metrics.lastError) = (
            .away, Date(timeIntervalSince1970: 1_795_000_000.5), "No connection."
        )
        return metrics
    }

    @Test func `metrics survive JSON`() throws {
        let data = try JSONEncoder().encode(metrics)
        #expect(try JSONDecoder().decode(SyncMetrics.self, from: data) == metrics)
    }

    @Test func `a pair that is tried again is not well before that succeeds`() {
        #expect(SyncMetrics().isGood && !metrics.isGood)
        var metrics = SyncMetrics()
        (metrics.state, metrics.consecutiveFailures) = (.running, 1)
        #expect(!metrics.isGood)
        metrics.ended(FolderSyncReport(), at: Date())
        #expect(metrics.isGood)
    }

    @Test func `each family has one head and its sample`() {
        let lines = metrics.prometheus.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.last == "", "the last line ends, too")
        for line in [
            "# HELP carrel_sync_runs_total Runs that ended.", "# TYPE carrel_sync_runs_total counter",
            "carrel_sync_runs_total 3",
            "carrel_sync_failed_runs_total 1", "carrel_sync_transferred_bytes_total 5000000000",
            "# TYPE carrel_sync_state gauge",
            "carrel_sync_last_run_timestamp_seconds 1795000000.5", "carrel_sync_state{state=\"away\"} 1",
            "carrel_sync_state{state=\"idle\"} 0",
        ] {
            #expect(lines.count { $0 == line } == 1, "\(line)")
        }
        #expect(!metrics.prometheus.contains("last_success"), "there was none")
        let samples = lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }
        #expect(samples.allSatisfy { $0.wholeMatch(of: /carrel_sync_[a-z_]+(\{[a-z]+="[a-z]+"\})? [0-9.]+/) != nil })
    }

    @Test func `several services share each family's head, and have names`() {
        let text = SyncMetrics.prometheus(["books": metrics, "a \"b\"\n\\": SyncMetrics()])
        let lines = text.split(separator: "\n")
        #expect(lines.count { $0 == "# TYPE carrel_sync_runs_total counter" } == 1)
        #expect(lines.contains("carrel_sync_runs_total{pair=\"books\"} 3"))
        #expect(lines.contains("carrel_sync_runs_total{pair=\"a \\\"b\\\"\\n\\\\\"} 0"))
        #expect(lines.contains("carrel_sync_state{pair=\"books\",state=\"away\"} 1"))
    }
}
