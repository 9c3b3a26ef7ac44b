import ArgumentParser
import Carrel
import Foundation

struct Clean: Verb {
    static let configuration = CommandConfiguration(
        commandName: "clean", abstract: "Remove partial files that interrupted writers left, and nothing else.",
        discussion: """
            A copy that is killed leaves a partial file with a name such as .1a2b3c4d5e6f7-w.carrel-part. Such parts are removed if they are older than a \
            day by the storage's own clock, which is read from a small temporary file written beside them. Parts that a later copy may \
            resume stay for at least seven days. A part that changes meanwhile is being written and stays.
            """)

    @Option(
        help: ArgumentHelp(
            "Remove parts older than this: a number and s, m, h, d or w; the default is 1d.", valueName: "age")
    )
    var older: String?
    @Flag(help: "List what would be removed, and remove nothing.")
    var dryRun = false
    @Argument(help: "A folder; everything below it is searched.", completion: .location)
    var location: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    private struct ShownResult: Encodable {
        var removed: [String]
        var kept: Int
        var failed: [CopyRun.FailedItem]?
    }

    func validate() throws { _ = try age() }

    /// Seconds.
    private func age() throws -> TimeInterval {
        guard let older else { return PartSweep.usualAge }
        guard let seconds = TimeText.seconds(older) else {
            throw ValidationError("--older needs a number and one of s, m, h, d or w, such as 12h.")
        }
        return seconds
    }

    func perform(_ session: Session) async throws {
        let operand = try await session.operand(location)
        let outcome = try await PartSweep(age: age(), isDryRun: dryRun).sweep(operand.path, of: operand.provider)
        for failed in outcome.failed {
            Session.say(failed.error, verb: Self.verb, location: operand.shown(of: failed.path))
        }
        if common.json {
            let failed = outcome.failed.map { CopyRun.FailedItem(path: $0.path.string, message: $0.error.sentence) }
            try session.output.json(
                ShownResult(
                    removed: outcome.removed.map(\.string), kept: outcome.kept, failed: failed.isEmpty ? nil : failed))
        } else if !common.quiet {
            for path in outcome.removed {
                try session.output.line("\(dryRun ? "would be removed" : "removed") \(operand.shown(of: path))")
            }
            if outcome.kept > 0 {
                try session.output.line(outcome.kept == 1 ? "kept 1 part" : "kept \(outcome.kept) parts")
            }
        }
        guard outcome.failed.isEmpty else {
            throw CommandFailure(
                status: .partlyDone, sentence: "\(outcome.failed.count) items were not cleaned.", isSaid: true,
                hasDocument: common.json)
        }
    }
}
