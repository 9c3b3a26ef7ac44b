import ArgumentParser
import Carrel
import Foundation
import Sync

struct SyncFolders: Verb {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Keep two folders in step, one way or both ways.",
        discussion: """
            Without --two-way the target becomes like the source; what only the target has goes with --delete alone, and never in the \
            first run. With --two-way changes of both sides meet, removals too; where both changed one file, the source's keeps its name \
            and the other gets a conflict copy. What was in step is remembered in a file on this machine.
            """)

    @Flag(help: "Carry changes of both sides to the other.")
    var twoWay = false
    @Flag(help: "Remove from the target what the source has no more.")
    var delete = false
    @Flag(help: "Say what would be done, and do nothing.")
    var dryRun = false
    @Flag(help: "Go on keeping both in step, until interrupted.")
    var watch = false
    @Option(
        help: ArgumentHelp(
            "“- PATTERN” leaves out, “+ PATTERN” takes in; the first that matches decides; may be repeated.", valueName: "rule"))
    var filter: [String] = []
    @Option(
        help: ArgumentHelp(
            "The most that one run may remove: a number, or a share such as 20%; 50% unless said otherwise.", valueName: "n|p%"))
    var maxDelete: String?
    @Option(help: ArgumentHelp("Where it is remembered what was in step.", valueName: "file"))
    var state: String?
    @Flag(help: "Compare content in the first run, even where size and time are equal.")
    var checksum = false
    @Option(help: ArgumentHelp("What becomes of symbolic links: skip or copy.", valueName: "how"))
    var links = "skip"
    @Flag(help: "Move what is replaced or removed to .carrel-trash.")
    var trash = false
    @Option(help: ArgumentHelp("Days that something stays in the trash; 30 unless said otherwise.", valueName: "n"))
    var trashDays: Double?
    @Option(help: ArgumentHelp("Bytes a second by the time of the day, such as “08:00,512K 18:30,off”.", valueName: "text"))
    var timetable: String?
    @Argument(help: ArgumentHelp("A folder.", valueName: "source"))
    var source: String
    @Argument(help: ArgumentHelp("A folder, which is made where it is missing.", valueName: "target"))
    var target: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { source }

    func validate() throws {
        if twoWay, delete { throw ValidationError("--delete is for one way; with --two-way, removals are carried over in any case.") }
        if dryRun, watch { throw ValidationError("--dry-run and --watch exclude each other.") }
        _ = try options()
    }

    private func options() throws -> SyncOptions {
        var options = SyncOptions(direction: twoWay ? .twoWay : .mirror)
        options.deletes = delete
        do { options.filter = try SyncFilter(filter) } catch { throw ValidationError(error.sentence) }
        if let maxDelete { options.removalLimit = try Self.removalLimit(maxDelete) }
        options.comparesContent = checksum
        guard let links = SyncOptions.Links(rawValue: links) else { throw ValidationError("--links takes skip or copy.") }
        options.links = links
        options.keepsReplaced = trash
        if let trashDays {
            guard trashDays >= 0, trashDays < 1e6 else { throw ValidationError("--trash-days takes a number of days.") }
            options.trashAge = trashDays * 86_400
        }
        options.transfers = common.transfers
        do { options.bandwidth = try timetable.map { try BandwidthTimetable($0) } } catch { throw ValidationError(error.sentence) }
        return options
    }

    private static func removalLimit(_ text: String) throws -> SyncOptions.RemovalLimit {
        if text.hasSuffix("%"), let share = Double(text.dropLast()), (0...100).contains(share) { return .share(share / 100) }
        if let count = Int(text), count >= 0 { return .count(count) }
        throw ValidationError("--max-delete takes a number of items, or a share from 0% to 100%.")
    }

    func perform(_ session: Session) async throws {
        let places = try await session.places([source, target])
        guard let item = try await places[0].itemIfAny() else {
            throw FileError.make(.fileReadNoSuchFile, path: places[0].path).at(places[0].shown)
        }
        guard try await item.isFolder(of: places[0]) else { throw FileError.notADirectory(places[0].path).at(places[0].shown) }
        let labels = Self.labels(of: places)
        let folders = zip(places, labels).map { SyncFolder(ProviderLocation(provider: $0.provider, path: $0.path), label: $1) }
        let file = state.map { URL(fileURLWithPath: $0) } ?? Self.stateFile(of: folders)
        session.remark("the state is \(file.path)")
        let run = SyncCommandRun(self, places, session)
        let sync = try await FolderSync(folders[0], folders[1], state: file, options: try options())
        do {
            if dryRun { try await run.plan(sync) } else if watch { try await run.keep(sync) } else { try await run.once(sync) }
            try await sync.close()
        } catch {
            try await sync.close()
            throw error
        }
    }

    /// What conflict copies are called after: the machines, where they differ.
    private static func labels(of places: [Place]) -> [String] {
        let hosts = places.map { place in
            place.provider is LocalFileProvider ? ProcessInfo.processInfo.hostName : place.provider.url(of: place.path).host() ?? ""
        }
        return hosts[0] == hosts[1] ? ["source", "target"] : hosts
    }

    /// One file for each pair of folders.
    private static func stateFile(of folders: [SyncFolder]) -> URL {
        let environment = ProcessInfo.processInfo.environment
        let home = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
        let folder = home ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/state")
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325  // FNV-1a: Swift's own hash is another in each run.
        for byte in folders.map(\.name).joined(separator: "\n").utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return folder.appending(path: "carrel/sync/\(String(hash, radix: 36)).db")
    }
}
