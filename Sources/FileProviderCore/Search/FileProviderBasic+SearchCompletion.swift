public import Foundation

extension FileProviderBasic {
    /// Searches the folder at `path`. The handler gets the items found before an error beside it; an error of a folder
    /// further down is reported at the end.
    ///
    /// - Parameters:
    ///   - foundItemHandler: Called with each item as it is found, in order and before the completion handler, on the
    ///     same private queue. The search waits for it.
    ///   - completionHandler: Called once.
    @discardableResult
    public func searchFiles(
        path: String, recursive: Bool, query: FileQuery, foundItemHandler: (@Sendable (FileObject) -> Void)? = nil,
        completionHandler: @escaping @Sendable (_ files: [FileObject], _ error: (any Error)?) -> Void
    ) -> Progress? {
        let all = CollectedValues<FileObject>()
        return CompletionForm.start(.fetch(path: path), of: self) { progress in
            try await self.searchFiles(path: ProviderPath(path), recursive: recursive, query: query, listings: nil) {
                items in
                all.append(items)
                progress.advance(by: Int64(items.count))
                if let foundItemHandler { await CompletionForm.onQueue { items.forEach(foundItemHandler) } }
            }
        } completion: {
            completionHandler(all.values, $0.failure)
        }
    }

    /// Searches for names that begin with `query`, in any case. Use `FileQuery(format:_:)` of the module
    /// `PredicateFormat` for the text of a predicate.
    @discardableResult
    public func searchFiles(
        path: String, recursive: Bool, query: String, foundItemHandler: (@Sendable (FileObject) -> Void)? = nil,
        completionHandler: @escaping @Sendable (_ files: [FileObject], _ error: (any Error)?) -> Void
    ) -> Progress? {
        searchFiles(
            path: path, recursive: recursive, query: .name(.begins(query, options: .caseInsensitive)),
            foundItemHandler: foundItemHandler,
            completionHandler: completionHandler)
    }

    /// Searches for items that match a block predicate, which is evaluated with ``FileObject/mapPredicate()``.
    @discardableResult
    public func searchFiles(
        path: String, recursive: Bool, query: sending NSPredicate,
        foundItemHandler: (@Sendable (FileObject) -> Void)? = nil,
        completionHandler: @escaping @Sendable (_ files: [FileObject], _ error: (any Error)?) -> Void
    ) -> Progress? {
        searchFiles(
            path: path, recursive: recursive, query: FileQuery(predicate: query), foundItemHandler: foundItemHandler,
            completionHandler: completionHandler)
    }
}
