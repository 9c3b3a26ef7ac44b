package import FileProviderCore

/// A private key to log in with.
package struct SSHIdentity: Sendable, CustomReflectable {
    /// Where the key is stored.
    package enum Key: Sendable {
        /// A file in OpenSSH's form or PEM.
        case file(String)
        /// The bytes of such a file.
        case memory([UInt8])
    }

    /// The name for errors: the file's path or, for a key in memory, its owner, such as `of “anna”`.
    package let name: String
    package let key: Key
    /// The key's type if it is known, such as `ssh-rsa`.
    package let type: String?
    /// The public key if it is known, so that the same key is not offered twice.
    package let publicKey: [UInt8]?
    package let passphrase: SSHSecret?

    package init(name: String, key: Key, type: String? = nil, publicKey: [UInt8]? = nil, passphrase: SSHSecret? = nil) {
        self.name = name
        self.key = key
        self.type = type
        self.publicKey = publicKey
        self.passphrase = passphrase
    }

    package var customMirror: Mirror { Mirror(self, children: ["name": name]) }

    var quotedName: String { if case .file = key { "“\(name)”" } else { name } }
}

/// The user who logs in, and the methods in the order to try.
package struct SSHLogin: Sendable {
    /// A method of authentication (RFC 4252).
    package enum Method: Sendable {
        case publicKey(SSHIdentity)
        /// The keys of the agent at a socket. If `only` is set, only those with these public keys. Those in `first`
        /// come first.
        case agent(socket: String, only: [[UInt8]]?, first: [[UInt8]] = [])
        case password(SSHSecret)
        /// The password answers the first prompt without echo; if there is a closure, only one that mentions a
        /// password. The closure answers all other prompts, on the connection's thread.
        case keyboardInteractive(SSHSecret?, answer: (@Sendable (LoginQuestion) throws -> String)?)
    }

    package var user: String
    package var methods: [Method]
    /// The maximum number of keys that are offered, including an agent's: servers end a login after some tries,
    /// OpenSSH's after six. If there is a password and the server accepts passwords, the limit is
    /// ``maxKeysBeforePassword``.
    package var maxKeys: Int
    /// The password may take two tries.
    package static let maxKeysBeforePassword = 3

    package init(user: String, methods: [Method], maxKeys: Int = 6) {
        self.user = user
        self.methods = methods
        self.maxKeys = maxKeys
    }

    /// Whether several tries with keys may be needed. Then it is worth asking first which methods the server accepts,
    /// which does not count as a try.
    var mayTakeSeveralKeys: Bool {
        methods.contains { if case .agent = $0 { true } else { false } }
            || methods.count > 1 && methods.contains { $0.name == "publickey" }
    }

    var hasPassword: Bool {
        methods.contains {
            switch $0 {
            case .password, .keyboardInteractive: true
            case .publicKey, .agent: false
            }
        }
    }
}

extension SSHLogin.Method {
    /// As it goes over the wire (RFC 4252, section 7 and 8; RFC 4256).
    var name: String {
        switch self {
        case .publicKey, .agent: "publickey"
        case .password: "password"
        case .keyboardInteractive: "keyboard-interactive"
        }
    }
}
