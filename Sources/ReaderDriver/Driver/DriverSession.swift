import FileProviderCore
import Foundation
import ReaderMessages

/// A session with one reader application: lists, uploads, changes and reads its books.
///
/// Operations run one after the other, in the order of the calls; ``probe()`` doesn't wait for them. Each operation
/// ends within the times of its ``DriverOptions``, whatever the application and the storage do. A cancelled operation
/// throws ``DriverError`` (cancelled) and leaves the folder clean. Errors of the storage are passed on unchanged.
public actor DriverSession {
    /// The command staging folder.
    public nonisolated let staging: StagingFolder
    /// The options of the session.
    public nonisolated let options: DriverOptions

    nonisolated let context: DriverContext
    nonisolated let folder: LinkFolder
    nonisolated let trace: CommandTrace
    nonisolated let exchange: CommandExchange
    nonisolated let metadata: @Sendable (BookMetadata) -> BookMetadata
    private nonisolated let turns = Turns()

    var heartbeat = Heartbeat()
    var snapshot = SnapshotCache()
    /// The warning that the list of books could not be read, until a report contains it.
    var listWarning: String?
    /// Documents that could not be removed from the device when they should have been.
    var leftDocuments: Set<ProviderPath> = []
    private var ending: DriverError.Kind?
    private var running: [Int: @Sendable () -> Void] = [:]
    private var lastOperation = 0
    /// Incremented when the connection is lost; operations that began before end with that error.
    private var losses = 0

    /// Creates a session for an application's command staging folder. Nothing is sent yet.
    ///
    /// - Parameter metadata: Adapts the metadata that is sent, for applications with special requirements.
    public init(
        staging: StagingFolder, options: DriverOptions = DriverOptions(), context: DriverContext = DriverContext(),
        metadata: @escaping @Sendable (BookMetadata) -> BookMetadata = { $0 }
    ) {
        self.staging = staging
        self.metadata = metadata
        self.options = options
        self.context = context
        folder = LinkFolder(staging: staging, calls: CallLimit(time: context.time, seconds: options.callLimit))
        trace = CommandTrace(logger: context.logger, isDeveloping: options.developmentMode)
        exchange = CommandExchange(folder: folder, options: options, trace: trace)
    }

    // MARK: One after the other

    /// Runs `body` when the operations before it are done.
    ///
    /// - Throws: Errors of `body`; ``DriverError`` (cancelled, connectionLost, ejected) if the operation was ended from
    ///   outside.
    func inTurn<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        if let ending { throw DriverError(ending) }
        let seenLosses = losses
        let task = Task { [turns] in
            try await turns.begin()
            defer { turns.end() }
            try Task.checkCancellation()
            if let ending = self.ending { throw DriverError(ending) }
            return try await body()
        }
        lastOperation += 1
        let number = lastOperation
        running[number] = { task.cancel() }
        defer { running[number] = nil }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch let error where error.isCancellation {
            if losses > seenLosses { throw DriverError(.connectionLost) }
            throw DriverError(ending ?? .cancelled)
        }
    }

    // MARK: The end

    /// Whether the session has ended.
    var isEnded: Bool { ending != nil }

    /// Ends the session: waits for the current operation, ends waiting ones, and refuses new ones. May be called again.
    public func eject() async {
        ending = ending ?? .ejected
        // Waiting operations check `ending` when their turn comes.
        do {
            try await turns.begin()
            turns.end()
        } catch {
            trace.note("The wait for the last command was cancelled", error)
        }
    }

    /// Reports to the session that the connection is gone. All running and waiting operations end at once with
    /// ``DriverError`` (connectionLost), without another call to the storage. The session continues when the
    /// application is back.
    public func connectionLost() async {
        losses += 1
        heartbeat = Heartbeat()
        await exchange.abandon()
        for cancel in running.values { cancel() }
    }

    /// Cancels all running and waiting operations and ends the session.
    public func shutdown() async {
        ending = ending ?? .ejected
        for cancel in running.values { cancel() }
        await eject()
    }
}
