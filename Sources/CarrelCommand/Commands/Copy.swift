import ArgumentParser
import Carrel
import Foundation

struct Copy: Verb {
    static let configuration = CommandConfiguration(
        commandName: "cp", abstract: "Copy between any two locations.",
        discussion: "Existing files are left alone unless --overwrite is given. “-” is standard input or output.")

    @Flag(name: [.customShort("r"), .customShort("R"), .customLong("recursive")], help: "Copy folders with all they hold.")
    var recursive = false
    @Flag(help: "Replace files that exist.")
    var overwrite = false
    @Flag(help: "Keep modification times, where the target can.")
    var preserve = false
    @Flag(help: "Write to the name itself instead of to a temporary name first.")
    var inPlace = false
    @Argument(help: ArgumentHelp("What to copy, and where to, in the end.", valueName: "source … target"))
    var locations: [String]
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if locations.count < 2 { throw ValidationError("cp takes at least one source, and a target.") }
        if locations.dropLast().contains("-"), locations.count > 2 { throw ValidationError("Standard input can only be copied alone.") }
    }

    private var copy: TreeCopy {
        TreeCopy(overwrite: overwrite, preservesDates: preserve, placement: inPlace ? .inPlace : .published, transfers: common.transfers)
    }

    func perform(_ session: Session) async throws {
        let bar = ProgressBar(isQuiet: common.quiet)
        defer { bar.clear() }
        let target = locations[locations.count - 1]
        if target == "-" { return try await writeOut(session) }
        if locations[0] == "-" { return try await readIn(to: target, bar, session) }
        let places = try await session.locations(locations)
        let destination = places[places.count - 1]
        let existing = try await Self.itemIfAny(destination)
        if places.count > 2, existing?.isDirectory != true {
            throw CommandFailure(status: .usage, sentence: "With several sources the target must be a folder that exists.")
        }
        var outcome = TreeCopy.Outcome()
        for place in places.dropLast() {
            let path = existing?.isDirectory == true ? try destination.path.appending(nameBytes: place.path.nameBytes) : destination.path
            let one = ProviderLocation(provider: destination.provider, path: path)
            do {
                try await copyOne(place, to: one, into: &outcome, bar)
            } catch where places.count > 2 && !error.isCancellation {
                outcome.failed.append((place.path, error))
            }
        }
        bar.clear()
        try report(outcome, session)
    }

    private func copyOne(
        _ source: ProviderLocation, to target: ProviderLocation, into outcome: inout TreeCopy.Outcome, _ bar: ProgressBar
    ) async throws {
        let item = try await source.provider.attributesOfItem(path: source.path)
        guard item.isDirectory else { return try await copyFile(item, source, to: target, into: &outcome, bar) }
        guard recursive else { throw FileError.make(.fileReadUnknown, path: source.path, sentence: "“\(source.path)” is a folder; say -r to copy it.") }
        let part = try await copy.copyFolder(
            source.path, of: source.provider, to: target.path, of: target.provider, progress: bar.reporter)
        outcome.copied += part.copied
        outcome.bytes += part.bytes
        outcome.failed += part.failed
    }

    private func copyFile(
        _ item: FileObject, _ source: ProviderLocation, to target: ProviderLocation, into outcome: inout TreeCopy.Outcome, _ bar: ProgressBar
    ) async throws {
        if source.provider === target.provider, !inPlace, !preserve {
            try await source.provider.copyItem(path: source.path, to: target.path, overwrite: overwrite, progress: bar.reporter)
            outcome.bytes += item.size ?? 0
        } else {
            let written = try await copy.copyFile(
                source.path, of: source.provider, to: target.path, of: target.provider, modificationDate: item.modifiedDate,
                progress: bar.reporter)
            outcome.bytes += written.size ?? item.size ?? 0
        }
        outcome.copied += 1
    }

    private func writeOut(_ session: Session) async throws {
        for text in locations.dropLast() {
            let place = try await session.location(text)
            try await place.provider.withReader(path: place.path) { try await StandardOutput.write($0.bytes()) }
        }
    }

    private func readIn(to target: String, _ bar: ProgressBar, _ session: Session) async throws {
        let place = try await session.location(target)
        let options = WriteOptions(overwrite: overwrite, placement: inPlace ? .inPlace : .published)
        let written = try await place.provider.writeContents(
            path: place.path, from: SequenceSource(StandardInput.pieces), options: options, progress: bar.reporter)
        bar.clear()
        var outcome = TreeCopy.Outcome()
        outcome.copied = 1
        outcome.bytes = written.size ?? 0
        try report(outcome, session)
    }

    private func report(_ outcome: TreeCopy.Outcome, _ session: Session) throws {
        struct Shown: Encodable {
            var copied: Int
            var skipped = 0
            var failed: [Failed]
            var bytes: Int64
        }
        struct Failed: Encodable {
            var path: String
            var message: String
        }
        let failed = outcome.failed.map { Failed(path: $0.path.string, message: $0.error.sentence) }
        for item in failed { Output.standardError("carrel: cp: \(item.message)") }
        if common.json { try session.output.json(Shown(copied: outcome.copied, failed: failed, bytes: outcome.bytes)) }
        guard failed.isEmpty else {
            throw CommandFailure(status: .partlyDone, sentence: "\(failed.count) items were not copied.", isSilent: true)
        }
    }

    private static func itemIfAny(_ place: ProviderLocation) async throws -> FileObject? {
        do { return try await place.provider.attributesOfItem(path: place.path) } catch where error.isNoSuchFile { return nil }
    }
}

/// Standard input in pieces, read on a thread of its own.
enum StandardInput {
    private static let thread = BlockingThreads(count: 1, name: "carrel.stdin")

    static var pieces: AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream {
            let piece = try await thread.run { try FileHandle.standardInput.read(upToCount: 256 << 10) }
            return piece?.isEmpty == false ? piece : nil
        }
    }
}
