public import Foundation

/// What every provider has: who it is, what it can do, and looking at what is there.
///
/// A provider is an object, because what runs keeps it alive. Each operation is one `async throws` requirement in terms
/// of ``ProviderPath``; Core derives from it the `String` form and the form with a completion handler that returns a
/// `Progress`.
public protocol FileProviderBasic: AnyObject, Sendable, CustomDebugStringConvertible {
    /// The provider's name, such as `WebDAV`: for display, and to compare what two providers are.
    static var type: String { get }

    /// The URL of the root, without secrets; nil where paths do not map to URLs.
    var baseURL: URL? { get }

    /// What holds for this connection.
    ///
    /// - Complexity: At most one request in the provider's life.
    func capabilities() async throws -> Capabilities

    /// What is known about the item at `path`; of a symbolic link, about the link itself.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` when nothing is there.
    /// - Complexity: One request.
    func attributesOfItem(path: ProviderPath) async throws -> FileObject

    /// Gives the direct children of the folder at `path` to `page`, in no promised order, in one or more pages as they
    /// come.
    ///
    /// `page` may take its time; the storage waits meanwhile. What was given before an error is good as far as it goes.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; `CocoaError(.fileReadUnknown)` with `ENOTDIR` below it when `path`
    ///   is no folder; after the last page, ``FileError/unusableNames(_:in:url:)`` if the storage listed names that no
    ///   path can hold.
    /// - Complexity: One request, or one for each page of the server's.
    func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws

    /// Capacity and free space; nil where the storage has no such notion.
    func storageProperties() async throws -> VolumeObject?

    /// The URL of the item at `path`; where there is no ``baseURL``, a URL of the path alone.
    func url(of path: ProviderPath) -> URL

    /// The path of the item that `url` names: the inverse of ``url(of:)``, for every path.
    ///
    /// - Throws: `URLError(.unsupportedURL)` for a URL of another provider; `CocoaError(.fileReadInvalidFileName)` for
    ///   one that no path can have.
    func relativePath(of url: URL) throws -> ProviderPath

    /// Whether the storage answers.
    ///
    /// Better than asking is to do what is to be done, and to let it fail.
    ///
    /// - Throws: Why it does not.
    /// - Complexity: One request.
    func checkReachability() async throws

    /// Cancels what runs and gives back connections. Operations after it fail with `URLError(.cancelled)` or start
    /// anew.
    func invalidate()
}

extension FileProviderBasic {
    /// The name of this provider's type.
    public var type: String { Self.type }

    /// The default, for storages that have no notion of capacity.
    public func storageProperties() async throws -> VolumeObject? { nil }

    /// The default, for providers that hold no connections.
    public func invalidate() { cancelOperations() }

    /// Cancels what the completion forms started on this provider, and ends its registrations: the first half of
    /// ``invalidate()``.
    public func cancelOperations() {
        RunningOperations.shared.cancelAll(of: self)
        Registrations.shared.endAll(of: self)
    }

    /// The direct children of the folder at `path`, collected. Names that no path can hold are left out without a word;
    /// ``listing(path:)`` reports them.
    ///
    /// - Throws: As ``contentsOfDirectory(path:page:)``, except for unusable names.
    public func contentsOfDirectory(path: ProviderPath) async throws -> [FileObject] {
        let listing = await listing(path: path)
        if let error = listing.error, error.unusableNames == nil { throw error }
        return listing.contents
    }

    /// The default: looks at the root.
    public func checkReachability() async throws { _ = try await attributesOfItem(path: .root) }

    /// The type and the URL without secrets.
    public var debugDescription: String { "\(Self.type)(\(baseURL?.withoutSecrets.absoluteString ?? "no URL"))" }
}
