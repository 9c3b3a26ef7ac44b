import Foundation
import PostgresTransport

extension Fleet {
    /// Returns the fleet's counts, its workers, and the owners and hosts in use.
    ///
    /// - Complexity: Four round trips. Reads all pairs: about a second for a million.
    public func summary() async throws -> FleetSummary {
        let counts = try await row("SELECT * FROM @.summary()")
        let count = { Int(try counts.int($0)) }
        // A worker is seen each third of its lease time.
        let workers = try await run(
            "SELECT * FROM @.worker WHERE seen > now() - interval '5 minutes' ORDER BY name")
        let owners = try await gates("owner:")
        let hosts = try await gates("host:")
        return FleetSummary(
            pairs: try count("pairs"), waiting: try count("waiting"), ready: try count("ready"),
            parked: try count("parked"), running: try count("running"), paused: try count("paused"),
            failing: try count("failing"), runs: try counts.int("runs"), failedRuns: try counts.int("failed_runs"),
            bytes: try counts.int("bytes"), changes: try counts.int("changes"),
            oldestReady: try counts.optionalDouble("oldest_ready"),
            workers: try workers.map(FleetSummary.Worker.init), owners: owners, hosts: hosts)
    }

    private func gates(_ kind: String) async throws -> [FleetSummary.Gate] {
        try await run("SELECT * FROM @.gates($1::text, 1000)", [.text(kind)]).map(FleetSummary.Gate.init)
    }
}
