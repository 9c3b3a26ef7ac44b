extension Optional {
    /// The task that is under way, or one that does `body`: work that is not stopped when those who wait for it are
    /// gone.
    ///
    /// Called under the lock that the task is kept behind; waited for with `sharedValue()`.
    package mutating func orStart<Success: Sendable>(
        _ body: @escaping @Sendable () async throws -> Success
    ) -> Task<Success, any Error> where Wrapped == Task<Success, any Error> {
        let task = self ?? Task { try await body() }
        self = task
        return task
    }
}

extension Task where Failure == any Error {
    /// What the task comes to; a caller that is cancelled does not wait for that.
    ///
    /// - Throws: The task's error; `CancellationError` when the caller is cancelled. The task itself goes on for the
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
