import FileProviderCore
import Foundation

/// Undoing and redoing changes, which is the same: the item at a path and its counterpart in the trash are exchanged.
extension UndoStack {
    /// Reverses a change.
    ///
    /// - Returns: The change that leads back.
    func turned(_ change: UndoChange, _ direction: UndoDirection, force: Bool) async throws -> UndoChange {
        var turned = change
        switch change.effect {
        case .moved(let from, let to):
            let (location, destination) = direction == .undo ? (to, from) : (from, to)
            guard force, let item = try await provider.itemIfAny(at: destination) else {
                try await provider.moveItem(path: location, to: destination, overwrite: false)
                break
            }
            // The item in the way belongs to no step; it can be restored from the trash.
            let inTheWay = try await exchange(item) {
                try await provider.moveItem(path: location, to: destination, overwrite: $0)
            } stranded: { _ in
            }
            trash.settle(inTheWay.kept)
        case .content(let path, let kept):
            turned.effect = .content(at: path, kept: try await swap(path, kept, change, direction, force: force))
            // If no item was kept before, none was put at the path.
            turned.expected = kept == nil ? .nothing : await expectation(at: path)
        }
        return turned
    }

    /// Records in the next change at the path of `turned` how the item there looks now: its tag or time may differ.
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

    /// Exchanges the item at `path` with the one at `kept`.
    ///
    /// - Returns: The trash path of the item that was at `path`; nil if there was none.
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
                // One half is done, and either half can continue from here.
                let half = UndoChange(operation: change.operation, effect: .content(at: path, kept: stranded))
                let rest = UndoChange(operation: change.operation, effect: .content(at: path, kept: kept))
                history.update { $0.split(direction, done: half, rest: rest) }
            }.kept
        } catch let error where error.isNoSuchFile {
            guard try await provider.itemIfAny(at: kept) == nil else { throw error }
            history.update { $0.forget { $0 == kept } }
            throw FileError.make(
                .fileNoSuchFile, path: path, url: provider.url(of: path),
                sentence: "The item that was at “\(path)” is no longer in the trash and cannot be restored.",
                underlying: error)
        }
    }

    /// Checks that no other process has changed the item at `path`.
    private func check(
        _ item: FileObject?, at path: ProviderPath, _ expected: UndoChange.Expectation, _ direction: UndoDirection
    ) async throws {
        switch (expected, item) {
        case (.anything, _), (.nothing, nil): return
        case (.nothing, _?):
            throw FileError.make(
                .fileWriteFileExists, path: path, url: provider.url(of: path),
                sentence: "“\(path)” is taken by another item; the item to restore stays in the trash.")
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
                sentence: "“\(path)” has changed since that step, so it was not \(direction.verb).")
        }
    }

    // MARK: Replacing

    /// Puts `item` into the trash and lets `body` put another in its place.
    ///
    /// - Parameters:
    ///   - copies: Whether the item stays until it is replaced; nil lets the storage decide.
    ///   - body: Its argument is whether to overwrite: whether the item still exists.
    ///   - stranded: Called if `body` failed and the item is, or may be, only in the trash.
    /// - Returns: The item's path in the trash, which the caller has to settle once its step is recorded, and the
    ///   result of `body`.
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
            // Must not be cancelled: the item has to be moved back.
            do { try await withCancellationShield { [trash] in try await trash.takeOut(kept, to: item.path) } } catch {
                stranded(kept)
            }
            throw error
        }
    }

    /// Whether a file still exists after an operation that was to replace it failed; its copy is then not needed.
    private func isInPlace(_ before: ItemTrace, at path: ProviderPath, copiedTo kept: ProviderPath) async -> Bool {
        guard case .item(let now) = await expectation(at: path), before.matches(now) else { return false }
        // Size and time alone may be those of a new file whose answer was lost. A copy that stays is swept later.
        if before.tag != nil, now.tag != nil {
            _ = try? await withCancellationShield { [trash] in try await trash.discard(kept) }
        }
        return true
    }

    // MARK: Looking

    /// Returns the item at `path`, to be expected there later. Asks even if the task is cancelled, since it records
    /// what was done.
    func expectation(at path: ProviderPath) async -> UndoChange.Expectation {
        let look = Task { () -> UndoChange.Expectation in
            guard let item = try await self.provider.itemIfAny(at: path) else { return .nothing }
            return .item(try await self.trace(of: item))
        }
        // If the storage does not answer, there is nothing to compare with later.
        return (try? await look.value) ?? .anything
    }

    private func trace(of item: FileObject) async throws -> ItemTrace {
        let isEmptyFolder = item.isDirectory ? try await provider.isEmptyFolder(item.path) : false
        return ItemTrace(item, isEmptyFolder: isEmptyFolder)
    }
}

extension FileProviderBasic {
    /// Returns the attributes of the item at `path`; nil if there is none, or its folder is missing.
    func itemIfAny(at path: ProviderPath) async throws -> FileObject? {
        do { return try await attributesOfItem(path: path) } catch {
            let isBelowFile = ((error as? CocoaError)?.underlying as? POSIXError)?.code == .ENOTDIR
            if error.isNoSuchFile || isBelowFile { return nil }
            throw error
        }
    }

    /// Whether the folder at `path` is empty; stops the listing at the first item.
    func isEmptyFolder(_ path: ProviderPath) async throws -> Bool {
        let isEmpty = LockedValue(true)
        do {
            try await contentsOfDirectory(path: path) { page in
                if page.isEmpty { return }
                isEmpty.update { $0 = false }
                throw CancellationError()
            }
        } catch {
            // The listing of a folder that is not empty was stopped here.
            if isEmpty.value { throw error }
        }
        return isEmpty.value
    }
}
