public import Foundation

extension FileProviderBasic {
    /// Lists the folder at `path`. If the storage fails half way, the handler gets the items listed so far beside the
    /// error.
    @discardableResult
    public func contentsOfDirectory(
        path: String, completionHandler: @escaping @Sendable (_ contents: [FileObject], _ error: (any Error)?) -> Void
    ) -> Progress? {
        let found = CollectedValues<FileObject>()
        return CompletionForm.start(.fetch(path: path), of: self) { progress in
            try await self.contentsOfDirectory(path: ProviderPath(path)) { page in
                found.append(page)
                progress.advance(by: Int64(page.count))
            }
        } completion: { result in
            completionHandler(found.values, result.failure)
        }
    }

    /// Returns the attributes of the item at `path`.
    @discardableResult
    public func attributesOfItem(
        path: String, completionHandler: @escaping @Sendable (_ attributes: FileObject?, _ error: (any Error)?) -> Void
    ) -> Progress? {
        CompletionForm.start(.fetch(path: path), of: self) { _ in
            try await self.attributesOfItem(path: ProviderPath(path))
        } completion: {
            completionHandler($0.value, $0.failure)
        }
    }

    /// Returns capacity and free space; nil if the storage does not say or fails.
    @discardableResult
    public func storageProperties(completionHandler: @escaping @Sendable (_ volumeInfo: VolumeObject?) -> Void)
        -> Progress?
    {
        CompletionForm.start(.fetch(path: "/"), of: self) { _ in
            try await self.storageProperties()
        } completion: {
            completionHandler($0.value ?? nil)
        }
    }

    /// Checks whether the root answers, and if not, why.
    @discardableResult
    public func isReachable(completionHandler: @escaping @Sendable (_ success: Bool, _ error: (any Error)?) -> Void)
        -> Progress?
    {
        CompletionForm.start(.fetch(path: "/"), of: self) { _ in
            try await self.checkReachability()
        } completion: {
            completionHandler($0.failure == nil, $0.failure)
        }
    }

    /// Returns `path` if it is free, else a similar path that is.
    @discardableResult
    public func fileByUniqueName(
        _ path: String, completionHandler: @escaping @Sendable (_ path: String?, _ error: (any Error)?) -> Void
    ) -> Progress? {
        CompletionForm.start(.fetch(path: path), of: self) { _ in
            try await self.fileByUniqueName(ProviderPath(path)).string
        } completion: {
            completionHandler($0.value, $0.failure)
        }
    }
}

extension Result {
    /// The value of a success.
    var value: Success? { try? get() }

    /// The error of a failure.
    var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
