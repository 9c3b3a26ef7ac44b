import FileProviderCore
import Foundation
import ReaderMessages

/// Tells the driver how far a command is: at once when it begins, now and then while it goes on, and once when it is
/// over.
actor StatusReporter {
    private let folder: StagingFolder
    private let coding: MessageCoding
    private let options: ApplicationOptions
    private let timestamps: RisingTimestamps
    private let control: ProcessingControl
    private let persistence: Persistence
    private var status = CommandStatus(code: .inProgress, progress: 0)
    /// The progress that the driver was told last, and when.
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

    /// Acknowledges a command and goes on to show that it is being carried out.
    ///
    /// - Parameter progress: What the driver was told of this command by an earlier run; less is not told any more.
    /// - Throws: What the storage throws; the command is then not acknowledged.
    func begin(fileName: String, timestamp: String?, from progress: Double) async throws {
        status = CommandStatus(code: .inProgress, progress: 0, command: fileName, commandTimestamp: timestamp)
        advance(to: progress)
        try await write()
        beats = Task { await self.beat() }
    }

    /// Notes how far the command is, from 0 to 1; what is less than before counts for nothing. The driver is told with
    /// the next beat.
    func advance(to progress: Double) {
        // 1 is for a command that is over.
        status.progress = max(status.progress, min(progress, 0.999))
    }

    /// Tells at once how far the command is, because nothing more is told for a while. A storage that fails is told
    /// again later.
    func tell() async {
        do { try await withCancellationShield { try await self.write() } } catch { persistence.report(error) }
    }

    /// Ends without a final status: the command is left for another time.
    func stop() async {
        beats?.cancel()
        await beats?.value
        beats = nil
    }

    /// Tells that the command is over; tries until the storage takes it.
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
                // An application in the background gives no signs of life: the driver is to know that it has to wait.
                guard !control.isOffline || control.isBusy,
                    status.progress > lastReport.progress || age >= options.statusInterval
                else {
                    continue
                }
                // A write that was cut off might still arrive after the final one; it is always waited for.
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
