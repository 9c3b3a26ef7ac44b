import FileProviderCore
import ReaderMessages

/// Retries operations that a storage refuses temporarily.
struct Persistence {
    let time: any TimeSource
    /// Called with the error of each failed try.
    var report: @Sendable (any Error) -> Void = { _ in }
    /// Makes another request to the storage. If that fails too, the storage is unreachable, and the operation is not at
    /// fault.
    var probe: (@Sendable () async throws -> Void)?

    /// Runs `body` until it succeeds, with pauses from a quarter of a second to half a minute between the tries.
    ///
    /// - Parameters:
    ///   - limit: Seconds after which to give up, unless the storage is unreachable; `nil` retries forever.
    ///   - mayPass: Whether an error may be temporary; any other error is thrown at once.
    /// - Throws: `CancellationError`; the last error of `body`.
    func run<Value: Sendable>(
        for limit: Double? = nil, while mayPass: (any Error) -> Bool = { _ in true },
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let start = time.elapsed
        var pause = 0.25
        while true {
            do { return try await body() } catch {
                try Task.checkCancellation()
                guard mayPass(error) else { throw error }
                if let limit, time.elapsed - start >= limit, await isThere() { throw error }
                report(error)
            }
            try await time.sleep(seconds: pause)
            pause = min(pause * 2, 30)
        }
    }

    private func isThere() async -> Bool {
        guard let probe else { return true }
        do {
            try await probe()
            return true
        } catch {
            report(error)
            return false
        }
    }
}
