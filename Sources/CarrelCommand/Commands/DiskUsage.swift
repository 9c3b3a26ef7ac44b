import ArgumentParser
import Carrel

struct DiskUsage: Verb {
    static let configuration = CommandConfiguration(
        commandName: "du", abstract: "Add up the sizes of all files below a folder.",
        discussion: "Uses the sizes in the storage's listings. Links count as files and are not followed.",
        helpNames: .long)

    @Flag(name: [.customShort("h"), .long], help: "Print readable sizes, such as 1.5 MiB; never in JSON.")
    var humanReadable = false
    @Argument(help: "A folder, or a single file.", completion: .location)
    var location: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    private struct ShownResult: Encodable {
        var bytes: Int64
        var files: Int
        var folders: Int
    }

    func perform(_ session: Session) async throws {
        let operand = try await session.operand(location)
        let unlisted = CollectedValues<ProviderPath>()
        let size = try await operand.provider.treeSize(path: operand.path) {
            unlisted.append($0)
            Session.say($1, verb: Self.verb, location: operand.shown(of: $0))
        }
        if common.json {
            try session.output.json(ShownResult(bytes: size.bytes, files: size.files, folders: size.folders))
        } else {
            try session.output.fields(["bytes", humanReadable ? ProgressBar.bytes(size.bytes) : String(size.bytes)])
            try session.output.fields(["files", String(size.files)])
            try session.output.fields(["folders", String(size.folders)])
        }
        let count = unlisted.values.count
        guard count == 0 else {
            throw CommandFailure(
                status: .partlyDone,
                sentence: count == 1
                    ? "1 folder was not counted in full." : "\(count) folders were not counted in full.",
                isSaid: true, hasDocument: common.json)
        }
    }
}
