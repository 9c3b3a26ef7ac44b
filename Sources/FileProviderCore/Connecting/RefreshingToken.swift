/// A bearer token that is fetched again when it has expired or a server refuses it, such as an OAuth access token.
///
/// All requests, also of several providers with this source, wait for one refresh. Requests that a server refused with
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

    /// Calls `refresh` when a token is first needed, and whenever the current one is no longer good. If it throws, all
    /// requests that wait fail with its error; the next one calls it again.
    ///
    /// - Parameters:
    ///   - first: A token from an earlier run; nil to fetch one at first use.
    ///   - origin: The only origin that gets tokens; nil for the first that asks, and from then on no other.
    public init(_ first: Credential? = nil, for origin: Origin? = nil, refresh: @escaping Refresh) {
        self.refresh = refresh
        owner = FirstOrigin(origin)
        state = LockedValue(State(current: first))
    }

    /// Returns the current token, or a new one if that is no longer good; nil for every origin but one.
    ///
    /// - Throws: The error of `refresh`; `CancellationError` for a caller that is cancelled, while the others go on
    ///   waiting.
    public func credential(for origin: Origin, user: String?) async throws -> Credential? {
        owner.admits(origin) ? try await token(for: origin, insteadOf: nil) : nil
    }

    /// Returns the current token if it is another by now, else a new one.
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
