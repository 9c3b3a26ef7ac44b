import FileProviderCore
import Foundation

/// Copies one file or link from one side to the other.
struct SyncTransfer: Sendable {
    private let pass: SyncPass
    private let trash: SyncTrash
    private let throttle: Throttle?

    /// The size from which a stopped transfer is worth resuming, in bytes.
    private static let worthResuming: Int64 = 16 << 20

    init(_ pass: SyncPass, trash: SyncTrash, throttle: Throttle?) {
        self.pass = pass
        self.trash = trash
        self.throttle = throttle
    }

    /// Creates or replaces the item on the action's side.
    ///
    /// - Returns: The item that is there now, and the SHA-256 of a file whose bytes passed in order.
    func run(_ action: SyncAction, _ difference: SyncDifference, progress: ProgressReporter) async throws -> (
        SyncItem, hash: String?
    ) {
        guard let item = difference.item(on: action.side.other) else { throw ChangedMeanwhile(path: action.path) }
        do {
            guard let expected = difference.item(on: action.side) else {
                return try await create(item, action, difference.unkept, progress)
            }
            return try await replace(
                expected, with: item, action: action, unkept: difference.unkept, progress: progress)
        } catch let error as UnkeptWriteError { throw error } catch let error
            where error.isFileExists || error.isNoSuchFile
        {
            // The place has been taken, or the old item, the source or the folder is gone.
            throw ChangedMeanwhile(path: action.path)
        }
    }

    /// Checks that the item is still the version that the plan was made for.
    @discardableResult
    func check(_ path: ProviderPath, on side: SyncSide, is expected: SyncItem) async throws -> FileObject {
        try await pass.folders[side].check(path, is: expected, precision: pass.precision(of: side))
    }

    private func create(
        _ item: SyncItem, _ action: SyncAction, _ unkept: UnkeptWrite?, _ progress: ProgressReporter
    ) async throws -> (SyncItem, hash: String?) {
        let target = pass.folders[action.side]
        let path = target.path(of: action.path)
        if item.type == .symbolicLink { return try await (makeLink(item, at: path, action), nil) }
        if let copied = try await copy(item, action, to: path, progress) { return (copied, nil) }
        let (written, hash) = try await send(
            item, action, to: path, of: pass.arrivals[action.side],
            WriteOptions(modificationDate: item.date, resumption: resumption(item, action)), progress)
        return (try await settled(written, of: item, action, unkept), hash)
    }

    /// Lets the storage copy a new file itself if both sides are on one storage with that ability, else returns `nil`.
    /// If the size differs from the plan, the copy is a later version of the source.
    private func copy(_ item: SyncItem, _ action: SyncAction, to path: ProviderPath, _ progress: ProgressReporter)
        async throws -> SyncItem?
    {
        let (source, provider) = (pass.folders[action.side.other], pass.folders[action.side].provider)
        guard source.provider === provider, throttle == nil,
            pass.capabilities[action.side][.serverSideCopying] == .native
        else {
            return nil
        }
        try await pass.arrivals[action.side].copyItem(
            path: source.path(of: action.path), to: path, overwrite: false, progress: progress)
        let copied = SyncItem(try await provider.attributesOfItem(path: path))
        if let size = copied?.size, let planned = item.size, size != planned {
            // A file that someone else wrote there right after the copy is not the copy: the source never had that
            // size.
            let now = try await provider.attributesOfItem(path: source.path(of: action.path)).size ?? planned
            guard (min(planned, now)...max(planned, now)).contains(size) else {
                throw ChangedMeanwhile(path: action.path)
            }
            return copied
        }
        guard copied?.size == item.size else { throw ChangedMeanwhile(path: action.path) }
        guard let date = item.date, copied?.time != item.time, let storage = provider as? any FileProviderAttributes
        else { return copied }
        try await storage.setAttributes(path: path, permissions: nil, modificationDate: date)
        let dated = SyncItem(try await provider.attributesOfItem(path: path))
        guard dated?.size == item.size else { throw ChangedMeanwhile(path: action.path) }
        return dated
    }

