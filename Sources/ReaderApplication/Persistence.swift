import FileProviderCore
import ReaderMessages

/// Repeats what a storage refuses for a while.
struct Persistence {
    let time: any TimeSource
    /// Tells what went wrong, each time.
    var report: @Sendable (any Error) -> Void = { _ in }
    /// Asks something else of the storage: while that fails, too, the storage is away, and not what was asked for at
    /// fault.
    var probe: (@Sendable () async throws -> Void)?

    /// Runs `body` until it succeeds, with pauses from a quarter of a second to half a minute between the tries.
    ///
    /// - Parameters:
    ///   - limit: Seconds after which it is given up, unless the storage is away; nil goes on for ever.
    ///   - mayPass: Whether an error may pass; one that does not is thrown at once.
    /// - Throws: `CancellationError`; what `body` threw last.
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
