import FileProviderCore
import Foundation

/// Brings one file or link from one side to the other.
struct SyncTransfer: Sendable {
    private let pass: SyncPass
    private let trash: SyncTrash
    private let throttle: Throttle?

    /// Bytes from which on a transfer that stopped is worth going on with.
    private static let worthResuming: Int64 = 16 << 20

    init(_ pass: SyncPass, trash: SyncTrash, throttle: Throttle?) {
        self.pass = pass
        self.trash = trash
        self.throttle = throttle
    }

    /// Makes or replaces the item on the action's side.
    ///
    /// - Returns: What is there now, and the SHA-256 of a file whose bytes passed in order.
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
            // Something came to the place, or what was there, the source or the folder, is gone.
            throw ChangedMeanwhile(path: action.path)
        }
    }

    /// Looks whether the item is still the version that the plan was made for.
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

    /// Has the storage copy a new file by itself, where both sides are one storage that can; nil where not. Where the
    /// size is another than planned, it is a later version of the source.
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
            // What somebody else has written there right after the copy is none: the source has not had that size on
            // its way.
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

    /// Under a temporary name first: between the last look at what is there and the new version lies a rename and
    /// nothing else.
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
                // The storage refuses to replace another version: so it is looked at again.
                try await check(action.path, on: action.side, is: expected)
                throw error
            }
        }
        let identity = resumption(item, action)
        // The same name in every run of this pair: what a crash left is written over.
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
                    // Nobody reads it meanwhile, or afterwards, who may not read what it replaces.
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
            // What cannot be removed stays under a name that tells.
            _ = try? await withCancellationShield {
                try await target.provider.removeItem(path: staged, recursive: false)
            }
            throw TemporaryName.error(error, under: staged, of: path)
        }
        // What somebody else has written right after the rename is not what was sent.
        guard let now = SyncItem(try await target.provider.attributesOfItem(path: path)),
            now.isMoved(from: sent, pass.capabilities[action.side])
        else { throw ChangedMeanwhile(path: action.path, isAfterWrite: true) }
        return (now, hash)
    }

    /// A name that is the same in every run of a pair, for what no later run goes on with: it is swept after a day.
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
        // Some servers store another path than the one that they were given; it would come back as a change.
        let made = SyncItem(try await provider.attributesOfItem(path: path))
        guard let made, made.type == .symbolicLink, made.tag == text else {
            if made?.type == .symbolicLink { try await provider.removeItem(path: path) }
            throw FileError.unsupported(
                "make a symbolic link that leads to “\(text)”", by: provider.type, path: path)
        }
        return made
    }

    /// What is known of a file just written to its place; storages that told too little, or did not keep it before, are
    /// asked.
    ///
    /// - Throws: ``UnkeptWriteError`` if it is not there, or only its beginning; ``ChangedMeanwhile`` for what somebody
    ///   else may have written there since. Of that, one conflict copy is enough.
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

    /// What is known of a file just written to `path`.
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

    /// What names a version of a file for a later try; nil where that is not worth it.
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
