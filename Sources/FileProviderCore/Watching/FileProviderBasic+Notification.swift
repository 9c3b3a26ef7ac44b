import Foundation

/// Watching with handlers.
///
/// Handlers run one after the other on the private serial queue of the completion handlers, and the watch waits for
/// them. The first event is a ``FileEvent/Kind/rescan`` that reports the start of the watch. A registration does not
/// keep its provider alive: it ends with the provider, with ``FileProviderBasic/invalidate()``, or with its own last
/// event, a rescan that says why.
extension FileProviderBasic {
    /// Calls `eventHandler` for each change below the folder at `path`.
    ///
    /// - Parameter path: Registering the same path again adds a handler.
    public func registerNotification(
        path: String, options: WatchOptions = WatchOptions(),
        eventHandler: @escaping @Sendable (_ event: FileEvent) -> Void
    ) {
        let provider: @Sendable () -> (any FileProviderBasic)? = { [weak self] in self }
        Registrations.shared.start(Self.key(path), of: self) {
            await EventPump(handler: eventHandler).run(path: path, options: options, of: provider)
        }
    }

    /// Calls `eventHandler` after each change below the folder at `path`.
    public func registerNotification(
        path: String, options: WatchOptions = WatchOptions(), eventHandler: @escaping @Sendable () -> Void
    ) {
        registerNotification(path: path, options: options) { (_: FileEvent) in eventHandler() }
    }

    /// Ends all registrations for `path`. No handler is called after the one that may be running; descriptors are
    /// closed a moment later.
    public func unregisterNotification(path: String) { Registrations.shared.end(Self.key(path), of: self) }

    /// Whether a handler is registered for `path` and its watch has not ended.
    public func isRegisteredForNotification(path: String) -> Bool {
        Registrations.shared.contains(Self.key(path), of: self)
    }

    /// The older FileProvider interface's spelling of `registerNotification(path:options:eventHandler:)`.
    @available(*, deprecated, renamed: "registerNotification(path:eventHandler:)")
    public func registerNotifcation(path: String, eventHandler: @escaping @Sendable () -> Void) {
        registerNotification(path: path, eventHandler: eventHandler)
    }

    /// The older FileProvider interface's spelling of ``unregisterNotification(path:)``.
    @available(*, deprecated, renamed: "unregisterNotification(path:)")
    public func unregisterNotifcation(path: String) { unregisterNotification(path: path) }

    /// Returns the same spelling for all forms of a path.
    private static func key(_ path: String) -> String { (try? ProviderPath(path).string) ?? path }
}

/// Passes the events of a watch to a handler.
private struct EventPump {
    let handler: @Sendable (FileEvent) -> Void

    func run(path: String, options: WatchOptions, of provider: @Sendable () -> (any FileProviderBasic)?) async {
        var folder = ProviderPath.root
        do {
            folder = try ProviderPath(path)
            guard let watch = try await provider()?.startWatch(path: folder, options: options) else { return }
            do {
                await tell([FileEvent(.rescan, path: folder, type: .directory, reason: "The watch has started.")]
                )
                while let batch = try await watch.next() { await tell(batch) }
                await watch.stop()
            } catch {
                await watch.stop()
                throw error
            }
        } catch {
            if !Task.isCancelled {
                await tell([FileEvent(.rescan, path: folder, type: .directory, reason: error.sentence)])
            }
        }
    }

    /// Waits until the handler has received them all; after the end of the registration it is not called.
    private func tell(_ events: [FileEvent]) async {
        let flag = CancellationFlag()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                CompletionForm.queue.async {
                    for event in events where !flag.isCancelled { handler(event) }
                    continuation.resume()
                }
            }
        } onCancel: {
            flag.cancel()
        }
    }
}
