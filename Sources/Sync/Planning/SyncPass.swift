import FileProviderCore
import Foundation

/// One look at both sides, and the plan that follows from it.
struct SyncPass: Sendable {
    let folders: Sides<SyncFolder>
    let store: SyncStore
    let options: SyncOptions
    /// The capabilities of both storages, including what the pass has found out about them.
    private(set) var capabilities: Sides<Capabilities>
    let comparison: SyncComparison
    /// The providers that new files are written to. A local disk is flushed once for several files, before they are
    /// recorded.
    let arrivals: Sides<any FileProvider>
    /// Partial files that interrupted writers left, as found in the listings.
    let parts = SyncParts()
    private let control: SyncControl

    init(
        _ folders: Sides<SyncFolder>, store: SyncStore, options: SyncOptions, capabilities: Sides<Capabilities>,
        throttle: Throttle? = nil, control: SyncControl = SyncControl()
    ) {
        self.control = control
        self.folders = folders
        self.store = store
        self.options = options
        self.capabilities = capabilities
        comparison = SyncComparison(folders: folders, capabilities: capabilities, throttle: throttle)
        func arrivals(_ folder: SyncFolder) -> any FileProvider {
            (folder.provider as? any FileProviderSynchronization)?.unsynchronized ?? folder.provider
        }
        self.arrivals = Sides(arrivals(folders.source), arrivals(folders.destination))
    }

    /// The step of a side's times, in seconds.
    func precision(of side: SyncSide) -> Double { capabilities[side].timePrecision ?? 0 }

    /// Looks at both sides and fills the plan.
    ///
    /// - Returns: A report of the items that could not be examined or are excluded.
    /// - Parameters:
    ///   - removed: The number of items that earlier passes of the run removed.
    ///   - agreed: The number of items that both sides had in common before the run; `nil` in its first pass.
    mutating func prepare(removed: Int = 0, of agreed: Int? = nil) async throws -> FolderSyncReport {
        let start = ContinuousClock.now
        try await store.beginPass()
        var looked = try await look()
        if try await hidesNamesAfterAll() {
            try await store.beginPass()
            looked = try await look()
        }
        for side in SyncSide.allCases { try await lookAtTwins(on: side) }
        var report = FolderSyncReport()
        for side in SyncSide.allCases { report.add(looked[side]) }
        report.lookTime = .now - start
        try checkPresence()
        if followsMirror { try await store.claimKept() }
        let rules = SyncRules(
            direction: options.direction, deletes: options.deletes,
            comparesContent: options.comparesContent || store.isFirstBegun,
            isFirst: store.isFirst, followsMirror: followsMirror, capabilities: capabilities,
            hasLinks: Sides(
                folders.source.provider is any FileProviderSymbolicLink,
                folders.destination.provider is any FileProviderSymbolicLink),
            takesAllLinks: options.links == .all)
        for item in try await compare(rules) {
            if item.error?.isChangedWhileReading == true { report.postpone(item) } else { report.fail(item) }
        }
        try await findUnkept(isFirst: agreed == nil)
        if rules.direction == .twoWay || rules.deletes { try await SyncMoves(self, rules: rules).find() }
        for item in try await plan(rules) { report.fail(item) }
        try await checkRemovals(removed, of: agreed ?? store.agreedCount)
        return report
    }

    /// Whether the last run, even an unfinished one, was a mirror and this one is not.
    private var followsMirror: Bool { options.direction == .twoWay && store.lastDirection == .mirror }

    /// Records in the state what the plan is about to do. A step that is taken but not recorded must not be mistaken
    /// for a removal or change by someone else if its cause is undone meanwhile.
    func beginSteps() async throws { try await store.beginSteps(options.direction, claimsKept: followsMirror) }

    /// Whether a side's listings turn out to hide names: some servers reveal that only when they list.
    private mutating func hidesNamesAfterAll() async throws -> Bool {
        var hides = false
        for side in SyncSide.allCases where capabilities[side].listsEveryName {
            capabilities[side].listsEveryName = try await folders[side].provider.capabilities().listsEveryName
            hides = hides || !capabilities[side].listsEveryName
        }
        return hides
    }

