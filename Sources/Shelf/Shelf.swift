import FileProviderCore
public import Foundation
import Logging
import SQLiteStorage

/// A catalogue of the books in folder trees on any storage, which reads the books where they are.
///
/// The shelf's own folder is on this machine. It contains `shelf.sqlite`, the covers in `covers`, and a lock: one process
/// at a time has a shelf open. Books are never copied; what is known about them is read by ranges, in two or three
/// requests for most formats.
///
/// A book is the same book after its file was moved or changed: its ``ShelfBook/id`` stays. If a copy of the file was seen
/// before the file left, the copy has another number; ``book(_:)`` finds it by both.
public actor Shelf {
    let database: ShelfDatabase
    let folder: CoverFolder
    let options: ShelfOptions
    let sources: [OpenedSource]
    private let lock: FolderLock
    /// Admits this many listings of whole sources at once. Listings of parts, after events, don't wait for them.
    let listings = Turns(8)
    /// Why a source can't be read at the moment, by its number.
    private var interruptions: [Int64: String] = [:]
    /// The numbers of books that stay although a listing lacks them, as last reported.
    private var withheld: [Int64: Int] = [:]
    /// The folders that couldn't be listed, as last reported, with the sentences.
    private var unlisted: [Int64: [ProviderPath: String]] = [:]
    /// The sources that were listed in full since the shelf was opened.
    private var seen: Set<Int64> = []
    /// Covers that are being made, by the numbers of their books.
    var making: [Int64: Task<CoverPictures?, any Error>] = [:]
    /// When the covers are tried again that could not be read, by the numbers of their books.
    var coverDelays: [Int64: CoverDelay] = [:]
    /// Admit as many files of a source as are read at once, by its number.
    private var readAdmission: [Int64: Turns] = [:]

    /// Opens the shelf in the local folder `folder`, which is created if it is missing.
    ///
    /// Nothing is listed or read yet: see ``scan(confirmingRemovals:progress:)`` and ``follow()``. Books of sources that
    /// are no longer given stay until all given sources were listed in full.
    ///
    /// - Throws: `CocoaError(.fileWriteUnknown)` with the underlying error `EWOULDBLOCK` if another process has the
    ///   shelf open; `CocoaError(.fileWriteInvalidFileName)` for a folder that is in one of the sources;
    ///   `CocoaError(.fileReadInvalidFileName)` for two sources with one location, even of different users;
    ///   `CocoaError(.fileReadCorruptFile)` for a damaged database; `CocoaError(.fileReadUnknown)` for one of a newer
    ///   version or of another program; errors of the disk. Each has a sentence.
    /// - Complexity: Reads the database once, and the names of the covers.
    public static func open(folder: URL, sources: [ShelfSource], options: ShelfOptions = ShelfOptions()) async throws
        -> Shelf
    {
        try await open(folder: folder, sources: sources, options: options) { _ in }
    }

    /// Opens the shelf as ``open(folder:sources:options:)`` does, unless `check` throws.
    ///
    /// - Parameter check: Called with the sources that the shelf has already, before others are added.
    package static func open(
        folder: URL, sources: [ShelfSource], options: ShelfOptions, check: @Sendable ([SourceState]) throws -> Void
    ) async throws -> Shelf {
        let lock = try await BlockingThreads.shared.run {
            try Shelf.check(folder, sources)
            try MissingFolder.create(folder, isPrivate: false)
            return try FolderLock(folder: folder, name: "shelf.lock", noun: "shelf")
        }
        let covers = try await CoverFolder.open(in: folder)
        let database = try await ShelfDatabase.open(
            folder.appendingPathComponent("shelf.sqlite"), now: options.now)
        do {
            let known = try await database.sources()
            try check(known)
            var opened: [OpenedSource] = []
            for source in sources {
                let id = try await database.sourceID(location: source.location, name: source.name)
                opened.append(OpenedSource(id: id, source: source))
            }
            return Shelf(database: database, folder: covers, options: options, sources: opened, lock: lock)
        } catch {
            // The first error is the one to know.
            try? await database.close()
            throw error
        }
    }

    private init(
        database: ShelfDatabase, folder: CoverFolder, options: ShelfOptions, sources: [OpenedSource], lock: FolderLock
    ) {
        self.database = database
        self.folder = folder
        self.options = options
        self.sources = sources
        self.lock = lock
    }

    /// Checks that a shelf in `folder` can have these sources. Blocks on the disk.
    ///
    /// - Throws: As ``open(folder:sources:options:)`` for a folder in one of the sources, and for two sources with one
    ///   location.
    package static func check(_ folder: URL, _ sources: [ShelfSource]) throws {
        try refuse(folder, in: sources)
        try checkLocations(of: sources)
    }

    /// A shelf in one of its sources would list itself.
    private static func refuse(_ folder: URL, in sources: [ShelfSource]) throws {
        guard let source = source(among: sources, thatContains: folder) else { return }
        throw FileError.make(
            .fileWriteInvalidFileName, path: folder.path,
            sentence:
                "The shelf's folder “\(folder.lastPathComponent)” must not be in \(source.location), or it would watch itself."
        )
    }

    /// Returns the source that contains a folder of this machine; `nil` if none does. Blocks on the disk.
    package static func source(among sources: [ShelfSource], thatContains folder: URL) -> ShelfSource? {
        let inner = folder.standardizedFileURL.resolvingSymlinksInPath().pathComponents
        return sources.first { source in
            let url = source.provider.url(of: source.root)
            return url.isFileURL && inner.starts(with: url.resolvingSymlinksInPath().pathComponents)
        }
    }

    /// The sources with which the shelf was opened.
    package nonisolated var givenSources: [ShelfSource] { sources.map(\.source) }

    /// The database tells sources apart by their locations, which contain no users.
    private static func checkLocations(of sources: [ShelfSource]) throws {
        var locations: Set<String> = []
        for location in sources.map(\.location) where !locations.insert(location).inserted {
            throw FileError.make(
                .fileReadInvalidFileName, path: location,
                sentence: "Two sources of the shelf have the location \(location); give each user's its own shelf.")
        }
    }

    /// Closes the shelf; later calls fail. Cancel scans and ``follow()`` before.
    ///
    /// - Throws: Errors of the disk; the folder stays locked then.
    public func close() async throws {
        for task in making.values { task.cancel() }
        for task in making.values { _ = await task.result }
        try await database.close()
        lock.release()
    }

    /// Returns the states of the sources, in their order.
    public func state() async throws -> [SourceState] {
        let known = Dictionary(uniqueKeysWithValues: try await database.sources().map { ($0.id, $0) })
        return sources.compactMap { source in
            var state = known[source.id]
            state?.interruption = interruptions[source.id]
            state?.unlisted = unlisted[source.id]?.count ?? 0
            return state
        }
    }
}

