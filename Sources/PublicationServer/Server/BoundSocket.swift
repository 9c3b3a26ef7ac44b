import FileProviderCore
import Foundation

/// The port that a server listens on, for those who wait for it.
final class BoundSocket: Sendable {
    private enum Stage: Sendable {
        case unbound([CheckedContinuation<Int, any Error>])
        case bound(port: Int)
        case ended(any Error)
    }

    private let stage = LockedValue(Stage.unbound([]))

    /// Returns the port, and suspends until there is one.
    ///
    /// - Throws: The error with which the server ended.
    func port() async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            let known: Result<Int, any Error>? = stage.update { stage in
                switch stage {
                case .unbound(let waiting):
                    stage = .unbound(waiting + [continuation])
                    return nil
                case .bound(let port): return .success(port)
                case .ended(let error): return .failure(error)
                }
            }
            if let known { continuation.resume(with: known) }
        }
    }

    func bind(to port: Int) { move(to: .bound(port: port)).forEach { $0.resume(returning: port) } }

    func end(_ error: any Error) { move(to: .ended(error)).forEach { $0.resume(throwing: error) } }

    private func move(to next: Stage) -> [CheckedContinuation<Int, any Error>] {
        stage.update { stage in
            defer { stage = next }
            if case .unbound(let waiting) = stage { return waiting }
            return []
        }
    }
}
