package import FileProviderCore

/// A private key to log in with.
package struct SSHIdentity: Sendable, CustomReflectable {
    /// Where the key is.
    package enum Key: Sendable {
        /// A file in OpenSSH's form or PEM.
        case file(String)
        /// The bytes of such a file.
        case memory([UInt8])
    }

    /// What errors call it: the file's path, or for a key in memory whose it is, such as `of “anna”`.
    package let name: String
    package let key: Key
    /// The key's type where that is known, such as `ssh-rsa`.
    package let type: String?
    /// The public key where that is known: one that was offered is not offered again.
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

/// Who logs in, and by which methods, in their order.
package struct SSHLogin: Sendable {
    /// A way to show who one is (RFC 4252).
    package enum Method: Sendable {
        case publicKey(SSHIdentity)
        /// The keys of the agent at a socket, or only those of them whose public keys are among `only`; those of
        /// `first` go before others.
        case agent(socket: String, only: [[UInt8]]?, first: [[UInt8]] = [])
        case password(SSHSecret)
        /// The password answers the first question whose answer is not to be seen, with a closure only where that
        /// speaks of a password; the closure answers what else is asked, on the connection's thread.
        case keyboardInteractive(SSHSecret?, answer: (@Sendable (LoginQuestion) throws -> String)?)
    }

    package var user: String
    package var methods: [Method]
    /// The most keys that are offered, those of an agent included: servers end a login after some tries, OpenSSH's
    /// after six. Where the server would take a password as well, and there is one, it is ``maxKeysBeforePassword``.
    package var maxKeys: Int
    /// The password may take two tries.
    package static let maxKeysBeforePassword = 3

    package init(user: String, methods: [Method], maxKeys: Int = 6) {
        self.user = user
        self.methods = methods
        self.maxKeys = maxKeys
    }

    /// Whether several tries may be needed, keys among them: then it pays to ask first what the server takes, which is
    /// no try yet.
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
