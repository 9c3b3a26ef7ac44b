import ArgumentParser
import Carrel
import Sync

struct Check: Verb {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Compare two folders with everything in them, or two files.",
        discussion: """
            Files of equal size and time count as the same. If only the times differ, the content is compared: by hashes \
            that the storages provide, else by reading. The content of a folder that only one side has is not listed. Exit code 1 if anything \
            differs, 7 if something could not be compared.
            """)

    @Flag(help: "Compare the content of all files of equal size.")
    var checksum = false
    @Argument(help: "A folder, or a file.", completion: .location)
    var first: String
    @Argument(help: "The folder or file to compare with it.", completion: .location)
    var second: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { nil }

    private struct ShownResult: Encodable {
        var same: Int
        var different: [String]
        var onlyA: [String]
        var onlyB: [String]
        var failed: [CopyRun.FailedItem]
    }

    func perform(_ session: Session) async throws {
        let operands = try await session.operands([first, second])
        let pair = Pair(source: operands[0], target: operands[1])
        let outcome: TreeComparison.Outcome
        do {
            outcome = try await TreeComparison(comparesContent: checksum, transfers: common.transfers ?? 4).compare(
                ProviderLocation(provider: pair.source.provider, path: pair.source.path),
                ProviderLocation(provider: pair.target.provider, path: pair.target.path))
        } catch { throw pair.locate(error) }
        for failed in outcome.failed {
            Session.say(
                failed.error, verb: Self.verb, location: pair.source.shown(of: pair.source.path.appending(failed.path)))
        }
        if common.json {
            try session.output.json(
                ShownResult(
                    same: outcome.same, different: outcome.different.map { Self.shown($0.path) },
                    onlyA: outcome.onlyFirst.map(Self.shown), onlyB: outcome.onlySecond.map(Self.shown),
                    failed: outcome.failed.map {
                        CopyRun.FailedItem(path: Self.shown($0.path), message: $0.error.sentence)
                    }))
        } else {
            for item in outcome.different {
                try session.output.fields(["different", Self.shown(item.path), item.reason.shown])
            }
            for path in outcome.onlyFirst { try session.output.fields(["only in A", Self.shown(path)]) }
            for path in outcome.onlySecond { try session.output.fields(["only in B", Self.shown(path)]) }
        }
        if !outcome.failed.isEmpty {
            throw CommandFailure(
                status: .partlyDone, sentence: "\(outcome.failed.count) items were not compared.", isSaid: true,
                hasDocument: common.json)
        }
        if !outcome.isSame {
            throw CommandFailure(status: .failed, sentence: "The two differ.", isSaid: true, hasDocument: common.json)
        }
    }

    /// Returns a path relative to the two folders, with `.` for the folders themselves.
    private static func shown(_ path: ProviderPath) -> String { path.isRoot ? "." : path.shownBelow }
}

extension TreeComparison.Reason {
    fileprivate var shown: String {
        switch self {
        case .type: "type"
        case .size: "size"
        case .content: "content"
        case .linkTarget: "link target"
        }
    }
}
