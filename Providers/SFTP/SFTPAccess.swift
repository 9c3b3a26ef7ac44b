import FileProviderCore
import Foundation
import SFTPEngine
import SSHTransport

/// Who logs in, and how: by the keys that the options and ssh's configuration name, an agent, and a password where these do not do.
final class SFTPAccess: Sendable {
    private let configuration: SFTPConfiguration
    private let options: ConnectionOptions
    private let host: String
    private let user: String?
    private let port: Int?
    private let origin: Origin
    private let credentials: any CredentialSource
    /// Whether the URL itself has the password, which goes before keys that nobody named.
    private let hasOwnPassword: Bool
    /// The password that the server took.
    private let known = Locked<Credential?>(nil)

    init(configuration: SFTPConfiguration, password: String?, options: ConnectionOptions) throws {
        let url = configuration.baseURL
        guard url.scheme?.lowercased() == "sftp", let name = url.host(percentEncoded: false), !name.isEmpty else {
            throw FileError.make(.badURL, url: url, sentence: "“\(url.withoutSecrets.absoluteString)” names no SFTP server.")
        }
        if case .server = options.proxy {
            throw FileError.make(
                .unsupportedURL, url: url,
                sentence: "SFTP goes by no proxy of the web; ProxyJump in ssh's configuration, or a proxy of none, reaches the host.")
        }
        self.configuration = configuration
        self.options = options
        host = name.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        let user = configuration.user
        self.user = user
        port = url.port
        let origin = Origin(scheme: "sftp", host: host, port: url.port ?? 22)
        self.origin = origin
        hasOwnPassword = password != nil
        credentials = password.map { FixedCredential(.password(user: user ?? "", password: $0), for: origin) } ?? options.credentials
    }

    /// Connects and logs in.
    func connect() async throws -> any SFTPLink {
        let settings: SSHHostSettings
        do { settings = try await BlockingThreads.shared.run { try self.settings() } } catch let error
            where configuration.transport == .program
        {
            // What the program makes of its configuration, it says itself.
            _ = error
            return SFTPProgramLink(program: try program(acceptsNewHosts: false))
        }
        if configuration.transport == .program || settings.needsSSHProgram {
            return SFTPProgramLink(program: try program(acceptsNewHosts: settings.hostKeyPolicy == .acceptNew))
        }
        // Keys that somebody named go first, a password that somebody wrote into the URL goes before all others.
        let keys =
            hasOwnPassword && options.trust.identities.isEmpty
            ? [] : try await BlockingThreads.shared.run { try self.keys(settings) }
        if let credential = known.value {
            do { return try await connect(settings, keys, credential) } catch let error where Self.wasRefused(error) {
                // It was changed on the server.
                known.update { $0 = nil }
                credentials.refused(credential, for: origin, user: user)
                return try await connectWithPassword(settings, keys, after: error)
            }
        }
        if keys.isEmpty { return try await connectWithPassword(settings, [], after: nil) }
        do { return try await connect(settings, settings.user, keys) } catch let error where Self.wasRefused(error) {
            return try await connectWithPassword(settings, keys, after: error)
        }
    }

    /// The program looks into its configuration by itself.
    private func program(acceptsNewHosts: Bool) throws -> SSHProgram {
        var program = SSHProgram(host: host)
        program.user = user
        program.port = port
        program.identities = options.trust.identities
        program.timeouts = options.timeouts
        program.counters = options.counters
        if !configuration.readsSSHConfig { program.configuration = "none" }
        guard (options.trust.knownHosts?.count ?? 0) <= 1 else { throw notByProgram("more than one file of known hosts") }
        program.knownHosts = options.trust.knownHosts.map { $0.first ?? "/dev/null" }
        switch options.trust.hostKeys {
        case .known: program.acceptsNewHosts = acceptsNewHosts
        case .acceptNew: program.acceptsNewHosts = true
        case .pinned: throw notByProgram("fingerprints of host keys")
        }
        return program
    }

    private func notByProgram(_ what: String) -> CocoaError {
        FileError.make(
            .featureUnsupported, path: "", url: configuration.baseURL,
            sentence: "The ssh program, by which “\(host)” is reached, takes no \(what).")
    }

    // MARK: What is known of the host

    private func settings() throws -> SSHHostSettings {
        let config = configuration.readsSSHConfig ? SSHConfig() : SSHConfig(userFile: "")
        return try config.settings(host: host, user: user, port: port)
    }

    private func knownHosts(_ settings: SSHHostSettings) -> KnownHosts {
        options.trust.knownHosts.map { KnownHosts(userFiles: $0, systemFiles: []) } ?? settings.knownHosts
    }

