/// Runs two operations concurrently.
///
/// Replaces `async let`: the runtime of Swift 6.3 may use a child task of that after it is freed, and crashes (fixed by
/// swiftlang/swift#89883).
///
/// - Throws: The error of the operation that fails first, after the other was cancelled and has ended.
package func both<One: Sendable, Other: Sendable>(
    _ one: @escaping @Sendable () async throws -> One, _ other: @escaping @Sendable () async throws -> Other
) async throws -> (One, Other) {
    let (first, second) = (LockedValue<One?>(nil), LockedValue<Other?>(nil))
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            let value = try await one()
            first.update { $0 = value }
        }
        group.addTask {
            let value = try await other()
            second.update { $0 = value }
        }
        while try await group.next() != nil {}
    }
    guard let one = first.value, let other = second.value else { throw CancellationError() }
    return (one, other)
}
