/// The behaviour that a layer adds to the provider below it: ``LayeredFileProvider`` makes a provider of both.
///
/// Every requirement has a default that leaves the base's behaviour as it is, so a layer implements only what it is
/// about: a read-only layer refuses changes in ``willChange(_:)``, a prefixing one maps paths, a caching one answers
/// looks and listings and forgets in ``didChange(_:)``. A layer that would change the bytes of files has to be a
/// provider instead.
public protocol FileProviderLayer: Sendable {
    /// Returns the base's path of the item that callers know as `path`. The default is the same path.
    ///
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` if the base has no place for it.
    func basePath(of path: ProviderPath) throws -> ProviderPath

    /// Returns the path under which callers know the base's item at `path`: the inverse of ``basePath(of:)``. Nil for
    /// an item that the layer hides: listings, searches and events leave it out. The default is the same path.
    func path(ofBase path: ProviderPath) -> ProviderPath?

    /// Returns the capabilities of base and layer together. The default is those of the base.
    func capabilities(of base: Capabilities) -> Capabilities

    /// Called before each change, whichever protocol it comes through.
    ///
    /// - Throws: An error that refuses the change; nothing is done then.
    func willChange(_ change: LayerChange) async throws

    /// Called after each change that ``willChange(_:)`` allowed, whether it succeeded or failed: a failed change may be
    /// done in part.
    func didChange(_ change: LayerChange)

    /// Returns the attributes of the base's item at `path`. The default asks the base.
    ///
    /// - Parameter path: The path in the base; so is that of the result.
    func attributesOfItem(path: ProviderPath, of base: any FileProvider) async throws -> FileObject

    /// Lists the base's folder at `path`. The default asks the base.
    ///
    /// - Parameter path: The path in the base; so are those of the items.
    func contentsOfDirectory(
        path: ProviderPath, of base: any FileProvider, page: @Sendable ([FileObject]) async throws -> Void) async throws

    /// Opens the base's file at `path` for reading, with or without conditions. The default asks the base, which sends
    /// conditions to servers that compare versions themselves.
    ///
    /// - Parameter path: The path in the base; so is that of the reader.
    func open(path: ProviderPath, options: ReadOptions, of base: any FileProvider) async throws -> any FileReader
}

extension FileProviderLayer {
    /// The default: the same path.
    public func basePath(of path: ProviderPath) throws -> ProviderPath { path }

    /// The default: the same path.
    public func path(ofBase path: ProviderPath) -> ProviderPath? { path }

    /// The default: the base's.
    public func capabilities(of base: Capabilities) -> Capabilities { base }

    /// The default: lets every change pass.
    public func willChange(_ change: LayerChange) async throws {}

    /// The default: does nothing.
    public func didChange(_ change: LayerChange) {}

    /// The default: asks the base.
    public func attributesOfItem(path: ProviderPath, of base: any FileProvider) async throws -> FileObject {
        try await base.attributesOfItem(path: path)
    }

    /// The default: asks the base.
    public func contentsOfDirectory(
        path: ProviderPath, of base: any FileProvider, page: @Sendable ([FileObject]) async throws -> Void
    ) async throws {
        try await base.contentsOfDirectory(path: path, page: page)
    }

    /// The default: asks the base.
    public func open(path: ProviderPath, options: ReadOptions, of base: any FileProvider) async throws
        -> any FileReader
    {
        try await base.open(path: path, options: options)
    }
}
