import FileProviderCore
public import Foundation

/// A limit on the transfer rate that depends on the time of day.
public struct BandwidthTimetable: Sendable, Hashable {
    private struct Entry: Sendable, Hashable {
        let minute: Int
        let limit: Int64?
    }

    /// Sorted by minute. Each entry holds until the next one; the last holds past midnight.
    private let entries: [Entry]

    /// Creates a timetable with one limit for the whole day.
    ///
    /// - Parameter limit: Bytes per second, at least 1.
    public init(limit: Int64) {
        entries = [Entry(minute: 0, limit: max(1, limit))]
    }

    /// Parses `08:00,512K 18:30,10M 23:00,off`: times of day, each with bytes per second (K, M and G are powers of
    /// 1,024) or `off` for no limit. A rate without a time holds all day.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if an entry is malformed; the error names it.
    public init(_ text: String) throws {
        var entries: [Entry] = []
        for part in text.split(separator: " ") {
            let fields = part.split(separator: ",", omittingEmptySubsequences: false)
            let minute = fields.count == 1 ? 0 : Self.minute(fields[0])
            guard fields.count <= 2, let minute, let rate = fields.last, let limit = Self.rate(rate) else {
                throw FileError.make(
                    .fileReadCorruptFile, path: text,
                    sentence: "“\(part)” is not a timetable entry, such as “08:00,512K” or “23:00,off”."
                )
            }
            entries.append(Entry(minute: minute, limit: limit < 0 ? nil : limit))
        }
        if entries.isEmpty {
            throw FileError.make(.fileReadCorruptFile, path: text, sentence: "The timetable is empty.")
        }
        self.entries = entries.sorted { $0.minute < $1.minute }
    }

    private static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":").map { Int($0) }
        guard parts.count == 2, let hour = parts[0], let minute = parts[1], 0..<24 ~= hour, 0..<60 ~= minute else {
            return nil
        }
        return hour * 60 + minute
    }

    /// Below 0 for no limit.
    private static func rate(_ text: Substring) -> Int64? {
        if text == "off" { return -1 }
        let units: [Character: Int64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
        let unit = text.last.flatMap { units[Character($0.uppercased())] }
        guard let number = Int64(unit == nil ? text : text.dropLast()), number > 0 else { return nil }
        let (rate, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
        return overflow ? nil : rate
    }

    /// Returns the limit at `date` in bytes per second, or `nil` for no limit.
    public func limit(at date: Date, calendar: Calendar = .current) -> Int64? {
        let minute = calendar.component(.hour, from: date) * 60 + calendar.component(.minute, from: date)
        return (entries.last { $0.minute <= minute } ?? entries.last)?.limit
    }
}

/// Limits all transfers of a run together to a timetable.
final class Throttle: Sendable {
    private struct State {
        /// Bytes that passed before their time; below 0, those that may pass at once.
        var debt = 0.0
        /// Bytes a second; nil for no limit.
        var limit: Int64?
        /// When the timetable was asked for it.
        var asked: ContinuousClock.Instant?
        /// Until when the debt is paid off.
        var paid: ContinuousClock.Instant
    }

    private let timetable: BandwidthTimetable
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: LockedValue<State>

    /// Seconds after which the timetable is asked again, also by those who wait.
    private static let interval = 15.0
    /// Seconds whose bytes may pass at once after nothing passed.
    private static let burst = 0.1

    /// - Parameter now: The time that bytes are counted by.
    init(_ timetable: BandwidthTimetable, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.timetable = timetable
        self.now = now
        state = LockedValue(State(paid: now()))
    }

    /// Whether nothing may pass now.
    var isClosed: Bool { wait != nil }

    /// The most bytes that pass at once: few enough that the wait for the next ones is short.
    var maxAtOnce: Int { settled { $0.limit.map { Int(clamping: max(1024, $0 / 4)) } ?? .max } }

    /// The time until bytes may pass again, or `nil` if they may now; the limit may change meanwhile.
    private var wait: Duration? {
        settled { state in
            guard let limit = state.limit, state.debt > 0 else { return nil }
            return .seconds(min(state.debt / Double(limit), Self.interval))
        }
    }

    /// Counts bytes that passed; returns whether the next have to wait.
    func take(_ count: Int) -> Bool {
        settled { state in
            guard state.limit != nil else { return false }
            state.debt += Double(count)
            return state.debt > 0
        }
    }

    /// Waits until the next bytes may pass. Small files are paced by the pauses between them.
    func pass() async throws {
        while let wait { try await Task.sleep(for: wait) }
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) {
        if !isClosed { return resume() }
        Task {
            // Nothing cancels it.
            try? await pass()
            resume()
        }
    }

    /// Calls `body` with the state brought up to date.
    private func settled<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        state.update { state in
            let now = now()
            if let limit = state.limit {
                state.debt = max(
                    state.debt - (now - state.paid) / .seconds(1) * Double(limit), -Self.burst * Double(limit))
            }
            state.paid = now
            if state.asked.map({ now - $0 >= .seconds(Self.interval) }) ?? true {
                let limit = timetable.limit(at: Date())
                if state.limit == nil || limit == nil { state.debt = -Self.burst * Double(limit ?? 0) }
                (state.limit, state.asked) = (limit, now)
            }
            return body(&state)
        }
    }
}
