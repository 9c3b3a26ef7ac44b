public import Foundation

/// One secret for one origin.
public struct FixedCredential: CredentialSource {
    private let credential: Credential?
    private let owner: FirstOrigin

    /// - Parameter origin: The only origin that gets it; nil for the first that asks, and from then on no other.
    public init(_ credential: Credential?, for origin: Origin? = nil) {
        self.credential = credential
        owner = FirstOrigin(origin)
    }

    /// Returns the secret, whatever `user` is; nil for any other origin.
    public func credential(for origin: Origin, user: String?) async throws -> Credential? {
        owner.admits(origin) ? credential : nil
    }
}

/// Secrets in environment variables, for the first origin that asks.
public struct EnvironmentCredentials: CredentialSource {
    private let environment: [String: String]
    private let password: String?
    private let token: String?
    private let owner = FirstOrigin(nil)

    /// - Parameters:
    ///   - password: The name of the variable with a password; used if the user is known.
    ///   - token: The name of the variable with a bearer token, which takes precedence.
    ///   - environment: By default the process's own; read once.
    public init(
        password: String? = nil, token: String? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.password = password
        self.token = token
        self.environment = environment
    }

    /// Returns the token unless it is empty, else the password if `user` is known; nil for every origin but the first
    /// that got a secret.
    public func credential(for origin: Origin, user: String?) async throws -> Credential? {
        guard let secret = secret(user), owner.admits(origin) else { return nil }
        return secret
    }

    private func secret(_ user: String?) -> Credential? {
        if let token = token.flatMap({ environment[$0] }), !token.isEmpty { return .bearer(token) }
        guard let user, let password = password.flatMap({ environment[$0] }) else { return nil }
        return .password(user: user, password: password)
    }
}

/// A password in the first line of a file, for the first origin that asks and a known user.
public struct PasswordFileCredentials: CredentialSource {
    private let file: String
    private let owner = FirstOrigin(nil)

    /// - Parameter file: A local path, also of a pipe. It is read whenever a secret is needed.
    public init(file: String) {
        self.file = file
    }

    /// - Throws: `CocoaError(.fileReadNoSuchFile)` and its like; `CocoaError(.fileReadTooLarge)` over 64 KiB.
    public func credential(for origin: Origin, user: String?) async throws -> Credential? {
        guard let user, owner.admits(origin) else { return nil }
        let line = try await SmallFile.read(file, limit: 64 << 10).prefix { $0 != UInt8(ascii: "\n") }
        let password = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        return .password(user: user, password: String(decoding: password, as: UTF8.self))
    }
}

/// Several sources, asked in order until one has a secret.
public struct CredentialChain: CredentialSource {
    private let sources: [any CredentialSource]
    private let user: String?

    /// - Parameter user: The user to ask for if neither URL nor configuration names one.
    public init(_ sources: [any CredentialSource], user: String? = nil) {
        self.sources = sources
        self.user = user
    }

    /// Returns the first secret that a source has; later sources are not asked.
    ///
    /// - Throws: The error of a source; later sources are not asked then, either.
    public func credential(for origin: Origin, user: String?) async throws -> Credential? {
        for source in sources {
            if let credential = try await source.credential(for: origin, user: user ?? self.user) { return credential }
        }
        return nil
    }

    /// Reports the refusal to every source, whichever the secret came from.
    public func refused(_ credential: Credential, for origin: Origin, user: String?) {
        for source in sources { source.refused(credential, for: origin, user: user ?? self.user) }
    }

    /// Returns the first replacement that a source has.
    public func replacement(for credential: Credential, origin: Origin, user: String?) async throws -> Credential? {
        for source in sources {
            if let other = try await source.replacement(for: credential, origin: origin, user: user ?? self.user) {
                return other
            }
        }
        return nil
    }
}

/// The only origin that gets a secret made for no particular one: the first that asks.
final class FirstOrigin: Sendable {
    private let owner: LockedValue<Origin?>

    init(_ origin: Origin?) {
        owner = LockedValue(origin)
    }

    func admits(_ origin: Origin) -> Bool {
        owner.update { owner in
            // A proxy on the way to the secret's server would ask first.
            if owner == nil, origin.isProxy { return false }
            let first = owner ?? origin
            owner = first
            return first == origin
        }
    }
}
