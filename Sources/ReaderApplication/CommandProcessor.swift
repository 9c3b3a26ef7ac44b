import FileProviderCore
import Foundation
import Logging
import ReaderMessages

/// Carries out one command from its acknowledgement to its final status, so that it can be stopped anywhere and gone on
/// with later.
///
/// The order keeps that promise: each step is in the library's journal when it is done; the library's snapshot is in
/// place before the command's file is removed, that before the final status is told, and that before the journal
/// forgets the command.
struct CommandProcessor: Sendable {
    /// The step of the journal that holds how the command ended.
    static let ending = -1
    /// Seconds for which a storage is asked again that does other things.
    static let patience = 30.0

    let folder: StagingFolder
    let documents: StagedDocuments
    let library: any BookLibrary
    let options: ApplicationOptions
    let time: any TimeSource
    let timestamps: RisingTimestamps
    let control: ProcessingControl
    /// Tells what fails and is tried again.
    let report: @Sendable (any Error) -> Void

    /// How a command ended.
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
    /// - Returns: How it ended; nil where the driver took the command back before it was acknowledged.
    /// - Throws: `CancellationError`, after which the command is as it was and goes on when it is found again; what the
    ///   storage throws before the command was acknowledged; what the library throws that cannot note how the command
    ///   ended.
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
            // A command that stays is answered from the journal when it is found again.
            if let identity = found.identity, !ending.leavesCommand { try await forget(identity) }
            return ending
        } catch {
            await reporter.stop()
            throw error
        }
    }

    /// Ends the commands that an earlier run left: those whose files are still there are found again and go on, of the
    /// others the driver is told the end where it still waits for it.
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

    /// The progress that the driver was told of a command whose end it still waits for; nil where it does not.
    private func progressToldOfWaitedFor(_ identity: CommandIdentity) async throws -> Double? {
        guard let data = try await folder.read(CommandStatus.fileName, limit: options.coding.limits.report) else {
            return nil
        }
        // One that cannot be read was not finished either.
        guard let status = try? options.coding.status(in: data) else { return 0 }
        guard !status.isFinal, (status.command?.lowercased() ?? identity.kind.fileName) == identity.kind.fileName else {
            return nil
        }
        return Self.progress(of: identity, toldBy: status)
    }

    /// What `status` told of this very command; 0 where it is on another one, or does not say on which.
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

    /// The driver takes the final status of a command before it is told of the next.
    /// - Returns: Whether it had to wait, and the status that is there when it need not wait any more; nil for none
    ///   that can be read.
    private func waitForStatusTaken() async throws -> (hadToWait: Bool, status: CommandStatus?) {
        let start = time.elapsed
        var waits = false
        while time.elapsed - start < options.statusTaken {
            guard let data = try await folder.read(CommandStatus.fileName, limit: options.coding.limits.report),
                // What cannot be read is nothing that anybody waits for.
                let status = try? options.coding.status(in: data)
            else { break }
            guard status.isFinal else { return (waits, status) }
            waits = true
            try await time.sleep(seconds: options.pollInterval.shortest)
        }
        return (waits, nil)
    }

    /// A command that the library does not forget is ended with the next ``recover(files:)``.
    private func forget(_ identity: CommandIdentity) async throws {
        do { try await persistence.run(for: Self.patience) { try await library.end(identity) } } catch let error
            where !Task.isCancelled
        {
            report(error)
        }
    }

    /// Whether the command is still there, and no other in its place.
    func isThere(_ found: FoundCommand) async throws -> Bool {
        guard let known = found.data else { return try await folder.has(found.fileName) }
        return try await folder.read(found.fileName, limit: options.largestCommand) == known
    }

    /// Removes the command's file, unless the driver has put another there meanwhile, and its wish to stop. A file that
    /// the storage keeps is the driver's to remove, who is told the end all the same.
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

// MARK: How a command ended, as a step of the journal

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
