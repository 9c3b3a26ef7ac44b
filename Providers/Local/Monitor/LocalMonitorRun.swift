import FileProviderCore
import Foundation

/// Updates the known tree of a watch to match the disk, place by place, and reports each step.
///
/// Each finding goes into ``tree`` and into the events together, so that replayed events always lead from the earlier
/// tree to the later one. The tree approaches the disk, because a place that changes after a look is hinted at again.
struct LocalMonitorRun {
    /// How to report steps.
    enum ReportMode {
        /// Not at all: the consumer is going to list everything.
        case silent
        /// Exactly as they happened.
        case precise
        /// By their results, because the consumer's listing may be older or newer than the tree: each touched place is
        /// reported in its final state, folders with everything in them, and no moves.
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
    /// Folders that cannot be read, reported at the end.
    var refusals: [FileEvent] = []
    /// With ``ReportMode/outright``: the places to report, and whether more than their content changed.
    var touched: [LocalSpot: Bool] = [:]

    /// Places to look at, and folders to list.
    var marks: [LocalSpot: LocalHints.Mark] = [:]
    var order: [LocalSpot] = []
    var unlisted: [Int32] = []
    /// Folders that were reported as unreadable; each look tries them again.
    var refused: Set<Int32> = []
    /// Where the item now at a place was before, and the reverse.
    var origins: [LocalSpot: LocalSpot?] = [:]
    var targets: [LocalSpot: LocalSpot] = [:]
    var opened: [Int32: FileDescriptor] = [:]
    /// Left over from a look with outright reports, and to be reported the same way.
    private var owedSpots: Set<LocalSpot> = []
    private var owedFolders: Set<Int32> = []

    /// No more folders can be watched.
    struct WatchesExhausted: Error {
        let reason: String
    }

    /// How often to look for a place that cannot be reached, before everything is listed again.
    private static let maxRounds = 20
    /// Seconds for which a file that is being written may stay unreported.
    private static let patience = 1.0

    /// Starts a watch: watches all folders, then lists them.
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

    /// Seconds until the rest of the work has to be tried again; nil if everything is settled.
    var pause: Double? {
        if !unlisted.isEmpty
            || order.contains(where: { marks[$0].map { $0.isAboutName || $0.isAboutContent } ?? false })
        {
            return 0.05
        }
        return order.isEmpty ? nil : Self.patience / 4
    }

    // MARK: One look

    /// Looks at all places with hints.
    ///
    /// - Parameter isFresh: Whether the consumer may have listed since the last look.
    /// - Returns: The events; empty if nothing has changed in the end.
    /// - Throws: ``WatchesExhausted``; `CocoaError(.fileReadNoSuchFile)` if the watched folder is gone.
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
            return try rebuild("Folders were moved faster than they could be followed; list the folder again.")
        }
        return finish()
    }

    /// Returns the watched folder, if its path still names it.
    private func rootFolder() throws -> FileDescriptor {
        let folder = try resolver.folder(at: path, context)
        let status = try ItemStatus(of: folder, context)
        let known = tree.folders[tree.root]
        // The root of a provider is held open, so its path cannot show that it was removed.
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

    /// Settles places until no more can be reached: items in a moved folder can be reached once the move is known.
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

    /// Whether to leave a file alone for now because it is being written.
    func isWriting(_ mark: LocalHints.Mark) -> Bool {
        guard let start = mark.writing, !mark.isAboutName, !mark.isAboutContent else { return false }
        return ContinuousClock.now - start < .seconds(Self.patience)
    }

    /// Lists new folders, and those in them.
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

    // MARK: Reporting

    /// Starts again from the present state of the disk; the consumer has to list everything.
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