    /// Replaces an item by way of a temporary name, so that only a rename happens between the last check of the old
    /// version and the new version.
    private func replace(
        _ expected: SyncItem, with item: SyncItem, action: SyncAction, unkept: UnkeptWrite?, progress: ProgressReporter
    ) async throws -> (SyncItem, hash: String?) {
        let target = pass.folders[action.side]
        let path = target.path(of: action.path)
        let keepsOld = pass.options.keepsReplaced || action.keepsOld
        let before = try await check(action.path, on: action.side, is: expected)
        if !keepsOld, item.type == .regular, let tag = expected.strongTag, expected.type == .regular,
            pass.capabilities[action.side][.conditionalWriting] == .native
        {
            let options = WriteOptions(
                overwrite: true, ifMatch: tag, modificationDate: item.date, resumption: resumption(item, action))
            do {
                let (written, hash) = try await send(item, action, to: path, of: target.provider, options, progress)
                return (try await settled(written, of: item, action, unkept), hash)
            } catch let error as UnkeptWriteError { throw error } catch let error as ChangedMeanwhile {
                throw error
            } catch let error
                where !error.concernsEveryItem && !error.isNoSuchFile
            {
                // The storage refuses to replace a different version, so check it again.
                try await check(action.path, on: action.side, is: expected)
                throw error
            }
        }
        let identity = resumption(item, action)
        // The name is the same in every run of this pair, so that a file left by a crash is overwritten.
        let staged =
            try identity.map { try TemporaryName.make(beside: path, for: $0) }
            ?? Self.stagedName(beside: path, token: pass.store.token)
        let (sent, hash): (SyncItem, String?)
        do {
            if item.type == .symbolicLink {
                (sent, hash) = (try await makeLink(item, at: staged, action), nil)
            } else {
                let options = WriteOptions(
                    overwrite: true, placement: identity == nil ? .inPlace : .published, modificationDate: item.date,
                    // Only users who may read the old version may read the new one, now and later.
                    permissions: before.isRegularFile ? before.permissions : nil, resumption: identity)
                let written: FileObject
                (written, hash) = try await send(item, action, to: staged, of: target.provider, options, progress)
                sent = try await staying(written, of: item, action, at: staged, isSuspect: unkept != nil)
            }
            if keepsOld {
                try await trash.put(action.path, on: action.side, expecting: expected)
            } else {
                try await check(action.path, on: action.side, is: expected)
            }
            try await target.provider.moveItem(path: staged, to: path, overwrite: !keepsOld)
        } catch {
            // A file that can't be removed keeps its recognizable temporary name.
            _ = try? await withCancellationShield {
                try await target.provider.removeItem(path: staged, recursive: false)
            }
            throw TemporaryName.error(error, under: staged, of: path)
        }
        // A file that someone else wrote right after the rename is not the one that was sent.
        guard let now = SyncItem(try await target.provider.attributesOfItem(path: path)),
            now.isMoved(from: sent, pass.capabilities[action.side])
        else { throw ChangedMeanwhile(path: action.path, isAfterWrite: true) }
        return (now, hash)
    }

    /// Returns a temporary name that is the same in every run of a pair, for files that later runs don't resume. They
    /// are swept after a day.
    private static func stagedName(beside path: ProviderPath, token: String) throws -> ProviderPath {
        let name = try TemporaryName.make(beside: path, for: token).name.dropLast(TemporaryName.suffix.count)
        return try (path.parent ?? .root).appending(name + "-w" + TemporaryName.suffix)
    }

