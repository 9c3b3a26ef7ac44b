import FileProviderCore
import Foundation

extension SyncMetrics {
    /// The metrics in Prometheus' text exposition format 0.0.4, without labels.
    public var prometheus: String { Self.text([(labels: "", metrics: self)]) }

    /// Returns the metrics of several services in one text, each with the label `pair` and its name.
    public static func prometheus(_ services: [String: SyncMetrics]) -> String {
        text(services.sorted { $0.key < $1.key }.map { (labels: "pair=\"\(escaped($0.key))\"", metrics: $0.value) })
    }

    /// One family of samples.
    private struct Family: Sendable {
        let name: String
        let type: String
        let help: String
        /// Returns `nil` if there is no value.
        let value: @Sendable (SyncMetrics) -> Double?
    }

    private static let families = [
        Family(name: "runs_total", type: "counter", help: "Runs that ended.") { Double($0.runs) },
        Family(name: "failed_runs_total", type: "counter", help: "Runs that ended early because of an error.") {
            Double($0.failedRuns)
        },
        Family(name: "created_total", type: "counter", help: "Files, folders and links that were created.") {
            Double($0.created)
        },
        Family(name: "updated_total", type: "counter", help: "Files and links that were replaced.") {
            Double($0.updated)
        },
        Family(name: "moved_total", type: "counter", help: "Files that were moved.") { Double($0.moved) },
        Family(name: "removed_total", type: "counter", help: "Items that were removed.") { Double($0.removed) },
        Family(name: "conflicts_total", type: "counter", help: "Versions that were renamed because of a conflict.") {
            Double($0.conflicts)
        },
        Family(name: "transferred_bytes_total", type: "counter", help: "Bytes that were transferred.") {
            Double($0.bytes)
        },
        Family(name: "unfinished_items", type: "gauge", help: "Items that the last run left out of step.") {
            Double($0.unfinished)
        },
        Family(name: "consecutive_failures", type: "gauge", help: "Runs that failed since the last successful run.") {
            Double($0.consecutiveFailures)
        },
        Family(name: "last_run_timestamp_seconds", type: "gauge", help: "When the last run ended.") {
            $0.lastRun?.timeIntervalSince1970
        },
        Family(
            name: "last_success_timestamp_seconds", type: "gauge",
            help: "When the last successful run ended."
        ) {
            $0.lastSuccess?.timeIntervalSince1970
        },
    ]

    private static func text(_ services: [(labels: String, metrics: SyncMetrics)]) -> String {
        var lines: [String] = []
        for family in families {
            let samples = services.compactMap { service in family.value(service.metrics).map { (service.labels, $0) } }
            if samples.isEmpty { continue }
            lines += head(family.name, family.type, family.help)
            lines += samples.map { labels, value in
                "carrel_sync_\(family.name)\(labels.isEmpty ? "" : "{\(labels)}") \(number(value))"
            }
        }
        lines += head("state", "gauge", "1 for the current state of the service, 0 for the others.")
        for service in services {
            for state in State.allCases {
                let labels = [service.labels, "state=\"\(state.rawValue)\""].filter { !$0.isEmpty }.joined(
                    separator: ",")
                lines.append("carrel_sync_state{\(labels)} \(service.metrics.state == state ? 1 : 0)")
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func head(_ name: String, _ type: String, _ help: String) -> [String] {
        ["# HELP carrel_sync_\(name) \(help)", "# TYPE carrel_sync_\(name) \(type)"]
    }

    /// Whole numbers without a fraction.
    private static func number(_ value: Double) -> String { Int64(exactly: value).map(String.init) ?? "\(value)" }

    private static func escaped(_ label: String) -> String {
        label.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
