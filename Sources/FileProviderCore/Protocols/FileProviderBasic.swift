public import Foundation

/// The common ground of all providers: their type and capabilities, attributes and listings of items.
///
/// A provider is an object, because its operations keep it alive. Each operation is one `async throws` requirement with
/// ``ProviderPath``; Core derives the `String` form, and the form with a completion handler that returns a `Progress`.
public protocol FileProviderBasic: AnyObject, Sendable, CustomDebugStringConvertible {
    /// The provider's name, such as `WebDAV`: for display, and to compare the kinds of two providers.
    static var type: String { get }

    /// The URL of the root, without secrets; nil if paths do not map to URLs.
    var baseURL: URL? { get }

    /// Returns the capabilities of this connection.
    ///
    /// - Complexity: At most one request in the provider's life.
    func capabilities() async throws -> Capabilities

    /// Returns the attributes of the item at `path`; of a symbolic link, those of the link itself.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` if there is no item.
    /// - Complexity: One request.
    func attributesOfItem(path: ProviderPath) async throws -> FileObject

    /// Passes the direct children of the folder at `path` to `page`, in no promised order, in one or more pages as they
    /// arrive.
    ///
    /// The storage waits while `page` runs. Items passed before an error are valid.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; `CocoaError(.fileReadUnknown)` with `ENOTDIR` below it if `path` is
    ///   no folder; after the last page, ``FileError/unusableNames(_:in:url:)`` if the storage listed names that no
    ///   path can hold.
    /// - Complexity: One request, or one for each page of the server's.
    func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws

    /// Returns capacity and free space; nil if the storage has no such notion.
    func storageProperties() async throws -> VolumeObject?

    /// Returns the URL of the item at `path`; without a ``baseURL``, a URL of the path alone.
    func url(of path: ProviderPath) -> URL

    /// Returns the path of the item that `url` names: the inverse of ``url(of:)``, for every path.
    ///
    /// - Throws: `URLError(.unsupportedURL)` for a URL of another provider; `CocoaError(.fileReadInvalidFileName)` for
    ///   a URL that names no valid path.
    func relativePath(of url: URL) throws -> ProviderPath

    /// Checks that the storage answers.
    ///
    /// Prefer to start the operation itself and to handle its failure.
    ///
    /// - Throws: The reason if it does not answer.
    /// - Complexity: One request.
    func checkReachability() async throws

    /// Cancels running operations and closes connections. Later operations fail with `URLError(.cancelled)` or connect
    /// again.
    func invalidate()
}

extension FileProviderBasic {
    /// The name of this provider's type.
    public var type: String { Self.type }

    /// The default, for storages that have no notion of capacity.
    public func storageProperties() async throws -> VolumeObject? { nil }

    /// The default, for providers that hold no connections.
    public func invalidate() { cancelOperations() }

    /// Cancels the operations that completion forms started on this provider, and ends its registrations: the first
    /// half of ``invalidate()``.
    public func cancelOperations() {
        RunningOperations.shared.cancelAll(of: self)
        Registrations.shared.endAll(of: self)
    }

    /// Returns the direct children of the folder at `path`. Silently leaves out names that no path can hold;
    /// ``listing(path:)`` reports them.
    ///
    /// - Throws: As ``contentsOfDirectory(path:page:)``, except for unusable names.
    public func contentsOfDirectory(path: ProviderPath) async throws -> [FileObject] {
        let listing = await listing(path: path)
        if let error = listing.error, error.unusableNames == nil { throw error }
        return listing.contents
    }

    /// The default requests the attributes of the root.
    public func checkReachability() async throws { _ = try await attributesOfItem(path: .root) }

    /// The type and the URL without secrets.
    public var debugDescription: String { "\(Self.type)(\(baseURL?.withoutSecrets.absoluteString ?? "no URL"))" }
}
