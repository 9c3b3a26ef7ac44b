import FileProviderCore
import Foundation

/// Holds transfers back to a number of bytes a second, in one direction, all together.
final class SFTPPace: Sendable {
    private let rate: Double
    /// When what was let through so far will have had its time.
    private let free = LockedValue(ContinuousClock.now)

    init(bytesPerSecond: Int64) { rate = Double(max(1, bytesPerSecond)) }

    /// Counts bytes that went.
    ///
    /// - Returns: Until when nothing more is to go.
    func spend(_ count: Int) -> ContinuousClock.Instant {
        free.update { free in
            free = max(free, .now) + .seconds(Double(count) / rate)
            return free
        }
    }

    /// Counts bytes of a small transfer, and waits for their time.
    func wait(_ count: Int) async throws { try await Task.sleep(until: spend(count)) }

    /// Waits on a task, and then goes on.
    static func resume(at instant: ContinuousClock.Instant, _ resume: @escaping @Sendable () -> Void) {
        Task {
            try? await Task.sleep(until: instant)
            resume()
        }
    }
}

/// Holds the bytes of one transfer back to the pace of all.
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
