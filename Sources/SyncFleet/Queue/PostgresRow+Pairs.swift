import FileProviderCore
import Foundation
import PostgresTransport

extension FleetPair {
    /// The settings in a row of the functions `claim` and `list`.
    init(_ row: PostgresRow) throws {
        self.init(
            name: try row.text("name"), source: try row.text("source"), destination: try row.text("destination"))
        owner = try row.text("owner")
        sourceCredential = try row.optionalText("source_credential")
        destinationCredential = try row.optionalText("destination_credential")
        options = try row.text("options")
        every = try row.double("every")
        deadline = try row.optionalDouble("deadline")
        priority = Int(try row.int("priority"))
    }
}

extension FleetPairStatus {
    /// A row of the function `list`.
    init(_ row: PostgresRow) throws {
        let text = try row.text("status")
        guard let status = Status(rawValue: text) else {
            throw FileError.make(
                .fileReadCorruptFile, path: text,
                sentence: "A pair has the status “\(text)” in the database, which this version does not know.")
        }
        self.init(
            pair: try FleetPair(row), id: try row.int("id"), status: status,
            parkedAt: try row.optionalText("parked_at"), paused: try row.bool("paused"), due: try row.date("due"),
            failures: Int(try row.int("failures")), fence: try row.int("fence"),
            worker: try row.optionalText("worker"), lastStart: try row.optionalDate("last_start"),
            lastEnd: try row.optionalDate("last_end"), lastSuccess: try row.optionalDate("last_success"),
            lastOutcome: try row.optionalText("last_outcome"), lastError: try row.optionalText("last_error"),
            runs: try row.int("runs"), failedRuns: try row.int("failed_runs"), bytes: try row.int("bytes"),
            changes: try row.int("changes"))
    }
}

extension FleetLease {
    /// A row of the function `claim`.
    init(_ row: PostgresRow) throws {
        self.init(
            id: try row.int("id"), fence: try row.int("fence"), pair: try FleetPair(row),
            stateName: try row.optionalText("state_name"), stateSize: try row.optionalInt("state_size"),
            stateChecksum: try row.optionalText("state_checksum"), isUnsettled: try row.bool("unsettled"),
            failures: Int(try row.int("failures")))
    }
}

extension FleetSummary.Worker {
    init(_ row: PostgresRow) throws {
        self.init(
            name: try row.text("name"), version: try row.text("version"), running: Int(try row.int("running")),
            stopping: try row.bool("stopping"), started: try row.date("started"), seen: try row.date("seen"))
    }
}

extension FleetSummary.Gate {
    /// A row of the function `gates`, without the word in front of the name.
    init(_ row: PostgresRow) throws {
        self.init(
            name: String(try row.text("name").drop { $0 != ":" }.dropFirst()),
            limit: try row.optionalInt("run_limit").map { Int($0) }, running: Int(try row.int("running")),
            failures: Int(try row.int("failures")), closedFor: try row.optionalDouble("closed_for"),
            paused: try row.bool("paused"))
    }
}
