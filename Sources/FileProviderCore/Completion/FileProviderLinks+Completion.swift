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

    /// What the symbolic link at `path` leads to in the end.
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
    /// A link under which anybody reads the item at `path`, what is known of the item, and when the link stops working.
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
