import FileProviderCore
import Foundation
import SFTPEngine
import SSHTransport

/// Logs in with the keys that the options and ssh's configuration name, with an agent, and with a password if the keys
/// are not enough.
final class SFTPAccess: Sendable {
    let configuration: SFTPConfiguration
    let options: ConnectionOptions
    let host: String
    let user: String?
    let port: Int?
    private let origin: Origin
    private let credentials: any CredentialSource
    let proxyLogin: ProxyLogin
    /// Whether the URL contains the password, which is then used before keys from default locations.
    let hasOwnPassword: Bool
    /// The credential that the server has accepted.
    private let known = LockedValue<Credential?>(nil)
    /// Whether the last login asked the user a question. Then the next one will too.
    private let hasAsked = LockedValue(false)
    private let foundWarnings = LockedValue<[String]>([])
    /// Whether the ssh program logs in without asking the user; nil until it was tried.
    let programLogsIn = LockedValue<Bool?>(nil)
    /// The ssh program: a path, or a name to look for in `PATH`.
    let programName: String
    let environment: [String: String]

    /// - Parameter environment: `~` stands for its `HOME`.
    init(
        configuration: SFTPConfiguration, password: String?, options: ConnectionOptions, program: String = "ssh",
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        let url = configuration.baseURL
        guard url.scheme?.lowercased() == "sftp", let name = url.host(percentEncoded: false), !name.isEmpty else {
            throw FileError.make(
                .badURL, url: url, sentence: "“\(url.withoutSecrets.absoluteString)” is not an SFTP address.")
        }
        self.configuration = configuration
        self.options = options
        programName = program
        self.environment = environment
        host = name.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        let user = configuration.user
        self.user = user
        port = url.port
        let origin = Origin(scheme: "sftp", host: host, port: url.port ?? 22)
        self.origin = origin
        proxyLogin = ProxyLogin(options)
        hasOwnPassword = password != nil
        credentials =
            password.map { FixedCredential(.password(user: user ?? "", password: $0), for: origin) }
            ?? options.credentials
    }

    /// Warnings that ssh's configuration was not followed, from the connections so far.
    var warnings: [String] { foundWarnings.value }

    /// Connects and logs in.
    func connect() async throws -> any SFTPLink {
        let settings = try await settings()
        foundWarnings.update { $0 = settings.isConfigurationUnread ? settings.notes : [] }
        do { return try await connect(settings) } catch let refusal as SSHProxyRefusal {
            throw settings.forLibrary.noted(refusal.error)
        }
    }

    private func connect(_ settings: SSHHostSettings) async throws -> any SFTPLink {
        switch configuration.transport {
        case .program: return SFTPProgramLink(program: try program(settings))
        case .embedded: break
        case .automatic:
            // A proxy from the options has priority over one from ssh's configuration, and that over the environment's.
            if settings.needsSSHProgram, !hasGivenProxy(settings) {
                return SFTPProgramLink(program: try program(settings))
            }
            if programLogsIn.value == true || !settings.demands.isEmpty, let link = try await programLink(settings) {
                return link
            }
        }
        return try await connectByLibrary(settings.forLibrary)
    }

    private func connectByLibrary(_ settings: SSHHostSettings) async throws -> any SFTPLink {
        // Keys named by the options come first; a password in the URL comes before all other keys.
        let keys =
            hasOwnPassword && options.trust.identities.isEmpty
            ? []
            : try await BlockingThreads.shared.run { [options, url = configuration.baseURL] in
                try SFTPKeys(options: options, settings: settings, url: url).methods()
            }
        if let credential = known.value {
            do { return try await connect(settings, keys, credential) } catch let error where Self.wasRefused(error) {
                // The refused login included an answer, which may be the wrong part.
                if hasAsked.value { throw error }
                // The password was changed on the server.
                known.update { $0 = nil }
                credentials.refused(credential, for: origin, user: user)
                return try await connectWithPassword(settings, keys: keys, after: error)
            }
        }
        if keys.isEmpty { return try await connectWithPassword(settings, keys: [], after: nil) }
        do { return try await connect(settings, settings.user, keys) } catch let error where Self.wasRefused(error) {
            if let error = error as? URLError, error.isForOldRSA, configuration.transport == .automatic,
                let link = try await programLink(settings)
            {
                return link
            }
            return try await connectWithPassword(settings, keys: keys, after: error)
        }
    }

    // MARK: What is known of the host

    /// The settings for this host, as the ssh program reads its configuration, even if libssh2 connects; without the
    /// program, ssh's defaults.
    private func settings() async throws -> SSHHostSettings {
        guard configuration.readsSSHConfig else {
            return try SSHHostSettings(host: host, user: user, port: port, environment: environment)
        }
        let program = plainProgram
        return try await BlockingThreads.shared.run { [environment, host, user, port] flag in
            try program.isUsable
                ? program.settings(environment: environment, flag: flag)
                : SSHHostSettings.withoutProgram(host: host, user: user, port: port, environment: environment)
        }
    }

