import FileProviderCore
import Foundation
import ReaderMessages

/// Sends commands to an application one after the other: publishes each, follows its report, and cleans up the folder.
///
/// The caller must not start two operations at once. Every call ends, whatever the application and the storage do.
actor CommandExchange {
    /// A command of ours that is, or may be, in the folder.
    struct OutstandingCommand: Sendable {
        let kind: ReaderCommand.Kind
        let timestamp: Double
        let data: Data
        /// The write calls for it, which may continue after they were abandoned.
        let writing = CallsUnderWay()
        var fileName: String { kind.fileName }
        var stamp: CommandStamp { CommandStamp(fileName: fileName, timestamp: timestamp) }
    }

    /// The report that ended a command.
    struct Ending: Sendable {
        let status: CommandStatus
        let data: Data
    }

    /// Seconds to wait for an abandoned write.
    static let writingLimit = 5.0

    /// The last command, if it was not followed to its end.
    var outstanding: OutstandingCommand?
    /// Seconds that the storage needed to store the last command. The application needs at least as long to fetch it.
    private(set) var lastWriting = 0.0
    /// A report that was removed before documents were staged, in case it appears again.
    var orphan: Data?
    /// The last command that ended with a report.
    private(set) var ended: CommandStamp?
    /// Whether cancelling a command sends a cancel request to the application.
    private var cancels = false
    /// Whether the connection is gone, so that cleaning up is impossible now.
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

    /// The folder for looks, with a shorter limit: a hanging look must not last as long as the silence that ends a
    /// command.
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

    /// Sends `command` and waits for its end.
    ///
    /// - Parameter cancels: Whether the application supports cancelling a command.
    /// - Returns: The application's messages.
    /// - Throws: ``DriverError``; errors of the storage; `CancellationError`.
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

    /// Records that the list of books has been read again.
    func didResync() { needsResync = false }

    /// Records that the connection is gone: cleaning up waits until the next command.
    func abandon() { isAbandoned = true }

    /// Records that the connection is back.
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
        // The outcome is known now, and even a cancelled caller gets it.
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

    /// Withdraws a command whose write was not confirmed. It may still arrive, so the next command looks for it again.
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

    /// Withdraws `sent`. If that fails, the next command tries again.
    @discardableResult
    func withdraw(_ sent: OutstandingCommand) async -> Bool {
        do {
            let wasThere = try await folder.remove(sent.fileName, holding: sent.data)
            outstanding = nil
            return wasThere
        } catch {
            trace.note("“\(sent.fileName)” cannot be withdrawn", error)
            return true
        }
    }

    /// Cleans up after the last report: waits until the application has removed the command, removes it if necessary,
    /// then removes the report.
    ///
    /// The order matters: the application begins no other command while the report exists.
    func tidy(_ sent: OutstandingCommand, ending: Ending) async {
        ended = sent.stamp
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

    /// Removes the report if it is the one that was seen. Tries several times, because the application waits for that.
    /// A different report belongs to another driver.
    func removeStatus(holding data: Data) async {
        for attempt in 1...3 {
            do {
                _ = try await folder.remove(CommandStatus.fileName, holding: data)
                return
            } catch {
                trace.note("“\(CommandStatus.fileName)” cannot be removed", error)
                // A hanging storage would hang again, and the next command starts with this removal anyway.
                guard attempt < 3, !isAbandoned, (error as? URLError)?.code != .timedOut else { break }
                // If the clock can't wait, tries again at once.
                try? await time.sleep(seconds: Double(attempt))
            }
        }
        warnings.append(
            StatusMessage("The report could not be removed from the device.", about: CommandStatus.fileName))
    }

    /// Cleans up after the caller was cancelled: sends a cancel request if possible, and leaves the folder as an
    /// application expects it.
    private func finishCancelled(_ sent: OutstandingCommand) async {
        let cancels = cancels
        await withCancellationShield {
            // Without a report the command has not begun and can still be withdrawn.
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

    /// Whether a look costs no round trip.
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
            trace.note("The storage's capabilities are unknown", error)
            return false
        }
    }
}
