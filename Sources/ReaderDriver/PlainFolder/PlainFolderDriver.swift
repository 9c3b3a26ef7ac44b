public import FileProviderCore
public import Foundation
import ReaderMessages

/// The driver for applications without support for calibre: a folder on any storage is the library, and a cache file in
/// it keeps its books' metadata.
///
/// Operations run one at a time, in the order of the calls. Books are identified by their
/// ``/ReaderMessages/LibraryBook/filename``. Only names from a listing of the folder are accepted, so that no name
/// leads out of it. Links are neither listed nor followed.
public actor PlainFolderDriver {
    let provider: any FileProvider
    let folder: ProviderPath
    let options: PlainFolderOptions
    let formats: BookFormats
    let store: FolderCacheStore
    private let time: any TimeSource
    /// The existing books and their paths, as far as this driver knows.
    var entries: [String: FolderCacheEntry] = [:]
    var paths: [String: ProviderPath] = [:]
    /// The warnings about the cache.
    private var warnings: [String] = []
    private var isEjected = false
    private let turns = Turns()

    /// Creates a driver for the existing folder at `folder`. No request is made yet.
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

    /// Returns the books in the folder and below it.
    ///
    /// A book that can't be read is listed by its file name, with a warning. A cache that can't be written is also a
    /// warning.
    /// - Throws: Errors of the provider if the folder can't be listed or the storage fails repeatedly. Results up to
    ///   then are kept in the cache.
    /// - Complexity: For an unchanged folder: its listings, and one or a few requests for the cache.
    public func books(progress: @escaping DriverProgress = { _ in }) async throws -> PlainFolderListing {
        try await exclusively {
            let found = try await refresh(progress: progress)
            let books = entries.values.sorted { $0.path < $1.path }.map(\.book)
            return PlainFolderListing(books: books, warnings: found + (await takeWarnings()))
        }
    }

    /// Returns the cover of a book as of the last listing, or `nil` if it has none, it is larger than the options
    /// allow, or the book is unknown.
    public func cover(of filename: String) -> Data? { entries[filename]?.thumbnail }

    /// Reads a book into `sink`.
    /// - Throws: ``PlainFolderError``; errors of the provider and the sink.
    public func read(_ filename: String, into sink: any ByteSink) async throws {
        try await exclusively {
            if paths[filename] == nil { try await refresh() }
            let path = try await provenPath(of: filename)
            try await FileCopy(path, of: provider).read(into: sink)
        }
    }

    /// Reads a book into a local file, which appears once it is complete.
    /// - Throws: ``PlainFolderError``; errors of the provider and the disk.
    public func read(_ filename: String, to url: URL, overwrite: Bool = false) async throws {
        try await exclusively {
            if paths[filename] == nil { try await refresh() }
            let path = try await provenPath(of: filename)
            try await provider.copyItem(path: path, toLocalURL: url, overwrite: overwrite)
        }
    }

    /// Returns capacity and free space, or `nil` if the storage doesn't report them.
    public func space() async throws -> VolumeObject? {
        try await exclusively { try await provider.storageProperties() }
    }

    /// Waits for the current operation and refuses new ones. May be called again.
    public func eject() async {
        isEjected = true
        // A cancelled caller doesn't wait; new operations are refused anyway.
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

    // MARK: Refreshing

    var now: Date { Date(timeIntervalSince1970: time.wallClock.rounded(.down)) }

    /// Lists the folder, reads new books, and updates the cache.
    /// - Returns: The warnings about the books.
    @discardableResult
    func refresh(progress: @escaping DriverProgress = { _ in }) async throws -> [String] {
        // Reads the cache before the listing, so that a file which another driver adds later is in neither and not
        // taken for gone.
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
            // Includes the changes that another driver made meanwhile.
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

    /// Writes changes to the cache, even if the task was cancelled after they were made. A failure is a warning, since
    /// the books themselves are fine.
    /// - Returns: Whether they were written.
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
        if let failure { warnings.append("The cache of the books could not be written: \(failure)") }
        return failure == nil
    }

    func takeWarnings() async -> [String] {
        defer { warnings = [] }
        return warnings + (await store.takeWarnings())
    }

    /// Returns the path of a listed book after checking that it is a file and that only folders are above it.
    /// - Throws: ``PlainFolderError``; errors of the provider.
    func provenPath(of filename: String) async throws -> ProviderPath {
        guard let path = paths[filename] else { throw PlainFolderError(.notFound, filename) }
        guard let below = path.relative(to: folder) else { throw PlainFolderError(.replaced, filename) }
        // If a folder above it has become a link, the path leads out of the folder.
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
