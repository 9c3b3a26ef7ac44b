/// The changes of a folder, one after the other, for as long as somebody asks for them.
///
/// It keeps its provider alive, and nothing else does so for it. Letting go of it ends the watch.
public struct FileChanges: AsyncSequence, Sendable {
    /// One change; ``watch`` gives the same in batches.
    public typealias Element = FileEvent
    /// What ``FileWatch/next()`` throws.
    public typealias Failure = any Error

    /// The watch itself: for consumers that want whole batches.
    public let watch: any FileWatch
    private let provider: any FileProviderBasic

    init(of watch: any FileWatch, in provider: any FileProviderBasic) {
        self.watch = watch
        self.provider = provider
    }

    /// All iterators draw on the same watch, so that each change goes to one of them: have one at a time.
    public func makeAsyncIterator() -> Iterator { Iterator(changes: self) }

    /// Ends the sequence; every descriptor is given back when it returns.
    public func stop() async { await watch.stop() }

    /// Gives the events one by one. Those of a batch that it has begun are lost with it.
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
    /// Watches the folder at `path`; returns once every change from now on will be told.
    ///
    /// The storage tells them itself where the provider is a ``FileProviderMonitor``, its server answers long polls
    /// where it is ``FileProviderLongPolling``; every other folder is listed again and again.
    ///
    /// A listing made between this call and the first `next()` is the one that the events belong to.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; `CocoaError(.fileReadUnknown)` with `ENOTDIR` below it when `path`
    ///   is no folder.
    public func changes(at path: ProviderPath, options: WatchOptions = WatchOptions()) async throws -> FileChanges {
        FileChanges(of: try await startWatch(path: path, options: options), in: self)
    }

    /// Watches by listing again and again, whatever else the provider can do: what a native watch falls back to.
    ///
    /// - Throws: As ``changes(at:options:)``.
    public func pollForChanges(at path: ProviderPath, options: WatchOptions) async throws -> any FileWatch {
        let watch = PollingWatch(of: self, path: path, options: options)
        try await watch.start()
        return watch
    }

    func startWatch(path: ProviderPath, options: WatchOptions) async throws -> any FileWatch {
        if !options.alwaysPolls {
            if let native = self as? any FileProviderMonitor {
                return try await native.watch(path: path, options: options)
            }
            if let server = self as? any FileProviderLongPolling {
                let watch = LongPollWatch(of: server, path: path, options: options)
                try await watch.start()
                return watch
            }
        }
        return try await pollForChanges(at: path, options: options)
    }
}