    private func policy(_ settings: SSHHostSettings) throws -> HostKeyPolicy {
        switch options.trust.hostKeys {
        case .known: settings.hostKeyPolicy
        case .acceptNew: .acceptNew
        case .pinned(let fingerprints): try .pinned(checking: fingerprints)
        }
    }

    // MARK: Keys

    private func keys(_ settings: SSHHostSettings) throws -> [SSHLogin.Method] {
        var methods = try options.trust.identities.map { try SSHLogin.Method.publicKey(identity($0)) }
        if !methods.isEmpty { return methods }
        // Those of ssh's configuration need not be there, nor be of use.
        let files = settings.identityFiles.compactMap { try? SSHPrivateKey(file: $0) }
        let only = settings.identitiesOnly ? files.compactMap { $0.publicKey?.blob } : nil
        if let socket = agentSocket(settings) { methods.append(.agent(socket: socket, only: only)) }
        let passphrase = self.passphrase
        methods += files.filter { !$0.isEncrypted || passphrase != nil }.map { .publicKey(identity($0)) }
        return methods
    }

    private func identity(_ file: String) throws -> SSHIdentity {
        let key = try SSHPrivateKey(file: file)
        guard !key.isEncrypted || passphrase != nil else {
            throw FileError.make(
                .userAuthenticationRequired, url: configuration.baseURL,
                sentence: "The key “\(file)” is encrypted, and its passphrase is not given.")
        }
        return identity(key)
    }

    private func identity(_ key: SSHPrivateKey) -> SSHIdentity {
        SSHIdentity(
            name: key.file, key: .file(key.file), type: key.publicKey?.type ?? (key.algorithm == .rsa ? "ssh-rsa" : nil),
            passphrase: key.isEncrypted ? passphrase : nil)
    }

    private var passphrase: SSHSecret? {
        guard case .password(_, let password)? = options.clientKeyPassword?.kind else { return nil }
        return SSHSecret(password)
    }

    private func agentSocket(_ settings: SSHHostSettings) -> String? {
        switch settings.identityAgent {
        case .none: nil
        case .usual: ProcessInfo.processInfo.environment["SSH_AUTH_SOCK"]
        case .socket(let path): path
        }
    }

    // MARK: Passwords

    /// Asks for the password, and once more when the server has refused it. Keys go along: some servers want both.
    private func connectWithPassword(
        _ settings: SSHHostSettings, _ keys: [SSHLogin.Method], after refusal: (any Error)?
    ) async throws -> any SFTPLink {
        guard let credential = try await credential(settings) else { throw refusal ?? nothing(settings) }
        do { return try await connect(settings, keys, credential) } catch let error where Self.wasRefused(error) {
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
        // Nobody has named who logs in: then it is whom ssh would take.
        return user == nil ? try await credentials.credential(for: origin, user: settings.user) : nil
    }

    private func connect(
        _ settings: SSHHostSettings, _ keys: [SSHLogin.Method], _ credential: Credential
    ) async throws -> any SFTPLink {
        guard case .password(let name, let password) = credential.kind else {
            throw FileError.make(
                .userAuthenticationRequired, url: configuration.baseURL, sentence: "SFTP knows keys and passwords, and no tokens.")
        }
        let secret = SSHSecret(password)
        let link = try await connect(
            settings, name.isEmpty ? settings.user : name, keys + [.password(secret), .keyboardInteractive(secret, answer: nil)])
        known.update { $0 = credential }
        return link
    }

    private func nothing(_ settings: SSHHostSettings) -> URLError {
        FileError.make(
            .userAuthenticationRequired, url: configuration.baseURL,
            sentence: "There is nothing to log in to “\(host)” with: no key, no agent and no password of “\(settings.user)”.")
    }

    private static func wasRefused(_ error: any Error) -> Bool { (error as? URLError)?.code == .userAuthenticationRequired }

    // MARK: Ways

    private func connect(_ settings: SSHHostSettings, _ user: String, _ methods: [SSHLogin.Method]) async throws -> any SFTPLink {
        let (policy, knownHosts, name, url) = (try policy(settings), knownHosts(settings), settings.knownHostsName, configuration.baseURL)
        // A fingerprint tells no type: none is asked for before the others then.
        var types: [String] = []
        if case .pinned = policy {
        } else {
            types = try await BlockingThreads.shared.run { try knownHosts.keyTypes(host: name.host, port: name.port) }
        }
        let isHashed = settings.hashKnownHosts
        let connection = try await SSHConnection.connect(
            to: SSHServer(host: settings.hostName, port: settings.port), login: SSHLogin(user: user, methods: methods),
            options: SSHOptions(timeouts: options.timeouts, counters: options.counters, hostKeyTypes: types) { key in
                try policy.check(key, name: name, knownHosts: knownHosts, hashed: isHashed, url: url)
            })
        return SFTPEmbeddedLink(connection: connection)
    }
}
