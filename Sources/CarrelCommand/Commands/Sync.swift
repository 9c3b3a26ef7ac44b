import ArgumentParser
import Carrel
import Foundation
import Sync

struct SyncFolders: Verb {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Bring two folders in step.",
        discussion: """
            The destination becomes like the source; what only it has stays, unless --delete is given. With --two-way changes of both sides, \
            removals too, go to the other; where both changed one file, both versions are kept. What both sides had in common is \
            remembered in a state file, so that a later run transfers only what changed, and with --delete or --two-way carries renames over \
            as renames. Filters are “- PATTERN” and “+ PATTERN”, of which the first that matches decides: *.tmp by name, /private/** by path, \
            cache/ for folders. A folder that is left out takes all in it along: “+ */”, “+ *.epub” and “- *” take the EPUBs of all folders.
            """)

    /// What becomes of symbolic links.
    enum Links: String, ExpressibleByArgument, CaseIterable {
        case skip, copy, all
    }

    @Flag(help: "Carry changes of the destination over to the source, too.")
    var twoWay = false
    @Flag(
        help:
            "Remove from the destination what the source has no more; the first run never does. --two-way removes in any case."
    )
    var delete = false
    @Flag(help: "Tell what would be done, and change nothing.")
    var dryRun = false
    @Flag(help: "Stay, and keep both in step until interrupted.")
    var watch = false
    @Flag(
        help:
            "With --watch, look for changes again and again even where the storage tells of them: where other machines write, too."
    )
    var poll = false
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Leave out (“- *.tmp”) or take (“+ */”) what matches; may be repeated.", valueName: "rule"))
    var filter: [String] = []
    @Option(
        help: ArgumentHelp(
            "Stop before anything is changed when more would be removed; half of all otherwise. Of a share above 0%, five always may.",
            valueName: "n|p%"))
    var maxDelete: String?
    @Option(
        help: ArgumentHelp(
            "Where what both had in common is remembered, instead of in ~/.local/state/carrel/sync.", valueName: "file")
    )
    var state: String?
    @Flag(help: "Compare files that meet for the first time by content, also where size and time are the same.")
    var checksum = false
    @Flag(help: "Transfer files of another size than their server lists, too.")
    var ignoreSize = false
    @Option(
        help: ArgumentHelp(
            "What becomes of symbolic links: skip, which is usual; copy, those that keep within the folder; or all.",
            valueName: "what"))
    var links = Links.skip
    @Flag(
        help:
            "Keep what is replaced or removed in .carrel-trash, where a mirror keeps what is the destination's own in any case."
    )
    var trash = false
    @Option(help: ArgumentHelp("How long it is kept there; 30 unless given.", valueName: "days"))
    var trashDays: Int?
    @Option(
        help: ArgumentHelp(
            "Bytes a second by the time of the day, such as “08:00,512K 18:30,10M 23:00,off”.", valueName: "timetable"))
    var timetable: String?
    @Argument(help: "The folder to follow.", completion: .location)
    var source: String
    @Argument(help: "The folder to be like it; it is made where it is missing.", completion: .location)
    var destination: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { nil }

    func validate() throws {
        if watch, dryRun { throw ValidationError("--watch and --dry-run exclude each other.") }
        if poll, !watch { throw ValidationError("--poll goes with --watch.") }
        if state?.isEmpty == true { throw ValidationError("--state takes a file.") }
        if let trashDays, !(1...36_500).contains(trashDays) {
            throw ValidationError("--trash-days takes a number of days, 1 or more.")
        }
        do { _ = try options() } catch let error as CocoaError { throw ValidationError(error.sentence) }
    }

    func perform(_ session: Session) async throws {
        let operands = try await session.operands([source, destination])
        let pair = Pair(source: operands[0], target: operands[1])
        try await check(pair)
        let folders = SyncPair.folders(of: pair)
        let file =
            if let state { URL(fileURLWithPath: state) } else {
                try await SyncPair.stateFile(of: folders, environment: session.environment)
            }
        session.remark("the state is \(file.path)")
        var options = try options()
        options.filter = try SyncFilter(SyncPair.rules(for: pair, environment: session.environment) + filter)
        let sync = try await FolderSync(folders.source, folders.destination, state: file, options: options)
        do { try await run(sync, SyncOutput(pair, state: file, session: session)) } catch {
            throw SyncPair.locate(error, pair: pair, state: file)
        }
        try await sync.close()
    }

    private func run(_ sync: FolderSync, _ output: SyncOutput) async throws {
        if watch { return try await keepInStep(sync, output: output) }
        let report: FolderSyncReport
        if dryRun {
            report = try await sync.plan { output.planned($0) }
        } else {
            let bar = output.bar
            defer { bar.clear() }
            report = try await sync.run(progress: bar.reporter) { output.happened($0) }
        }
        try output.end(report, isPlan: dryRun)
        try output.checkComplete(report)
    }

    /// Follows changes of both sides until the task is cancelled.
    private func keepInStep(_ sync: FolderSync, output: SyncOutput) async throws {
        let service = SyncService(sync, options: SyncServiceOptions(watch: WatchOptions(alwaysPolls: poll)))
        let (events, continuation) = AsyncStream.makeStream(of: SyncService.Event.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { continuation.finish() }
                try await service.run { continuation.yield($0) }
            }
            group.addTask {
                for await event in events { try output.happened(event) }
            }
            // The first failure ends the other, too.
            for try await _ in group {}
        }
        // It ends without an error when a signal came.
        throw CancellationError()
    }

    /// Both have to be folders; the destination may be missing.
    private func check(_ pair: Pair) async throws {
        for (operand, what) in [(pair.source, "source"), (pair.target, "destination")] {
            do {
                let item = try await operand.provider.attributesOfItem(path: operand.path)
                if item.isDirectory { continue }
                if item.isSymbolicLink, try await leadsToFolder(operand) { continue }
                throw CommandFailure.usage("“\(operand.path)” is a file; the \(what) of a sync is a folder.")
            } catch is LeadsNowhere {
                throw FileError.make(
                    .fileNoSuchFile, path: operand.path,
                    sentence: "“\(operand.path)” is a symbolic link that leads nowhere."
                ).at(operand.shown)
            } catch let error where error.isNoSuchFile && what == "destination" {
                continue
            } catch let error where watch && (error.isTransient || ExitStatus(error) == .unreachable) {
                // Whoever is away for now is waited for.
                continue
            } catch { throw error.at(operand.shown) }
        }
    }

    private struct LeadsNowhere: Error {}

    /// Whether a symbolic link leads to a folder: storages follow it when they list.
    private func leadsToFolder(_ operand: Operand) async throws -> Bool {
        do { try await operand.provider.contentsOfDirectory(path: operand.path) { _ in } } catch let error
            where error.isNoSuchFile
        {
            throw LeadsNowhere()
        } catch let error as CocoaError where error.underlying as? POSIXError == POSIXError(.ENOTDIR) { return false }
        return true
    }

    private func options() throws -> SyncOptions {
        var options = SyncOptions(direction: twoWay ? .twoWay : .mirror)
        options.deletes = delete
        if let maxDelete { options.removalLimit = try SyncOptions.RemovalLimit(maxDelete) }
        options.filter = try SyncFilter(filter)
        options.links =
            switch links {
            case .skip: .skip
            case .copy: .copy
            case .all: .all
            }
        options.comparesContent = checksum
        options.ignoresListedSizes = ignoreSize
        options.keepsReplaced = trash
        if let trashDays { options.trashAge = Double(trashDays) * 86_400 }
        options.transfers = common.transfers
        options.bandwidth =
            try timetable.map { try BandwidthTimetable($0) } ?? common.bandwidth().map { BandwidthTimetable(limit: $0) }
        return options
    }
}
