import FileProviderCore
import Foundation
import ReaderMessages

/// Reports a command's progress to the driver: at once when it begins, regularly while it runs, and once at its end.
actor StatusReporter {
    private let folder: StagingFolder
    private let coding: MessageCoding
    private let options: ApplicationOptions
    private let timestamps: RisingTimestamps
    private let control: ProcessingControl
    private let persistence: Persistence
    private var status = CommandStatus(code: .inProgress, progress: 0)
    /// The last reported progress, and its time.
    private var lastReport: (progress: Double, at: Double) = (0, 0)
    private var beats: Task<Void, Never>?

    init(
        folder: StagingFolder, options: ApplicationOptions, timestamps: RisingTimestamps, control: ProcessingControl,
        persistence: Persistence
    ) {
        self.folder = folder
        self.coding = options.coding
        self.options = options
        self.timestamps = timestamps
        self.control = control
        self.persistence = persistence
    }

    /// Acknowledges a command and keeps reporting its progress.
    ///
    /// - Parameter progress: The progress that an earlier run reported for this command; the report never goes back.
    /// - Throws: Errors of the storage; the command is then not acknowledged.
    func begin(fileName: String, timestamp: String?, from progress: Double) async throws {
        status = CommandStatus(code: .inProgress, progress: 0, command: fileName, commandTimestamp: timestamp)
        advance(to: progress)
        try await write()
        beats = Task { await self.beat() }
    }

    /// Sets the progress, from 0 to 1; lower values than before are ignored. The next beat reports it to the driver.
    func advance(to progress: Double) {
        // 1 is reserved for a finished command.
        status.progress = max(status.progress, min(progress, 0.999))
    }

    /// Reports the progress at once, because no reports follow for a while. If the storage fails, a later report
    /// follows.
    func tell() async {
        do { try await withCancellationShield { try await self.write() } } catch { persistence.report(error) }
    }

    /// Stops without a final status: the command is left for later.
    func stop() async {
        beats?.cancel()
        await beats?.value
        beats = nil
    }

    /// Reports the end of the command; retries until the storage accepts it.
    /// - Throws: `CancellationError`.
    func finish(_ code: CommandStatus.Code, messages: [StatusMessage]) async throws {
        await stop()
        status.code = code
        status.progress = 1
        status.messages = messages
        try await persistence.run { try await self.write() }
    }

    private func beat() async {
        while !Task.isCancelled {
            do {
                try await persistence.time.sleep(seconds: options.statusPause)
                let age = persistence.time.elapsed - lastReport.at
                // An application in the background gives no signs of life, so that the driver knows that it must wait.
                guard !control.isOffline || control.isBusy,
                    status.progress > lastReport.progress || age >= options.statusInterval
                else {
                    continue
                }
                // An interrupted write might arrive after the final one, so every write is awaited.
                try await withCancellationShield { try await self.write() }
            } catch {
                // The next beat tries again; the end of the task is seen above.
            }
        }
    }

    private func write() async throws {
        status.timestamp = timestamps.next()
        let progress = status.progress
        try await folder.publish(coding.data(for: status), as: CommandStatus.fileName)
        lastReport = (progress, persistence.time.elapsed)
    }
}
