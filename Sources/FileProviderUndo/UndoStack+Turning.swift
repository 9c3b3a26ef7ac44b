import FileProviderCore
import Foundation

/// Taking changes back and carrying them out again, which is the same: what is at a path and what the trash keeps of it
/// change places.
extension UndoStack {
    /// Turns a change over.
    ///
    /// - Returns: The change as it leads back.
    func turned(_ change: UndoChange, _ direction: UndoDirection, force: Bool) async throws -> UndoChange {
        var turned = change
        switch change.effect {
        case .moved(let from, let to):
            let (location, destination) = direction == .undo ? (to, from) : (from, to)
            guard force, let item = try await provider.itemIfAny(at: destination) else {
                try await provider.moveItem(path: location, to: destination, overwrite: false)
                break
            }
            // What is in the way belongs to no step; it can be restored from the trash.
            let inTheWay = try await exchange(item) {
                try await provider.moveItem(path: location, to: destination, overwrite: $0)
            } stranded: { _ in
            }
            trash.settle(inTheWay.kept)
        case .content(let path, let kept):
            turned.effect = .content(at: path, kept: try await swap(path, kept, change, direction, force: force))
            // With nothing kept before, nothing came to the path.
            turned.expected = kept == nil ? .nothing : await expectation(at: path)
        }
        return turned
    }

    /// Tells the next change at the path where `turned` has put something how that looks now: its tag or time may be
    /// another.
    func tellNext(after turned: UndoChange, direction: UndoDirection) async {
        let location: ProviderPath
        let expected: UndoChange.Expectation
        var isRestored = true
        switch turned.effect {
        case .content(let path, _): (location, expected) = (path, turned.expected)
        case .moved(let from, let to):
            location = direction == .undo ? from : to
            expected = await expectation(at: location)
            isRestored = false
        }
        guard case .item(let trace) = expected else { return }
        history.update { [isRestored] in $0.expect(trace, at: location, direction, isRestored: isRestored) }
    }

    /// Lets what is at `path` and what is `kept` change places.
    ///
    /// - Returns: Where in the trash that lies which was at `path`; nil when nothing was.
    private func swap(
        _ path: ProviderPath, _ kept: ProviderPath?, _ change: UndoChange, _ direction: UndoDirection, force: Bool
    ) async throws -> ProviderPath? {
        let item = try await provider.itemIfAny(at: path)
        if !force { try await check(item, at: path, change.expected, direction) }
        guard let kept else { return if let item { try await trash.put(item) } else { nil } }
        do {
            guard let item else {
                try await trash.takeOut(kept, to: path)
                return nil
            }
            return try await exchange(item) {
                try await trash.takeOut(kept, to: path, overwrite: $0)
            } stranded: { stranded in
                // Half of it is done, and each half leads on from here.
                let half = UndoChange(operation: change.operation, effect: .content(at: path, kept: stranded))
                let rest = UndoChange(operation: change.operation, effect: .content(at: path, kept: kept))
                history.update { $0.split(direction, done: half, rest: rest) }
            }.kept
        } catch let error where error.isNoSuchFile {
            guard try await provider.itemIfAny(at: kept) == nil else { throw error }
            history.update { $0.forget { $0 == kept } }
            throw FileError.make(
                .fileNoSuchFile, path: path, url: provider.url(of: path),
                sentence: "What was at “\(path)” is no longer in the trash and cannot be brought back.",
                underlying: error)
        }
    }

    /// Sees that nobody else has been at `path`.
    private func check(
        _ item: FileObject?, at path: ProviderPath, _ expected: UndoChange.Expectation, _ direction: UndoDirection
    ) async throws {
        switch (expected, item) {
        case (.anything, _), (.nothing, nil): return
        case (.nothing, _?):
            throw FileError.make(
                .fileWriteFileExists, path: path, url: provider.url(of: path),
                sentence: "“\(path)” is taken by something else; what is to come back there stays in the trash.")
        case (.item, nil):
            throw FileError.make(.fileNoSuchFile, path: path, url: provider.url(of: path))
        case (.item(let trace), let item?):
            let now = try await self.trace(of: item)
            if trace.matches(now) { return }
            if trace.isEmptyFolder, item.isDirectory {
                throw FileError.make(errno: ENOTEMPTY, path: path, url: provider.url(of: path), writing: true)
            }
            throw FileError.make(
                .fileWriteUnknown, path: path, url: provider.url(of: path),
                sentence: "“\(path)” was changed by somebody else meanwhile, so it was not \(direction.verb).")
        }
    }