    private func makeLink(_ item: SyncItem, at path: ProviderPath, _ action: SyncAction) async throws -> SyncItem {
        let provider = pass.folders[action.side].provider
        guard let storage = provider as? any FileProviderSymbolicLink, let text = item.tag else {
            throw FileError.unsupported("make symbolic links", by: provider.type, path: path)
        }
        try await storage.createSymbolicLink(path: path, text: text)
        // Some servers store a different path than they were given; it would come back as a change.
        let made = SyncItem(try await provider.attributesOfItem(path: path))
        guard let made, made.type == .symbolicLink, made.tag == text else {
            if made?.type == .symbolicLink { try await provider.removeItem(path: path) }
            throw FileError.unsupported(
                "make a symbolic link that leads to “\(text)”", by: provider.type, path: path)
        }
        return made
    }

    /// Returns what is known of a file just written to its place. Asks the storage if it reported too little, or did
    /// not keep the file before.
    ///
    /// - Throws: ``UnkeptWriteError`` if the file is missing or only its beginning is there; ``ChangedMeanwhile`` if
    ///   someone else may have written a different file since. One conflict copy of that is enough.
    private func settled(_ written: FileObject, of item: SyncItem, _ action: SyncAction, _ unkept: UnkeptWrite?)
        async throws -> SyncItem
    {
        let path = pass.folders[action.side].path(of: action.path)
        do { return try await staying(written, of: item, action, at: path, isSuspect: unkept != nil) } catch let error
            as UnkeptWriteError
        {
            guard let found = error.found, unkept?.hasCopy != true else { throw error }
            if try await pass.isRest(found, of: error.written, at: action.path, on: action.side) { throw error }
            throw ChangedMeanwhile(path: action.path, isAfterWrite: true)
        }
    }

    /// Returns what is known of a file just written to `path`.
    ///
    /// - Throws: ``UnkeptWriteError`` if something else is there, or nothing.
    private func staying(
        _ written: FileObject, of item: SyncItem, _ action: SyncAction, at path: ProviderPath, isSuspect: Bool
    ) async throws -> SyncItem {
        if !isSuspect, let item = SyncItem(written), item.type == .regular, item.size != nil,
            item.tag != nil || item.time != nil
        {
            return item
        }
        let size = written.size ?? item.size
        func unkept(_ found: SyncItem?) -> UnkeptWriteError {
            UnkeptWriteError(path: action.path, written: size, found: found.map { $0.size ?? -1 })
        }
        let folder = pass.folders[action.side]
        folder.forgetAnswers(below: path)
        let now: SyncItem?
        do { now = SyncItem(try await folder.provider.attributesOfItem(path: path)) } catch let error
            where error.isNoSuchFile
        {
            throw unkept(nil)
        }
        guard let now, now.type == .regular, size == nil || now.size == nil || now.size == size,
            written.entryTag == nil || now.tag == nil || now.tag == written.entryTag
        else { throw unkept(now) }
        return now
    }

    /// Returns the name of a file's version for a later resumption, or `nil` if resuming is not worthwhile.
    private func resumption(_ item: SyncItem, _ action: SyncAction) -> String? {
        guard let size = item.size, size >= Self.worthResuming, pass.capabilities[action.side].has(.resumingWrites)
        else { return nil }
        guard item.tag != nil || item.time != nil else { return nil }
        return "\(pass.store.token) \(size) \(item.time ?? 0) \(item.tag ?? "")"
    }

    private func send(
        _ item: SyncItem, _ action: SyncAction, to path: ProviderPath, of target: any FileProvider,
        _ options: WriteOptions,
        _ progress: ProgressReporter
    ) async throws -> (FileObject, hash: String?) {
        let source = pass.folders[action.side.other]
        try await throttle?.pass()
        let tap = SyncTap(throttle: throttle)
        let copy = FileCopy(
            source.path(of: action.path), of: source.provider, listed: source.listed(item, at: action.path),
            ignoresListedSize: pass.options.ignoresListedSizes, tap: tap)
        let outcome = try await copy.write(to: path, of: target, options: options, progress: progress)
        return (outcome.file, tap.hash.hexadecimal)
    }
}
