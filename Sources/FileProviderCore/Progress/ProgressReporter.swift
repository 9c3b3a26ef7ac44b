public import Foundation
import Synchronization

/// Receives progress reports from an operation and forwards them to its `Progress`.
///
/// Foundation's `Progress` is not thread-safe on Linux, so no provider uses one. It reports here, from any thread; a
/// report without an observer costs a few nanoseconds.
public final class ProgressReporter: Sendable {
    private let counts = Mutex((completed: Int64(0), total: Int64?.none))
    private let order = NSRecursiveLock()
    private let changed: (@Sendable (_ completed: Int64, _ total: Int64?) -> Void)?
    /// The observer, if it is a `Progress`.
    private let progress: OperationProgress?

    /// Creates a reporter without an observer.
    public init() {
        changed = nil
        progress = nil
    }

    /// Creates a reporter that calls `changed` for every change, on the reporting thread and in order.
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

    /// Units in all; nil if unknown.
    public var total: Int64? { counts.withLock { $0.total } }

    /// Sets the number of units in all.
    public func expect(_ total: Int64?) { update { $0.total = total } }

    /// Adds to the number of units in all.
    public func expectMore(_ units: Int64) { update { $0.total = Self.sum($0.total ?? 0, units) } }

    /// Adds `units` to the completed ones; a negative number takes back units that have to be sent again.
    public func advance(by units: Int64) { update { $0.completed = Self.sum($0.completed, units) } }

    /// Adds without overflow: sizes come from servers, and their sum may not fit.
    private static func sum(_ units: Int64, _ more: Int64) -> Int64 {
        let (sum, isTooLarge) = units.addingReportingOverflow(more)
        return isTooLarge ? more < 0 ? 0 : .max : sum
    }

    /// Returns a reporter whose completed units are added to those of this one; its total is not.
    public func part() -> ProgressReporter {
        let seen = LastValue()
        return ProgressReporter { completed, _ in self.advance(by: seen.step(to: completed)) }
    }

    /// Returns a part with a separate `Progress`, which is cancelled with that of the whole.
    ///
    /// - Parameter units: The units of the part; 0 for one that counts nothing into the whole.
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

    /// The observer gets changes in order. It may read this reporter, or cancel the operation: it is called without a
    /// lock that these need.
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
    /// The reporter for the operation of the part.
    public let reporter: ProgressReporter

    /// Ends the part, so that the whole no longer lists it; its counts stay.
    public func finish() { (progress as? OperationProgress)?.finish() }
}
