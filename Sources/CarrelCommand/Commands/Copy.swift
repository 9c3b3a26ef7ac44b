import ArgumentParser
import Carrel
import Foundation

struct Copy: Verb {
    static let configuration = CommandConfiguration(
        commandName: "cp", abstract: "Copy between any two locations.",
        discussion: """
            Existing files are left alone unless --overwrite is given. “-” is standard input or output.
            --resume keeps the part that a stopped copy has written, on this machine, an FTP, SFTP or S3 server or Nextcloud, \
            and continues from there next time. It keeps modification times if the target can, and skips a file of the \
            same size and time if the ends of both are the same.
            In the last part of a source's path that no shell expands, *, ? and [a-z] stand for the items that match; put it in quotes. \
            Patterns of --include and --exclude, and the paths of --files-from, are relative to the source folder; patterns are those of sync's \
            filters: *.tmp by name, /private/** by path, cache/ for folders.
            """)

    @Flag(
        name: [.customShort("r"), .customShort("R"), .customLong("recursive")], help: "Copy folders with their content."
    )
    var recursive = false
    @Flag(help: "Replace files that exist.")
    var overwrite = false
    @Flag(help: "Continue where an earlier try with this flag stopped.")
    var resume = false
    @Flag(help: "Keep modification times, permissions and extended attributes if both sides can.")
    var preserve = false
    @Flag(help: "Write directly to the target's name instead of to a temporary name first.")
    var inPlace = false
    @Flag(help: "Copy files even if their size differs from the server's listing.")
    var ignoreSize = false
    @Flag(help: "Compare each copy with its source by hash: the target's own if it has one, else by reading it back.")
    var verify = false
    @OptionGroup var selected: SelectionOptions
    @Argument(
        help: ArgumentHelp("The items to copy, then the target.", valueName: "source … target"),
        completion: .location)
    var locations: [String]
    @OptionGroup var common: CommonOptions

    var blamed: String? { locations.count == 2 ? locations[locations[0] == "-" ? 1 : 0] : nil }
    private var target: String { locations[locations.count - 1] }

    func validate() throws {
        if locations.count < 2 { throw ValidationError("cp needs at least one source and a target.") }
        let hasStream = locations.contains("-")
        if locations.dropLast().contains("-"), locations.count > 2 {
            throw ValidationError("Standard input cannot be copied together with other sources.")
        }
        if locations == ["-", "-"] { throw ValidationError("Standard input cannot be copied to standard output.") }
        if target == "-", locations.count > 2 {
            throw ValidationError("Only one file can be copied to standard output.")
        }
        if verify, hasStream { throw ValidationError("--verify cannot be combined with standard input or output.") }
        if resume, inPlace || hasStream {
            throw ValidationError("--resume cannot be combined with --in-place, standard input or output.")
        }
        if selected.dryRun, hasStream {
            throw ValidationError("--dry-run cannot be combined with standard input or output.")
        }
        try selected.check(recursive: recursive, sources: locations.dropLast())
    }

    func perform(_ session: Session) async throws {
        let bar = ProgressBar(isQuiet: common.quiet)
        defer { bar.clear() }
        if target == "-" { return try await writeOut(session) }
        if locations[0] == "-" { return try await readIn(bar, session: session) }
        let operands = try await session.operands(locations)
        let destination = operands[operands.count - 1]
        let sources = try await sources(of: operands.dropLast(), session)
        if selected.filesFrom != nil, sources.count > 1 {
            throw CommandFailure.usage("--files-from works with one folder only.")
        }
        let selection = try selected.selection()
        let run = try await CopyRun(
            verb: self, destination: destination, isAlone: sources.count == 1, selection: selection, session: session,
            bar: bar)
        if sources.count > 1, try await !isFolder(destination) {
            throw CommandFailure.usage("With several sources, the target must be an existing folder.").at(
                destination.shown)
        }
        for (text, operand) in sources {
            try await run.copy(Pair(source: operand, target: destination), source: text, target: target)
        }
        for path in selection.missing { run.fail(missing: path, in: sources[0].operand) }
        bar.clear()
        try report(run.outcome.value, planned: run.planned.values, session)
    }

    /// Returns the sources as given, with patterns replaced by the items that match.
    private func sources(of operands: ArraySlice<Operand>, _ session: Session) async throws -> [(
        text: String, operand: Operand
    )] {
        var sources: [(text: String, operand: Operand)] = []
        for (text, operand) in zip(locations, operands) {
            guard let found = try await session.expand(text, at: operand) else {
                sources.append((text, operand))
                continue
            }
            sources += found.map { (text: $0.shown, operand: $0) }
        }
        return sources
    }

    /// Whether the target can hold several files. On storages without folders, a trailing slash makes it a folder.
    private func isFolder(_ destination: Operand) async throws -> Bool {
        if let item = try await destination.itemIfAny() { return try await item.isFolder(of: destination) }
        guard target.hasSuffix("/") else { return false }
        return try await destination.provider.capabilities().makesParentFolders
    }

    private func writeOut(_ session: Session) async throws {
        let operand = try await session.operand(locations[0])
        try await operand.provider.withReader(path: operand.path) { reader in
            try await StandardOutput.write(PumpedBytes { _ = try await reader.streamInRanges(.whole, into: $0) })
            if !ignoreSize { try await operand.provider.checkArrival(of: reader) }
        }
    }

    private func readIn(_ bar: ProgressBar, session: Session) async throws {
        let operand = try await session.operand(target)
        let options = WriteOptions(overwrite: overwrite, placement: inPlace ? .inPlace : .published)
        let reporter = bar.reporter
        let written = try await operand.provider.writeContents(
            path: operand.path, from: SequenceSource(StandardInput.pieces), options: options, progress: reporter)
        bar.clear()
        var outcome = CopyRun.Outcome()
        outcome.copied = 1
        outcome.bytes = written.size ?? reporter.completed
        outcome.unverified = written.size == nil ? 1 : 0
        try report(outcome, session)
    }

    private struct ShownResult: Encodable {
        var copied: Int
        var skipped: Int
        var failed: [CopyRun.FailedItem]
        var bytes: Int64
        /// False if the target doesn't allow a check of the copies; otherwise left out.
        var verified: Bool?
        /// True for a dry run, with the planned files; otherwise left out.
        var dryRun: Bool?
        var files: [CopyRun.PlannedFile]?
    }

    private func report(_ outcome: CopyRun.Outcome, planned: [CopyRun.PlannedFile] = [], _ session: Session) throws {
        if common.json {
            try session.output.json(
                ShownResult(
                    copied: outcome.copied, skipped: outcome.skipped, failed: outcome.failed, bytes: outcome.bytes,
                    verified: outcome.unverified > 0 ? false : nil, dryRun: selected.dryRun ? true : nil,
                    files: selected.dryRun ? planned : nil))
        }
        guard outcome.failed.isEmpty else {
            throw CommandFailure(
                status: .partlyDone, sentence: "\(outcome.failed.count) items were not copied.", isSaid: true,
                hasDocument: common.json)
        }
    }
}

/// Standard input in pieces, read on a separate thread.
enum StandardInput {
    private static let thread = BlockingThreads(count: 1, name: "carrel.stdin")

    static var pieces: AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream {
            let piece = try await thread.run { try FileHandle.standardInput.read(upToCount: 256 << 10) }
            return piece?.isEmpty == false ? piece : nil
        }
    }
}
