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
    var json: JSONValue {
        get throws {
            var members: [String: JSONValue?] = [
                "id": .integer(status.id), "name": .string(pair.name), "owner": pair.owner.isEmpty ? nil : .string(pair.owner),
                "source": .string(pair.source), "destination": .string(pair.destination),
                "sourceCredential": pair.sourceCredential.map { .string($0) },
                "destinationCredential": pair.destinationCredential.map { .string($0) },
                "every": JSONValue(pair.every), "deadline": pair.deadline.map { JSONValue($0) },
                "priority": .integer(Int64(pair.priority)), "status": .string("\(status.status)"),
                "paused": .bool(status.paused), "due": .string(status.due.internetText),
                "failures": .integer(Int64(status.failures)), "fence": .integer(status.fence),
                "worker": status.worker.map { .string($0) }, "lastStart": Self.date(status.lastStart),
                "lastEnd": Self.date(status.lastEnd), "lastSuccess": Self.date(status.lastSuccess),
                "lastOutcome": status.lastOutcome.map { .string($0) },
                "lastError": status.lastError.map { .string($0) },
            ]
            members["options"] = try JSONValue(string: pair.options, maximumSize: 1 << 20)
            for (name, number) in [
                ("runs", status.runs), ("failedRuns", status.failedRuns), ("bytes", status.bytes),
                ("changes", status.changes),
            ] {
                members[name] = .integer(Int64(number))
            }
            return .object(members.compactMapValues(\.self))
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

    private static func date(_ date: Date?) -> JSONValue? { date.map { .string($0.internetText) } }
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
}
