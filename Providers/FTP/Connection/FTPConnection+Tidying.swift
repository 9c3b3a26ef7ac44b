import FileProviderCore

/// What is done although its caller may have given up.
extension FTPConnection {
    /// Seconds for which somebody who has given up waits.
    private var farewell: Double { min(5, options.timeouts.connect, options.timeouts.idle) }

    /// Runs `work` to its end, cancelled or not; who is cancelled waits for a few seconds more at most.
    func finish<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task(operation: work)
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: { [farewell] in
            Task {
                try await Task.sleep(for: .seconds(farewell))
                task.cancel()
            }
        }
    }

    /// Runs what cleans up, cancelled or not, for a few seconds at most; what is not done by then is left.
    func tidy(_ body: @escaping @Sendable (FTPSession) async throws -> Void) async { await tidy { try await self.pool.withSession(body) } }

    /// As ``tidy(_:)``, of what takes connections by itself.
    func tidy(_ work: @escaping @Sendable () async throws -> Void) async {
        await withCancellationShield { [farewell] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    // The second try is for a connection of which nobody knew that it was lost.
                    for _ in 0..<2 where !Task.isCancelled {
                        if (try? await work()) != nil { return }
                    }
                }
                group.addTask { try? await Task.sleep(for: .seconds(farewell)) }
                await group.next()
                group.cancelAll()
            }
        }
    }
}
