public import FileProviderCore

/// A service whose server keeps a feed of changes; its provider is a `FileProviderLongPolling`.
///
/// The provider waits, asks for page after page, and makes events of them that can be replayed.
public protocol HTTPChangesService: HTTPService {
    /// The token after which the changes of the folder at `path` begin from now on.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` when the folder is not there.
    func changesToken(path: ProviderPath, over connection: HTTPConnection) async throws -> String

    /// Waits until there is something to ask for after `token`, as long as the server makes one wait.
    ///
    /// The default, for servers that let nobody wait, returns true at once: the provider asks with growing pauses then.
    /// A long wait in one request says so in ``HTTPRequest/patience``.
    ///
    /// - Returns: False when the server's time ran out. True promises nothing: ``changes(path:since:over:)`` may still
    ///   bring an empty page, or say that the token is forgotten.
    func waitForChanges(path: ProviderPath, since token: String, over connection: HTTPConnection) async throws -> Bool

    /// A page of what changed below the folder at `path` after `token`.
    ///
    /// - Returns: Nil when the server has forgotten the token: callers list the folder anew, and go on with a new one.
    func changes(path: ProviderPath, since token: String, over connection: HTTPConnection) async throws
        -> HTTPChangesPage?
}

extension HTTPChangesService {
    /// The default, for servers that let nobody wait.
    public func waitForChanges(path: ProviderPath, since token: String, over connection: HTTPConnection) async throws
        -> Bool
    { true }
}