    // MARK: Passwords

    /// Asks for the password, and once more if the server refuses it. Also offers the keys, because some servers
    /// require both.
    private func connectWithPassword(
        _ settings: SSHHostSettings, keys: [SSHLogin.Method], after refusal: (any Error)?
    ) async throws -> any SFTPLink {
        guard let credential = try await credential(settings) else {
            guard let answer else { throw refusal ?? settings.noted(nothing(settings)) }
            return try await connect(settings, settings.user, keys + [.keyboardInteractive(nil, answer: answer)])
        }
        do { return try await connect(settings, keys, credential) } catch let error where Self.wasRefused(error) {
            if hasAsked.value { throw error }
            credentials.refused(credential, for: origin, user: user)
            guard let other = try await self.credential(settings), other != credential else { throw error }
            do { return try await connect(settings, keys, other) } catch let error where Self.wasRefused(error) {
                credentials.refused(other, for: origin, user: user)
                throw error
            }
        }
    }

    private func credential(_ settings: SSHHostSettings) async throws -> Credential? {
        if let credential = try await credentials.credential(for: origin, user: user) { return credential }
        // No user is named, so the password is that of the user that ssh would log in.
        return user == nil ? try await credentials.credential(for: origin, user: settings.user) : nil
    }

    private func connect(
        _ settings: SSHHostSettings, _ keys: [SSHLogin.Method], _ credential: Credential
    ) async throws -> any SFTPLink {
        let user: String
        let methods: [SSHLogin.Method]
        switch credential.kind {
        case .password(let name, let password):
            let secret = SSHSecret(password)
            user = name
            methods = keys + [.password(secret), .keyboardInteractive(secret, answer: answer)]
        case .privateKey(let name, let key, let passphrase):
            let keys = SFTPKeys(options: options, settings: settings, url: configuration.baseURL)
            let own = try keys.inMemory(
                Array(key), of: name.isEmpty ? settings.user : name, passphrase: passphrase)
            user = name
            methods = [own] + (answer.map { [.keyboardInteractive(nil, answer: $0)] } ?? [])
        case .bearer:
            throw FileError.make(
                .userAuthenticationRequired, url: configuration.baseURL,
                sentence: "SFTP logs in with a key or a password; it cannot use a token.")
        }
        let link = try await connect(settings, user.isEmpty ? settings.user : user, methods)
        known.update { $0 = credential }
        return link
    }

    private var answer: (@Sendable (LoginQuestion) throws -> String)? {
        guard let answer = options.answer else { return nil }
        return { [hasAsked] question in
            hasAsked.update { $0 = true }
            return try answer(question)
        }
    }

    private func nothing(_ settings: SSHHostSettings) -> URLError {
        FileError.make(
            .userAuthenticationRequired, url: configuration.baseURL,
            sentence:
                "Cannot log in to “\(host)”: there is no key, no agent and no password for “\(settings.user)”.")
    }

    static func wasRefused(_ error: any Error) -> Bool { (error as? URLError)?.code == .userAuthenticationRequired }

    // MARK: Ways

    private func connect(_ settings: SSHHostSettings, _ user: String, _ methods: [SSHLogin.Method]) async throws
        -> any SFTPLink
    {
        let trust = try SFTPTrust(options, settings: settings, url: configuration.baseURL)
        let login = SSHLogin(user: user, methods: methods)
        do {
            do { return try await connect(settings, login, trust, types: trust.types()) } catch let error
                where Self.wasNotTrusted(error)
            {
                var asked: [[String]] = []
                while let types = trust.otherTypes(asked: asked) {
                    asked.append(types)
                    do { return try await connect(settings, login, trust, types: types) } catch let error
                        where Self.wasNotTrusted(error)
                    {}
                }
                throw error
            }
        } catch let error as URLError {
            throw settings.noted(error)
        }
    }

    private static func wasNotTrusted(_ error: any Error) -> Bool {
        (error as? URLError)?.code == .serverCertificateUntrusted
    }

    private func connect(
        _ settings: SSHHostSettings, _ login: SSHLogin, _ trust: SFTPTrust, types: [String]
    ) async throws -> any SFTPLink {
        hasAsked.update { $0 = false }
        var sshOptions = SSHOptions(timeouts: options.timeouts, counters: options.counters, hostKeyTypes: types) {
            try trust.check($0)
        }
        if let limit = settings.connectTimeout {
            sshOptions.timeouts.connect = min(options.timeouts.connect, limit / .seconds(1))
        }
        if let interval = settings.serverAliveInterval { sshOptions.keepAlive = interval }
        let server = SSHServer(host: settings.hostName, port: settings.port)
        let connection = try await connection(
            to: server, login: login, options: sshOptions, by: try proxy(settings))
        return SFTPEmbeddedLink(connection: connection, takesLogins: !hasAsked.value)
    }
}
