import FileProviderCore
import Foundation
import ReaderMessages

/// The work with one application, from its appearance to its leave: lists, uploads, changes and reads books.
///
/// Operations are carried out one after the other, in the order in which they were called; ``probe()`` is not held up
/// by them. Each ends within the times of its ``DriverOptions``, whatever the application and the storage do. An
/// operation that is cancelled throws ``DriverError`` (cancelled) and leaves the folder tidy. Errors of the storage are
/// passed on as they are.
public actor DriverSession {
    /// The command staging folder.
    public nonisolated let staging: StagingFolder
    /// How it goes about its work.
    public nonisolated let options: DriverOptions

    nonisolated let context: DriverContext
    nonisolated let folder: LinkFolder
    nonisolated let trace: CommandTrace
    nonisolated let exchange: CommandExchange
    nonisolated let metadata: @Sendable (BookMetadata) -> BookMetadata
    private nonisolated let turns = Turns()

    var heartbeat = Heartbeat()
    var snapshot = SnapshotCache()
    /// That the list of books could not be read, until a report says so.
    var listWarning: String?
    /// Documents that could not be removed from the device when they should have been.
    var leftDocuments: Set<ProviderPath> = []
    private var ending: DriverError.Kind?
    private var running: [Int: @Sendable () -> Void] = [:]
    private var lastOperation = 0
    /// Raised when the connection is lost: what began before ends with that.
    private var losses = 0

    /// A session over the command staging folder of an application. Nothing is sent yet.
    ///
    /// - Parameter metadata: Changes what is sent of a book, for applications with wishes of their own.
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

    /// Carries `body` out when what was called before is done.
    ///
    /// - Throws: What `body` throws; ``DriverError`` (cancelled, connectionLost, ejected) where it was ended from
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

    /// Whether nothing more is done.
    var isEnded: Bool { ending != nil }

    /// Says goodbye: waits for the operation that runs, ends those that wait, and answers nothing more. Called again it
    /// does the same.
    public func eject() async {
        ending = ending ?? .ejected
        // Those that wait are ended by looking at this when their turn comes.
        do {
            try await turns.begin()
            turns.end()
        } catch {
            trace.note("The wait for the last command was cancelled", error)
        }
    }

    /// Notes that the connection is gone, as whoever watches it has seen: all that runs or waits ends with
    /// ``DriverError`` (connectionLost), at once and without a word to the storage. When the application is there again
    /// the session goes on.
    public func connectionLost() async {
        losses += 1
        heartbeat = Heartbeat()
        await exchange.abandon()
        for cancel in running.values { cancel() }
    }

    /// Ends all that runs or waits, and answers nothing more.
    public func shutdown() async {
        ending = ending ?? .ejected
        for cancel in running.values { cancel() }
        await eject()
    }
}
