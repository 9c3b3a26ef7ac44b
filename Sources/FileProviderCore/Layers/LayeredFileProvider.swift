public import Foundation

/// A provider with a layer over it, such as read-only, with a prefix, or with a cache.
///
/// It conforms to an ability's protocol exactly if the base does: `as? any FileProviderMonitor` and its like give the
/// same answer as for the base, and native abilities stay native. Protocols that a provider's own module declares are
/// not among them: ask ``base`` for those. Copies within the provider, and everything else that a default derives, are
/// the base's.
///
/// Paths in results, readers, events and errors are those that callers know. The base follows symbolic links, which may
/// lead to items that the layer hides.
public final class LayeredFileProvider<Layer: FileProviderLayer, Base: FileProvider>: FileProviderOperations,
    FileProviderReadWrite
{
    /// The base's type: messages do not reveal the layer.
    public static var type: String { Base.type }

    /// The layer over the base.
    public let layer: Layer
    /// The provider that does the work.
    public let base: Base

    /// Puts `layer` over `base`. For a base of a type that is known at run time only, use
    /// ``FileProviderBasic/layered(_:)``.
    public init(_ layer: Layer, over base: Base) {
        self.layer = layer
        self.base = base
    }

    /// The base's URL of the layer's root.
    public var baseURL: URL? {
        guard let url = base.baseURL else { return nil }
        guard let root = try? layer.basePath(of: .root), !root.isRoot else { return url }
        return base.url(of: root)
    }

    /// Returns the base's URL of the item; if the base has no place for it, a URL of the path alone, which names
    /// nothing.
    public func url(of path: ProviderPath) -> URL {
        if let location = try? layer.basePath(of: path) { return base.url(of: location) }
        return URL(string: "/" + path.percentEncoded) ?? URL(fileURLWithPath: "/")
    }

    /// Returns the path under which callers know the item that `url` names.
    ///
    /// - Throws: As the base; `URLError(.unsupportedURL)` for an item that the layer hides.
    public func relativePath(of url: URL) throws -> ProviderPath {
        let path = try base.relativePath(of: url)
        guard let shown = layer.path(ofBase: path) else {
            throw FileError.make(
                .unsupportedURL, url: url,
                sentence: "“\(url.withoutSecrets)” is outside the part that this provider shows.")
        }
        return shown
    }

    /// Returns the layer's capabilities, based on those of the base.
    public func capabilities() async throws -> Capabilities { layer.capabilities(of: try await base.capabilities()) }

    /// Asks the base about the layer's root.
    public func checkReachability() async throws {
        let root = try layer.basePath(of: .root)
        if root.isRoot { return try await base.checkReachability() }
        try await translatingErrors { _ = try await layer.attributesOfItem(path: root, of: base) }
    }

    /// The base's.
    public func storageProperties() async throws -> VolumeObject? { try await base.storageProperties() }

    /// Asks the layer, and through it the base.
    public func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        try await translatingErrors {
            shown(try await layer.attributesOfItem(path: layer.basePath(of: path), of: base), as: path)
        }
    }

    /// Lists through the layer and the base; leaves out items that the layer hides.
    public func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void)
        async throws
    {
        try await translatingErrors {
            try await layer.contentsOfDirectory(path: layer.basePath(of: path), of: base) { items in
                try await page(items.compactMap(self.shown))
            }
        }
    }

    /// Opens the file through the layer and the base.
    public func open(path: ProviderPath) async throws -> any FileReader {
        try await open(path: path, options: ReadOptions())
    }

    /// Opens the file with these conditions through the layer and the base.
    public func open(path: ProviderPath, options: ReadOptions) async throws -> any FileReader {
        try await translatingErrors {
            let location = try layer.basePath(of: path)
            let reader = try await layer.open(path: location, options: options, of: base)
            return location == path ? reader : LayeredReader(reader, path: path, translated: translated)
        }
    }

    /// Writes to the base.
    @discardableResult
    public func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        try await changing(.write, path) {
            shown(try await base.writeContents(path: $0, from: source, options: options), as: path)
        }
    }

    /// Makes the folder in the base.
    public func createFolder(path: ProviderPath) async throws {
        try await changing(.createFolder, path) { try await base.createFolder(path: $0) }
    }

    /// Moves in the base.
    public func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        try await changing(.move, path, destination) {
            try await base.moveItem(path: $0, to: $1, overwrite: overwrite, progress: progress)
        }
    }

    /// Copies in the base.
    public func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        try await changing(.copy, path, destination) {
            try await base.copyItem(path: $0, to: $1, overwrite: overwrite, progress: progress)
        }
    }

    /// Removes from the base.
    public func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        try await changing(.remove, path) {
            try await base.removeItem(path: $0, recursive: recursive, progress: progress)
        }
    }

    /// Cancels the operations under way here and invalidates the base.
    public func invalidate() {
        cancelOperations()
        base.invalidate()
    }
}

extension FileProviderBasic where Self: FileProviderOperations & FileProviderReadWrite {
    /// Returns this provider with a layer over it, which has the same abilities.
    public func layered(_ layer: some FileProviderLayer) -> any FileProvider { LayeredFileProvider(layer, over: self) }
}
