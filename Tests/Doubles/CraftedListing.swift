package import FileProviderCore
import Foundation

/// A storage whose listings are what a test makes of them.
package final class CraftedListing: ForwardingProvider, FileProviderSymbolicLink {
    package static let type = "Crafted"
    package let underlying: any FileProvider
    /// What the listing of a folder is instead; an error comes after the items.
    package let craft = LockedValue<
        @Sendable (_ folder: ProviderPath, _ items: [FileObject]) -> (items: [FileObject], error: (any Error)?)
    >(
        { ($1, nil) })

    package init(_ underlying: any FileProvider) {
        self.underlying = underlying
    }

    package func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void)
        async throws
    {
        let crafted = craft.value(path, try await underlying.contentsOfDirectory(path: path))
        try await page(crafted.items)
        if let error = crafted.error { throw error }
    }

    package func createSymbolicLink(path: ProviderPath, target: [UInt8]) async throws {
        guard let storage = underlying as? any FileProviderSymbolicLink else {
            throw FileError.unsupported("make links", by: Self.type, path: path)
        }
        try await storage.createSymbolicLink(path: path, target: target)
    }

    package func destinationOfSymbolicLink(path: ProviderPath) async throws -> FileObject {
        throw FileError.unsupported("follow links", by: Self.type, path: path)
    }

    /// Lists a folder called `name`, and then a link of that name to `target`.
    package func listTwice(_ name: String, linkTo target: String) {
        craft.update {
            $0 = { folder, items in
                guard folder.isRoot, let path = try? folder.appending(name) else { return (items, nil) }
                var link = FileObject(path: path, type: .symbolicLink)
                link.linkTarget = Array(target.utf8)
                return (items + [link], nil)
            }
        }
    }

    /// Leaves out items called `name`, and says that the listing of `folder` is not whole.
    package func leaveOut(_ name: String, in folder: ProviderPath) {
        craft.update {
            $0 = { listed, items in
                guard listed == folder else { return (items, nil) }
                var names = UnusableNames()
                names.add("..")
                return (items.filter { $0.name != name }, FileError.unusableNames(names, in: folder))
            }
        }
    }
}
