import Carrel
import Foundation

/// A local catalogue of a folder of books on any storage, which follows the changes there.
public actor Shelf {
    private let provider: any FileProviderReadWrite
    private let root: ProviderPath
    private let folder: ShelfFolder
    private let report: @Sendable (String) -> Void
    private var catalogue: Catalogue { didSet { isSaved = false } }
    private var isSaved = false
    /// What is to be looked at, with what was said of it when it could not be.
    private var owed: [ProviderPath: String] = [:]
    /// Entries whose files are gone from where they were: the next look may find them elsewhere.
    private var left: [ProviderPath: CatalogueEntry] = [:]
    private var oldCovers: [String] = []

    /// Opens the shelf of the folder at `path` of `provider`, with its catalogue in the local `folder`.
    ///
    /// - Parameter report: Called with each change as one line that is safe for a terminal, whatever a server or a book
    ///   says.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if the catalogue is damaged, or another folder's.
    public init(
        of provider: any FileProviderReadWrite, path: ProviderPath, in folder: URL,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws {
        self.provider = provider
        self.root = path
        self.report = report
        self.folder = try await ShelfFolder(folder)
        catalogue = try await self.folder.load(provider.url(of: path).withoutSecrets.absoluteString)
    }

    /// Brings the catalogue up to date.
    ///
    /// - Returns: Whether everything could be read.
    public func update() async throws -> Bool {
        do { return try await lookAtAll() } catch let failure as OwnFailure { throw failure.cause }
    }

    /// Brings the catalogue up to date and keeps it so, until the task is cancelled.
    ///
    /// A file that cannot be read is tried again with every change, and after pauses that grow from
    /// ``WatchOptions/maxInterval`` to 16 times that. A watch that cannot be started, or ends, is reported and started
    /// again, after pauses that grow from ``WatchOptions/minInterval`` to the same; the catalogue stays meanwhile, and
    /// everything is looked at again.
    ///
    /// - Throws: `CancellationError`; the error of a local folder that cannot be written, which no later try would fix.
    public func follow(_ options: WatchOptions = WatchOptions()) async throws {
        var (falls, told) = (0, "")
        while true {
            let began = ContinuousClock.now
            let reason: any Error
            do {
                let changes = try await provider.changes(at: root, options: options)
                // The same reason is news again.
                told = ""
                reason = await follow(changes, options)
            } catch {
                reason = error
            }
            if let failure = reason as? OwnFailure { throw failure.cause }
            try Task.checkCancellation()
            if reason.sentence != told { report("interrupted \(root): \(reason.sentence)".plain) }
            told = reason.sentence
            falls = ContinuousClock.now - began > .seconds(options.longestPause) ? 1 : falls + 1
            try await Task.sleep(for: .seconds(options.pause(after: falls, error: reason)))
        }
    }
}

// MARK: Following

extension WatchOptions {
    /// Seconds between two tries at the most.
    fileprivate var longestPause: Double { 16 * maxInterval }

    /// Seconds until the next try after so many falls in a row; longer where the server said so. Half of it is chance,
    /// so that many clients do not come back at the same moment.
    fileprivate func pause(after falls: Int, error: any Error) -> Double {
        let backoff = min(longestPause, minInterval * Double(1 << min(falls - 1, 16)))
        let asked = (error as? any RetryAfterError)?.retryAfter ?? 0
        return min(longestPause, max(asked, backoff * Double.random(in: 0.5...1)))
    }
}

extension Shelf {
    /// An error of the local folder, kept apart from errors of the storage.
    private struct OwnFailure: Error {
        let cause: any Error
    }

    /// Does what concerns the folder of this machine.
    private static func own<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        do { return try await work() } catch let error where !error.isCancellation { throw OwnFailure(cause: error) }
    }

    private func lookAtAll() async throws -> Bool {
        owe(root)
        try await settle()
        return owed.isEmpty
    }

    /// Keeps the catalogue up to date until the watch ends, and ends it.
    ///
    /// - Returns: Why.
    private func follow(_ changes: FileChanges, _ options: WatchOptions) async -> any Error {
        var reason: any Error = FileError.make(
            .fileReadUnknown, path: root, sentence: "Its changes are no longer reported.")
        var question: Question?
        do {
            var isComplete = try await lookAtAll()
            var pause = options.maxInterval
            while true {
                let asked = question ?? Question(to: changes.watch)
                question = asked
                let isAnswered = try await asked.isAnswered(within: isComplete ? nil : pause)
                // The next one is asked once this answer is in the catalogue.
                if isAnswered { question = nil }
                guard let events = try await isAnswered ? asked.events : [] else { break }
                pause = isComplete ? options.maxInterval : min(2 * pause, options.longestPause)
                // With the folder itself, all that was in it seems to be gone. The catalogue stays until the folder is
                // back.
                let isGone = events.contains { $0.kind == .removed && $0.path == root }
                if isGone { throw FileError.make(.fileReadNoSuchFile, path: root) }
                for event in events { apply(event) }
                try await settle()
                isComplete = owed.isEmpty
            }
        } catch {
            reason = error
        }
        await question?.cancel()
        await changes.stop()
        return reason
    }
}

