/// Counts the files in flight in a task group, and decides whether one more may start: fewer large files than small
/// ones, because a large one keeps a connection busy by itself.
package struct BoundedRun<Outcome: Sendable>: Sendable {
    /// The outcome of one file. Not a tuple: optimised code of Swift 6.3 copies a value that contains a tuple wrongly
    /// out of a task group.
    package struct Completion: Sendable {
        fileprivate let isLarge: Bool
        package let outcome: Outcome
    }

    package typealias Group = ThrowingTaskGroup<Completion, any Error>

    /// The most files in flight at once.
    package let maxCount: Int
    private let maxLargeCount: Int
    private var count = 0
    private var largeCount = 0

    /// - Parameters:
    ///   - transfers: The caller's choice of files in flight, small or large; nil for none.
    ///   - capabilities: Those of the storages that take part: the smallest of their values limits small files.
    ///   - usual: Small files in flight if neither says anything; large ones are limited to four.
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

    /// Starts the work on a file of `size` bytes.
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
