extension FleetSummary {
    /// The counts as text for Prometheus (exposition formats, text-based format). Names of owners are left out: there
    /// may be millions.
    public var prometheus: String {
        let gauges: [(String, String, Double)] = [
            ("paused_pairs", "Pairs that are paused.", Double(paused)),
            ("failing_pairs", "Pairs whose last run failed or was refused.", Double(failing)),
            ("oldest_ready_seconds", "Time since the longest waiting ready pair was due.", oldestReady ?? 0),
            ("workers", "Workers that are not stopping.", Double(workers.filter { !$0.stopping }.count)),
        ]
        // Not counters: a pair that is removed takes its part along.
        let sums: [(String, String, Int64)] = [
            ("runs", "Runs of the present pairs that ended.", runs),
            ("failed_runs", "Runs of the present pairs that failed.", failedRuns),
            ("transferred_bytes", "Bytes transferred for the present pairs.", bytes),
            ("changes", "Steps done for the present pairs.", changes),
        ]
        var lines = ["# HELP carrel_fleet_pairs Pairs by status.", "# TYPE carrel_fleet_pairs gauge"]
        for (status, count) in [("waiting", waiting), ("ready", ready), ("parked", parked), ("running", running)] {
            lines.append("carrel_fleet_pairs{status=\"\(status)\"} \(count)")
        }
        for (name, help, value) in gauges {
            lines += [
                "# HELP carrel_fleet_\(name) \(help)", "# TYPE carrel_fleet_\(name) gauge",
                "carrel_fleet_\(name) \(value)",
            ]
        }
        for (name, help, value) in sums {
            lines += [
                "# HELP carrel_fleet_\(name) \(help)", "# TYPE carrel_fleet_\(name) gauge",
                "carrel_fleet_\(name) \(value)",
            ]
        }
        lines += ["# HELP carrel_fleet_host_running Runs on a host.", "# TYPE carrel_fleet_host_running gauge"]
        lines += hosts.map { "carrel_fleet_host_running{host=\"\(Self.escaped($0.name))\"} \($0.running)" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Source: Prometheus, exposition formats, comments, help text and type information.
    private static func escaped(_ label: String) -> String {
        label.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
