/// Runs `body` to its end even if the task is cancelled, for cleaning up.
@discardableResult
package func withCancellationShield<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () async throws(Failure) -> Value
) async throws(Failure) -> Value {
    let result = await Task { () async -> Result<Value, Failure> in
        do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
    }.value
    return try result.get()
}
