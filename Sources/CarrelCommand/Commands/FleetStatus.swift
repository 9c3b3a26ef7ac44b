import ArgumentParser
import Carrel
import Foundation
import SyncFleet

struct FleetStatus: Verb {
    static let verb = "fleet status"
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show how the whole fleet is.",
        discussion: """
            The exit code is 0 if all is well, and 1 with a sentence if the last run of a pair failed or was refused, if pairs are due and no \
            worker is alive, or if one has been waiting for a worker for longer than --behind. --prometheus prints it as \
            metrics, with exit code 0 whenever the database answers.
            """)

    @Flag(help: "Print metrics in Prometheus' text format.")
    var prometheus = false
    @Option(
        help: ArgumentHelp("How long a pair may wait for a worker; 15m unless given.", valueName: "time"))
    var behind = "15m"
    @OptionGroup var database: FleetDatabaseOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { nil }

    func validate() throws {
        if prometheus, common.json { throw ValidationError("--prometheus and --json cannot be combined.") }
        if TimeText.seconds(behind) == nil { throw ValidationError("--behind needs a time such as 90s, 15m or 1h.") }
    }

    func perform(_ session: Session) async throws {
        try await database.withFleet(session) { fleet in
            let summary = try await fleet.summary()
            if prometheus { return try session.output.bytes(summary.prometheus.utf8) }
            if common.json {
                try session.output.bytes(ShownFleet.json(summary))
            } else {
                for row in ShownFleet.rows(summary) { try session.output.fields(row) }
            }
            guard let trouble = trouble(in: summary) else { return }
            throw CommandFailure(status: .failed, sentence: trouble, hasDocument: common.json)
        }
    }

    /// What is not well; `nil` if all is.
    private func trouble(in summary: FleetSummary) -> String? {
        let limit = TimeText.seconds(behind) ?? 0
        let waiting = summary.oldestReady ?? 0
        if summary.ready > 0, summary.workers.allSatisfy(\.stopping) {
            return "Pairs are due, and no worker is alive."
        }
        if waiting > limit {
            return "A pair has been waiting for a worker for \(Int(waiting)) seconds: there are too few of them."
        }
        switch summary.failing {
        case 0: return nil
        case 1: return "The last run of 1 pair failed, or was refused."
        default: return "The last runs of \(summary.failing) pairs failed, or were refused."
        }
    }
}
