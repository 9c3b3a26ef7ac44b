public import FileProviderCore
import Foundation

extension LocalFileProvider: FileProviderConfining {
    /// See `FileProviderConfining`. The folders are resolved as before; paths below them are resolved from their
    /// descriptors.
    public func confined(to folders: [ProviderPath]) -> any FileProvider {
        LocalFileProvider(self, confinedTo: folders)
    }
}

/// A folder of a confined provider: opened once, when first used.
final class LocalRoot: Sendable {
    let path: ProviderPath
    private let base: LocalResolver
    private let opened = LockedValue<LocalResolver?>(nil)

    init(_ path: ProviderPath, base: LocalResolver) {
        self.path = path
        self.base = base
    }

    /// Returns the resolver for items below the folder.
    ///
    /// - Throws: As ``LocalResolver/folder(at:_:)``. A missing folder is looked for again the next time.
    func resolver(_ context: LocalContext) throws -> LocalResolver {
        if let resolver = opened.value { return resolver }
        let folder = try base.folder(at: path, context)
        return opened.update { opened in
            let resolver =
                opened
                ?? LocalResolver(
                    root: folder, isWholeMachine: base.isWholeMachine && path.isRoot, calls: base.calls, top: path)
            opened = resolver
            return resolver
        }
    }
}

extension LocalResolver {
    /// Returns a resolver that finds items only in `folders`; see `FileProviderConfining`.
    func confined(to folders: [ProviderPath]) -> LocalResolver {
        var resolver = self
        resolver.roots = folders.map { LocalRoot($0, base: self) }
        return resolver
    }

    /// Returns the resolver for the item at `path`, and the path in it; nil for this resolver itself.
    ///
    /// - Parameter includingRoots: Whether the folders themselves are found by their own descriptors.
    func confining(
        _ path: ProviderPath, includingRoots: Bool, _ context: LocalContext
    ) throws -> (resolver: LocalResolver, path: ProviderPath)? {
        if roots.isEmpty { return nil }
        for root in roots where path.isBelow(root.path) || includingRoots && path == root.path {
            var resolver = try root.resolver(context)
            resolver.calls.formIntersection(calls)
            return (resolver, path.relative(to: root.path) ?? .root)
        }
        guard roots.contains(where: { $0.path == path || $0.path.isBelow(path) }) else { throw context.leadsOut }
        return nil
    }
}
