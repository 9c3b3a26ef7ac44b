import FileProviderCore
import Foundation

/// The cache's file in the folder, which other drivers may write, too.
///
/// It is fetched when it changed, and put back only while it is the version that was read; else the changes are made
/// again on what is there then. Where the storage has no conditional writes there is a moment between looking and
/// writing in which another driver's changes can get lost; a book never does, and is read again by the next listing.
actor FolderCacheStore {
    /// What tells one version of the file from another.
    private struct Version: Equatable {
        var size: Int64
        var modified: Date?
        var entryTag: String?
        /// Of the file's ends, where there is no tag: times are too coarse to be trusted alone.
        var digest: String?

        /// A folder, or a link to who knows where.
        static let noFile = Version(size: -1)
    }

    private struct HeldFolder {
        /// Nil where there is no file.
        var version: Version?
        var generation: Int64 = 0
        var entries: [String: FolderCacheEntry] = [:]
    }

    private let provider: any FileProvider
    private let path: ProviderPath
    private let cache: any FolderCache
    private let options: PlainFolderOptions
    private var held: HeldFolder?
    private var warnings: [String] = []

    init(provider: any FileProvider, path: ProviderPath, cache: any FolderCache, options: PlainFolderOptions) {
        self.provider = provider
        self.path = path
        self.cache = cache
        self.options = options
    }

    /// What is remembered, by path.
    ///
    /// - Complexity: One request while nothing changed, where the storage has tags; else two or three.
    func entries() async throws -> [String: FolderCacheEntry] { try await current().entries }

    /// What the user is to be told since this was asked last.
    func takeWarnings() -> [String] {
        defer { warnings = [] }
        return warnings
    }

    /// Makes the changes on what the file holds by now, and puts it in place; nothing is written where nothing differs.
    func commit(_ changes: [FolderChange]) async throws {
        if changes.isEmpty { return }
        for _ in 0..<max(1, options.cacheTries) {
            let base = try await current()
            var entries = base.entries
            for change in changes { change.apply(to: &entries) }
            if entries == base.entries { return }
            // The counter comes from a file that anybody may have written.
            let generation = base.generation < .max ? max(0, base.generation) + 1 : 1
            let new = HeldFolder(version: base.version, generation: generation, entries: entries)
            do {
                if try await replace(base.version, by: new) { return }
            } catch let error where error.isOfAChange { continue }
        }
        throw PlainFolderError(.cacheIsBusy, path.name)
    }

    // MARK: Reading

    private func current() async throws -> HeldFolder {
        for _ in 0..<max(1, options.cacheTries) {
            do {
                let version = try await look()
                if version == .noFile {
                    try await setAside(as: "bad", because: "It is no file.")
                    continue
                }
                if let held, held.version == version { return held }
                guard let version else {
                    held = HeldFolder()
                    return HeldFolder()
                }
                if let new = try await fetch(version) { return new }
            } catch let error where error.isNoSuchFile || error.isOfAChange { continue }
        }
        throw PlainFolderError(.cacheIsBusy, path.name)
    }

    /// What the file of that version holds; nil where it cannot be used, and is put aside, or is another one by now.
    private func fetch(_ version: Version) async throws -> HeldFolder? {
        do {
            let contents = try await load()
            // Another driver may have replaced the file between the two.
            guard try await look() == version else { return nil }
            let entries = contents.entries.map { ($0.path, $0) }
            let new = HeldFolder(
                version: version, generation: contents.generation, entries: Dictionary(entries) { first, _ in first })
            held = new
            return new
        } catch let failure as FolderCacheFailure {
            if try await look() == version { try await setAside(failure) }
        } catch let error where (error as? CocoaError)?.code == .fileReadTooLarge {
            if try await look() == version { try await setAside(as: "bad", because: error.sentence) }
        }
        return nil
    }

    private func look() async throws -> Version? {
        do {
            let item = try await provider.attributesOfItem(path: path)
            guard item.isRegularFile else { return .noFile }
            if let tag = item.entryTag, let size = item.size {
                return Version(size: size, modified: item.modifiedDate, entryTag: tag)
            }
            let ends = try await FileEnds.digest(of: path, on: provider)
            return Version(size: ends.size, modified: item.modifiedDate, digest: ends.digest)
        } catch let error where error.isNoSuchFile {
            return nil
        }
    }

    private func load() async throws -> FolderCacheContents {
        let scratch = try await ScratchFolder()
        do {
            let file = scratch.file("cache")
            try await provider.fetch(path, to: file, limit: options.maxCacheSize)
            let contents = try await cache.load(from: file)
            await scratch.remove()
            return contents
        } catch {
            await scratch.remove()
            throw error
        }
    }

    // MARK: Keeping a bad one

    private func setAside(_ failure: FolderCacheFailure) async throws {
        switch failure.kind {
        case .damaged: try await setAside(as: "bad", because: failure.sentence)
        case .newer(let version): try await setAside(as: "v\(version)", because: failure.sentence)
        }
    }

    /// One of each kind is kept, so that a storage that keeps damaging it does not fill.
    private func setAside(as suffix: String, because reason: String) async throws {
        let name = "\(path.name).\(suffix)"
        let target = try (path.parent ?? .root).appending(name)
        do {
            try await provider.moveItem(path: path, to: target, overwrite: true)
            warnings.append(
                "What was remembered of the books is collected anew; the old is kept as “\(name)”. \(reason)")
        } catch let error where error.isNoSuchFile {
            // Another driver was faster.
        }
        held = nil
    }

    // MARK: Writing

    /// Puts `new` in place.
    ///
    /// - Returns: False where the file there is not `version` any more.
    private func replace(_ version: Version?, by new: HeldFolder) async throws -> Bool {
        let scratch = try await ScratchFolder()
        do {
            let file = scratch.file("cache")
            let entries = new.entries.values.sorted { $0.path < $1.path }
            try await cache.save(FolderCacheContents(generation: new.generation, entries: entries), to: file)
            let isWritten = try await write(file, over: version, new)
            await scratch.remove()
            return isWritten
        } catch {
            await scratch.remove()
            throw error
        }
    }

    private func write(_ file: URL, over version: Version?, _ new: HeldFolder) async throws -> Bool {
        guard try await look() == version else { return false }
        var write = WriteOptions(overwrite: version != nil)
        if let tag = version?.entryTag, try await provider.capabilities().has(.conditionalWriting) {
            write.ifMatch = tag
        }
        let written: FileObject
        do { written = try await provider.copyItem(localFile: file, to: path, options: write) } catch {
            let isRefused = error.isFileExists || (error as? CocoaError)?.code == .fileWriteUnknown
            guard isRefused else { throw error }
            if try await look() != version { return false }
            // A tag that is weak, as of a file written within the second, never meets the condition.
            guard write.ifMatch != nil else { throw error }
            write.ifMatch = nil
            written = try await provider.copyItem(localFile: file, to: path, options: write)
        }
        await remember(new, written: written, from: file)
        return true
    }

    /// Spares the next listing the fetching, where it is certain that the version there is the one just written.
    private func remember(_ new: HeldFolder, written: FileObject, from file: URL) async {
        held = nil
        // What cannot be looked at now is fetched when it is needed.
        guard let version = try? await look() else { return }
        if let tag = version.entryTag {
            guard tag == written.entryTag else { return }
        } else {
            guard let ends = try? await FileEnds.digest(ofLocalFile: file), ends == version.digest else { return }
        }
        held = HeldFolder(version: version, generation: new.generation, entries: new.entries)
    }
}

extension Error {
    /// Whether the cache's file became another while it was read.
    fileprivate var isOfAChange: Bool {
        guard let error = self as? CocoaError else { return false }
        let isStale = error.code == .fileReadUnknown && (error.underlying as? POSIXError)?.code == .ESTALE
        // It ended early: what a cache itself has wrong is told otherwise.
        return isStale || error.code == .fileReadCorruptFile
    }
}
