import FileProviderCore
import Foundation

/// A failure of the states or of this worker's disk, which says nothing about the pair's owner and hosts.
struct StateFailure: LocalizedError {
    let underlying: any Error
    var errorDescription: String? { underlying.sentence }

    /// Carries out `body` and marks its errors, except for cancellations.
    static func marking<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch let error where !error.isCancellation {
            throw StateFailure(underlying: error)
        }
    }
}
