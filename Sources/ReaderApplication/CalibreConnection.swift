import FileProviderCore
import Foundation
public import Logging
import ReaderMessages

/// The application's side of calibre's protocol: announces the application in a staging folder, and carries out the
/// commands of drivers one after the other.
///
/// A command that was interrupted, because the application left or died, continues with the next ``enter()``; no book
/// is added twice and none is lost. Nothing that a driver sends is trusted. A connection works from ``enter()`` to
/// ``leave()``, even if no reference to it remains.
public actor CalibreConnection {
    /// The state of the connection.
    public enum State: String, Hashable, Sendable {
        /// Not in connection mode: `connected.xml` doesn't exist.
        case left
        /// Commands are carried out.
        case online
        /// In connection mode, but commands wait.
        case offline
    }

    /// An event that an application may want to show.
    public enum Event: Sendable {
        /// The state changed.
        case state(State)
        /// A command begins: the name of its file.
        case began(String)
        /// A command is over.
        case ended(String, CommandStatus.Code, [StatusMessage])
        /// The storage or the library failed; the connection keeps trying.
        case failed(any Error)
    }

    /// Seconds to wait for a step before the application announces that it is offline: less than the silence limit of
    /// drivers.
    private static let maxStepTime = 10.0

    /// The state of the connection.
    public private(set) var state = State.left
    /// The events of the connection from beginning to end, for one consumer. If the consumer is slow, the oldest 1,000
    /// events are kept.
    public nonisolated let events: AsyncStream<Event>

    private let staging: StagingFolder
    private let options: ApplicationOptions
    private let time: any TimeSource
    private let timestamps: RisingTimestamps
    private let control: ProcessingControl
    private let processor: CommandProcessor
    private let logger: Logger?
    private let happened: AsyncStream<Event>.Continuation
    private let report: @Sendable (any Error) -> Void
    /// Serializes ``enter()``, ``goOffline()`` and ``leave()``.
    private let turns = Turns()
    private var tasks: [Task<Void, Never>] = []
    /// Whether `connected.xml` exists, as far as this connection knows.
    private var isTold = false
    /// The last write of `connected.xml`, which the next one waits for.
    private var telling: Task<Void, any Error>?

    /// Creates a connection through `staging` for the books of `library`. Nothing happens before ``enter()``.
    ///
    /// - Parameter logger: Logs commands (info) and failures (warning), without secrets; `nil` logs nothing.
    public init(
        staging: StagingFolder, library: any BookLibrary, options: ApplicationOptions,
        time: any TimeSource = SystemTime(),
        logger: Logger? = nil
    ) throws {
        let (events, happened) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingOldest(1_000))
        self.events = events
        self.happened = happened
        self.staging = staging
        self.options = options.bounded
        self.time = time
        self.logger = logger
        report = { error in
            logger?.warning("\(error.loggedSentence)")
            happened.yield(.failed(error))
        }
        timestamps = RisingTimestamps(time: time)
        control = ProcessingControl(
            time: time, looksForCancelling: options.capabilities.contains(ConnectedMessage.Capability.cancelling))
        processor = CommandProcessor(
            folder: staging, documents: StagedDocuments(folder: try staging.folder(options.documents)),
            library: library,
            options: self.options, time: time, timestamps: timestamps, control: control, report: report)
    }

    deinit { happened.finish() }

    /// Enters connection mode: creates the staging folder if it is missing, announces the application as online, and
    /// carries out commands until ``leave()``. Does nothing if it is online; ends ``goOffline()``.
    /// - Throws: Errors of the storage; the state is then unchanged.
    public func enter() async throws {
        try await turns.begin()
        defer { turns.end() }
        var found: [FileObject] = []
        if state == .left {
            try await staging.create()
            try await staging.folder(options.documents).create()
            found = try await staging.files()
            if let data = try await staging.read(ConnectedMessage.fileName, limit: options.coding.limits.report),
                // An unreadable file has no timestamp.
                let leftover = try? options.coding.connected(in: data).timestamp
            {
                timestamps.raise(to: leftover)
            }
        }
        let before = state
        // Sets the state first, because a waiting heartbeat reads it when its turn comes.
        become(.online)
        do { try await tell { _ in .online } } catch {
            become(before)
            throw error
        }
        control.isOffline = false
        if tasks.isEmpty {
            tasks = [Task { await self.beat() }, Task { [found] in await self.carryOut(besides: found) }]
        }
    }

    /// Announces that the application is in the background, or that the device is about to sleep. First finishes the
    /// current book and reports the progress of its command to the driver, unless that takes more than 10 seconds; the
    /// rest waits.
    /// - Throws: Errors of the storage; commands wait nevertheless.
    public func goOffline() async throws {
        try await turns.begin()
        defer { turns.end() }
        guard state == .online else { return }
        control.isOffline = true
        await control.waitForStep(atMost: Self.maxStepTime)
        become(.offline)
        try await tell { _ in .offline }
    }

    /// Leaves connection mode: ends after the current step, and removes `connected.xml`. An unfinished command
    /// continues after the next ``enter()``. Does nothing if the connection was already left.
    /// - Throws: Errors of the storage. The connection is left, and `connected.xml` stays until this is called again.
    public func leave() async throws {
        try await turns.begin()
        defer { turns.end() }
        become(.left)
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        tasks = []
        guard isTold else { return }
        // A write under way would bring the file back.
        _ = await telling?.result
        try await staging.remove(ConnectedMessage.fileName)
        isTold = false
    }
}

