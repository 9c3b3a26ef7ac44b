import FileProviderCore
import Foundation

/// Limits all transfers in one direction, together, to a number of bytes a second.
final class SFTPPace: Sendable {
    private let rate: Double
    /// When the time of the bytes so far is used up.
    private let free = LockedValue(ContinuousClock.now)

    init(bytesPerSecond: Int64) { rate = Double(max(1, bytesPerSecond)) }

    /// Counts sent bytes.
    ///
    /// - Returns: The time before which nothing more may be sent.
    func spend(_ count: Int) -> ContinuousClock.Instant {
        free.update { free in
            free = max(free, .now) + .seconds(Double(count) / rate)
            return free
        }
    }

    /// Counts the bytes of a small transfer, and waits for their time.
    func wait(_ count: Int) async throws { try await Task.sleep(until: spend(count)) }

    /// Calls `resume` at `instant`, from a task.
    static func resume(at instant: ContinuousClock.Instant, _ resume: @escaping @Sendable () -> Void) {
        Task {
            try? await Task.sleep(until: instant)
            resume()
        }
    }
}

/// Limits one transfer to the pace of all.
final class SFTPPaceTap: CopyTap {
    private let pace: SFTPPace
    private let until = LockedValue(ContinuousClock.now)

    init(_ pace: SFTPPace) { self.pace = pace }

    var isOpen: Bool { until.value <= .now }

    func pass(_ bytes: UnsafeRawBufferPointer) -> FlowState {
        let instant = pace.spend(bytes.count)
        until.update { $0 = instant }
        return .wait
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) { SFTPPace.resume(at: until.value, resume) }
}
