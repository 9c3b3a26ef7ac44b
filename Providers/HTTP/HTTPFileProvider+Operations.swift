public import FileProviderCore
import Foundation

extension HTTPFileProvider {
    /// Makes a folder, after a look at the place and its parent. Makes a missing parent, too, if writing makes folders
    /// on this storage.
    public func createFolder(path: ProviderPath) async throws {
        try await need(.folderCreation, for: "make folders", path: path)
        try await refuseName(path)
        if try await itemIfAny(path) != nil {
            throw FileError.make(.fileWriteFileExists, path: path, url: url(of: path))
        }
        try await refuseMissingParent(of: path)
        try await refuseFile(asParentOf: path)
        try await perform(.createFolder(path), overwrite: false)
        folders.update { $0.made(path) }
    }

    /// Moves an item by the service. Before the move, removes a folder at `destination`, or a file there that a folder
    /// replaces: that is a separate step. If both names are one item on the storage, such as `Folder` and `folder` if it
    /// ignores case, the item is renamed and nothing is removed.
    ///
    /// - Throws: Also `CocoaError(.fileWriteInvalidFileName)` if `destination` is the item itself or inside it.
    public func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        try await need(.moving, for: "move", path: path)
        let item = try await prepare(path, for: destination, overwrite: overwrite, isMove: true)
        try await perform(.move(item, to: destination), overwrite: overwrite, progress: progress)
    }

    /// Copies an item by the service, or through this machine; see
    /// ``/FileProviderCore/Capabilities/Ability/serverSideCopying``.
    ///
    /// A folder that the service does not copy is copied item by item, as
    /// ``/FileProviderCore/FileProviderOperations/copyThroughThisMachine(path:to:overwrite:progress:)`` says; see
    /// ``/FileProviderCore/Capabilities/Ability/atomicFolderCopying``. The item that is replaced at `destination` is
    /// removed before.
    public func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        let capabilities = try await capabilities()
        let isNative = capabilities[.serverSideCopying] == .native
        if !isNative {
            try await need(.writing, for: "copy", path: path)
            if !capabilities.has(.folderCreation), try await existing(path).isDirectory {
                throw unsupported("copy a folder", path: path)
            }
        }
        let item = try await prepare(path, for: destination, overwrite: overwrite)
        if isNative {
            do {
                return try await perform(.copy(item, to: destination), overwrite: overwrite, progress: progress)
            } catch let error as CocoaError where error.code == .featureUnsupported && item.isDirectory {
                // A service that copies files alone, unless it began.
                if try await itemIfAny(destination) != nil { throw error }
            }
        }
        try await copyThroughThisMachine(path: path, to: destination, overwrite: overwrite, progress: progress)
    }

    /// Removes an item by the service, after a look at it.
    public func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        if path.isRoot {
            throw FileError.make(.fileWriteNoPermission, path: path, sentence: "The root cannot be removed.")
        }
        try await need(.removal, for: "remove", path: path)
        let item = try await existing(path)
        let removesTrees = try await capabilities().has(.recursiveRemoval)
        if item.isDirectory, !recursive || !removesTrees, try await !isEmpty(path) {
            if !recursive { throw FileError.make(errno: ENOTEMPTY, path: path, url: url(of: path), writing: true) }
            throw unsupported("remove a folder with all it holds", path: path)
        }
        try await perform(.remove(item, recursive: recursive), overwrite: false, progress: progress)
    }

    private func perform(_ operation: HTTPOperation, overwrite: Bool, progress: ProgressReporter = ProgressReporter())
        async throws
    {
        if !operation.keepsFolders { folders.update { $0.forget() } }
        let paths = operation.paths
        // Before, so that an answer that arrives meanwhile is not kept, and after.
        await forget(paths)
        do {
            try await connection.reading(Service.self, path: paths.last ?? .root) {
                try await service.perform(operation, overwrite: overwrite, progress: progress, over: connection)
            }
            await forget(paths)
        } catch let error as HTTPStatusError where !overwrite && [409, 412].contains(error.code.rawValue) {
            // Another client was quicker than the look before.
            await forget(paths)
            if let path = paths.last, operation.isMaking { throw taken(path, underlying: error) }
            throw error
        } catch {
            await forget(paths)
            throw error
        }
    }

    func forget(_ paths: [ProviderPath]) async {
        for path in paths { cache.drop(path) }
        await connection.forget(paths)
    }

    /// Looks at both ends of a move or copy, and clears the destination where that is allowed.
    private func prepare(
        _ path: ProviderPath, for destination: ProviderPath, overwrite: Bool, isMove: Bool = false
    ) async throws -> FileObject {
        let capabilities = try await capabilities()
        // The same item under another form of its name.
        let isRenamed = isMove && destination != path && !capabilities.tells(destination, from: path)
        if path.isRoot || !isRenamed && destination.isAtOrBelow(path, with: capabilities) {
            throw FileError.make(
                .fileWriteInvalidFileName, path: destination, url: url(of: destination),
                sentence: "“\(path)” cannot be moved or copied to “\(destination)”, which is itself or inside it.")
        }
        try await refuseName(destination)
        let item = try await existing(path)
        if destination.parent != path.parent, !isRenamed { try await refuseMissingParent(of: destination) }
        if !isRenamed, let target = try await itemIfAny(destination) {
            if !overwrite { throw taken(destination) }
            if target.isDirectory || item.isDirectory { try await removeItem(path: destination, recursive: false) }
        }
        return item
    }

    func taken(_ path: ProviderPath, underlying: (any Error)? = nil) -> CocoaError {
        FileError.make(.fileWriteFileExists, path: path, url: url(of: path), underlying: underlying)
    }

    /// The item at `path`, for an operation that changes it.
    func existing(_ path: ProviderPath) async throws -> FileObject {
        guard let item = try await itemIfAny(path) else {
            throw FileError.make(.fileNoSuchFile, path: path, url: url(of: path))
        }
        return item
    }

    /// The item at `path` now; nil if there is none.
    func itemIfAny(_ path: ProviderPath) async throws -> FileObject? {
        do { return try await look(at: path) } catch let error where error.isNoSuchFile { return nil }
    }

    /// - Throws: `CocoaError(.fileNoSuchFile)` when the folder that should hold `path` is not there, and writing does
    ///   not make it.
    func refuseMissingParent(of path: ProviderPath) async throws {
        if try await capabilities().makesParentFolders { return }
        guard let parent = path.parent, !folders.value.knows(parent) else { return }
        let isThere = try await connection.reading(Service.self, path: parent) {
            try await service.isFolder(path: parent, over: connection)
        }
        if isThere { return }
        throw FileError.make(
            .fileNoSuchFile, path: parent, url: url(of: parent), sentence: "The folder “\(parent)” does not exist.")
    }
}

extension HTTPFileProvider {
    /// - Throws: `CocoaError(.fileWriteUnknown)` where writing makes folders, and the nearest item above `path` is a
    ///   file.
    private func refuseFile(asParentOf path: ProviderPath) async throws {
        guard try await capabilities().makesParentFolders else { return }
        var folder = path.parent
        while let parent = folder, !folders.value.knows(parent) {
            if let item = try await itemIfAny(parent) {
                if item.isDirectory { return }
                throw FileError.notADirectory(parent, url: url(of: parent), writing: true)
            }
            folder = parent.parent
        }
    }
}

extension HTTPOperation {
    /// The items that are not the same afterwards.
    fileprivate var paths: [ProviderPath] {
        switch self {
        case .read: []
        case .createFolder(let path), .write(let path): [path]
        case .remove(let item, _): [item.path]
        case .copy(_, let destination): [destination]
        case .move(let item, let destination): [item.path, destination]
        }
    }

    /// Whether no folder goes, and none comes that is not known.
    fileprivate var keepsFolders: Bool {
        switch self {
        case .read, .createFolder, .write: true
        case .copy, .move, .remove: false
        }
    }

    fileprivate var isMaking: Bool {
        switch self {
        case .read, .remove: false
        default: true
        }
    }
}
