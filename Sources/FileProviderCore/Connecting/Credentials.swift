public import Foundation

/// Who asks for access: scheme, host and port (RFC 6454). Secrets belong to one origin and go to no other.
public struct Origin: Hashable, Sendable, CustomStringConvertible {
    /// In lower case.
    public let scheme: String
    /// A name or address in lower case, as the URL tells it.
    public let host: String
    /// The one that is used, also where it is the scheme's own and the URL does not name it.
    public let port: Int
    /// Whether this is a proxy on the way to a server. A secret that is for whoever asks first is for no proxy.
    public let isProxy: Bool

    /// Takes scheme and host in any case: they make no difference (RFC 6454, section 4).
    public init(scheme: String, host: String, port: Int, isProxy: Bool = false) {
        self.scheme = scheme.lowercased()
        self.host = host.lowercased()
        self.port = port
        self.isProxy = isProxy
    }

    /// Whether the host is this machine by name or loopback address, where nothing leaves in clear.
    public var isLoopback: Bool {
        var address = in_addr()
        if inet_pton(AF_INET, host, &address) == 1 { return UInt32(bigEndian: address.s_addr) >> 24 == 127 }
        return host == "localhost" || host == "::1" || host == "[::1]"
    }

    /// As in a URL, with the port always; no brackets are put around an IPv6 address.
    public var description: String { "\(scheme)://\(host):\(port)" }
}

/// A secret. It shows itself in no description and is not `Codable`.
public struct Credential: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kinds of secret.
    public enum Kind: Sendable, Hashable {
        /// A user and the password, in clear.
        case password(user: String, password: String)
        /// A bearer token (RFC 6750).
        case bearer(token: String)
        /// A private key to log in with over SSH, and what opens it where it is encrypted.
        case privateKey(user: String, key: Data, passphrase: String?)
    }

    /// The secret itself; printed, it shows no more than the credential does.
    public let kind: Kind
    /// When the secret loses its force; nil where nobody knows.
    public let expires: Date?

    /// Whether it has lost its force by the clock of this machine.
    public var isExpired: Bool { expires.map { $0 <= Date() } ?? false }

    /// A user and the password, in clear; how they are sent is the provider's business.
    public static func password(user: String, password: String) -> Credential {
        Credential(kind: .password(user: user, password: password), expires: nil)
    }

    /// A bearer token (RFC 6750), without the word `Bearer` in front.
    ///
    /// - Parameter expires: From then on it is not sent, and its source is asked for another.
    public static func bearer(_ token: String, expires: Date? = nil) -> Credential {
        Credential(kind: .bearer(token: token), expires: expires)
    }

    /// A private key to log in with over SSH, for apps that keep keys elsewhere than in files: it is used from memory and
    /// written nowhere. Asked for where no key file and no agent's key was taken. Other providers, and the ssh program,
    /// have no use for it.
    ///
    /// What is no such key, is encrypted without a passphrase, or is not opened by its passphrase ends the login with
    /// `URLError(.userAuthenticationRequired)`; its source is told, and asked once more.
    ///
    /// - Parameters:
    ///   - user: Who logs in; empty for whom ssh's configuration names, else this process's user.
    ///   - key: What such a file holds, in OpenSSH's form or PEM; not PuTTY's. 256 KiB at most.
    ///   - passphrase: Opens an encrypted key; nil takes ``ConnectionOptions/clientKeyPassword``.
    public static func privateKey(user: String, key: Data, passphrase: String? = nil) -> Credential {
        Credential(kind: .privateKey(user: user, key: key, passphrase: passphrase), expires: nil)
    }

    /// The kind of secret, with the user of a password or a key.
    public var description: String { kind.description }

    /// As ``description``: without the secret.
    public var debugDescription: String { description }

    /// Without children, so that `dump` and descriptions of what holds a credential find no secret.
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

/// Where secrets come from: environment, netrc, a prompt, an app's own store.
public protocol CredentialSource: Sendable {
    /// The secret for `origin`; nil where there is none and access is tried without.
    ///
    /// - Parameter user: The user that the URL names.
    func credential(for origin: Origin, user: String?) async throws -> Credential?

    /// Told that a server refused `credential`: a source that remembers or asks finds another the next time. The
    /// default does nothing.
    func refused(_ credential: Credential, for origin: Origin, user: String?)

    /// Another token in place of one that a server refused, for the same request to be sent again; nil, the default,
    /// where there is none.
    ///
    /// Called for bearer tokens, by each request that was refused: a source answers all of them with one new token.
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
