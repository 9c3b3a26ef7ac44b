import Foundation
import Synchronization

/// Where an operation tells how far it is; Core writes what it hears into a `Progress`.
///
/// Foundation's `Progress` is not thread-safe on Linux, so no provider touches one: it reports here, from any thread, and pays a few
/// nanoseconds for a report that nobody follows.
public final class ProgressReporter: Sendable {
    private let counts = Mutex((completed: Int64(0), total: Int64?.none))
    private let order = NSRecursiveLock()
    private let changed: (@Sendable (_ completed: Int64, _ total: Int64?) -> Void)?

    /// A reporter that nobody follows.
    public init() {
        changed = nil
    }

    /// A reporter whose every change is told to `changed`, on the reporting thread and in order.
    public init(_ changed: @escaping @Sendable (_ completed: Int64, _ total: Int64?) -> Void) {
        self.changed = changed
    }

    /// Units done so far: bytes for transfers, items otherwise.
    public var completed: Int64 { counts.withLock { $0.completed } }

    /// Units in all; nil where unknown.
    public var total: Int64? { counts.withLock { $0.total } }

    /// Says how many units there are in all.
    public func expect(_ total: Int64?) { update { $0.total = total } }

    /// Adds to the units that there are in all.
    public func expectMore(_ units: Int64) { update { $0.total = ($0.total ?? 0) + units } }

    /// Says that `units` more are done; a negative number takes back what has to be sent again.
    public func advance(by units: Int64) { update { $0.completed += units } }

    /// Changes come to the follower in order, and it may look at this reporter, or cancel what reports: its call holds no lock that these need.
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
