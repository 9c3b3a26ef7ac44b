import FileProviderCore
import Foundation

/// Brings what a watch knows in step with the disk, place by place, and tells each step.
///
/// Whatever it learns it puts into ``tree`` and, in the same breath, into the events: replayed, they always lead from
/// what was known to what is known. And what is known becomes what is there, because a place that changes after a look
/// is hinted at again.
struct LocalMonitorRun {
    /// How steps are told.
    enum ReportMode {
        /// Not at all: the consumer is going to list everything.
        case silent
        /// As they are.
        case precise
        /// The consumer's listing may be older or newer than what is known: each place that was touched is told as it
        /// is in the end, folders with all they hold, and no move.
        case outright
    }

    let path: ProviderPath
    let options: WatchOptions
    let resolver: LocalResolver
    let context: LocalContext
    let queue: LocalMonitorQueue
    let flag: CancellationFlag

    var tree: LocalMonitorTree
    var telling = ReportMode.silent
    var events: [FileEvent] = []
    /// Folders that cannot be read, told at the end.
    var refusals: [FileEvent] = []
    /// With ``ReportMode/outright``: the places to tell, and whether by more than their content.
    var touched: [LocalSpot: Bool] = [:]

    /// Places to look at, and folders to list.
    var marks: [LocalSpot: LocalHints.Mark] = [:]
    var order: [LocalSpot] = []
    var unlisted: [Int32] = []
    /// Folders that were told as unreadable; each look tries them again.
    var refused: Set<Int32> = []
    /// Where the item now at a place was before, and the other way round.
    var origins: [LocalSpot: LocalSpot?] = [:]
    var targets: [LocalSpot: LocalSpot] = [:]
    var opened: [Int32: FileDescriptor] = [:]
    /// What is left over from a look that told outright, and has to be told so as well.
    private var owedSpots: Set<LocalSpot> = []
    private var owedFolders: Set<Int32> = []

    /// No more folders can be watched.
    struct WatchesExhausted: Error {
        let reason: String
    }

    /// How often a place is looked for that cannot be reached, before everything is listed anew.
    private static let maxRounds = 20
    /// Seconds for which a file that is being written to may stay untold.
    private static let patience = 1.0

    /// Starts a watch: all folders are watched, then listed.
    init(
        path: ProviderPath, options: WatchOptions, resolver: LocalResolver, context: LocalContext,
        queue: LocalMonitorQueue,
        flag: CancellationFlag
    ) throws {
        (self.path, self.options, self.resolver) = (path, options, resolver)
        (self.context, self.queue, self.flag) = (context, queue, flag)
        let folder = try resolver.folder(at: path, context)
        tree = try Self.plant(folder, queue: queue, context: context)
        opened = [tree.root: folder]
        try readAll()
        opened = [:]
    }

    private static func plant(_ folder: FileDescriptor, queue: LocalMonitorQueue, context: LocalContext) throws
        -> LocalMonitorTree
    {
        switch queue.add(folder, isRoot: true) {
        case .watch(let watch): return LocalMonitorTree(root: watch, status: try ItemStatus(of: folder, context))
        case .exhausted(let reason): throw WatchesExhausted(reason: reason)
        case .refused(let code): throw context.error(code)
        }
    }

    /// What is left for a later look, and in how many seconds; nil when all is settled.
    var pause: Double? {
        if !unlisted.isEmpty
            || order.contains(where: { marks[$0].map { $0.isAboutName || $0.isAboutContent } ?? false })
        {
            return 0.05
        }
        return order.isEmpty ? nil : Self.patience / 4
    }

    // MARK: One look

    /// Looks at all places that were hinted at.
    ///
    /// - Parameter isFresh: Whether the consumer may have listed since the last look.
    /// - Returns: The events; none when nothing has changed in the end.
    /// - Throws: ``WatchesExhausted``; `CocoaError(.fileReadNoSuchFile)` when the watched folder is not there any more.
    mutating func look(at hints: LocalHints, isFresh: Bool) throws -> [FileEvent] {
        defer { opened = [:] }
        opened = [tree.root: try rootFolder()]
        if hints.isOverflowing { return try rebuild(hints.overflowReason) }
        telling = isFresh || !owedSpots.isEmpty || !owedFolders.isEmpty ? .outright : .precise
        take(hints)
        unlisted += refused.subtracting(unlisted)
        try settleAll()
        owedSpots = isFresh ? Set(order) : owedSpots.filter { marks[$0] != nil }
        owedFolders = isFresh ? Set(unlisted) : owedFolders.intersection(unlisted)
        for spot in order where marks[spot].map({ !isWriting($0) }) ?? false { marks[spot]?.rounds += 1 }
        if order.contains(where: { marks[$0].map { $0.rounds > Self.maxRounds } ?? false }) {
            return try rebuild("Folders were moved faster than they could be followed.")
        }
        return finish()
    }