    // MARK: Replacing

    /// Puts `item` into the trash and lets `body` put something else in its place.
    ///
    /// - Parameters:
    ///   - copies: Whether the item stays until it is replaced; nil where the storage is to decide.
    ///   - body: Gets whether it is to overwrite: whether the item is still there.
    ///   - stranded: Called when `body` has failed and the item is, or may be, in the trash alone.
    /// - Returns: Where the item lies, which the caller has to settle once its step is recorded, and what `body` has
    ///   returned.
    func exchange<Value>(
        _ item: FileObject, copies: Bool? = nil, _ body: (_ overwrite: Bool) async throws -> Value,
        stranded: (_ kept: ProviderPath) -> Void
    ) async throws -> (kept: ProviderPath, value: Value) {
        let isCopyable = item.isRegularFile || item.isSymbolicLink
        let copiesByItself = try await provider.capabilities()[.serverSideCopying] == .native
        if isCopyable, copies ?? copiesByItself {
            let before = try await trace(of: item)
            let kept = try await trash.putCopy(of: item)
            do { return (kept, try await body(true)) } catch {
                defer { trash.settle(kept) }
                if await !isInPlace(before, at: item.path, copiedTo: kept) { stranded(kept) }
                throw error
            }
        }
        let kept = try await trash.put(item)
        do { return (kept, try await body(false)) } catch {
            defer { trash.settle(kept) }
            // Not to be cancelled: the item has to come back.
            do { try await withCancellationShield { [trash] in try await trash.takeOut(kept, to: item.path) } } catch {
                stranded(kept)
            }
            throw error
        }
    }

    /// Whether a file is still there after an operation that was to replace it has failed; its copy is then not needed.
    private func isInPlace(_ before: ItemTrace, at path: ProviderPath, copiedTo kept: ProviderPath) async -> Bool {
        guard case .item(let now) = await expectation(at: path), before.matches(now) else { return false }
        // Size and time alone may be those of a new file whose answer was lost, and a copy that stays is swept when its
        // time comes.
        if before.tag != nil, now.tag != nil {
            _ = try? await withCancellationShield { [trash] in try await trash.discard(kept) }
        }
        return true
    }

    // MARK: Looking

    /// What is at `path` now and should be there later; asked even when the task is cancelled, since it is about what
    /// was done.
    func expectation(at path: ProviderPath) async -> UndoChange.Expectation {
        let look = Task { () -> UndoChange.Expectation in
            guard let item = try await self.provider.itemIfAny(at: path) else { return .nothing }
            return .item(try await self.trace(of: item))
        }
        // A storage that does not tell leaves nothing to compare with later.
        return (try? await look.value) ?? .anything
    }

    private func trace(of item: FileObject) async throws -> ItemTrace {
        let isEmptyFolder = item.isDirectory ? try await provider.isEmptyFolder(item.path) : false
        return ItemTrace(item, isEmptyFolder: isEmptyFolder)
    }
}

extension FileProviderBasic {
    /// What is known about the item at `path`; nil when nothing is there, also for want of a folder.
    func itemIfAny(at path: ProviderPath) async throws -> FileObject? {
        do { return try await attributesOfItem(path: path) } catch {
            let isBelowFile = ((error as? CocoaError)?.underlying as? POSIXError)?.code == .ENOTDIR
            if error.isNoSuchFile || isBelowFile { return nil }
            throw error
        }
    }

    /// Whether the folder at `path` holds nothing; ends the listing with the first item.
    func isEmptyFolder(_ path: ProviderPath) async throws -> Bool {
        let isEmpty = LockedValue(true)
        do {
            try await contentsOfDirectory(path: path) { page in
                if page.isEmpty { return }
                isEmpty.update { $0 = false }
                throw CancellationError()
            }
        } catch {
            // Of a folder that is not empty the listing was ended here.
            if isEmpty.value { throw error }
        }
        return isEmpty.value
    }
}
