import ArgumentParser
import Carrel
import Foundation
import Sync

struct SyncFolders: Verb {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Sync two folders, one-way or two-way.",
        discussion: """
            The destination is made to match the source; items that only it has stay, unless --delete is given. With --two-way, changes of both sides, \
            including removals, are applied to the other; if both changed a file, both versions are kept. A state file records what both sides \
            had in common, so that a later run transfers only changes, and with --delete or --two-way repeats renames \
            as renames. Filters are “- PATTERN” and “+ PATTERN”; the first that matches decides: *.tmp by name, /private/** by path, \
            cache/ for folders. Excluding a folder excludes everything in it: “+ */”, “+ *.epub” and “- *” select the EPUBs in all folders.
            """)

    /// The handling of symbolic links.
    enum Links: String, ExpressibleByArgument, CaseIterable {
        case skip, copy, all
    }

    @Flag(help: "Apply changes of the destination to the source, too.")
    var twoWay = false
    @Flag(
        help:
            "Remove items from the destination that the source no longer has; the first run never does. --two-way always removes."
    )
    var delete = false
    @Flag(help: "Show what would be done, and change nothing.")
    var dryRun = false
    @Flag(help: "Keep running and syncing until interrupted.")
    var watch = false
    @Flag(
        help:
            "With --watch, poll even if the storage reports changes: for folders that other machines change."
    )
    var poll = false
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Exclude (“- *.tmp”) or include (“+ */”) matching items; may be repeated.", valueName: "rule"))
    var filter: [String] = []
    @Option(
        help: ArgumentHelp(
            "Stop before any change if more would be removed; the default is half of all. A share above 0% always allows five.",
            valueName: "n|p%"))
    var maxDelete: String?
    @Option(
        help: ArgumentHelp(
            "The state file, instead of one in ~/.local/state/carrel/sync.", valueName: "file")
    )
    var state: String?
    @Flag(help: "In the first run, compare files by content even if size and time are equal.")
    var checksum = false
    @Flag(help: "Transfer files even if their size differs from the server's listing.")
    var ignoreSize = false
    @Option(
        help: ArgumentHelp(
            "Symbolic links: skip (the default); copy those that stay within the folder; or all.",
            valueName: "what"))
    var links = Links.skip
    @Flag(
        help:
            "Keep replaced and removed items in .carrel-trash. A mirror always keeps the destination's own changes there."
    )
    var trash = false
    @Option(help: ArgumentHelp("How long items stay there; the default is 30.", valueName: "days"))
    var trashDays: Int?
    @Option(
        help: ArgumentHelp(
            "Bytes per second by time of day, such as “08:00,512K 18:30,10M 23:00,off”.", valueName: "timetable"))
    var timetable: String?
    @Argument(help: "The folder to sync from.", completion: .location)
    var source: String
    @Argument(help: "The folder to sync to; it is created if missing.", completion: .location)
    var destination: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { nil }

    func validate() throws {
        if watch, dryRun { throw ValidationError("--watch and --dry-run cannot be combined.") }
        if poll, !watch { throw ValidationError("--poll needs --watch.") }
        if state?.isEmpty == true { throw ValidationError("--state needs a file name.") }
        if let trashDays, !(1...36_500).contains(trashDays) {
            throw ValidationError("--trash-days needs a number of days, 1 or more.")
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
        session.remark("using the state \(file.path)")
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
            // The first failure ends both tasks.
            for try await _ in group {}
        }
        // The service ends without an error after a signal.
        throw CancellationError()
    }

    /// Checks that both are folders; the destination may be missing.
    private func check(_ pair: Pair) async throws {
        for (operand, what) in [(pair.source, "source"), (pair.target, "destination")] {
            do {
                let item = try await operand.provider.attributesOfItem(path: operand.path)
                if item.isDirectory { continue }
                if item.isSymbolicLink, try await leadsToFolder(operand) { continue }
                throw CommandFailure.usage("“\(operand.path)” is a file; the \(what) of a sync must be a folder.")
            } catch is LeadsNowhere {
                throw FileError.make(
                    .fileNoSuchFile, path: operand.path,
                    sentence: "“\(operand.path)” is a symbolic link to a missing item."
                ).at(operand.shown)
            } catch let error where error.isNoSuchFile && what == "destination" {
                continue
            } catch let error where watch && (error.isTransient || ExitStatus(error) == .unreachable) {
                // The service waits for a side that is temporarily unreachable.
                continue
            } catch { throw error.at(operand.shown) }
        }
    }

    private struct LeadsNowhere: Error {}

    /// Whether a symbolic link points to a folder: storages follow it when they list.
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
