extension Optional {
    /// Returns the task under way, or starts one for `body`: work that goes on when all tasks that wait for it are
    /// gone.
    ///
    /// Call it under the lock that guards the task, and wait with `sharedValue()`.
    package mutating func orStart<Success: Sendable>(
        _ body: @escaping @Sendable () async throws -> Success
    ) -> Task<Success, any Error> where Wrapped == Task<Success, any Error> {
        let task = self ?? Task { try await body() }
        self = task
        return task
    }
}

extension Task where Failure == any Error {
    /// Returns the task's result; a caller that is cancelled stops waiting.
    ///
    /// - Throws: The task's error; `CancellationError` when the caller is cancelled, while the task goes on for the
    ///   others.
    package func sharedValue() async throws -> Success {
        try await Gate.wait { resume in
            Task<Void, Never> {
                _ = await result
                resume()
            }
        }
        return try await value
    }
}
