/// A text that shows itself in no description.
package struct SSHSecret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let text: String

    package init(_ text: String) { self.text = text }

    package var description: String { "secret" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A private key to log in with.
package struct SSHIdentity: Sendable, CustomReflectable {
    /// Where the key is.
    package enum Key: Sendable {
        /// A file in OpenSSH's form or PEM.
        case file(String)
        /// The bytes of such a file.
        case memory([UInt8])
    }

    /// What errors call it, such as the file's name.
    package let name: String
    package let key: Key
    /// The key's type where that is known, such as `ssh-rsa`.
    package let type: String?
    package let passphrase: SSHSecret?

    package init(name: String, key: Key, type: String? = nil, passphrase: SSHSecret? = nil) {
        self.name = name
        self.key = key
        self.type = type
        self.passphrase = passphrase
    }

    package var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

/// What a server asks in a login by keyboard-interactive (RFC 4256).
package struct SSHQuestion: Sendable {
    /// Its words to one question.
    package let prompt: String
    /// Its words to all questions of a round; often none.
    package let instruction: String
    /// Whether the answer may be seen while it is typed.
    package let echoes: Bool
}

/// Who logs in, and by which methods, in their order.
package struct SSHLogin: Sendable {
    /// A way to show who one is (RFC 4252).
    package enum Method: Sendable {
        case publicKey(SSHIdentity)
        /// The keys of the agent at a socket, or only those of them whose public keys these are.
        case agent(socket: String, only: [[UInt8]]?)
        case password(SSHSecret)
        /// The password answers questions whose answers are not to be seen, each once; the closure answers what else is asked, on the
        /// connection's thread. Without one, the password is all that there is.
        case keyboardInteractive(SSHSecret?, answer: (@Sendable (SSHQuestion) throws -> String)?)
    }

    package var user: String
    package var methods: [Method]
    /// The most keys that are offered, those of an agent included: servers end a login after some, OpenSSH's after six.
    package var mostKeys: Int

    package init(user: String, methods: [Method], mostKeys: Int = 6) {
        self.user = user
        self.methods = methods
        self.mostKeys = mostKeys
    }
}
