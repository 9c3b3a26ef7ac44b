import FileProviderCore
import Foundation
import SSHTransport

/// Which host keys are accepted in one login.
struct SFTPTrust: Sendable {
    let policy: HostKeyPolicy
    let knownHosts: KnownHosts
    let settings: SSHHostSettings
    let url: URL
    /// The types of the keys that the server has shown.
    let shown = LockedValue<[String]>([])

    /// - Throws: `URLError(.badURL)` for an invalid fingerprint.
    init(_ options: ConnectionOptions, settings: SSHHostSettings, url: URL) throws {
        policy =
            switch options.trust.hostKeys {
            case .known: settings.hostKeyPolicy
            case .acceptNew: .acceptNew
            case .pinned(let fingerprints): try .pinned(checking: fingerprints)
            }
        knownHosts = options.trust.knownHosts.map { KnownHosts(userFiles: $0, systemFiles: []) } ?? settings.knownHosts
        self.settings = settings
        self.url = url
    }

    /// Accepts a key, or throws the reason why not. Reads from the disk.
    func check(_ key: HostKey) throws {
        shown.update { $0.append(key.type) }
        let name = settings.knownHostsName
        try settings.revokedHostKeys?.check(key, host: name.host, url: url)
        try policy.check(key, name: name, knownHosts: knownHosts, hashed: settings.hashKnownHosts, url: url)
    }

    /// The key types to ask for first: those of the known keys. A fingerprint has no type.
    func types() async throws -> [String] {
        if isPinned { return [] }
        let name = settings.knownHostsName
        return try await BlockingThreads.shared.run { try knownHosts.keyTypes(host: name.host, port: name.port) }
    }

    private static let kinds = [
        ["ssh-ed25519"], ["ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521"], ["ssh-rsa"],
    ]

    /// The key types to ask for next, after a key that is not the pinned one. A server shows its key of the type that
    /// is asked for first.
    ///
    /// - Parameter asked: The types that were asked for so far.
    /// - Parameter asked: What was asked for so far.
    func otherTypes(asked: [[String]]) -> [String]? {
        guard isPinned else { return nil }
        let shown = shown.value
        return Self.kinds.first { kind in !asked.contains(kind) && !kind.contains { shown.contains($0) } }
    }

    private var isPinned: Bool { if case .pinned = policy { true } else { false } }
}