// MARK: Events

extension Shelf {
    /// Events may be older than the present state, so they only say where to look. A moved file is found again by its
    /// version.
    private func apply(_ event: FileEvent) {
        switch event.kind {
        case .removed: leave(event.path)
        // The items of a new folder are reported one by one.
        case .created where event.type == .directory: leave(event.path)
        case .modified where event.type == .directory: break
        case .created, .modified, .rescan: owe(event.path)
        case .moved:
            leave(event.path)
            if let from = event.from { leave(from) }
            owe(event.path)
        }
    }

    private func owe(_ path: ProviderPath) {
        if !isHidden(path) { owed[path] = owed[path] ?? "" }
    }

    private func leave(_ path: ProviderPath) {
        for path in catalogue.paths(from: path) {
            left[path] = catalogue[path]
            catalogue[path] = nil
        }
    }

    /// Whether a name from the shelf's folder down begins with a dot, as those of files on their way do.
    private func isHidden(_ path: ProviderPath) -> Bool {
        path.relative(to: root)?.components.contains { $0.first == UInt8(ascii: ".") } ?? true
    }
}

// MARK: Looking

extension Shelf {
    /// The files at a path and below it, and the folders there that cannot be listed.
    private struct Found: Sendable {
        var files: [FileObject] = []
        var unlisted: [(path: ProviderPath, error: any Error)] = []
    }

    /// Looks at all that is owed, and brings the catalogue in step with it.
    private func settle() async throws {
        let due = owed
        owed = [:]
        var files: [ProviderPath: FileObject] = [:]
        try await each(Array(due.keys)) { [provider, root] path in
            try await Self.look(at: path, of: provider, root: root)
        } then: {
            switch $1 {
            case .success(let found):
                for folder in found.unlisted { try postpone(folder.path, error: folder.error, due: due) }
                for file in found.files where !isHidden(file.path) { files[file.path] = file }
                let present = Set(found.files.map(\.path))
                for path in catalogue.paths(from: $0) where !present.contains(path) {
                    if !found.unlisted.contains(where: { path.isBelow($0.path) }) { leave(path) }
                }
            case .failure(let error): try postpone($0, error: error, due: due)
            }
        }
        let origins = Dictionary(grouping: left.keys) { left[$0]?.version }
        let unread = files.values.sorted { $0.path < $1.path }.filter { !isKnown($0, origins) }
        for entry in left.values.sorted(by: { $0.path < $1.path }) {
            if let cover = entry.cover { oldCovers.append(cover) }
            report("removed \(entry.path)".plain)
        }
        left = [:]
        do { try await read(unread, due) } catch  where error.isCancellation {
            // What was read until now is kept.
            try await save()
            throw error
        }
        try await save()
    }

