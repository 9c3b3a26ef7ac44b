import FileProviderCore

/// Verifies logins within the limits.
///
/// A login with a name that many addresses try waits for its turn, unless it comes from an address of the person.
///
/// One password is computed at a time. A client that sends many requests at once with a new, right password has it
/// computed once, and none of the requests counts as wrong. Nor do secrets that no person can have: they are wrong without
/// a computation, and fill no memory.
final class LoginCheck: Sendable {
    enum Outcome: Hashable, Sendable {
        case user(User)
        /// An unknown name, or a wrong password.
        case wrong
        /// Too many were wrong; this one was not compared.
        case tooMany(retryAfter: Int)
    }

    private let people: PeopleStore
    private let limits: LoginLimits
    private let turns = Turns()
    private let sleep: @Sendable (Duration) async throws -> Void

    init(
        _ people: PeopleStore, _ limits: LoginLimits,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.people = people
        self.limits = limits
        self.sleep = sleep
    }

    /// Compares a password.
    ///
    /// - Parameter client: The address of the client.
    /// - Throws: Errors of the people's file; `CancellationError`.
    func check(name: String, password: String, client: String) async throws -> Outcome {
        guard PeopleStore.isPossible(password: password) else { return .wrong }
        let people = people
        return try await check(
            name, client, recall: { try await people.recall(name: name, password: password) },
            verify: { try await people.verify(name: name, password: password) })
    }

    /// Compares KOReader's key: MD5 of the password, in hexadecimal digits.
    func check(name: String, koreaderKey: String, client: String) async throws -> Outcome {
        guard PeopleStore.isPossible(koreaderKey: koreaderKey) else { return .wrong }
        let people = people
        return try await check(
            name, client, recall: { try await people.recall(name: name, koreaderKey: koreaderKey) },
            verify: { try await people.verify(name: name, koreaderKey: koreaderKey) })
    }

    /// Counts a registration like a wrong login from the client's address, also if it succeeds.
    ///
    /// - Returns: The seconds after which the client may try again if there were too many; nil if it may register.
    func countRegistration(client: String) -> Int? {
        limits.begin(address: client, name: nil) == nil ? limits.retryAfter : nil
    }

    private func check(
        _ name: String, _ client: String, recall: () async throws -> User?, verify: () async throws -> User?
    ) async throws -> Outcome {
        if let user = try await recall() {
            limits.note(address: client, name: name)
            return .user(user)
        }
        try await turns.begin()
        var hasTurn = true
        defer { if hasTurn { turns.end() } }
        // The request before this one may have had the same password.
        if let user = try await recall() { return .user(user) }
        // Counted within the turn, so that requests that arrive together, or leave early, don't exceed a limit.
        guard let pause = limits.pause(address: client, name: name) else {
            return .tooMany(retryAfter: Int(LoginLimits.longestPause.components.seconds))
        }
        guard let attempt = limits.begin(address: client, name: name) else {
            return .tooMany(retryAfter: limits.retryAfter)
        }
        if pause > .zero {
            // Without the turn, so that the logins of others go on.
            turns.end()
            hasTurn = false
            try await sleep(pause)
            try await turns.begin()
            hasTurn = true
        }
        guard let user = try await verify() else { return .wrong }
        limits.succeed(attempt)
        return .user(user)
    }
}
