public import FileProviderCore

/// A service whose server keeps a feed of changes; its provider is a `FileProviderLongPolling`.
///
/// The provider waits, requests page after page, and turns them into events that can be replayed.
public protocol HTTPChangesService: HTTPService {
    /// Returns the token from which changes of the folder at `path` are reported from now on.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` if the folder doesn't exist.
    func changesToken(path: ProviderPath, over connection: HTTPConnection) async throws -> String

    /// Waits until there are changes after `token`, for as long as the server holds the request.
    ///
    /// The default, for servers without long polls, returns true at once: the provider then asks with growing pauses. For
    /// a long wait in one request, set ``HTTPRequest/patience``.
    ///
    /// - Returns: False if the server's time ran out. True promises nothing: ``changes(path:since:over:)`` may still
    ///   return an empty page, or report a forgotten token.
    func waitForChanges(path: ProviderPath, since token: String, over connection: HTTPConnection) async throws -> Bool

    /// Returns a page of the changes below the folder at `path` after `token`.
    ///
    /// - Returns: Nil if the server has forgotten the token: callers list the folder again and continue with a new one.
    func changes(path: ProviderPath, since token: String, over connection: HTTPConnection) async throws
        -> HTTPChangesPage?
}

extension HTTPChangesService {
    /// Returns true at once, for servers without long polls.
    public func waitForChanges(path: ProviderPath, since token: String, over connection: HTTPConnection) async throws
        -> Bool
    { true }
}
