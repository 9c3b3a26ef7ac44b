import FileProviderCore
import Foundation

/// Carrying out operations so that they can be undone.
extension UndoStack {
    /// Carries out an operation that creates or replaces the item at `destination`, and records it.
    ///
    /// A replaced item goes to the trash first: as a copy if the storage copies by itself, so that the name is never
    /// free and the provider replaces in one step. Otherwise it is moved there, and moved back if the operation fails.
    ///
    /// - Parameters:
    ///   - source: The item that is moved or copied.
    ///   - replacing: Whether an item at `destination` may be replaced.
    ///   - ifMatch: The only version that may be replaced. Only the provider can verify it, so that version stays in
    ///     its place.
    ///   - body: The provider's operation; its argument is whether to overwrite.
    func put<Value>(
        _ operation: FileOperationType, at destination: ProviderPath, from source: ProviderPath? = nil,
        isMove: Bool = false,
        replacing: Bool, ifMatch: String? = nil, _ body: (_ overwrite: Bool) async throws -> Value
    ) async throws -> Value {
        try await claims.holding([destination] + (source.map { [$0] } ?? [])) {
            let replaced = replacing ? try await itemToReplace(at: destination, by: source) : nil
            guard try await canKeep(replaced, at: destination, from: source, isMove: isMove) else {
                let value = try await body(replacing)
                forget(whatWasAt: [destination] + (isMove ? source.map { [$0] } ?? [] : []))
                return value
            }
            let kept: ProviderPath?
            let value: Value
            if let replaced {
                (kept, value) = try await exchange(replaced, copies: ifMatch == nil ? nil : true, body) { stranded in
                    record(
                        [UndoChange(operation: operation, effect: .content(at: destination, kept: stranded))],
                        name: operation.title)
                }
            } else {
                (kept, value) = (nil, try await body(replacing))
            }
            record(await changes(operation, at: destination, from: isMove ? source : nil, kept), name: operation.title)
            if let kept { trash.settle(kept) }
            await sweepIfDue()
            return value
        }
    }

    private func changes(
        _ operation: FileOperationType, at destination: ProviderPath, from source: ProviderPath?, _ kept: ProviderPath?
    ) async -> [UndoChange] {
        var content = UndoChange(operation: operation, effect: .content(at: destination, kept: kept))
        guard let source else {
            content.expected = await expectation(at: destination)
            return [content]
        }
        // Once the item has moved back, its place is free.
        content.expected = .nothing
        let move = UndoChange(operation: operation, effect: .moved(from: source, to: destination))
        return kept == nil ? [move] : [content, move]
    }

    /// Updates the history after an operation that cannot be undone: undone steps no longer fit, and the trash may have
    /// lost an item.
    private func forget(whatWasAt paths: [ProviderPath]) {
        history.update { history in
            history.forgetUndone()
            history.forget { kept in paths.contains { kept.relative(to: $0) != nil } }
        }
    }

    /// Moves an item to the trash, or removes it for good if it cannot be undone.
    func remove(_ path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        try await claims.holding([path]) {
            // If there is no item, the provider throws the right error.
            guard let item = try await provider.itemIfAny(at: path), try await canKeep(item, at: path) else {
                try await provider.removeItem(path: path, recursive: recursive, progress: progress)
                return forget(whatWasAt: [path])
            }
            if !recursive, item.isDirectory, try await !provider.isEmptyFolder(path) {
                throw FileError.make(errno: ENOTEMPTY, path: path, url: provider.url(of: path), writing: true)
            }
            let kept = try await trash.put(item, progress: progress)
            let operation = FileOperationType.remove(path: path.string)
            let change = UndoChange(operation: operation, effect: .content(at: path, kept: kept), expected: .nothing)
            record([change], name: operation.title)
            trash.settle(kept)
            await sweepIfDue()
        }
    }

