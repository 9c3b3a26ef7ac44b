import FileProviderCore
import Foundation
import Logging
import ReaderMessages

/// Carries out one command from its acknowledgement to its final status. It can be stopped at any point and continued
/// later.
///
/// The order guarantees that. Each step is in the library's journal when it is done. The library's snapshot is
/// published before the command's file is removed, the file is removed before the final status is written, and that is
/// written before the journal deletes the command.
struct CommandProcessor: Sendable {
    /// The journal's step number for the result of the whole command.
    static let ending = -1
    /// Seconds to retry an operation on a storage that otherwise works.
    static let patience = 30.0

    let folder: StagingFolder
    let documents: StagedDocuments
    let library: any BookLibrary
    let options: ApplicationOptions
    let time: any TimeSource
    let timestamps: RisingTimestamps
    let control: ProcessingControl
    /// Reports failures that are retried.
    let report: @Sendable (any Error) -> Void

    /// The result of a command.
    struct Ending: Sendable {
        var code: CommandStatus.Code
        var messages: [StatusMessage]
        /// Whether its file could not be removed.
        var leavesCommand = false
        /// Whether the list of books could not be renewed.
        var owesSnapshot = false
    }

    var persistence: Persistence {
        Persistence(time: time, report: report) { [folder] in _ = try await folder.files() }
    }

    /// Carries out `found`.
    /// - Returns: The result, or `nil` if the driver withdrew the command before it was acknowledged.
    /// - Throws: `CancellationError`, after which the command is unchanged and continues when it is found again; errors
    ///   of the storage before the acknowledgement; errors of a library that can't record the result.
    func run(_ found: FoundCommand) async throws -> Ending? {
        control.isWorking = true
        defer { control.isWorking = false }
        let waits = try await control.pass()
        let (hadToWait, status) = try await waitForStatusTaken()
        if hadToWait || waits, try await !isThere(found) { return nil }
        let reporter = reporter()
        try await reporter.begin(
            fileName: found.fileName, timestamp: found.identity?.timestamp,
            from: Self.progress(of: found.identity, toldBy: status))
        do {
            var ending = try await ending(of: found, reporter: reporter)
            ending.leavesCommand = try await removeOrLeave(found)
            try await reporter.finish(ending.code, messages: ending.messages)
            // A command that can't be removed is answered from the journal when it is found again.
            if let identity = found.identity, !ending.leavesCommand { try await forget(identity) }
            return ending
        } catch {
            await reporter.stop()
            throw error
        }
    }

    /// Ends the commands that an earlier run left. Commands whose files still exist are found again and continue. For
    /// the others, the driver receives the result if it still waits for it.
    func recover(files: [FileObject]) async throws {
        for identity in try await library.unfinished() {
            if try await isThere(identity, among: files) { continue }
            let results = try await library.begin(identity)
            if let progress = try await progressToldOfWaitedFor(identity) {
                let reporter = reporter()
                try await reporter.begin(
                    fileName: identity.kind.fileName, timestamp: identity.timestamp, from: progress)
                let ending = results[Self.ending].map(Self.ending(from:)) ?? interrupted(identity)
                try await reporter.finish(ending.code, messages: ending.messages)
            }
            try await library.end(identity)
        }
    }

    private func isThere(_ identity: CommandIdentity, among files: [FileObject]) async throws -> Bool {
        for file in files where file.name.lowercased() == identity.kind.fileName {
            let data = try await folder.read(file.name, limit: options.largestCommand)
            if data.map(FoundCommand.digest(of:)) == identity.digest { return true }
        }
        return false
    }

    /// Returns the last progress reported for a command if the driver still waits for its end, else `nil`.
    private func progressToldOfWaitedFor(_ identity: CommandIdentity) async throws -> Double? {
        guard let data = try await folder.read(CommandStatus.fileName, limit: options.coding.limits.report) else {
            return nil
        }
        // An unreadable status was not finished either.
        guard let status = try? options.coding.status(in: data) else { return 0 }
        guard !status.isFinal, (status.command?.lowercased() ?? identity.kind.fileName) == identity.kind.fileName else {
            return nil
        }
        return Self.progress(of: identity, toldBy: status)
    }

    /// Returns the progress that `status` reports for this command, or 0 if it is about another or an unnamed command.
    private static func progress(of identity: CommandIdentity?, toldBy status: CommandStatus?) -> Double {
        guard let identity, let status, !status.isFinal, status.command?.lowercased() == identity.kind.fileName,
            let timestamp = status.commandTimestamp, timestamp == identity.timestamp, status.progress.isFinite
        else { return 0 }
        return status.progress
    }

    private func interrupted(_ identity: CommandIdentity) -> Ending {
        Ending(code: .failure, messages: [StatusMessage("The command was interrupted.", about: identity.kind.fileName)])
    }

    private func reporter() -> StatusReporter {
        StatusReporter(
            folder: folder, options: options, timestamps: timestamps, control: control, persistence: persistence)
    }

    /// Waits until the driver has read the final status of the previous command.
    /// - Returns: Whether it had to wait, and the status that remains; `nil` if there is no readable one.
    private func waitForStatusTaken() async throws -> (hadToWait: Bool, status: CommandStatus?) {
        let start = time.elapsed
        var waits = false
        while time.elapsed - start < options.statusTaken {
            guard let data = try await folder.read(CommandStatus.fileName, limit: options.coding.limits.report),
                // No driver waits for an unreadable status.
                let status = try? options.coding.status(in: data)
            else { break }
            guard status.isFinal else { return (waits, status) }
            waits = true
            try await time.sleep(seconds: options.pollInterval.shortest)
        }
        return (waits, nil)
    }

    /// A command whose record can't be deleted is ended with the next ``recover(files:)``.
    private func forget(_ identity: CommandIdentity) async throws {
        do { try await persistence.run(for: Self.patience) { try await library.end(identity) } } catch let error
            where !Task.isCancelled
        {
            report(error)
        }
    }

    /// Whether the command still exists and was not replaced by another.
    func isThere(_ found: FoundCommand) async throws -> Bool {
        guard let known = found.data else { return try await folder.has(found.fileName) }
        return try await folder.read(found.fileName, limit: options.largestCommand) == known
    }

    /// Removes the cancel request and the command's file, unless the driver has replaced it. If that fails, the driver
    /// must remove the file, and still receives the result.
    /// - Returns: Whether the file is still there.
    private func removeOrLeave(_ found: FoundCommand) async throws -> Bool {
        do {
            try await persistence.run(for: Self.patience) {
                try await control.forgetCancelling(in: folder)
                if try await isThere(found) { try await folder.remove(found.fileName) }
            }
            return false
        } catch let error where !Task.isCancelled {
            report(error)
            return true
        }
    }
}

// MARK: Results as steps of the journal

extension CommandProcessor {
    static func result(from ending: Ending) -> StepResult {
        StepResult(
            isApplied: ending.code == .success, warnings: ["\(ending.code.rawValue)"] + ending.messages.map(\.wire))
    }

    static func ending(from result: StepResult) -> Ending {
        let code = result.warnings.first.flatMap { Int($0) }.flatMap(CommandStatus.Code.init) ?? .failure
        return Ending(code: code, messages: result.warnings.dropFirst().map { StatusMessage(wire: $0) })
    }
}
