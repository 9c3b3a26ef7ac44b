import Carrel
import Foundation

/// A folder of books on any storage as a local catalogue, which follows what changes there.
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

    /// The shelf of the folder at `path` of `provider`, with what `folder` of this machine knows of it.
    ///
    /// - Parameter report: Told of each change in one line that is fit for a terminal, whatever a server or a book says.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` when a catalogue is there that is none, or another folder's.
    public init(
        of provider: any FileProviderReadWrite, path: ProviderPath, in folder: URL, report: @escaping @Sendable (String) -> Void = { _ in }
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
        owed[root] = ""
        try await settle()
        return owed.isEmpty
    }

    /// Brings the catalogue up to date and keeps it so, until the task is cancelled.
    ///
    /// What cannot be read is tried again with every change, and after pauses that grow from ``WatchOptions/longestInterval``, in which
    /// a polling watch has looked once, to 16 times that.
    public func follow(_ options: WatchOptions = WatchOptions()) async throws {
        let changes = try await provider.changes(at: root, options: options)
        do {
            var isComplete = try await update()
            var pause = options.longestInterval
            while let events = try await next(of: changes.watch, within: isComplete ? nil : pause) {
                pause = isComplete ? options.longestInterval : min(2 * pause, 16 * options.longestInterval)
                for event in events { apply(event) }
                try await settle()
                isComplete = owed.isEmpty
            }
            await changes.stop()
        } catch {
            await changes.stop()
            throw error
        }
    }

    /// The next changes; none when the pause is over.
    private func next(of watch: any FileWatch, within pause: Double?) async throws -> [FileEvent]? {
        guard let pause else { return try await watch.next() }
        let waiting = Task { try await watch.next() }
        let timer = Task {
            try await Task.sleep(for: .seconds(pause))
            waiting.cancel()
        }
        defer { timer.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await waiting.value
            } onCancel: {
                waiting.cancel()
            }
        } catch  where error.isCancellation {
            try Task.checkCancellation()
            return []
        }
    }
}

// MARK: Events

extension Shelf {
    /// Events may be older than what is there now, so they only say where to look. What moved is found again by its version.
    private func apply(_ event: FileEvent) {
        switch event.kind {
        // That the folder itself is gone ends the watch; the catalogue stays.
        case .removed: if event.path != root { leave(event.path) }
        // What is in a new folder is told item by item.
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
                for folder in found.unlisted { try postpone(folder.path, folder.error, due) }
                for file in found.files where !isHidden(file.path) { files[file.path] = file }
                let present = Set(found.files.map(\.path))
                for path in catalogue.paths(from: $0) where !present.contains(path) {
                    if !found.unlisted.contains(where: { path.isBelow($0.path) }) { leave(path) }
                }
            case .failure(let error): try postpone($0, error, due)
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

    private static func look(at path: ProviderPath, of provider: any FileProviderReadWrite, root: ProviderPath) async throws -> Found {
        do {
            let item = try await provider.attributesOfItem(path: path)
            guard item.isDirectory else { return Found(files: item.isRegularFile ? [item] : []) }
            let (files, unlisted) = (Collected<FileObject>(), Collected<(path: ProviderPath, error: any Error)>())
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
        if catalogue[file.path] == nil, let old = left.removeValue(forKey: file.path) { catalogue[file.path] = old }
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
                if let cover { entry.cover = try await folder.add(cover) }
                let old = catalogue[file.path]
                if let cover = old?.cover { oldCovers.append(cover) }
                catalogue[file.path] = entry
                report((entry.refusal == nil ? old == nil ? "added" : "changed" : "refused") + " \(entry)".plain)
            case .failure(let error): try postpone(file.path, error, due)
            }
            count += 1
            if count % 100 == 0 { try await save() }
        }
    }

    private func postpone(_ path: ProviderPath, _ error: any Error, _ due: [ProviderPath: String]) throws {
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
        try await Task { try await folder.save(catalogue, removing: covers) }.value
        oldCovers = []
        isSaved = true
    }
}
