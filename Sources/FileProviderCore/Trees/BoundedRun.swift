/// Counts the files that are in flight in a task group, and says whether one more may start: fewer large ones than
/// small ones, because each of these keeps a line busy by itself.
package struct BoundedRun<Outcome: Sendable>: Sendable {
    /// What one file came to. No tuple: optimised code of Swift 6.3 copies a value with a tuple in it wrongly out of a
    /// task group.
    package struct Completion: Sendable {
        fileprivate let isLarge: Bool
        package let outcome: Outcome
    }

    package typealias Group = ThrowingTaskGroup<Completion, any Error>

    /// Files in flight at once, at most.
    package let maxCount: Int
    private let maxLargeCount: Int
    private var count = 0
    private var largeCount = 0

    /// - Parameters:
    ///   - transfers: Files in flight where somebody says so, small or large.
    ///   - capabilities: Those of the storages that take part: the smaller of their wishes counts, for small files.
    ///   - usual: Small files in flight where nobody says anything; of large ones, four.
    package init(transfers: Int?, capabilities: [Capabilities], usual: Int) {
        maxCount = max(1, transfers ?? capabilities.compactMap(\.concurrentTransfers).min() ?? usual)
        maxLargeCount = transfers ?? 4
    }

    /// More than 1 MiB.
    private static func isLarge(_ size: Int64) -> Bool { size > 1 << 20 }

    /// Whether a file of `size` bytes may start now.
    package func hasRoom(for size: Int64) -> Bool {
        count < maxCount && (largeCount < maxLargeCount || !Self.isLarge(size))
    }

    /// Starts what is to be done with a file of `size` bytes.
    package mutating func start(_ size: Int64, in group: inout Group, _ body: @escaping @Sendable () async -> Outcome) {
        let isLarge = Self.isLarge(size)
        count += 1
        if isLarge { largeCount += 1 }
        group.addTask { Completion(isLarge: isLarge, outcome: await body()) }
    }

    /// Waits until one of the files in flight has ended; nil if there are none.
    package mutating func next(in group: inout Group) async throws -> Outcome? {
        guard let ended = try await group.next() else { return nil }
        count -= 1
        if ended.isLarge { largeCount -= 1 }
        return ended.outcome
    }
}