    private static func look(at path: ProviderPath, of provider: any FileProviderReadWrite, root: ProviderPath)
        async throws -> Found
    {
        do {
            let item = try await provider.attributesOfItem(path: path)
            if item.isRegularFile { return Found(files: [item]) }
            // The shelf's folder itself may be named by a symbolic link, which is followed.
            guard item.isDirectory || path == root else { return Found() }
            let (files, unlisted) = (
                CollectedValues<FileObject>(), CollectedValues<(path: ProviderPath, error: any Error)>()
            )
            try await provider.walk(path: path) { folder, error in
                if error.isTransient || error.isCancellation { throw error }
                if !error.isNoSuchFile { unlisted.append((folder, error)) }
            } entering: { folder in
                !folder.isHidden
            } visit: { item in
                if item.isRegularFile { files.append(item) }
            }
            return Found(files: files.values, unlisted: unlisted.values)
        } catch let error where error.isNoSuchFile && path != root {
            return Found()
        }
    }

    /// Whether nothing has to be read: `file` is as it was, or came from elsewhere as it was.
    private func isKnown(_ file: FileObject, _ origins: [FileVersion?: [ProviderPath]]) -> Bool {
        let version = FileVersion(file)
        if catalogue[file.path] == nil, let previous = left.removeValue(forKey: file.path) {
            catalogue[file.path] = previous
        }
        if let entry = catalogue[file.path], version.proves(unchanged: entry.version) { return true }
        let origin = origins[version]?.first { path in
            guard let entry = left[path], version.proves(unchanged: entry.version) else { return false }
            return path.nameBytes == file.path.nameBytes || (version.tag != nil && !entry.dependsOnName)
        }
        guard let origin, let entry = left.removeValue(forKey: origin) else { return false }
        if let cover = catalogue[file.path]?.cover { oldCovers.append(cover) }
        catalogue[file.path] = entry
        report("moved \(entry.path) -> \(file.path)".plain)
        return true
    }

    private func read(_ files: [FileObject], _ due: [ProviderPath: String]) async throws {
        let reading = BookReading(provider: provider)
        var count = 0
        try await each(files) {
            try await reading.entry(of: $0)
        } then: { file, result in
            switch result {
            case .success(let (read, cover)):
                var entry = read
                if let cover { entry.cover = try await Self.own { [folder] in try await folder.add(cover) } }
                let previous = catalogue[file.path]
                if let cover = previous?.cover { oldCovers.append(cover) }
                catalogue[file.path] = entry
                report((entry.refusal == nil ? previous == nil ? "added" : "changed" : "refused") + " \(entry)".plain)
            case .failure(let error): try postpone(file.path, error: error, due: due)
            }
            count += 1
            if count % 100 == 0 { try await save() }
        }
    }

    private func postpone(_ path: ProviderPath, error: any Error, due: [ProviderPath: String]) throws {
        if error.isCancellation || (path == root && error.isNoSuchFile) { throw error }
        owed[path] = error.sentence
        if due[path] != error.sentence { report("postponed \(path): \(error.sentence)".plain) }
    }

    /// Does `work` for four items at once, and hands each result to `then` as it comes.
    private func each<Item: Sendable, Value: Sendable>(
        _ items: [Item], work: @escaping @Sendable (Item) async throws -> Value,
        then: (Item, Result<Value, any Error>) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: (Item, Result<Value, any Error>).self) { group in
            for (index, item) in items.enumerated() {
                if index >= 4, let (item, result) = try await group.next() { try await then(item, result) }
                group.addTask {
                    do { return (item, .success(try await work(item))) } catch { return (item, .failure(error)) }
                }
            }
            while let (item, result) = try await group.next() { try await then(item, result) }
        }
    }

    /// Not ended by a cancellation, so that what was read last is kept.
    private func save() async throws {
        if isSaved { return }
        let (folder, catalogue, covers) = (folder, catalogue, oldCovers)
        try await Self.own { try await Task { try await folder.save(catalogue, removing: covers) }.value }
        oldCovers = []
        isSaved = true
    }
}
