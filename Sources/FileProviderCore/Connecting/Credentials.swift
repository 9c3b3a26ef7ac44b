public import Foundation

/// A party that asks for access: scheme, host and port (RFC 6454). A secret belongs to one origin and is sent to no
/// other.
public struct Origin: Hashable, Sendable, CustomStringConvertible {
    /// In lower case.
    public let scheme: String
    /// A name or address in lower case, as in the URL.
    public let host: String
    /// The port that is used, also if it is the scheme's default and the URL does not name it.
    public let port: Int
    /// Whether this is a proxy on the way to a server. A secret for the first origin that asks is never given to a
    /// proxy.
    public let isProxy: Bool

    /// Creates an origin; the case of scheme and host makes no difference (RFC 6454, section 4).
    public init(scheme: String, host: String, port: Int, isProxy: Bool = false) {
        self.scheme = scheme.lowercased()
        self.host = host.lowercased()
        self.port = port
        self.isProxy = isProxy
    }

    /// Whether the host is this machine by name or loopback address, so that nothing is sent in clear over a network.
    public var isLoopback: Bool {
        var address = in_addr()
        if inet_pton(AF_INET, host, &address) == 1 { return UInt32(bigEndian: address.s_addr) >> 24 == 127 }
        return host == "localhost" || host == "::1" || host == "[::1]"
    }

    /// As in a URL, always with the port; an IPv6 address gets no brackets.
    public var description: String { "\(scheme)://\(host):\(port)" }
}

/// A secret. No description shows it, and it is not `Codable`.
public struct Credential: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kinds of secret.
    public enum Kind: Sendable, Hashable {
        /// A user and the password, in clear.
        case password(user: String, password: String)
        /// A bearer token (RFC 6750).
        case bearer(token: String)
        /// A private key to log in with over SSH, and its passphrase if it is encrypted.
        case privateKey(user: String, key: Data, passphrase: String?)
    }

    /// The secret itself; its description shows no more than the credential's.
    public let kind: Kind
    /// When the secret expires; nil if unknown.
    public let expires: Date?

    /// Whether the secret has expired, by this machine's clock.
    public var isExpired: Bool { expires.map { $0 <= Date() } ?? false }

    /// A user and the password, in clear; the provider decides how to send them.
    public static func password(user: String, password: String) -> Credential {
        Credential(kind: .password(user: user, password: password), expires: nil)
    }

    /// A bearer token (RFC 6750), without the word `Bearer` in front.
    ///
    /// - Parameter expires: The date after which the token is not sent, and its source is asked for another.
    public static func bearer(_ token: String, expires: Date? = nil) -> Credential {
        Credential(kind: .bearer(token: token), expires: expires)
    }

    /// A private key to log in with over SSH, for apps that don't keep keys in files: it is used from memory and never
    /// written. The source is asked for it if no key file and no agent's key was accepted. Other providers, and the ssh
    /// program, ignore it.
    ///
    /// A value that is no such key, is encrypted without a passphrase, or has the wrong passphrase fails the login with
    /// `URLError(.userAuthenticationRequired)`. Its source is then notified, and asked once more.
    ///
    /// - Parameters:
    ///   - user: The user to log in as; empty for the one in ssh's configuration, else this process's user.
    ///   - key: The content of a key file, in OpenSSH's format or PEM; not PuTTY's. 256 KiB at most.
    ///   - passphrase: Opens an encrypted key; nil takes ``ConnectionOptions/clientKeyPassword``.
    public static func privateKey(user: String, key: Data, passphrase: String? = nil) -> Credential {
        Credential(kind: .privateKey(user: user, key: key, passphrase: passphrase), expires: nil)
    }

    /// The kind of secret, with the user of a password or a key.
    public var description: String { kind.description }

    /// As ``description``: without the secret.
    public var debugDescription: String { description }

    /// Without children, so that `dump` and descriptions of values that hold a credential show no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Credential.Kind: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of secret, with the user of a password or a key.
    public var description: String {
        switch self {
        case .password(let user, _): "password of \(user)"
        case .bearer: "bearer token"
        case .privateKey(let user, _, _): "private key of \(user)"
        }
    }

    /// As ``description``: without the secret.
    public var debugDescription: String { description }

    /// Nothing, so that dump(_:) shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A source of secrets: environment, netrc, a prompt, an app's own store.
public protocol CredentialSource: Sendable {
    /// Returns the secret for `origin`; nil if there is none and access is tried without.
    ///
    /// - Parameter user: The user that the URL names.
    func credential(for origin: Origin, user: String?) async throws -> Credential?

    /// Called after a server refused `credential`, so that a source that remembers or asks finds another next time. The
    /// default does nothing.
    func refused(_ credential: Credential, for origin: Origin, user: String?)

    /// Returns another token in place of a refused one, to send the same request again; nil, the default, if there is
    /// none.
    ///
    /// Called for bearer tokens, by each refused request: a source answers all of them with one new token.
    func replacement(for credential: Credential, origin: Origin, user: String?) async throws -> Credential?
}

extension CredentialSource {
    /// The default, for sources that neither remember nor ask: does nothing.
    public func refused(_ credential: Credential, for origin: Origin, user: String?) {}

    /// The default, for sources whose secrets last: none.
    public func replacement(for credential: Credential, origin: Origin, user: String?) async throws -> Credential? {
        nil
    }
}
