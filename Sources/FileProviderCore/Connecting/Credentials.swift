import Foundation

/// Who asks for access: scheme, host and port (RFC 6454). Secrets belong to one origin and go to no other.
public struct Origin: Hashable, Sendable, CustomStringConvertible {
    public let scheme: String
    public let host: String
    public let port: Int

    public init(scheme: String, host: String, port: Int) {
        self.scheme = scheme.lowercased()
        self.host = host.lowercased()
        self.port = port
    }

    /// Whether the host is this machine by name or loopback address, where nothing leaves in clear.
    public var isLoopback: Bool {
        var address = in_addr()
        if inet_pton(AF_INET, host, &address) == 1 { return UInt32(bigEndian: address.s_addr) >> 24 == 127 }
        return host == "localhost" || host == "::1" || host == "[::1]"
    }

    public var description: String { "\(scheme)://\(host):\(port)" }
}

/// A secret. It shows itself in no description and is not `Codable`.
public struct Credential: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kinds of secret.
    public enum Kind: Sendable, Hashable {
        case password(user: String, password: String)
        /// A bearer token (RFC 6750).
        case bearer(token: String)
    }

    public let kind: Kind

    public static func password(user: String, password: String) -> Credential {
        Credential(kind: .password(user: user, password: password))
    }

    public static func bearer(_ token: String) -> Credential { Credential(kind: .bearer(token: token)) }

    public var description: String {
        switch kind {
        case .password(let user, _): "password of \(user)"
        case .bearer: "bearer token"
        }
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where secrets come from: environment, netrc, a prompt, an app's own store.
public protocol CredentialSource: Sendable {
    /// The secret for `origin`; nil where there is none and access is tried without.
    ///
    /// - Parameter user: The user that the URL names.
    func credential(for origin: Origin, user: String?) async throws -> Credential?
}

/// One secret for one origin.
public struct FixedCredential: CredentialSource {
    private let credential: Credential?
    private let origin: Locked<Origin?>

    /// - Parameter origin: The only origin that gets it; nil for the first that asks, and from then on no other.
    public init(_ credential: Credential?, for origin: Origin? = nil) {
        self.credential = credential
        self.origin = Locked(origin)
    }

    public func credential(for origin: Origin, user: String?) async throws -> Credential? {
        let owner = self.origin.update { owner in
            let first = owner ?? origin
            owner = first
            return first
        }
        return owner == origin ? credential : nil
    }
}
