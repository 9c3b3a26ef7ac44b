import FileProviderCore
import Foundation

/// The port that a server listens on, for those who wait for it.
final class BoundSocket: Sendable {
    private enum Stage: Sendable {
        case unbound([UUID: CheckedContinuation<Int, any Error>])
        case bound(port: Int)
        case ended(any Error)
    }

    private let stage = LockedValue(Stage.unbound([:]))

    /// Returns the port, and suspends until there is one.
    ///
    /// - Throws: The error with which the server ended; `CancellationError`.
    func port() async throws -> Int {
        let id = UUID()
        return try await withTaskCancellationHandler {
            try await wait(id)
        } onCancel: {
            let waiting = stage.update { stage -> CheckedContinuation<Int, any Error>? in
                guard case .unbound(var waiting) = stage else { return nil }
                let continuation = waiting.removeValue(forKey: id)
                stage = .unbound(waiting)
                return continuation
            }
            waiting?.resume(throwing: CancellationError())
        }
    }

    private func wait(_ id: UUID) async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            let known: Result<Int, any Error>? = stage.update { stage in
                switch stage {
                case .unbound(var waiting):
                    // A task that was cancelled before finds nobody to wake.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    waiting[id] = continuation
                    stage = .unbound(waiting)
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
            if case .unbound(let waiting) = stage { return Array(waiting.values) }
            return []
        }
    }
}
