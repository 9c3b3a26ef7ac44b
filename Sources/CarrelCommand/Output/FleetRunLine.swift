import Carrel
import Foundation
import SyncFleet

/// A line about a run of a fleet's pair that has ended.
struct FleetRunLine {
    private let pair: FleetPair
    private let result: FleetRunResult

    private struct Shown: Encodable {
        var name: String
        var owner: String?
        var outcome: String
        var changes: Int
        var bytes: Int64
        /// Seconds until the pair is due again.
        var delay: Double
        var error: String?
    }

    init(_ pair: FleetPair, _ result: FleetRunResult) {
        self.pair = pair
        self.result = result
    }

    func show(_ session: Session) throws {
        let sentence = result.error?.loggedSentence
        if session.common.json {
            try session.output.json(
                Shown(
                    name: pair.name, owner: pair.owner.isEmpty ? nil : pair.owner, outcome: result.outcome.rawValue,
                    changes: result.changes, bytes: result.bytes, delay: result.delay, error: sentence))
        } else if !session.common.quiet {
            let numbers = "\(result.changes) changes, \(result.bytes) bytes"
            try session.output.fields([pair.name, result.outcome.rawValue, sentence ?? numbers])
        }
        // Whoever reads a pipe wants each line when it happens.
        try session.output.flush()
    }
}
