public import Foundation
import Synchronization

/// Where an operation tells how far it is; Core writes what it hears into a `Progress`.
///
/// Foundation's `Progress` is not thread-safe on Linux, so no provider touches one: it reports here, from any thread,
/// and pays a few nanoseconds for a report that nobody follows.
public final class ProgressReporter: Sendable {
    private let counts = Mutex((completed: Int64(0), total: Int64?.none))
    private let order = NSRecursiveLock()
    private let changed: (@Sendable (_ completed: Int64, _ total: Int64?) -> Void)?
    /// What follows, where it is a `Progress`.
    private let progress: OperationProgress?

    /// A reporter that nobody follows.
    public init() {
        changed = nil
        progress = nil
    }

    /// A reporter whose every change is told to `changed`, on the reporting thread and in order.
    public init(_ changed: @escaping @Sendable (_ completed: Int64, _ total: Int64?) -> Void) {
        self.changed = changed
        progress = nil
    }

    init(_ progress: OperationProgress, moved: @escaping @Sendable () -> Void) {
        self.progress = progress
        changed = { completed, total in
            progress.follow(completed: completed, total: total)
            moved()
        }
    }

    /// Units done so far: bytes for transfers, items otherwise.
    public var completed: Int64 { counts.withLock { $0.completed } }

    /// Units in all; nil where unknown.
    public var total: Int64? { counts.withLock { $0.total } }

    /// Says how many units there are in all.
    public func expect(_ total: Int64?) { update { $0.total = total } }

    /// Adds to the units that there are in all.
    public func expectMore(_ units: Int64) { update { $0.total = Self.sum($0.total ?? 0, units) } }

    /// Says that `units` more are done; a negative number takes back what has to be sent again.
    public func advance(by units: Int64) { update { $0.completed = Self.sum($0.completed, units) } }

    /// Sizes are what a server says: their sum may be none that a number holds.
    private static func sum(_ units: Int64, _ more: Int64) -> Int64 {
        let (sum, isTooLarge) = units.addingReportingOverflow(more)
        return isTooLarge ? more < 0 ? 0 : .max : sum
    }

    /// A reporter whose completed units are added to those of this one; the total stays this one's own.
    public func part() -> ProgressReporter {
        let seen = LastValue()
        return ProgressReporter { completed, _ in self.advance(by: seen.step(to: completed)) }
    }

    /// A part with a `Progress` of its own, which is cancelled with that of the whole.
    ///
    /// - Parameter units: What the part comes to; 0 for one that counts nothing into the whole.
    public func part(_ operation: FileOperationType, kind: Progress.FileOperationKind?, units: Int64) -> ProgressPart {
        let own = OperationProgress(operation, kind: kind, unitCount: units, isPart: true)
        progress?.add(own)
        let seen = LastValue()
        return ProgressPart(
            progress: own,
            reporter: ProgressReporter { completed, total in
                own.follow(completed: completed, total: total)
                self.advance(by: seen.step(to: completed))
            })
    }

    /// Changes come to the follower in order, and it may look at this reporter, or cancel what reports: its call holds
    /// no lock that these need.
    private func update(_ change: (inout (completed: Int64, total: Int64?)) -> Void) {
        guard let changed else { return counts.withLock { change(&$0) } }
        order.withLock {
            let now = counts.withLock { counts in
                change(&counts)
                return counts
            }
            changed(now.completed, now.total)
        }
    }
}

/// One part of a larger operation, with a `Progress` to show for it.
public struct ProgressPart: Sendable {
    /// Safe to read from any thread.
    public let progress: Progress
    /// Where the part tells how far it is.
    public let reporter: ProgressReporter

    /// Takes the part off the whole's list; what it counted stays.
    public func finish() { (progress as? OperationProgress)?.finish() }
}