    private func look() async throws -> Sides<FolderSyncReport> {
        let (one, other) = try await both {
            try await look(at: .source)
        } _: {
            try await look(at: .destination)
        }
        for side in SyncSide.allCases { try await store.endListing(on: side) }
        // A link in place of a file or folder is not a removal, and nothing may be written through it.
        try await store.endLooking()
        return Sides(one, other)
    }

    /// Whether listings of either side hide names that begin with a dot. Hidden items would be mistaken for removed
    /// ones.
    var hidesDots: Bool { SyncSide.allCases.contains { !capabilities[$0].listsEveryName } }

    /// Whether a name is one that listings of either side hide.
    func isHidden(_ path: ProviderPath) -> Bool { path.nameBytes.first == UInt8(ascii: ".") && hidesDots }

    private func look(at side: SyncSide) async throws -> FolderSyncReport {
        folders[side].forgetAnswers(below: folders[side].path)
        do { return try await SyncLook(self, side: side).run() } catch let error
            where error.isNoSuchFile && canBeMade(side)
        {
            return FolderSyncReport()
        }
    }

    /// Finds out whether a side distinguishes names that differ in case or normalization alone. Hardly any storage says
    /// so, and a server may have disks of both kinds. It matters only if two such names meet; then the side is asked
    /// for the name that it does not list.
    private mutating func lookAtTwins(on side: SyncSide) async throws {
        let missing = try await store.missingTwins(on: side)
        if capabilities[side].isCaseSensitive, let path = missing.inCase {
            capabilities[side].isCaseSensitive = try await !hasUnlisted(path, on: side)
        }
        if capabilities[side].isNormalizationSensitive, let path = missing.inForm {
            capabilities[side].isNormalizationSensitive = try await !hasUnlisted(path, on: side)
        }
        // A storage that lists a name in another form than it was given does have that item.
        if !capabilities[side].isNormalizationSensitive, missing.inForm != nil {
            try await store.takeForms(on: side, precision: precision(of: side))
        }
    }

    private func hasUnlisted(_ path: ProviderPath, on side: SyncSide) async throws -> Bool {
        let folder = folders[side]
        do {
            _ = try await folder.provider.attributesOfItem(path: folder.path(of: path))
            return try await !folder.lists(folder.path(of: path))
        } catch let error where !error.concernsEveryItem { return false }
    }

    /// Whether the folder itself may be missing. If it never held anything, it is created before the first item is put
    /// there.
    private func canBeMade(_ side: SyncSide) -> Bool { side == .destination && store.agreedCount == 0 }

    /// Stops the run if a side is empty: an unmounted disk, or a folder emptied by mistake, looks like a removal of
    /// everything.
    private func checkPresence() throws {
        guard store.agreedCount > 0, !options.removalLimit.allowsAll else { return }
        for side in SyncSide.allCases where store.count(on: side) == 0 {
            let losesAll = options.direction == .twoWay || options.deletes && side == .source
            throw RemovalStop.emptySide(side, held: store.agreedCount).error(folders, losesAll: losesAll)
        }
    }

    private func checkRemovals(_ removed: Int, of agreed: Int) async throws {
        let removals = try await store.removals(on: .source) + store.removals(on: .destination)
        // A pass that removes nothing is not limited by what earlier passes removed.
        if removals == 0 || options.removalLimit.allowsAll { return }
        for side in SyncSide.allCases where try await hasLostAll(side) {
            throw RemovalStop.emptySide(side, held: store.agreedCount).error(folders)
        }
        if options.removalLimit.allows(removed + removals, of: agreed) { return }
        throw RemovalStop.overLimit(removed + removals, of: agreed).error(folders)
    }

    /// Whether a side has lost and not moved every item, so that the other side would lose them, too. A replaced or
    /// unmounted disk may have an unrelated folder at this path.
    private func hasLostAll(_ side: SyncSide) async throws -> Bool {
        guard store.agreedCount > 0, store.seenCount(on: side) == 0, try await store.removals(on: side.other) > 0 else {
            return false
        }
        return try await !store.hasMoves(on: side)
    }

