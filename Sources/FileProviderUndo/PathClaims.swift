import FileProviderCore
import Foundation

/// Keeps apart what must not happen at the same time: whoever works on a path claims it with all that lies below.
///
/// Claims are granted in the order in which they came, as far as they meet none before them. A claim of the root
/// excludes all others.
final class PathClaims: Sendable {
    private struct Claim: Sendable {
        let id: UUID
        let paths: [ProviderPath]
        /// Nil once it is granted.
        var grant: (@Sendable () -> Void)?

        func meets(_ other: Claim) -> Bool {
            paths.contains { path in other.paths.contains { $0 == path || $0.isBelow(path) || path.isBelow($0) } }
        }
    }

    /// In the order in which they came.
    private let claims = LockedValue<[Claim]>([])

    /// Runs `body` while nobody else works on `paths` or on what lies below or above.
    ///
    /// - Throws: `CancellationError` when the task is cancelled while it waits; an error of `body`.
    func holding<Value>(_ paths: [ProviderPath], _ body: () async throws -> Value) async throws -> Value {
        let id = UUID()
        defer { release(id) }
        try await Gate.wait { resume in
            claims.update { $0.append(Claim(id: id, paths: paths, grant: resume)) }
            grantNext()
        }
        return try await body()
    }

    private func release(_ id: UUID) {
        claims.update { $0.removeAll { $0.id == id } }
        grantNext()
    }

    private func grantNext() {
        let granted = claims.update { claims in
            var granted: [@Sendable () -> Void] = []
            for index in claims.indices {
                guard let grant = claims[index].grant, !claims[..<index].contains(where: { $0.meets(claims[index]) })
                else { continue }
                claims[index].grant = nil
                granted.append(grant)
            }
            return granted
        }
        for grant in granted { grant() }
    }
}
