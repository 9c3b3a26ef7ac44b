public import FileProviderCore
public import Foundation

/// A service that sets permissions or times of existing items; its provider is a `FileProviderAttributes`.
public protocol HTTPAttributesService: HTTPService {
    /// Sets what is not nil. The provider has looked before, and forgets afterwards what it knew of the item.
    ///
    /// - Parameters:
    ///   - item: As ``HTTPService/attributesOfItem(path:over:)`` has just given it.
    ///   - permissions: POSIX permission bits, `0o7777` at most.
    /// - Throws: `CocoaError(.featureUnsupported)` for what the service cannot set of this item, before anything is set.
    func setAttributes(
        of item: FileObject, permissions: UInt16?, modificationDate: Date?, over connection: HTTPConnection
    ) async throws
}
