/// Watching natively: what a provider adds whose storage tells of changes by itself.
///
/// Callers use ``FileProviderBasic/changes(at:options:)``, which serves every provider.
public protocol FileProviderMonitor: FileProviderBasic {
    /// Watches the folder at `path`; returns once every change from now on will be told.
    ///
    /// Files on their way (``TemporaryName``) are not told; their arrival under the final name is. The watch does not
    /// keep the provider alive.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; `CocoaError(.fileReadUnknown)` with `ENOTDIR` below it when `path`
    ///   is no folder.
    func watch(path: ProviderPath, options: WatchOptions) async throws -> any FileWatch
}

/// A watch that stands.
///
/// A consumer that keeps a listing in step makes that listing after the watch stands and before it asks for changes,
/// and again after a ``FileEvent/Kind/rescan`` and before it asks on: what changes while it lists is told so that
/// nothing is lost or doubled.
public protocol FileWatch: AnyObject, Sendable {
    /// The next changes; waits for them. One caller at a time.
    ///
    /// Nothing is gathered for a slow consumer but the places that changed, and never more than
    /// ``WatchOptions/maxPending``.
    ///
    /// - Returns: One or more events in order; nil after ``stop()``.
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` after the folder itself was told as removed; why the folder may not
    ///   be read any more; `CancellationError`, after which the watch still stands.
    func next() async throws -> [FileEvent]?

    /// Ends the watch and gives back all that it holds before it returns. A watch that is let go without it follows a
    /// little later.
    func stop() async
}

/// Long polling: what a provider adds whose server answers when something changed, or after a while when nothing did.
public protocol FileProviderLongPolling: FileProviderBasic {
    /// The changes below `path` since `token`; waits for them as long as the server does.
    ///
    /// - Parameter token: From the answer before; nil asks where things stand now, which answers at once and without
    ///   events.
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` when `path` is gone. A token that the server has forgotten is no
    ///   error but a ``FileEvent/Kind/rescan``.
    func changes(path: ProviderPath, since token: String?) async throws -> LongPollAnswer
}

/// What a long poll brings.
public struct LongPollAnswer: Sendable, Hashable {
    /// None when the server's time ran out.
    public var events: [FileEvent]
    /// What to ask with next.
    public var token: String

    /// Events in an order in which they can be replayed, as ``FileEvent`` says, and the server's token as it came.
    public init(events: [FileEvent], token: String) {
        self.events = events
        self.token = token
    }
}
