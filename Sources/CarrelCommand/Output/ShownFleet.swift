import Carrel
import Foundation
import SyncFleet

/// A pair of a fleet in the contract's JSON, and as columns of text.
struct ShownFleetPair {
    private let status: FleetPairStatus
    private var pair: FleetPair { status.pair }

    init(_ status: FleetPairStatus) {
        self.status = status
    }

    /// Without members that have no value.
    ///
    /// - Throws: `CocoaError` if the options in the database are no JSON.
    var json: JSONValue {
        get throws {
            var members: [String: JSONValue] = [:]
            let texts: [(String, String?)] = [
                ("name", pair.name), ("owner", pair.owner.isEmpty ? Optional.none : pair.owner),
                ("source", pair.source), ("destination", pair.destination),
                ("sourceCredential", pair.sourceCredential), ("destinationCredential", pair.destinationCredential),
                ("status", "\(status.status)"), ("parkedAt", status.parkedAt), ("worker", status.worker),
                ("lastOutcome", status.lastOutcome),
                ("lastError", status.lastError), ("due", status.due.internetText),
                ("lastStart", status.lastStart?.internetText), ("lastEnd", status.lastEnd?.internetText),
                ("lastSuccess", status.lastSuccess?.internetText),
            ]
            for (name, text) in texts {
                if let text { members[name] = .string(text) }
            }
            let numbers: [(String, Int64)] = [
                ("id", Int64(status.id)), ("fence", Int64(status.fence)), ("failures", Int64(status.failures)),
                ("priority", Int64(pair.priority)), ("runs", Int64(status.runs)),
                ("failedRuns", Int64(status.failedRuns)), ("bytes", Int64(status.bytes)),
                ("changes", Int64(status.changes)),
            ]
            for (name, number) in numbers { members[name] = .integer(number) }
            members["paused"] = .bool(status.paused)
            members["every"] = JSONValue(pair.every)
            if let deadline = pair.deadline { members["deadline"] = JSONValue(deadline) }
            members["options"] = try JSONValue(string: pair.options, maximumSize: 1 << 20)
            return .object(members)
        }
    }

    /// Name, owner, state, when it is due or ended, the last outcome, and the two locations.
    var fields: [String] {
        [
            pair.name, pair.owner, status.paused ? "paused" : "\(status.status)", status.due.internetText,
            status.lastError ?? status.lastOutcome ?? "never run", LocationText.shown(pair.source),
            LocationText.shown(pair.destination),
        ]
    }
}

extension Date {
    /// As RFC 3339, in UTC.
    fileprivate var internetText: String { formatted(Date.ISO8601FormatStyle()) }
}

/// The state of a whole fleet in JSON: dates are RFC 3339.
enum ShownFleet {
    static func json(_ summary: FleetSummary) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return try encoder.encode(summary) + Data("\n".utf8)
    }

    /// A line for each number that is not 0, each worker and each limit.
    static func rows(_ summary: FleetSummary) -> [[String]] {
        let numbers: [(String, Int)] = [
            ("waiting", summary.waiting), ("ready", summary.ready), ("parked at a limit", summary.parked),
            ("running", summary.running), ("paused", summary.paused), ("failing", summary.failing),
        ]
        var rows = [["pairs", "\(summary.pairs)"]]
        rows += numbers.filter { $0.1 != 0 }.map { [$0.0, "\($0.1)"] }
        if let oldest = summary.oldestReady { rows.append(["oldest ready", "\(Int(oldest)) s"]) }
        rows += summary.workers.map { worker in
            [
                "worker", worker.name, "\(worker.running) running",
                worker.stopping ? "stopping" : "since \(worker.started.internetText)",
            ]
        }
        for (kind, gates) in [("owner", summary.owners), ("host", summary.hosts)] {
            rows += gates.map {
                [kind, $0.name, "\($0.running)\($0.limit.map { " of \($0)" } ?? "") running", state(of: $0)]
            }
        }
        return rows
    }
    private static func state(of gate: FleetSummary.Gate) -> String {
        if gate.paused { return "paused" }
        return gate.closedFor.map { "rests for \(Int($0.rounded(.up))) s" } ?? "open"
    }
}
