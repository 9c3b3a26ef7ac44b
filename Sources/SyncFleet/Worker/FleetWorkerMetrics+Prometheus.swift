import Foundation

extension FleetWorkerMetrics {
    /// The metrics in Prometheus' text exposition format 0.0.4. Only the runs have a label, their outcome.
    public var prometheus: String {
        var lines = Self.head("runs_total", "counter", "Runs that ended.")
        for outcome in FleetOutcome.allCases {
            lines.append("carrel_fleet_worker_runs_total{outcome=\"\(outcome.rawValue)\"} \(runs[outcome] ?? 0)")
        }
        for family in Self.families {
            guard let value = family.value(self) else { continue }
            lines += Self.head(family.name, family.type, family.help)
            lines.append("carrel_fleet_worker_\(family.name) \(Self.number(value))")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// One family of samples.
    private struct Family: Sendable {
        let name: String
        let type: String
        let help: String
        /// Returns `nil` if there is no value.
        let value: @Sendable (FleetWorkerMetrics) -> Double?
    }

    private static let families = [
        Family(name: "running_pairs", type: "gauge", help: "Pairs in work.") { Double($0.running) },
        Family(name: "claims_total", type: "counter", help: "Pairs that were claimed.") { Double($0.claims) },
        Family(
            name: "changes_total", type: "counter", help: "Items created, replaced, moved, removed or renamed."
        ) { Double($0.changes) },
        Family(name: "transferred_bytes_total", type: "counter", help: "Bytes that were transferred.") {
            Double($0.bytes)
        },
        Family(name: "published_states_total", type: "counter", help: "States that were uploaded.") {
            Double($0.publishedStates)
        },
        Family(
            name: "missing_states_total", type: "counter", help: "Runs that began without a state that should exist."
        ) { Double($0.missingStates) },
        Family(
            name: "taken_back_total", type: "counter", help: "Pairs taken from workers that no longer renewed leases."
        ) { Double($0.takenBack) },
        Family(name: "queue_failures_total", type: "counter", help: "Calls of PostgreSQL that failed.") {
            Double($0.queueFailures)
        },
        Family(name: "last_run_timestamp_seconds", type: "gauge", help: "When the last run ended.") {
            $0.lastRun?.timeIntervalSince1970
        },
        Family(
            name: "last_success_timestamp_seconds", type: "gauge", help: "When the last successful run ended."
        ) { $0.lastSuccess?.timeIntervalSince1970 },
    ]

    private static func head(_ name: String, _ type: String, _ help: String) -> [String] {
        ["# HELP carrel_fleet_worker_\(name) \(help)", "# TYPE carrel_fleet_worker_\(name) \(type)"]
    }

    /// Whole numbers without a fraction.
    private static func number(_ value: Double) -> String { Int64(exactly: value).map(String.init) ?? "\(value)" }
}
