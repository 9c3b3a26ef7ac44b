public import Foundation

extension FileProviderSymbolicLink {
    /// Makes a symbolic link at `path`.
    ///
    /// - Parameter destination: What is stored; counted from the link's own folder unless it starts with a slash.
    @discardableResult
    public func create(
        symbolicLink path: String, withDestinationPath destination: String, completionHandler: SimpleCompletionHandler
    ) -> Progress? {
        CompletionForm.start(.link(link: path, target: destination), of: self) { _ in
            try await self.createSymbolicLink(path: ProviderPath(path), text: destination)
        } completion: {
            completionHandler?($0.failure)
        }
    }

    /// Returns the item that the symbolic link at `path` finally leads to.
    @discardableResult
    public func destination(
        ofSymbolicLink path: String,
        completionHandler: @escaping @Sendable (_ file: FileObject?, _ error: (any Error)?) -> Void
    ) -> Progress? {
        CompletionForm.start(.fetch(path: path), of: self) { _ in
            try await self.destinationOfSymbolicLink(path: ProviderPath(path))
        } completion: {
            completionHandler($0.value, $0.failure)
        }
    }
}

extension FileProviderSharing {
    /// Creates a link under which anybody can read the item at `path`; also gives the item's attributes and the link's
    /// expiry.
    @discardableResult
    public func publicLink(
        to path: String,
        completionHandler:
            @escaping @Sendable (_ link: URL?, _ attribute: FileObject?, _ expiration: Date?, _ error: (any Error)?) ->
            Void
    ) -> Progress? {
        CompletionForm.start(.fetch(path: path), of: self) { _ in
            let path = try ProviderPath(path)
            return (link: try await self.publicLink(to: path), item: try await self.attributesOfItem(path: path))
        } completion: { result in
            completionHandler(result.value?.link.url, result.value?.item, result.value?.link.expiration, result.failure)
        }
    }
}