    /// The watched folder, if it is still what its path names.
    private func rootFolder() throws -> FileDescriptor {
        let folder = try resolver.folder(at: path, context)
        let status = try ItemStatus(of: folder, context)
        let known = tree.folders[tree.root]
        // The root of a provider is held open, so its path cannot tell that it was removed.
        guard status.inode == known?.inode, status.device == known?.device, status.links > 0 else {
            throw context.error(ENOENT)
        }
        return folder
    }

    private mutating func take(_ hints: LocalHints) {
        for spot in hints.order {
            guard let mark = hints.marks[spot] else { continue }
            if marks[spot] == nil { order.append(spot) }
            marks[spot, default: LocalHints.Mark()].formUnion(mark)
        }
        // A folder whose watch ended was removed or unmounted.
        for watch in hints.ended { if let spot = tree.folders[watch]?.spot { mark(spot) } }
        origins = hints.origins
        targets = [:]
        for (spot, origin) in origins { if let origin, origin != spot { targets[origin] = spot } }
    }

    mutating func mark(_ spot: LocalSpot) {
        if marks[spot] == nil { order.append(spot) }
        marks[spot, default: LocalHints.Mark()].isAboutName = true
    }

    /// Goes on until nothing more can be reached: what is in a folder that was moved can be, once the move is known.
    private mutating func settleAll() throws {
        var isMoving = true
        while isMoving {
            isMoving = false
            let spots = order
            order = []
            for spot in spots {
                if try settle(spot) { isMoving = true } else if marks[spot] != nil { order.append(spot) }
            }
            isMoving = try readFolders() || isMoving
        }
    }

    /// Whether a file that is being written to is left alone for now.
    func isWriting(_ mark: LocalHints.Mark) -> Bool {
        guard let start = mark.writing, !mark.isAboutName, !mark.isAboutContent else { return false }
        return ContinuousClock.now - start < .seconds(Self.patience)
    }

    /// Lists folders that are new, and those they hold.
    ///
    /// - Returns: Whether any could be listed; the others are left for later.
    private mutating func readFolders() throws -> Bool {
        var left: [Int32] = []
        var isMoving = false
        while let folder = unlisted.popLast() {
            if try read(folder) { isMoving = true } else { left.append(folder) }
        }
        unlisted = left
        return isMoving
    }

    private mutating func readAll() throws {
        unlisted = [tree.root]
        try settleAll()
    }

    // MARK: Telling

    /// Starts again from what is there; what the consumer knows is worth nothing any more.
    private mutating func rebuild(_ reason: String) throws -> [FileEvent] {
        let before = tree.folders.keys
        telling = .silent
        (marks, order, origins, targets, touched, events, refused) = ([:], [], [:], [:], [:], [], [])
        tree = try Self.plant(try rootFolder(), queue: queue, context: context)
        try readAll()
        for watch in before where tree.folders[watch] == nil { queue.remove(watch) }
        events = [FileEvent(.rescan, path: path, type: .directory, reason: reason)]
        return finish()
    }

    private mutating func finish() -> [FileEvent] {
        if telling == .outright { tellTouched() }
        defer { (events, refusals, touched) = ([], [], [:]) }
        let all = events + refusals
        return all.count > options.maxPending ? [.tooMany(at: path)] : all
    }

    func path(of spot: LocalSpot) -> ProviderPath { context.at(path).below(tree.names(of: spot)).path }

    private mutating func tellTouched() {
        var reported: Set<ProviderPath> = []
        let entries = touched.filter { tree.folders[$0.key.folder] != nil }.map {
            (path: path(of: $0.key), spot: $0.key, isName: $0.value)
        }
        for entry in entries.sorted(by: { $0.path < $1.path }) where !reported.contains(entry.path) {
            guard let item = tree[entry.spot] else {
                events.append(FileEvent(.removed, path: entry.path))
                continue
            }
            guard entry.isName else {
                events.append(FileEvent(.modified, path: entry.path, type: item.type))
                continue
            }
            var rest = [(entry.path, item)]
            while let (path, item) = rest.popLast() {
                reported.insert(path)
                events.append(FileEvent(.created, path: path, type: item.type))
                guard let watch = item.watch else { continue }
                for (name, item) in tree.folders[watch]?.items ?? [:] {
                    rest.append((context.at(path).below([name]).path, item))
                }
            }
        }
    }
}
