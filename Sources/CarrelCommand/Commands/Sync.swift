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

    @OptionGroup var pairOptions: SyncPairOptions
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
        help: ArgumentHelp(
            "The state file, instead of one in ~/.local/state/carrel/sync.", valueName: "file")
    )
    var state: String?
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
        var options = try pairOptions.options()
        options.filter = try SyncFilter(
            SyncPair.rules(for: pair, environment: session.environment) + pairOptions.filter)
        options.transfers = common.transfers
        options.bandwidth = try options.bandwidth ?? common.bandwidth().map { BandwidthTimetable(limit: $0) }
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
}
