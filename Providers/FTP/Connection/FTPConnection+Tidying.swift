import FileProviderCore

/// Work that runs to its end even if its caller is cancelled.
extension FTPConnection {
    /// Seconds that a cancelled caller waits for the work.
    private var tidyingTimeout: Double { min(5, options.timeouts.connect, options.timeouts.idle) }

    /// Runs `work` to its end, cancelled or not. A cancelled caller waits for a few seconds at most, then cancels
    /// `work`.
    func finish<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task(operation: work)
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: { [tidyingTimeout] in
            Task {
                try await Task.sleep(for: .seconds(tidyingTimeout))
                task.cancel()
            }
        }
    }

    /// Runs `body`, which cleans up, cancelled or not, for a few seconds at most. Ignores failures.
    func tidy(_ body: @escaping @Sendable (FTPSession) async throws -> Void) async {
        await tidy { try await self.pool.withSession(body) }
    }

    /// Like ``tidy(_:)``, for work that takes connections from the pool itself.
    func tidy(_ work: @escaping @Sendable () async throws -> Void) async {
        await withCancellationShield { [tidyingTimeout] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    // Retries once, in case the connection was lost unnoticed.
                    for _ in 0..<2 where !Task.isCancelled {
                        if (try? await work()) != nil { return }
                    }
                }
                group.addTask { try? await Task.sleep(for: .seconds(tidyingTimeout)) }
                await group.next()
                group.cancelAll()
            }
        }
    }
}
