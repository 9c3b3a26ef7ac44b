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

    /// Told that a server refused `credential`: a source that remembers or asks finds another the next time. The default does nothing.
    func refused(_ credential: Credential, for origin: Origin, user: String?)
}

extension CredentialSource {
    public func refused(_ credential: Credential, for origin: Origin, user: String?) {}
}
