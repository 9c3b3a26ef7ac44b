public import Foundation

/// The forms with `String` paths and completion handlers.
extension FileProviderReadWrite {
    /// Whether a file with this name may have properties; false if `path` is invalid.
    public func propertiesOfFileSupported(path: String) -> Bool {
        (try? ProviderPath(path)).map { propertiesOfFileSupported(path: $0) } ?? false
    }

    /// Whether a file with this name may have a thumbnail; false if `path` is invalid.
    public func thumbnailOfFileSupported(path: String) -> Bool {
        (try? ProviderPath(path)).map { thumbnailOfFileSupported(path: $0) } ?? false
    }

    /// Reads the properties of the file at `path`, and their names in order. Both are empty beside an error.
    @discardableResult
    public func propertiesOfFile(
        path: String,
        completionHandler:
            @escaping @Sendable (
                _ propertiesDictionary: [String: any Sendable], _ keys: [String], _ error: (any Error)?
            ) -> Void
    ) -> Progress? {
        CompletionForm.start(.fetch(path: path), of: self) { _ in
            try await self.propertiesOfFile(path: ProviderPath(path))
        } completion: {
            completionHandler($0.value?.dictionary ?? [:], $0.value?.keys ?? [], $0.failure)
        }
    }

    /// Makes a small picture of the file at `path`.
    ///
    /// - Parameters:
    ///   - dimension: Pixels of the longer side; nil for 256.
    ///   - page: Of a document or comic book, counted from 1.
    @discardableResult
    public func thumbnailOfFile(
        path: String, dimension: Int? = nil, page: Int = 1,
        completionHandler: @escaping @Sendable (_ image: Thumbnail?, _ error: (any Error)?) -> Void
    ) -> Progress? {
        CompletionForm.start(.fetch(path: path), of: self) { _ in
            try await self.thumbnailOfFile(path: ProviderPath(path), dimension: dimension ?? 256, page: page)
        } completion: {
            completionHandler($0.value, $0.failure)
        }
    }
}