// MARK: The work of a connection

extension CalibreConnection {
    private func become(_ state: State) {
        guard self.state != state else { return }
        self.state = state
        happened.yield(.state(state))
    }

    /// Writes `connected.xml` after the previous write. Waits for a started write even if the task is cancelled.
    ///
    /// - Parameter state: Returns the state to announce when this write's turn comes, or `nil` to write nothing.
    private func tell(_ state: @escaping @Sendable (State) -> ConnectedMessage.State?) async throws {
        let before = telling
        let task = Task {
            _ = await before?.result
            guard let said = state(self.state) else { return }
            isTold = true
            try await staging.publish(options.coding.data(for: connected(said)), as: ConnectedMessage.fileName)
        }
        telling = task
        try await task.value
    }

    private func connected(_ state: ConnectedMessage.State) -> ConnectedMessage {
        var connected = ConnectedMessage(timestamp: timestamps.next(), state: state, attributes: options.attributes)
        connected.application = options.application
        connected.capabilities = options.capabilities
        connected.heartbeat = options.heartbeat
        connected.snapshot = options.snapshot
        connected.documents = options.documents
        return connected
    }

    /// Drivers consider an application dead if its file doesn't change.
    private func beat() async {
        while !Task.isCancelled {
            do {
                try await time.sleep(seconds: options.heartbeat)
                try await tell { $0 == .left ? nil : $0 == .online ? .online : .offline }
            } catch {
                if !Task.isCancelled { report(error) }
            }
        }
    }

    /// - Parameter found: The content of the folder before the application was in connection mode.
    private func carryOut(besides found: [FileObject]) async {
        var inbox = CommandInbox(folder: staging, found: found, options: options, time: time)
        var housekeeping = StagingHousekeeping(
            folder: staging, documents: processor.documents.folder, options: options, time: time, report: report)
        var wait = InboxWait(folder: staging, interval: options.pollInterval, time: time)
        var isRecovered = false
        var owesSnapshot = true
        while !Task.isCancelled {
            do {
                try await control.pass()
                let files = try await staging.files()
                if !isRecovered {
                    try await processor.recover(files: files)
                    isRecovered = true
                }
                if let found = try await inbox.next(among: files) {
                    if let ending = try await run(found) {
                        if ending.leavesCommand { inbox.leave(found) }
                        owesSnapshot = owesSnapshot || ending.owesSnapshot
                    }
                    wait.somethingHappened()
                    continue
                }
                if owesSnapshot {
                    try await processor.publishSnapshot()
                    owesSnapshot = false
                }
                // A late cancel request must not stop the next command.
                if files.contains(where: { $0.name == CommandStatus.cancelFileName }) {
                    try await control.forgetCancelling(in: staging)
                }
                try await housekeeping.tidy()
                try await wait.next()
            } catch {
                if !Task.isCancelled { report(error) }
                // The loop tries again; it ends above if the task is cancelled.
                try? await wait.afterFailure()
            }
        }
        await wait.end()
    }

    private func run(_ found: FoundCommand) async throws -> CommandProcessor.Ending? {
        logger?.info("\(StagedName.shown(found.fileName)) begins")
        happened.yield(.began(found.fileName))
        await processor.documents.forget()
        guard let ending = try await processor.run(found) else { return nil }
        logger?.info(
            "\(StagedName.shown(found.fileName)) ended with code \(ending.code.rawValue), \(ending.messages.count) messages"
        )
        happened.yield(.ended(found.fileName, ending.code, ending.messages))
        return ending
    }
}
