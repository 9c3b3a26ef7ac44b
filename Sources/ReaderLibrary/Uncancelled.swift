/// Runs `body` to its end even where the task is cancelled: for putting things in order afterwards.
func uncancelled<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    try await Task { try await body() }.value
}
