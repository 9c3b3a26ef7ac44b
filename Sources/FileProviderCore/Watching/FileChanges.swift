/// The changes of a folder, one after the other, as long as a caller asks for them.
///
/// It keeps its provider alive, so no other reference is needed. Releasing it ends the watch.
public struct FileChanges: AsyncSequence, Sendable {
    /// One change; ``watch`` gives the same in batches.
    public typealias Element = FileEvent
    /// What ``FileWatch/next()`` throws.
    public typealias Failure = any Error

    /// The watch itself, for consumers that want whole batches.
    public let watch: any FileWatch
    private let provider: any FileProviderBasic

    init(of watch: any FileWatch, in provider: any FileProviderBasic) {
        self.watch = watch
        self.provider = provider
    }

    /// Creates an iterator. All iterators share the watch, and each change goes to one of them: use one at a time.
    public func makeAsyncIterator() -> Iterator { Iterator(changes: self) }

    /// Ends the sequence; all descriptors are closed when it returns.
    public func stop() async { await watch.stop() }

    /// Returns the events one by one. Releasing it drops the rest of its batch.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let changes: FileChanges
        /// The rest of a batch, the next event last.
        private var rest: [FileEvent] = []

        fileprivate init(changes: FileChanges) {
            self.changes = changes
        }

        /// - Throws: As ``FileWatch/next()``.
        public mutating func next() async throws -> FileEvent? {
            if let event = rest.popLast() { return event }
            guard let batch = try await changes.watch.next() else { return nil }
            rest = batch.reversed()
            return rest.popLast()
        }
    }
}

extension FileProviderBasic {
    /// Watches the folder at `path`; returns once every change from now on will be reported.
    ///
    /// A ``FileProviderMonitor`` gets the changes from its storage, and a ``FileProviderLongPolling`` from its server's
    /// long polls. With any other provider, the folder is listed again and again.
    ///
    /// The events apply to a listing made between this call and the first `next()`.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; `CocoaError(.fileReadUnknown)` with `ENOTDIR` below it if `path` is
    ///   no folder.
    public func changes(at path: ProviderPath, options: WatchOptions = WatchOptions()) async throws -> FileChanges {
        FileChanges(of: try await startWatch(path: path, options: options), in: self)
    }

    /// Watches as ``changes(at:options:)`` does, and says how it goes.
    ///
    /// - Parameter asked: See ``WatchOutcome``. A storage that reports its changes by itself isn't asked.
    package func changes(at path: ProviderPath, options: WatchOptions, asked: @escaping WatchOutcome) async throws
        -> FileChanges
    {
        FileChanges(of: try await startWatch(path: path, options: options, asked: asked), in: self)
    }

    /// Watches by listing again and again, whatever else the provider can do. Native watches fall back to it.
    ///
    /// - Throws: As ``changes(at:options:)``.
    public func pollForChanges(at path: ProviderPath, options: WatchOptions) async throws -> any FileWatch {
        try await startPolling(path: path, options: options) { _ in }
    }

    /// Watches by polling for what changed since the caller listed the folder at `path`, with everything below it.
    ///
    /// - Parameters:
    ///   - listing: The items of that listing.
    ///   - asked: See ``WatchOutcome``.
    package func pollForChanges(
        at path: ProviderPath, since listing: PolledTree, options: WatchOptions, asked: @escaping WatchOutcome
    ) -> FileChanges {
        FileChanges(of: PollingWatch(of: self, path: path, options: options, since: listing, asked: asked), in: self)
    }

    /// Whether the storage reports its changes, so that ``changes(at:options:)`` doesn't begin with a listing.
    package func reportsChanges(_ options: WatchOptions) -> Bool {
        !options.alwaysPolls && (self is any FileProviderMonitor || self is any FileProviderLongPolling)
    }

    func startWatch(
        path: ProviderPath, options: WatchOptions, asked: @escaping WatchOutcome = { _ in }
    ) async throws -> any FileWatch {
        if !options.alwaysPolls {
            if let native = self as? any FileProviderMonitor {
                return try await native.watch(path: path, options: options)
            }
            if let server = self as? any FileProviderLongPolling {
                let watch = LongPollWatch(of: server, path: path, options: options, asked: asked)
                try await watch.start()
                return watch
            }
        }
        return try await startPolling(path: path, options: options, asked: asked)
    }

    private func startPolling(path: ProviderPath, options: WatchOptions, asked: @escaping WatchOutcome) async throws
        -> any FileWatch
    {
        let watch = PollingWatch(of: self, path: path, options: options, asked: asked)
        try await watch.start()
        return watch
    }
}
