package import FileProviderCore

/// A proxy for the connection to an SSH server, and its login.
package struct SSHProxy: Sendable, CustomReflectable {
    package let server: ProxyServer
    let login: Login?
    /// Whether there is a password that is not sent because it would go in clear.
    let isWithheld: Bool

    struct Login: Sendable {
        let user: String
        let password: SSHSecret
    }

    /// - Parameters:
    ///   - user: Nil for no login.
    ///   - isWithheld: Whether the login must not be sent.
    package init(_ server: ProxyServer, user: String? = nil, password: SSHSecret? = nil, isWithheld: Bool = false) {
        self.server = server
        self.isWithheld = isWithheld
        login = isWithheld ? nil : user.map { Login(user: $0, password: password ?? SSHSecret("")) }
    }

    package var customMirror: Mirror { Mirror(self, children: ["server": server]) }
}
