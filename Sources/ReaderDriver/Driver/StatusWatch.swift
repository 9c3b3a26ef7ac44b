import Foundation
import ReaderMessages

/// Interprets successive looks at the report on one command. Does no input or output and has no clock.
///
/// Any change of the report's bytes is a sign of life, whatever its timestamp says. Every sequence of looks ends.
struct StatusWatch: Sendable {
    /// The result of a look at the report.
    enum Look: Equatable, Sendable {
        /// No report: before the first one, or for a moment while one replaces another.
        case missing
        /// These bytes.
        case bytes(Data)
        /// A report over the size limit.
        case tooLarge
        /// Unknown, because the storage failed.
        case failed
    }

    /// The conclusion from a look.
    enum Decision: Equatable, Sendable {
        /// Look again.
        case wait
        /// The command is running, with this progress from 0 to 1; never less than before.
        case progress(Double)
        /// The command is over.
        case finished(CommandStatus)
        /// These bytes end the driver's earlier command once more: the application repeated a write that had arrived.
        /// It begins no other command until they are removed.
        case repeated(Data)
        /// No report came in time.
        case notAcknowledged
        /// No report on this command arrived in time, but reports on another driver's command exist.
        case foreign
        /// Reports arrived and then stopped.
        case stalled(Double)
        /// Only unreadable reports existed for too long.
        case unreadable
        /// The application said for too long that it is offline.
        case offlineTooLong
    }

    /// The times in seconds.
    struct Limits: Sendable {
        var acknowledge: Double
        var stall: Double
        var offline: Double
        /// The limit for the whole command, even if reports keep changing.
        var total: Double
    }

    private let command: CommandStamp
    private let earlier: CommandStamp?
    private let limits: Limits
    private let coding: MessageCoding
    private var ignored: Data?
    private let start: Double
    /// The last sign of life, or the begin of the wait for the first one.
    private var lastLife: Double
    private var lastBytes: Data?
    /// The last report that was about our command or unreadable.
    private(set) var report: Data?
    private var unreadableSince: Double?
    private var offlineSince: Double?
    private var progress = 0.0
    private var sawForeign = false
    /// Whether the application noticed the command.
    private(set) var isAcknowledged = false

    /// - Parameters:
    ///   - command: The command that the reports are about.
    ///   - earlier: The driver's last command before it that ended.
    ///   - ignored: A report from before the command.
    init(
        command: CommandStamp, earlier: CommandStamp? = nil, limits: Limits, coding: MessageCoding,
        ignoring ignored: Data?, now: Double
    ) {
        self.command = command
        self.earlier = earlier
        self.limits = limits
        self.coding = coding
        self.ignored = ignored
        start = now
        lastLife = now
    }

    /// Seconds without a sign of life.
    func silence(now: Double) -> Double { now - lastLife }

    /// Restarts the limit for the first report.
    mutating func extend(now: Double) { lastLife = now }

    /// Records whether the application says that it is offline. Limits are suspended while it does.
    mutating func note(isOffline: Bool, now: Double) {
        if isOffline {
            offlineSince = offlineSince ?? now
        } else if let since = offlineSince {
            offlineSince = nil
            lastLife += now - since
            if let first = unreadableSince { unreadableSince = first + now - since }
        }
    }

    /// Returns the conclusion from `look`, at `now` seconds of a monotonic clock.
    mutating func observe(_ look: Look, now: Double) -> Decision {
        if case .bytes(let data) = look, data != ignored, data != lastBytes {
            lastBytes = data
            if let decision = read(data, now: now) {
                if case .progress = decision, now - start > limits.total { return .stalled(progress) }
                return decision
            }
        }
        switch look {
        // The ignored report is gone; an equal one would be new.
        case .missing: ignored = nil
        case .tooLarge: unreadableSince = unreadableSince ?? now
        case .bytes, .failed: break
        }
        return overdue(now: now) ?? .wait
    }

    private mutating func read(_ data: Data, now: Double) -> Decision? {
        let status: CommandStatus
        do { status = try coding.status(in: data) } catch {
            // Perhaps half written, so it is read again for a while.
            unreadableSince = unreadableSince ?? now
            report = data
            return nil
        }
        unreadableSince = nil
        guard command.mayBeSubject(of: status) else {
            if let earlier, earlier.isEnding(status) { return .repeated(data) }
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

/// What tells a command from every other: the name of its file, and its timestamp as written.
struct CommandStamp: Hashable, Sendable {
    let fileName: String
    let timestamp: Double?

    /// Whether `status` is about this command, as far as it says.
    func mayBeSubject(of status: CommandStatus) -> Bool {
        if let command = status.command, command.lowercased() != fileName { return false }
        guard let timestamp, let given = status.commandTimestamp.flatMap(MessageNumber.decimal) else { return true }
        return abs(given - timestamp) < 0.000_5
    }

    /// Whether `status` says that this command is over, and names it.
    func isEnding(_ status: CommandStatus) -> Bool {
        status.isFinal && status.command != nil && status.commandTimestamp != nil && mayBeSubject(of: status)
    }
}