// MARK: Turns

extension Shelf {
    /// Returns what admits scans and the makers of covers to the files of a source, in one queue.
    ///
    /// - Throws: Errors of the storage, which is asked once what it can bear.
    func readTurns(of source: OpenedSource) async throws -> Turns {
        if let turns = readAdmission[source.id] { return turns }
        let count = try await concurrentReads(of: source)
        // Another caller may have been faster.
        let turns = readAdmission[source.id] ?? Turns(count)
        readAdmission[source.id] = turns
        return turns
    }
}

/// A source with its number in the database.
struct OpenedSource: Sendable {
    let id: Int64
    let source: ShelfSource
    /// Admits one look at a time.
    let turns = Turns()
}

// MARK: Reports

extension Shelf {
    /// Reports why a source can't be read, unless that is known.
    func interrupt(_ source: OpenedSource, _ error: any Error) {
        let sentence = error.shownSentence
        if interruptions.updateValue(sentence, forKey: source.id) == sentence { return }
        options.logger?.warning(
            "interrupted",
            metadata: ["source": "\(source.source.location)", "reason": "\(Secrets.removed(from: sentence))"])
        options.report(.interrupted(location: source.source.location, sentence: sentence))
    }

    /// Reports that a source can be read again, if it could not before.
    func resume(_ source: OpenedSource) {
        guard interruptions.removeValue(forKey: source.id) != nil else { return }
        options.report(.resumed(location: source.source.location))
    }

    /// Reports the folders that could not be listed, but not the same twice.
    ///
    /// - Parameter scope: What was looked at. Folders in it that are not among `items` can be listed again.
    func note(_ items: [UnlistedItem], of source: OpenedSource, in scope: ComparisonScope) {
        let known = unlisted[source.id] ?? [:]
        var now: [ProviderPath: String] = [:]
        if case .below(let listed) = scope {
            now = known.filter { path, _ in !listed.contains { path.relative(to: $0) != nil } }
        }
        for item in items {
            now[item.path] = item.sentence
            if known[item.path] != item.sentence {
                options.report(.postponed(path: item.path, sentence: item.sentence))
            }
        }
        unlisted[source.id] = now
    }

    /// Reports the books that stay although a listing lacks them, if their number changed.
    func note(withheld count: Int, of source: OpenedSource) {
        if withheld.updateValue(count, forKey: source.id) ?? 0 == count || count == 0 { return }
        options.report(.withheld(location: source.source.location, count: count))
    }

    /// Records that a source was listed in full. After the last one, removes the sources that are no longer given.
    func sawAll(of source: OpenedSource) async throws {
        guard seen.insert(source.id).inserted, seen.count == sources.count else { return }
        let ids = sources.map(\.id)
        let isRemoved = try await database.own { try await $0.removeSources(besides: ids) }
        if !isRemoved { return }
        do { try await removeStrayCovers() } catch {
            // Covers that stay are swept later.
            let reason = Secrets.removed(from: error.shownSentence)
            options.logger?.warning("covers not removed", metadata: ["reason": "\(reason)"])
        }
    }
}
