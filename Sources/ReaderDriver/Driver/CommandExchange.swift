import FileProviderCore
import Foundation
import ReaderMessages

/// Has an application carry out one command after the other: publishes each, follows the report on it, and leaves the
/// folder tidy.
///
/// Nothing runs twice at once here: whoever calls sees to that. Every call ends, whatever the application and the
/// storage do.
actor CommandExchange {
    /// A command of ours that is, or may be, in the folder.
    struct OutstandingCommand: Sendable {
        let kind: ReaderCommand.Kind
        let timestamp: Double
        let data: Data
        /// The writing of it, which may go on after nobody waits for it any more.
        let writing = CallsUnderWay()
        var fileName: String { kind.fileName }
    }

    /// The report that ended a command.
    struct Ending: Sendable {
        let status: CommandStatus
        let data: Data
    }

    /// Seconds for which a write that was given up is waited for.
    static let writingLimit = 5.0

    /// What went out last and was not seen to its end.
    var outstanding: OutstandingCommand?
    /// Seconds that the storage took to take the last command, which is what an application needs at least to fetch it.
    private(set) var lastWriting = 0.0
    /// A report that was removed before documents were staged, should it appear once more.
    var orphan: Data?
    /// Whether the application is told to stop when a command is cancelled.
    private var cancels = false
    /// Whether the connection is gone, so that putting things in order is of no use now.
    private(set) var isAbandoned = false
    /// Whether the library may have changed without a report that says how.
    private(set) var needsResync = false
    private var warnings: [StatusMessage] = []
    private var knownLocal: Bool?
    /// Looks at the report that have not returned.
    nonisolated let looks = CallsUnderWay()

    let folder: LinkFolder
    let options: DriverOptions
    let coding: MessageCoding
    let trace: CommandTrace
    private let stamps: RisingTimestamps

    var time: any TimeSource { folder.calls.time }

    /// The folder for looks: one that hangs must not last as long as a silence that ends the command.
    var looking: LinkFolder { folder.within(min(options.stallLimit, options.acknowledgeLimit) / 3) }

    init(folder: LinkFolder, options: DriverOptions, trace: CommandTrace) {
        self.folder = folder
        self.options = options
        self.trace = trace
        var coding = MessageCoding()
        coding.writesByteOrderMark = options.writesByteOrderMark
        self.coding = coding
        stamps = RisingTimestamps(time: folder.calls.time)
    }

    /// Has `command` carried out.
    ///
    /// - Parameter cancels: Whether the application understands that a command is cancelled.
    /// - Returns: What the application has to say of it.
    /// - Throws: ``DriverError``; what the storage throws; `CancellationError`.
    func run(_ command: ReaderCommand, cancels: Bool, progress: DriverProgress) async throws -> [StatusMessage] {
        self.cancels = cancels
        warnings = []
        do {
            try await settle()
            let ignored = try await clearFolder() ?? orphan
            orphan = nil
            let status = try await carryOut(command, ignoring: ignored, progress: progress)
            return try verdict(status, on: command.kind)
        } catch {
            trace.failed(command.kind, error)
            throw error
        }
    }

    /// The list of books was read anew.
    func didResync() { needsResync = false }

    /// The connection is gone: nothing is put in order now, but before the next command.
    func abandon() { isAbandoned = true }

    /// The connection is there again.
    func resume() { isAbandoned = false }

    private func carryOut(_ command: ReaderCommand, ignoring: Data?, progress: DriverProgress) async throws
        -> CommandStatus
    {
        var command = command
        let timestamp = stamps.next()
        command.timestamp = timestamp
        let sent = OutstandingCommand(kind: command.kind, timestamp: timestamp, data: try coding.data(for: command))
        try await publish(sent, command)
        let ending: Ending
        do { ending = try await follow(sent, ignoring: ignoring, progress: progress) } catch {
            needsResync = true
            if error.isCancellation, !isAbandoned { await finishCancelled(sent) }
            throw error
        }
        // From here on the outcome is known, and a cancelled caller hears it all the same.
        await withCancellationShield { await self.tidy(sent, ending: ending) }
        return ending.status
    }

    private func publish(_ sent: OutstandingCommand, _ command: ReaderCommand) async throws {
        trace.sends(command, coding: coding)
        outstanding = sent
        let start = time.elapsed
        defer { lastWriting = time.elapsed - start }
        do { try await folder.create(sent.fileName, sent.data, counted: sent.writing) } catch let error
            where error.isFileExists
        {
            outstanding = nil
            throw DriverError(.busy, underlying: error)
        } catch {
            if !isAbandoned { await withCancellationShield { await self.withdrawUnanswered(sent) } }
            throw error
        }
    }

    /// Takes back a command that may have arrived although nobody said so, or that may still arrive: it is looked for
    /// once more before the next command.
    private func withdrawUnanswered(_ sent: OutstandingCommand) async {
        await sent.writing.wait(atMost: Self.writingLimit, by: time)
        await withdraw(sent)
        outstanding = sent
    }

    private func verdict(_ status: CommandStatus, on kind: ReaderCommand.Kind) throws -> [StatusMessage] {
        trace.ended(kind, status)
        switch status.code {
        case .success, .warnings, .inProgress: return status.messages + warnings
        case .failure:
            needsResync = true
            throw DriverError(.commandFailed(messages: status.messages))
        case .cancelled:
            needsResync = true
            throw DriverError(.cancelled)
        }
    }

    // MARK: Leaving the folder tidy

    /// Takes `sent` back; what cannot be done now is done before the next command.
    @discardableResult
    func withdraw(_ sent: OutstandingCommand) async -> Bool {
        do {
            let wasThere = try await folder.remove(sent.fileName, holding: sent.data)
            outstanding = nil
            return wasThere
        } catch {
            trace.note("“\(sent.fileName)” cannot be taken back", error)
            return true
        }
    }

    /// After the last report: waits until the application removed the command, in the end removes it itself, then
    /// removes the report.
    ///
    /// In this order: while the report is there, the application begins no other command.
    func tidy(_ sent: OutstandingCommand, ending: Ending) async {
        let start = time.elapsed
        let poll = options.poll(isLocal: await isLocal())
        while !isAbandoned, time.elapsed - start < options.removalLimit {
            do {
                if try await looking.attributes(of: sent.fileName) == nil { break }
                try await time.sleep(seconds: poll)
            } catch {
                trace.note("“\(sent.fileName)” cannot be looked for", error)
                break
            }
        }
        await withdraw(sent)
        await removeStatus(holding: ending.data)
    }

    /// Removes the report if it is the one that was seen, trying more than once: the application waits for that.
    /// Another one is somebody else's.
    func removeStatus(holding data: Data) async {
        for attempt in 1...3 {
            do {
                _ = try await folder.remove(CommandStatus.fileName, holding: data)
                return
            } catch {
                trace.note("“\(CommandStatus.fileName)” cannot be removed", error)
                // A storage that hangs would do so again, and the next command begins with this anyway.
                guard attempt < 3, !isAbandoned, (error as? URLError)?.code != .timedOut else { break }
                // A clock that cannot wait is no reason to stop trying.
                try? await time.sleep(seconds: Double(attempt))
            }
        }
        warnings.append(
            StatusMessage("The report could not be removed from the device.", about: CommandStatus.fileName))
    }

    /// The caller has gone: the application is told to stop where it can be, and the folder is left as an application
    /// may find it.
    private func finishCancelled(_ sent: OutstandingCommand) async {
        let cancels = cancels
        await withCancellationShield {
            // Without a report it has not begun, and the command can still be taken back.
            guard await self.isBegun() else {
                await self.withdraw(sent)
                return
            }
            guard cancels, await self.tellToStop() else { return }
            do {
                let ending = try await self.follow(sent, ignoring: nil) { _ in }
                await self.tidy(sent, ending: ending)
            } catch {
                self.trace.note("“\(sent.fileName)” did not end after it was cancelled", error)
            }
            await self.removeCancelFile()
        }
    }

    private func isBegun() async -> Bool {
        do { return try await folder.attributes(of: CommandStatus.fileName) != nil } catch {
            trace.note("“\(CommandStatus.fileName)” cannot be looked for", error)
            return true
        }
    }

    private func tellToStop() async -> Bool {
        do {
            try await folder.create(CommandStatus.cancelFileName, Data("cancel".utf8))
            return true
        } catch {
            trace.note("“\(CommandStatus.cancelFileName)” cannot be written", error)
            return error.isFileExists
        }
    }

    func removeCancelFile() async {
        do { try await folder.remove(CommandStatus.cancelFileName) } catch {
            trace.note("“\(CommandStatus.cancelFileName)” cannot be removed", error)
        }
    }

    /// Whether looking costs no round trip.
    func isLocal() async -> Bool {
        if let knownLocal { return knownLocal }
        do {
            let provider = folder.staging.provider
            let isLocal = try await folder.calls.run("asking for abilities") {
                try await provider.capabilities().readCost.roundTripsToOpen == 0
            }
            knownLocal = isLocal
            return isLocal
        } catch {
            trace.note("The storage does not tell its abilities", error)
            return false
        }
    }
}