    /// Returns the item that an operation would replace; nil if there is none, or the provider will refuse.
    private func itemToReplace(at path: ProviderPath, by source: ProviderPath?) async throws -> FileObject? {
        if let source {
            if path == source || path.isBelow(source) { return nil }
            // Another spelling of the same name is no other item.
            if try await !provider.capabilities().tells(path, from: source) { return nil }
        }
        guard !path.isRoot, let item = try await provider.itemIfAny(at: path) else { return nil }
        if item.isDirectory, try await !provider.isEmptyFolder(path) { return nil }
        return item
    }

    /// Whether a change at `path` can be undone: the storage moves items, no path concerns the trash, and `item`, which
    /// would go there, fits in.
    private func canKeep(
        _ item: FileObject?, at path: ProviderPath, from source: ProviderPath? = nil, isMove: Bool = false
    ) async throws -> Bool {
        let capabilities = try await provider.capabilities()
        guard capabilities.has(.moving), capabilities.has(.folderCreation), !path.isRoot, !trash.touches(path) else {
            return false
        }
        if let source, isMove, trash.touches(source) { return false }
        return if let item { try await trash.takes(item) } else { true }
    }

    // MARK: Asking

    func canUndo(handle: Progress) -> Bool {
        guard let operation = handle.userInfo[.fileProviderOperationTypeKey] as? FileOperationType else { return false }
        // One path may have been written more than once: a step older than this operation is not its step.
        let start = handle.userInfo[.startingTimeKey] as? Date ?? .distantPast
        switch (operation, handle.userInfo[.fileOperationKindKey] as? Progress.FileOperationKind) {
        case (_, .downloading?): return false
        case (.copy(_, let destination), .uploading?): return isDone(.modify(path: destination), since: start)
        default: return isDone(operation, since: start)
        }
    }

    func canUndo(operation: FileOperationType) async throws -> Bool {
        if isDone(operation, since: .distantPast) { return true }
        switch operation {
        case .fetch: return false
        case .create(let path), .link(let path, _): return try await canKeep(nil, at: ProviderPath(path))
        case .remove(let path):
            let path = try ProviderPath(path)
            guard let item = try await provider.itemIfAny(at: path) else { return false }
            return try await canKeep(item, at: path)
        case .modify(let path):
            let path = try ProviderPath(path)
            return try await canKeep(itemToReplace(at: path, by: nil), at: path)
        case .copy(let source, let destination):
            let (path, source) = (try ProviderPath(destination), try ProviderPath(source))
            return try await canKeep(itemToReplace(at: path, by: source), at: path, from: source)
        case .move(let source, let destination):
            let (path, source) = (try ProviderPath(destination), try ProviderPath(source))
            return try await canKeep(itemToReplace(at: path, by: source), at: path, from: source, isMove: true)
        }
    }

    /// Whether `operation` is on the stack.
    private func isDone(_ operation: FileOperationType, since start: Date) -> Bool {
        let wanted = operation.normalized
        return history.value[.undo].contains { step in
            step.changes.contains { $0.recorded >= start && $0.operation.normalized == wanted }
        }
    }
}

extension FileOperationType {
    /// The verb and the item's name, such as “Moving a.txt”.
    var title: String { "\(actionDescription) \((try? ProviderPath(source))?.name ?? source)" }

    /// The operation with its paths in one spelling. A link is identified by its own path.
    fileprivate var normalized: FileOperationType {
        func path(_ text: String) -> String { (try? ProviderPath(text))?.string ?? text }
        return switch self {
        case .create(let item): .create(path: path(item))
        case .copy(let source, let destination): .copy(source: path(source), destination: path(destination))
        case .move(let source, let destination): .move(source: path(source), destination: path(destination))
        case .modify(let item): .modify(path: path(item))
        case .remove(let item): .remove(path: path(item))
        case .link(let link, _): .link(link: path(link), target: "")
        case .fetch(let item): .fetch(path: path(item))
        }
    }
}
