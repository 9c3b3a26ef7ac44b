import Cryptography
import FileProviderCore
import Foundation

/// Computes and compares hashes of passwords, one at a time on a separate thread: each takes 32 MiB for a tenth of a
/// second.
///
/// Secrets that were right are remembered for ten minutes by a keyed hash, because clients of OPDS send their password
/// with each request.
final class PasswordCheck: Sendable {
    private struct Memory: Sendable {
        /// Until when the secret with a keyed hash counts as right.
        var known: [Data: ContinuousClock.Instant] = [:]
    }

    /// The longest password in bytes; a longer one matches nothing.
    static let longest = 1_024
    private static let lifetime = Duration.seconds(600)
    private static let most = 1_000

    let parameters: PasswordHash.Parameters
    private let threads = BlockingThreads(count: 1, name: "carrel.password")
    private let key: Data
    /// What the password of an unknown name is compared with.
    private let decoy: PasswordHash
    private let now: @Sendable () -> ContinuousClock.Instant
    private let memory = LockedValue(Memory())

    init(_ parameters: PasswordHash.Parameters, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.parameters = parameters
        self.now = now
        key = ShelfKey.random()
        decoy = PasswordHash(of: key, parameters)
    }

    /// Returns the stored form of a new hash.
    func hash(_ secret: String) async throws -> String {
        let parameters = parameters
        return try await threads.run { PasswordHash(of: Data(secret.utf8), parameters).text }
    }

    /// Whether `secret` is the one of the stored hash.
    ///
    /// - Parameter stored: Nil for an unknown name, which takes the same time and matches nothing.
    func matches(_ secret: String, _ stored: String?) async throws -> Bool {
        guard secret.utf8.count <= Self.longest else { return false }
        let code = code(of: secret, stored ?? "")
        if stored != nil, isKnown(code) { return true }
        let (hash, decoy) = (stored.flatMap { PasswordHash($0) }, decoy)
        let isRight = try await threads.run { (hash ?? decoy).matches(Data(secret.utf8)) }
        guard isRight, hash != nil else { return false }
        remember(code)
        return true
    }

    /// Whether `secret` was right for the stored hash within the last ten minutes.
    func recalls(_ secret: String, _ stored: String) -> Bool {
        secret.utf8.count <= Self.longest && isKnown(code(of: secret, stored))
    }

    /// The stored hash is a part of it, so that a changed password is not right any more.
    private func code(of secret: String, _ stored: String) -> Data {
        Data(HMAC.code(of: Data("\(stored)\n\(secret)".utf8), key: key, .sha256).bytes)
    }

    private func isKnown(_ code: Data) -> Bool {
        let time = now()
        return memory.update { memory in
            guard let end = memory.known[code] else { return false }
            if time < end { return true }
            memory.known[code] = nil
            return false
        }
    }

    private func remember(_ code: Data) {
        let time = now()
        memory.update { memory in
            if memory.known.count >= Self.most { memory.known = memory.known.filter { time < $0.value } }
            if memory.known.count >= Self.most { memory.known = [:] }
            memory.known[code] = time + Self.lifetime
        }
    }
}
