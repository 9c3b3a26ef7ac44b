/// A bearer token that is fetched anew when it has expired, or when a server refuses it: OAuth access tokens and their
/// like.
///
/// Many requests, and many providers with this source, wait for one refresh. The requests that a server refused with
/// the old token are sent again with the new one, once.
public final class RefreshingToken: CredentialSource {
    /// Fetches a token: `.bearer("…", expires: date)`.
    public typealias Refresh = @Sendable (_ origin: Origin) async throws -> Credential

    private struct State: Sendable {
        var current: Credential?
        var refreshing: Task<Credential, any Error>?
    }

    private let refresh: Refresh
    private let owner: FirstOrigin
    private let state: LockedValue<State>

    /// Calls `refresh` when a token is first needed, and whenever the one in use is no longer good. An error of it
    /// reaches all requests that wait; the next one calls it again.
    ///
    /// - Parameters:
    ///   - first: A token from an earlier run; nil to fetch one at first use.
    ///   - origin: The only origin that gets tokens; nil for the first that asks, and from then on no other.
    public init(_ first: Credential? = nil, for origin: Origin? = nil, refresh: @escaping Refresh) {
        self.refresh = refresh
        owner = FirstOrigin(origin)
        state = LockedValue(State(current: first))
    }

    /// The token in use, or a new one where there is none that is good; nil for every origin but one.
    ///
    /// - Throws: What `refresh` throws; `CancellationError` for a caller that is cancelled, while the others go on
    ///   waiting.
    public func credential(for origin: Origin, user: String?) async throws -> Credential? {
        owner.admits(origin) ? try await token(for: origin, insteadOf: nil) : nil
    }

    /// The token in use where that is another by now, else a new one.
    public func replacement(for credential: Credential, origin: Origin, user: String?) async throws -> Credential? {
        owner.admits(origin) ? try await token(for: origin, insteadOf: credential) : nil
    }

    private func token(for origin: Origin, insteadOf refused: Credential?) async throws -> Credential {
        let task = state.update { state -> Task<Credential, any Error> in
            if state.refreshing == nil, let current = state.current, !current.isExpired, current.kind != refused?.kind {
                return Task { current }
            }
            return state.refreshing.orStart { try await self.refreshed(for: origin) }
        }
        return try await task.sharedValue()
    }

    private func refreshed(for origin: Origin) async throws -> Credential {
        let answer: Result<Credential, any Error>
        do { answer = .success(try await refresh(origin)) } catch { answer = .failure(error) }
        state.update { state in
            state.refreshing = nil
            if case .success(let credential) = answer { state.current = credential }
        }
        return try answer.get()
    }
}
