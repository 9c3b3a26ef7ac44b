public import FileProviderCore
public import Foundation
import ReaderMessages

/// The driver for applications that know nothing of calibre: a folder on any storage is the library, and what is known
/// of its books is remembered in one file in it.
///
/// One operation runs at a time, in the order in which they are asked for. Books are named by their
/// ``LibraryBook/filename``; only names that a listing of the folder showed lead anywhere, so that no name leads out of
/// it, and links are neither listed nor followed.
public actor PlainFolderDriver {
    let provider: any FileProvider
    let folder: ProviderPath
    let options: PlainFolderOptions
    let formats: BookFormats
    let store: FolderCacheStore
    private let time: any TimeSource
    /// The books that are there, and where, as far as this driver knows.
    var entries: [String: FolderCacheEntry] = [:]
    var paths: [String: ProviderPath] = [:]
    /// What the user is to be told of the cache.
    private var warnings: [String] = []
    private var isEjected = false
    private let turns = Turns()

    /// A driver of the folder at `folder`, which exists. Nothing is asked of it yet.
    public init(
        provider: any FileProvider, folder: ProviderPath, cache: any FolderCache,
        options: PlainFolderOptions = PlainFolderOptions(),
        time: any TimeSource = SystemTime()
    ) throws {
        self.provider = provider
        self.folder = folder
        self.options = options
        self.formats = BookFormats(options)
        self.time = time
        let path = try folder.appending(options.cacheName)
        self.store = FolderCacheStore(provider: provider, path: path, cache: cache, options: options)
    }

    /// The books in the folder and those below it.
    ///
    /// A book that cannot be read is listed by its file's name, with a warning. Where the cache cannot be written that
    /// is a warning, too.
    /// - Throws: What the provider throws, where the folder cannot be listed or the storage fails again and again; what
    ///   was read until then is remembered.
    /// - Complexity: For a folder in which nothing changed: its listings, and one request or a few for the cache.
    public func books(progress: @escaping DriverProgress = { _ in }) async throws -> PlainFolderListing {
        try await exclusively {
            let found = try await refresh(progress: progress)
            let books = entries.values.sorted { $0.path < $1.path }.map(\.book)
            return PlainFolderListing(books: books, warnings: found + (await takeWarnings()))
        }
    }

    /// The cover of a book as the last listing found it; nil for none, one larger than the options allow, or an unknown
    /// book.
    public func cover(of filename: String) -> Data? { entries[filename]?.thumbnail }

    /// Reads a book into `sink`.
    /// - Throws: ``PlainFolderError``; what the provider and the sink throw.
    public func read(_ filename: String, into sink: any ByteSink) async throws {
        try await exclusively {
            if paths[filename] == nil { try await refresh() }
            let path = try await provenPath(of: filename)
            try await FileCopy(path, of: provider).read(into: sink)
        }
    }

    /// Reads a book into a file of this machine, which appears under its name only when it is whole.
    /// - Throws: ``PlainFolderError``; what the provider and the disk throw.
    public func read(_ filename: String, to url: URL, overwrite: Bool = false) async throws {
        try await exclusively {
            if paths[filename] == nil { try await refresh() }
            let path = try await provenPath(of: filename)
            try await provider.copyItem(path: path, toLocalURL: url, overwrite: overwrite)
        }
    }

    /// Capacity and free space; nil where the storage has no such notion.
    public func space() async throws -> VolumeObject? {
        try await exclusively { try await provider.storageProperties() }
    }

    /// Waits for what runs, and lets nothing begin afterwards; again is fine.
    public func eject() async {
        isEjected = true
        // A caller that is cancelled does not wait; nothing begins all the same.
        do { try await turns.begin() } catch { return }
        turns.end()
    }

    // MARK: One at a time

    func exclusively<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await turns.begin()
        defer { turns.end() }
        if isEjected { throw PlainFolderError(.ejected) }
        warnings = []
        return try await body()
    }

    // MARK: What is there

    var now: Date { Date(timeIntervalSince1970: time.wallClock.rounded(.down)) }

    /// Lists the folder, reads what is new in it, and remembers that.
    /// - Returns: What the user is to be told of the books.
    @discardableResult
    func refresh(progress: @escaping DriverProgress = { _ in }) async throws -> [String] {
        // Before the listing: what another driver puts there later is in neither, and not taken for gone.
        let remembered = try await store.entries()
        let scan = try await FolderScan.run(folder, on: provider, formats: formats)
        progress(0.1)
        let refresh = FolderRefresh(provider: provider, options: options, now: now)
        let outcome = try await refresh.run(scan, remembered: remembered) { progress(0.1 + 0.8 * $0) }
        if let error = outcome.error, error.isCancellation { throw error }
        let isRemembered = await remember(outcome.changes)
        if let error = outcome.error { throw error }
        var entries = Dictionary(outcome.entries.map { ($0.path, $0) }) { first, _ in first }
        if isRemembered, !outcome.changes.isEmpty {
            // What another driver has changed meanwhile is there, too.
            let merged = try await store.entries()
            for (path, entry) in entries where entry.problem == nil { entries[path] = merged[path] ?? entry }
        }
        self.entries = entries
        paths = Dictionary(scan.files.lazy.filter { entries[$0.key] != nil }.map { ($0.key, $0.path) }) { first, _ in
            first
        }
        progress(1)
        return outcome.warnings
    }

    /// Writes changes into the cache, also where the task was cancelled after they were made. That the storage will not
    /// have it is a warning, as the books themselves are there.
    /// - Returns: Whether they are there now.
    @discardableResult
    func remember(_ changes: [FolderChange]) async -> Bool {
        let store = store
        let failure: String? = await withCancellationShield {
            do {
                try await store.commit(changes)
                return nil
            } catch {
                return error.sentence
            }
        }
        if let failure { warnings.append("What is known of the books could not be remembered: \(failure)") }
        return failure == nil
    }

    func takeWarnings() async -> [String] {
        defer { warnings = [] }
        return warnings + (await store.takeWarnings())
    }

    /// The path of a book that was listed, proven to be a file that lies in folders.
    /// - Throws: ``PlainFolderError``; what the provider throws.
    func provenPath(of filename: String) async throws -> ProviderPath {
        guard let path = paths[filename] else { throw PlainFolderError(.notFound, filename) }
        guard let below = path.relative(to: folder) else { throw PlainFolderError(.replaced, filename) }
        // Where a folder on the way became a link since, the path leads out of the folder.
        let names = below.components
        var item = folder
        do {
            for (index, name) in names.enumerated() {
                item = try item.appending(nameBytes: name)
                let isLast = index + 1 == names.count
                let type = try await provider.attributesOfItem(path: item).type
                guard type == (isLast ? .regular : .directory) else { throw PlainFolderError(.replaced, filename) }
            }
            return path
        } catch let error where error.isNoSuchFile {
            throw PlainFolderError(.notFound, filename)
        }
    }
}
