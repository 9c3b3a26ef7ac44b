import FileProviderCore
import Foundation

/// Keeps conflicting operations apart: an operation claims the paths that it works on, with everything below them.
///
/// Claims are granted in the order of their requests, unless they conflict with an earlier one. A claim of the root
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

    /// In the order of the requests.
    private let claims = LockedValue<[Claim]>([])

    /// Runs `body` while no other operation works on `paths`, or on items below or above them.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits; an error of `body`.
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