    /// - Returns: The items that stay as they are because they could not be compared.
    private func compare(_ rules: SyncRules) async throws -> [FolderSyncReport.Item] {
        let unread = CollectedValues<FolderSyncReport.Item>()
        try await compare(rules, unread) { try await store.newFiles(on: .destination, after: $0) }
        if store.agreedCount == 0 { return unread.values }
        try await compare(rules, unread) { try await store.voidFiles(after: $0) }
        for side in SyncSide.allCases
        where comparison.isCheap(on: side) && (side == .source || rules.direction == .twoWay) {
            try await compareTouched(on: side)
        }
        return unread.values
    }

    private func compare(
        _ rules: SyncRules, _ unread: CollectedValues<FolderSyncReport.Item>,
        _ next: (_ last: ProviderPath?) async throws -> [SyncDifference]
    ) async throws {
        try await each(next) { difference in
            guard rules.needsComparison(difference) else { return }
            do {
                let (isSame, hash) = try await comparison.compare(at: difference.path)
                try await store.compared(difference.path, isSame: isSame, hash: hash)
            } catch let file as SyncComparison.Unread {
                guard await isItsOwn(file.reason) else { throw file.reason }
                try await store.compared(difference.path, isSame: nil, hash: nil)
                // If the file is transferred anyway, the transfer reports the problem.
                if rules.decide(difference) == .nothing {
                    unread.append(FolderSyncReport.Item(file.side, difference.path, file.reason))
                }
            }
        }
    }

    /// Compares files whose time changed, for example through a copy: both sides may already have the content.
    private func compareTouched(on side: SyncSide) async throws {
        try await each({ try await store.touchedFiles(on: side, after: $0) }) { difference in
            do {
                guard let hash = try await comparison.cheapHash(of: difference.path, on: side) else { return }
                try await store.compared(difference.path, isSame: hash == difference.agreed?.hash, hash: hash)
            } catch {
                // The file is transferred as a new version; the transfer reports the problem.
                guard await isItsOwn(error) else { throw error }
            }
        }
    }

    /// Whether an error concerns one item alone. A lost connection or a time-out also counts if both sides still
    /// answer: something in between may refuse a file of that size, or not wait for it. Such an error would otherwise
    /// end every run before the items behind it.
    func isItsOwn(_ error: any Error) async -> Bool {
        if !error.concernsEveryItem { return true }
        guard error.isBrokenOff else { return false }
        do {
            for side in SyncSide.allCases {
                folders[side].forgetAnswers(below: folders[side].path)
                _ = try await folders[side].provider.attributesOfItem(path: folders[side].path)
            }
        } catch { return false }
        return true
    }

    func each(
        _ next: (_ last: ProviderPath?) async throws -> [SyncDifference],
        _ body: @escaping @Sendable (SyncDifference) async throws -> Void
    ) async throws {
        var last: ProviderPath?
        while case let differences = try await next(last), let end = differences.last {
            try await concurrently(differences, body)
            last = end.path
        }
    }

    /// - Returns: The items that have failed already.
    private func plan(_ rules: SyncRules) async throws -> [FolderSyncReport.Item] {
        let found = LockedValue<[SyncAction]>([])
        let refused = CollectedValues<FolderSyncReport.Item>()
        var planner = SyncPlanner(rules) { path, side, error in
            refused.append(FolderSyncReport.Item(side, path, error))
        } emit: { action in
            found.update { $0.append(action) }
        }
        var last: ProviderPath?
        while case let differences = try await store.differences(after: last), let end = differences.last {
            let hasTwins = SyncSide.allCases.contains { !capabilities[$0].tellsEveryName }
            for difference in hasTwins ? try await store.addTwins(to: differences) : differences {
                planner.add(difference)
            }
            try await store.add(found.value)
            found.update { $0 = [] }
            last = end.path
        }
        planner.finish()
        try await store.add(found.value)
        return refused.values
    }

    /// Runs `body` for each of `items`, a few at once.
    func concurrently<Item: Sendable>(_ items: [Item], _ body: @escaping @Sendable (Item) async throws -> Void)
        async throws
    {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, item) in items.enumerated() {
                if index >= 4 { try await group.next() }
                try await control.pass()
                group.addTask { try await body(item) }
            }
            try await group.waitForAll()
        }
    }
}
