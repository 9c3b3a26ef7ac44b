public import Foundation

extension FileProviderOperations {
    /// Creates the folder `folder` in the folder at `parent`.
    @discardableResult
    public func create(folder: String, at parent: String, completionHandler: SimpleCompletionHandler) -> Progress? {
        CompletionForm.start(.create(path: parent.hasSuffix("/") ? parent + folder : "\(parent)/\(folder)"), of: self) {
            _ in
            try await self.createFolder(path: ProviderPath(parent).appending(folder))
        } completion: {
            completionHandler?($0.failure)
        }
    }

    /// Moves or renames the item at `path`. Replaces the item at `destination` only with `overwrite`.
    @discardableResult
    public func moveItem(
        path: String, to destination: String, overwrite: Bool = false, completionHandler: SimpleCompletionHandler
    ) -> Progress? {
        CompletionForm.start(.move(source: path, destination: destination), of: self) { progress in
            try await self.moveItem(
                path: ProviderPath(path), to: ProviderPath(destination), overwrite: overwrite, progress: progress)
        } completion: {
            completionHandler?($0.failure)
        }
    }

    /// Copies the item at `path`. Replaces the item at `destination` only with `overwrite`.
    @discardableResult
    public func copyItem(
        path: String, to destination: String, overwrite: Bool = false, completionHandler: SimpleCompletionHandler
    ) -> Progress? {
        CompletionForm.start(.copy(source: path, destination: destination), of: self, kind: .copying) { progress in
            try await self.copyItem(
                path: ProviderPath(path), to: ProviderPath(destination), overwrite: overwrite, progress: progress)
        } completion: {
            completionHandler?($0.failure)
        }
    }

    /// Removes the item at `path`, a folder with everything in it.
    @discardableResult
    public func removeItem(path: String, completionHandler: SimpleCompletionHandler) -> Progress? {
        CompletionForm.start(.remove(path: path), of: self) { progress in
            try await self.removeItem(path: ProviderPath(path), recursive: true, progress: progress)
        } completion: {
            completionHandler?($0.failure)
        }
    }
}

extension FileProviderOperations where Self: FileProviderReadWrite {
    /// Writes the local file at `localFile` to `path`. Progress counts bytes.
    @discardableResult
    public func copyItem(
        localFile: URL, to path: String, overwrite: Bool = false, completionHandler: SimpleCompletionHandler
    ) -> Progress? {
        CompletionForm.start(.copy(source: localFile.path, destination: path), of: self, kind: .uploading, unitCount: 0)
        { progress in
            try await self.copyItem(
                localFile: localFile, to: ProviderPath(path), options: WriteOptions(overwrite: overwrite),
                progress: progress)
        } completion: {
            completionHandler?($0.failure)
        }
    }

    /// Reads the file at `path` into a local file. Progress counts bytes.
    @discardableResult
    public func copyItem(
        path: String, toLocalURL localURL: URL, overwrite: Bool = false, completionHandler: SimpleCompletionHandler
    ) -> Progress? {
        CompletionForm.start(
            .copy(source: path, destination: localURL.path), of: self, kind: .downloading, unitCount: 0
        ) { progress in
            try await self.copyItem(
                path: ProviderPath(path), toLocalURL: localURL, overwrite: overwrite, progress: progress)
        } completion: {
            completionHandler?($0.failure)
        }
    }
}
