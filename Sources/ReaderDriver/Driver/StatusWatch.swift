import Foundation
import ReaderMessages

/// Follows the report on one command, look by look, and says what it means; no input or output, no clock of its own.
///
/// Life is any change of the report's bytes, whatever its timestamp says. Every sequence of looks comes to an end.
struct StatusWatch: Sendable {
    /// What a look at the report found.
    enum Look: Equatable, Sendable {
        /// No report: before the first one, or for a moment while one replaces another.
        case missing
        /// These bytes.
        case bytes(Data)
        /// More than a report may have.
        case tooLarge
        /// Nothing is known, since the storage failed.
        case failed
    }

    /// What follows from a look.
    enum Decision: Equatable, Sendable {
        /// Look again.
        case wait
        /// The command runs and is so far, from 0 to 1; never less than before.
        case progress(Double)
        /// The command is over.
        case finished(CommandStatus)
        /// No report came in time.
        case notAcknowledged
        /// No report came in time, but reports on another driver's command are there.
        case foreign
        /// Reports came and stopped coming.
        case stalled(Double)
        /// Nothing but what cannot be read came for too long.
        case unreadable
        /// The application said that it is offline, for too long.
        case offlineTooLong
    }

    /// The times in seconds.
    struct Limits: Sendable {
        var acknowledge: Double
        var stall: Double
        var offline: Double
        /// For a command as a whole, however lively its reports are.
        var total: Double
    }

    private let fileName: String
    private let timestamp: Double?
    private let limits: Limits
    private let coding: MessageCoding
    private var ignored: Data?
    private let start: Double
    /// When the application last gave a sign of life, or the wait for the first one began.
    private var lastLife: Double
    private var lastBytes: Data?
    /// The last report that was ours, or that nobody could read.
    private(set) var report: Data?
    private var unreadableSince: Double?
    private var offlineSince: Double?
    private var progress = 0.0
    private var sawForeign = false
    /// Whether the application took notice of the command.
    private(set) var isAcknowledged = false

    /// - Parameters:
    ///   - fileName: The command's.
    ///   - timestamp: The command's, as it was written.
    ///   - ignored: A report that was there before the command.
    init(
        fileName: String, timestamp: Double?, limits: Limits, coding: MessageCoding, ignoring ignored: Data?,
        now: Double
    ) {
        self.fileName = fileName
        self.timestamp = timestamp
        self.limits = limits
        self.coding = coding
        self.ignored = ignored
        start = now
        lastLife = now
    }

    /// Seconds without a sign of life.
    func silence(now: Double) -> Double { now - lastLife }

    /// Gives the application the time for its first report once more.
    mutating func extend(now: Double) { lastLife = now }

    /// Notes whether the application says that it is offline: the limits stand still while it does.
    mutating func note(isOffline: Bool, now: Double) {
        if isOffline {
            offlineSince = offlineSince ?? now
        } else if let since = offlineSince {
            offlineSince = nil
            lastLife += now - since
            if let first = unreadableSince { unreadableSince = first + now - since }
        }
    }

    /// What follows from `look`, at `now` seconds of a clock that never goes back.
    mutating func observe(_ look: Look, now: Double) -> Decision {
        if case .bytes(let data) = look, data != ignored, data != lastBytes {
            lastBytes = data
            if let decision = read(data, now: now) {
                if case .progress = decision, now - start > limits.total { return .stalled(progress) }
                return decision
            }
        }
        switch look {
        // It is gone; one like it would be a new one.
        case .missing: ignored = nil
        case .tooLarge: unreadableSince = unreadableSince ?? now
        case .bytes, .failed: break
        }
        return overdue(now: now) ?? .wait
    }

    private mutating func read(_ data: Data, now: Double) -> Decision? {
        let status: CommandStatus
        do { status = try coding.status(in: data) } catch {
            // Perhaps half written: it is looked at again, for a while.
            unreadableSince = unreadableSince ?? now
            report = data
            return nil
        }
        unreadableSince = nil
        guard isOurs(status) else {
            sawForeign = true
            return nil
        }
        report = data
        isAcknowledged = true
        offlineSince = nil
        lastLife = now
        if status.isFinal { return .finished(status) }
        progress = max(progress, min(1, max(0, status.progress.isFinite ? status.progress : 0)))
        return .progress(progress)
    }

    /// Whether the report is on this command, as far as it says.
    private func isOurs(_ status: CommandStatus) -> Bool {
        if let command = status.command, command.lowercased() != fileName { return false }
        guard let timestamp, let given = status.commandTimestamp.flatMap(MessageNumber.decimal) else { return true }
        return abs(given - timestamp) < 0.000_5
    }

    private func overdue(now: Double) -> Decision? {
        if let since = offlineSince { return now - since > limits.offline ? .offlineTooLong : nil }
        if now - start > limits.total { return .stalled(progress) }
        if let since = unreadableSince { return now - since > limits.stall ? .unreadable : nil }
        let limit = isAcknowledged ? limits.stall : limits.acknowledge
        guard now - lastLife > limit else { return nil }
        if isAcknowledged { return .stalled(progress) }
        return sawForeign ? .foreign : .notAcknowledged
    }
}
