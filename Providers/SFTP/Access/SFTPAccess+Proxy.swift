import FileProviderCore
import SSHTransport

extension SFTPAccess {
    /// The proxy by which libssh2 reaches the host; nil for none.
    ///
    /// - Throws: `URLError(.badURL)` for an environment variable that is not a proxy's URL.
    func proxy(_ settings: SSHHostSettings) throws -> ProxyChoice? {
        try options.proxy.proxy(scheme: "sftp", host: settings.hostName, environment: environment)
    }

    /// Whether the options name a proxy that applies to the host.
    func hasGivenProxy(_ settings: SSHHostSettings) -> Bool {
        guard case .server = options.proxy else { return false }
        return (try? proxy(settings)) != nil
    }

    /// Connects and logs in. If the proxy refuses its login, tries once with another one.
    ///
    /// - Throws: As `SSHConnection.connect`; `SSHProxyRefusal` if the proxy refuses every available login.
    func connection(
        to server: SSHServer, login: SSHLogin, options: SSHOptions, by choice: ProxyChoice?
    ) async throws -> SSHConnection {
        func connect(by proxy: SSHProxy?) async throws -> SSHConnection {
            var options = options
            options.proxy = proxy
            return try await SSHConnection.connect(to: server, login: login, options: options)
        }
        guard let choice else { return try await connect(by: nil) }
        let proxy = choice.server
        if choice.isFromEnvironment {
            let password = choice.environmentPassword.map { SSHSecret($0) }
            return try await connect(by: SSHProxy(proxy, user: proxy.user, password: password))
        }
        let access = try await proxyLogin.access()
        do { return try await connect(by: SSHProxy(proxy, access)) } catch let refusal as SSHProxyRefusal {
            guard refusal.asksForLogin, let other = try await proxyLogin.access(after: access) else { throw refusal }
            do { return try await connect(by: SSHProxy(proxy, other)) } catch let refusal as SSHProxyRefusal {
                if refusal.asksForLogin { proxyLogin.refused(other) }
                throw refusal
            }
        }
    }
}

extension SSHProxy {
    fileprivate init(_ server: ProxyServer, _ access: ProxyLogin.Access) {
        self.init(
            server, user: access.user, password: access.password.map { SSHSecret($0) }, isWithheld: access.isWithheld)
    }
}
