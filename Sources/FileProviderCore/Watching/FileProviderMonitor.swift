/// Watching natively, for storages that report changes themselves.
///
/// Callers use ``FileProviderBasic/changes(at:options:)``, which serves every provider.
public protocol FileProviderMonitor: FileProviderBasic {
    /// Watches the folder at `path`; returns once every change from now on will be reported.
    ///
    /// Unfinished files (``TemporaryName``) are not reported; their arrival under the final name is. The watch does not
    /// keep the provider alive.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; `CocoaError(.fileReadUnknown)` with `ENOTDIR` below it if `path` is
    ///   no folder.
    func watch(path: ProviderPath, options: WatchOptions) async throws -> any FileWatch
}

/// A watch that has started.
///
/// To keep a listing up to date, list after the watch has started and before asking for changes, and again after each
/// ``FileEvent/Kind/rescan`` before asking further. Changes during the listing are reported so that none is lost or
/// doubled.
public protocol FileWatch: AnyObject, Sendable {
    /// Waits for the next changes and returns them. One caller at a time.
    ///
    /// For a slow consumer, the watch holds only the places that changed, and at most ``WatchOptions/maxPending`` of
    /// them.
    ///
    /// - Returns: One or more events in order; nil after ``stop()``.
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` after the removal of the folder itself was reported; another error
    ///   if the folder can no longer be read; `CancellationError`, after which the watch continues.
    func next() async throws -> [FileEvent]?

    /// Ends the watch and releases its resources before it returns. Without it, a released watch ends a little later.
    func stop() async
}

/// Long polling, for servers that answer when something changed, or after a while when nothing did.
public protocol FileProviderLongPolling: FileProviderBasic {
    /// Returns the changes below `path` since `token`; waits for them as long as the server does.
    ///
    /// - Parameter token: The token of the previous answer; nil asks for the present state, which answers at once and
    ///   without events.
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` if `path` is gone. A token that the server has forgotten is no error
    ///   but a ``FileEvent/Kind/rescan``.
    func changes(path: ProviderPath, since token: String?) async throws -> LongPollAnswer
}

/// The answer to a long poll.
public struct LongPollAnswer: Sendable, Hashable {
    /// The changes; empty if the server's time ran out.
    public var events: [FileEvent]
    /// The token for the next call.
    public var token: String

    /// Creates an answer from events in replayable order, as ``FileEvent`` says, and the server's unchanged token.
    public init(events: [FileEvent], token: String) {
        self.events = events
        self.token = token
    }
}
