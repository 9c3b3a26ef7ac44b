import Foundation

/// Watches by comparing listings: by ETag if there is one, else by size and modification time.
///
/// The interval is the shortest after a change, grows by half while nothing changes, and is at least four times as long
/// as a look. An item that appears and vanishes between two looks is not seen. A move is reported as a removal and a
/// creation: a listing has no identity to recognise it by.
actor PollingWatch: FileWatch {
    private let provider: @Sendable () -> (any FileProviderBasic)?
    private let path: ProviderPath
    private let options: WatchOptions
    private let maxDepth: Int
    private let asked: WatchOutcome

    private var tree: PolledTree
    /// Events that are not reported yet.
    private var found: [FileEvent] = []
    /// Folders reported as unreadable, so that each is reported once.
    private var unlisted: Set<ProviderPath> = []
    /// Folders still to be listed, because they are new or their tag changed.
    private var owed: Set<ProviderPath> = []
    /// The tag of the watched folder at the last look.
    private var rootTag: String?
    private var failure: (any Error)?
    private var pace: PollingPace
    private var work: Task<Void, any Error>?
    private var isStarting: Bool
    private var isStopped = false

    /// - Parameters:
    ///   - listing: The tree that looks are compared with; `nil` if ``start()`` lists it.
    ///   - asked: Called after each later look that ended, or failed because the storage is away.
    init(
        of provider: any FileProviderBasic, path: ProviderPath, options: WatchOptions, since listing: PolledTree? = nil,
        asked: @escaping WatchOutcome = { _ in }
    ) {
        self.provider = { [weak provider] in provider }
        self.path = path
        self.options = options
        self.asked = asked
        maxDepth = path.components.count + ProviderPath.maxTreeDepth
        pace = PollingPace(options)
        tree = listing ?? PolledTree()
        isStarting = listing == nil
    }

    /// Makes the listing that later ones are compared with.
    func start() async throws {
        guard let provider = provider() else { return }
        try await look(provider)
        isStarting = false
    }

    func next() async throws -> [FileEvent]? {
        while !isStopped {
            if !found.isEmpty {
                defer { found = [] }
                return found
            }
            if let failure { throw failure }
            let round = Task { try await waitAndLook() }
            work = round
            let result = await withTaskCancellationHandler {
                await round.result
            } onCancel: {
                round.cancel()
            }
            work = nil
            if isStopped { break }
            switch result {
            case .success: await asked(nil)
            case .failure(let error):
                if error.isCancellation, Task.isCancelled { throw CancellationError() }
                if error.isPassing { await asked(error) }
                judge(error)
            }
        }
        return nil
    }

    func stop() async {
        isStopped = true
        work?.cancel()
        _ = await work?.result
        found = []
    }

    private func waitAndLook() async throws {
        try await Task.sleep(for: pace.pause)
        guard let provider = provider() else {
            isStopped = true
            return
        }
        let start = ContinuousClock.now
        try await look(provider)
        pace.looked(for: ContinuousClock.now - start, changes: !found.isEmpty)
    }

    /// A server that is away comes back; a folder that is gone or unreadable does not.
    private func judge(_ error: any Error) {
        if error.isPassing { return pace.failed() }
        if error.isNoSuchFile { found.append(FileEvent(.removed, path: path, type: .directory)) }
        failure = error
    }
}

// MARK: Looking

extension PollingWatch {
    private func look(_ provider: any FileProviderBasic) async throws {
        let hasTreeTags = try await provider.capabilities().has(.treeTags)
        if hasTreeTags {
            let tag = try await provider.attributesOfItem(path: path).entryTag
            if tag == nil || tag != rootTag { owed.insert(path) }
            rootTag = tag
        }
        // The folders left by an interrupted look come first: no tag shows their changes any more.
        var folders = [path] + owed.filter { $0 != path }
        while let folder = folders.popLast() {
            try Task.checkCancellation()
            if !hasTreeTags || owed.contains(folder) || !tree.knows(folder) {
                guard try await look(at: folder, of: provider, hasTreeTags: hasTreeTags) else { continue }
            }
            if options.isRecursive {
                // With such tags, nothing has changed anywhere below a folder whose own tag is the same.
                folders += tree.subfolders(of: folder).filter { !hasTreeTags || owed.contains($0) || !tree.knows($0) }
            }
        }
    }

    /// - Returns: Whether the folder was listed.
    private func look(at folder: ProviderPath, of provider: any FileProviderBasic, hasTreeTags: Bool) async throws
        -> Bool
    {
        do {
            guard folder.components.count < maxDepth else { throw FileError.tooDeep(folder) }
            let items = CollectedValues<FileObject>()
            try await provider.contentsOfDirectory(path: folder) { page in
                items.append(page.filter { $0.path.parent == folder && !TemporaryName.matches($0.name) })
            }
            let listing = PolledTree.Listing(items.values.map { ($0.path, PolledTree.Item($0)) }) { $1 }
            let (events, changedFolders) = tree.update(folder, to: listing)
            tell(events)
            for event in events where event.kind == .removed { unlisted.remove(event.path) }
            unlisted.remove(folder)
            owed.remove(folder)
            if hasTreeTags { owed.formUnion(changedFolders) }
            return true
        } catch let error where folder != path && !error.isPassing && !error.isCancellation {
            // One that vanished is missing in the next listing of the folder above.
            if error.isNoSuchFile {
                owed.remove(folder)
            } else if unlisted.insert(folder).inserted {
                tell([FileEvent(.rescan, path: folder, type: .directory, reason: error.sentence)])
            }
            return false
        }
    }

    /// Rescans come last, and too many events become one rescan. At the start, only a folder that cannot be read is
    /// reported.
    private func tell(_ events: [FileEvent]) {
        if isStarting, events.first?.kind != .rescan { return }
        if found.first?.kind == .rescan, found.first?.path == path { return }
        let firstRescan = found.firstIndex { $0.kind == .rescan } ?? found.endIndex
        found.insert(contentsOf: events, at: events.first?.kind == .rescan ? found.endIndex : firstRescan)
        if found.count > options.maxPending { found = [.tooMany(at: path)] }
    }
}

extension FileEvent {
    /// More changed than is held for a consumer.
    package static func tooMany(at path: ProviderPath) -> FileEvent {
        FileEvent(.rescan, path: path, type: .directory, reason: "Too many changes at once; list the folder again.")
    }
}

extension Error {
    /// Whether a watch continues after this error: a server or a network is away for a while.
    var isPassing: Bool {
        if isTransient { return true }
        guard let error = self as? URLError else { return false }
        return [.cannotFindHost, .dnsLookupFailed, .secureConnectionFailed].contains(error.code)
    }
}
