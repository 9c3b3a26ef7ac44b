import FileProviderCore
import Foundation

/// The cache file in the folder, which other drivers may also write.
///
/// It is fetched when it has changed, and written only if it is still the version that was read; else the changes are
/// applied to the new version. On a storage without conditional writes, another driver's changes can get lost between
/// the check and the write. Books are never lost, and the next listing reads them again.
actor FolderCacheStore {
    /// The identity of a version of the file.
    private struct Version: Equatable {
        var size: Int64
        var modified: Date?
        var entryTag: String?
        /// The digest of the file's ends if there is no tag: times are too coarse to be relied on alone.
        var digest: String?

        /// A folder or a link.
        static let noFile = Version(size: -1)
    }

    private struct HeldFolder {
        /// The version, or `nil` if there is no file.
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

    /// Returns the entries by path.
    ///
    /// - Complexity: One request if nothing changed and the storage has tags; else two or three.
    func entries() async throws -> [String: FolderCacheEntry] { try await current().entries }

    /// Returns the warnings since the last call.
    func takeWarnings() -> [String] {
        defer { warnings = [] }
        return warnings
    }

    /// Applies the changes to the current file and writes it, unless nothing differs.
    func commit(_ changes: [FolderChange]) async throws {
        if changes.isEmpty { return }
        for _ in 0..<max(1, options.cacheTries) {
            let base = try await current()
            var entries = base.entries
            for change in changes { change.apply(to: &entries) }
            if entries == base.entries { return }
            // The counter comes from an untrusted file.
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
                    try await setAside(as: "bad", because: "It is not a file.")
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

    /// Returns the contents of that version of the file, or `nil` if the file is unusable and was set aside, or has
    /// changed.
    private func fetch(_ version: Version) async throws -> HeldFolder? {
        do {
            let contents = try await load()
            // Another driver may have replaced the file in between.
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

    /// Keeps one file of each kind, so that a storage that keeps damaging the cache doesn't fill up.
    private func setAside(as suffix: String, because reason: String) async throws {
        let name = "\(path.name).\(suffix)"
        let target = try (path.parent ?? .root).appending(name)
        do {
            try await provider.moveItem(path: path, to: target, overwrite: true)
            warnings.append(
                "The cache of the books is rebuilt; the old one is kept as “\(name)”. \(reason)")
        } catch let error where error.isNoSuchFile {
            // Another driver has already moved it.
        }
        held = nil
    }

    // MARK: Writing

    /// Writes `new`.
    ///
    /// - Returns: False if the existing file is no longer `version`.
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
            // A weak tag, as of a file written within the last second, never meets the condition.
            guard write.ifMatch != nil else { throw error }
            write.ifMatch = nil
            written = try await provider.copyItem(localFile: file, to: path, options: write)
        }
        await remember(new, written: written, from: file)
        return true
    }

    /// Saves the next listing a fetch if the current version is certainly the one just written.
    private func remember(_ new: HeldFolder, written: FileObject, from file: URL) async {
        held = nil
        // If the look fails, the file is fetched when needed.
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
    /// Whether the cache file changed while it was read.
    fileprivate var isOfAChange: Bool {
        guard let error = self as? CocoaError else { return false }
        let isStale = error.code == .fileReadUnknown && (error.underlying as? POSIXError)?.code == .ESTALE
        // The file ended early; problems in a cache itself have other errors.
        return isStale || error.code == .fileReadCorruptFile
    }
}
