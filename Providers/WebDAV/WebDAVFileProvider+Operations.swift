import CurlTransport
public import FileProviderCore
import Foundation
import HTTPFileProvider

extension WebDAVFileProvider {
    /// Makes a folder with one `MKCOL`, after a look, because rclone's server gives the same answer for an existing
    /// folder. A refused look is no obstacle: the parent may be a folder that can be written and not read.
    public func createFolder(path: ProviderPath) async throws {
        if try await itemIfSeen(path) != nil {
            throw FileError.make(.fileWriteFileExists, path: path, url: url(of: path))
        }
        try await refuseMisreadFolder(path)
        do { try await makeCollection(path) } catch let error as HTTPStatusError where error.code.rawValue == 409 {
            // By now the parent is there: it may have come into being meanwhile.
            try await makeCollection(path)
        }
    }

    private func makeCollection(_ path: ProviderPath) async throws {
        do {
            _ = try await change(
                HTTPRequest("MKCOL", path: path, isFolder: true, repetition: .ifNotDone, isWriting: true))
        } catch let error where !error.isCancellation && !Self.isWithoutAnswer(error) {
            // Servers refuse a folder that is there, or that has no parent, with half a dozen statuses; looking
            // decides. Where looks are refused, 405 means that the name is taken (RFC 4918, section 9.3.1).
            if case .refused = try await look(path), Self.status(of: error) == 405 {
                throw FileError.make(.fileWriteFileExists, path: path, url: url(of: path), underlying: error)
            }
            try await refuseTaken(path, underlying: error)
            try await refuseMissingParent(of: path, underlying: error)
            throw error
        }
    }

    /// Moves an item on the server and reports progress once, at the end. Before the move, removes a folder at
    /// `destination`, or a file there that a folder replaces: that is a separate step.
    ///
    /// - Throws: Also `CocoaError(.fileWriteInvalidFileName)` if `destination` is the item itself or inside it;
    ///   `CocoaError(.featureUnsupported)` if the server has no `MOVE`.
    /// - Complexity: Two requests; one more for another folder, one for `overwrite`, and up to three to remove the item
    ///   at `destination`.
    public func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        do { try await transfer("MOVE", path, to: destination, overwrite: overwrite) } catch let error
            where [405, 501].contains(Self.status(of: error))
        {
            throw FileError.unsupported("move", by: Self.type, path: path, url: url(of: path), underlying: error)
        }
        progress.advance(by: 1)
    }

    /// Copies an item on the server and reports progress once, at the end.
    public func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        let item = try await transfer("COPY", path, to: destination, overwrite: overwrite)
        progress.expect(item.size ?? 1)
        progress.advance(by: item.size ?? 1)
    }

    /// Removes an item with one `DELETE`, after a look at its type.
    public func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        if path.isRoot {
            throw FileError.make(.fileWriteNoPermission, path: path, sentence: "The root cannot be removed.")
        }
        let item = try await item(path, isWriting: true)
        if item.isDirectory, !recursive { try await refuseContent(in: path) }
        do {
            _ = try await change(
                HTTPRequest("DELETE", path: path, isFolder: item.isDirectory, repetition: .ifNotDone, isWriting: true))
        } catch let error where Self.isWithoutAnswer(error) {
            if try await itemIfAny(path) != nil { throw error }
        }
        locks.forget(path)
        progress.advance(by: 1)
    }

    /// `MOVE` or `COPY` (RFC 4918, sections 9.8 and 9.9), kept from merging folders and from replacing one with
    /// content.
    @discardableResult
    private func transfer(_ method: String, _ path: ProviderPath, to destination: ProviderPath, overwrite: Bool)
        async throws -> FileObject
    {
        if path.isRoot || destination == path || destination.isBelow(path) {
            throw FileError.make(
                .fileWriteInvalidFileName, path: destination, url: url(of: destination),
                sentence: "“\(path)” cannot be moved or copied to “\(destination)”, which is itself or inside it.")
        }
        let item = try await item(path, isWriting: true)
        // Without this check, some servers make the missing folders and others fail.
        if destination.parent != path.parent { try await refuseMissingParent(of: destination, underlying: nil) }
        var overwrite = overwrite
        if overwrite, let target = try await itemIfAny(destination), target.isDirectory || item.isDirectory {
            // What servers do here differs, down to merging; removing the empty folder or the file first is the same
            // everywhere.
            try await removeItem(path: destination, recursive: false)
            overwrite = false
        }
        try await send(method, item, to: destination, overwrite: overwrite)
        return item
    }

    private func refuseContent(in path: ProviderPath) async throws {
        try await list(path) { items in
            if !items.isEmpty {
                throw FileError.make(errno: ENOTEMPTY, path: path, url: self.url(of: path), writing: true)
            }
        }
    }

    /// - Throws: `CocoaError(.fileWriteFileExists)` when something is at `path`.
    func refuseTaken(_ path: ProviderPath, underlying: any Error) async throws {
        guard try await itemIfSeen(path) != nil else { return }
        throw FileError.make(.fileWriteFileExists, path: path, url: url(of: path), underlying: underlying)
    }

    /// - Throws: `CocoaError(.fileNoSuchFile)` when the folder that should hold `path` is not there.
    func refuseMissingParent(of path: ProviderPath, underlying: (any Error)?) async throws {
        guard let parent = path.parent else { return }
        let look = try await look(parent)
        // A folder that may not be looked at is not reported as missing.
        if case .refused = look { return }
        if look.item?.isDirectory == true { return }
        throw FileError.make(
            .fileNoSuchFile, path: parent, url: url(of: parent), sentence: "The folder “\(parent)” does not exist.",
            underlying: underlying)
    }
}
