import FileProviderCore
package import Foundation

/// How a host is reached and trusted, with all names resolved and all paths in full.
package struct SSHHostSettings: Sendable, Hashable {
    /// As the user typed it.
    package let host: String
    /// What to connect to, in lower case.
    package internal(set) var hostName: String
    package internal(set) var port: Int
    /// The local user's name where nobody gave another.
    package internal(set) var user: String
    /// Paths of private keys in the order to try, which need not exist; ssh's usual ones where the configuration names
    /// none.
    package internal(set) var identityFiles: [String]
    /// Whether an agent's other keys stay out.
    package internal(set) var identitiesOnly = false
    package internal(set) var identityAgent = IdentityAgent.usual
    package internal(set) var certificateFiles: [String] = []
    package internal(set) var knownHosts: KnownHosts
    /// Nil where none are named.
    package internal(set) var revokedHostKeys: RevokedHostKeys?
    package internal(set) var hostKeyAlias: String?
    package internal(set) var hashKnownHosts = false
    /// Never less than strict; see ``notes`` where the configuration asks for less.
    package internal(set) var hostKeyPolicy = HostKeyPolicy.strict
    /// Nil where nothing is said.
    package internal(set) var connectTimeout: Duration?
    /// Nil where nothing is said, or 0, which sends nothing.
    package internal(set) var serverAliveInterval: Duration?
    /// What the configuration asks for and libssh2 does not have.
    package internal(set) var demands: Set<Demand> = []
    /// Sentences about what was not followed.
    package internal(set) var notes: [String] = []
    /// Whether the user has a configuration that nobody reads.
    package private(set) var isConfigurationUnread = false

    /// Where an agent listens.
    package enum IdentityAgent: Sendable, Hashable {
        /// By `$SSH_AUTH_SOCK`.
        case usual
        case none
        case socket(path: String)
    }

    /// What the ssh program has and libssh2 does not. The raw value stands in sentences.
    package enum Demand: String, Sendable, Hashable, CaseIterable {
        /// `ProxyJump` or `ProxyCommand`.
        case proxy = "another host or a command on the way"
        /// `ControlMaster` or `ControlPath`.
        case sharing = "a shared connection (ControlMaster)"
        /// `CertificateFile`, or a certificate beside a key.
        case certificate = "a certificate"
        /// A FIDO key, or `PKCS11Provider`.
        case hardwareKey = "a hardware key"
        /// `GSSAPIAuthentication`, where there is a ticket.
        case kerberos = "Kerberos"
    }

    /// Whether the host is reached through another or by a command: then nothing but the ssh program gets there.
    package var needsSSHProgram: Bool { demands.contains(.proxy) }

    /// What ``KnownHosts`` has the host's keys under.
    package var knownHostsName: (host: String, port: Int) { hostKeyAlias.map { ($0, 22) } ?? (hostName, port) }

    /// ssh's own habits, without a configuration.
    ///
    /// - Parameters:
    ///   - host: As the user typed it.
    ///   - user: Nil where the user typed none; so `port`.
    /// - Throws: `URLError(.badURL)` for a host that is none.
    package init(
        host: String, user: String? = nil, port: Int? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        try self.init(host: host, user: user, port: port, account: SSHAccount(environment: environment))
    }

    /// The same where no ssh program reads the configuration: what that says is not followed, and if there is one,
    /// ``notes`` say so. Waits for the disk.
    package static func withoutProgram(
        host: String, user: String? = nil, port: Int? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> SSHHostSettings {
        let account = SSHAccount(environment: environment)
        var settings = try SSHHostSettings(host: host, user: user, port: port, account: account)
        let file = account.home + "/.ssh/config"
        settings.isConfigurationUnread = access(file, F_OK) == 0
        if settings.isConfigurationUnread {
            settings.notes = [
                "“\(file)” is not followed for “\(host)”: it takes the ssh program to read it, which is not installed or does not take that name."
            ]
        }
        return settings
    }

    init(host: String, user: String?, port: Int?, account: SSHAccount) throws {
        guard (1...255).contains(host.utf8.count), !host.hasPrefix("-"),
            host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else {
            throw FileError.make(.badURL, url: nil, sentence: "“\(host)” is not the name of a host.")
        }
        self.host = host
        hostName = host.lowercased()
        self.port = port ?? 22
        self.user = user ?? account.user
        identityFiles = SSHPrivateKey.usualFiles(home: account.home)
        knownHosts = KnownHosts(environment: ["HOME": account.home])
    }
}

extension SSHHostSettings {
    /// The same, for a login by libssh2: with a note of what the configuration asks for in vain.
    package var forLibrary: SSHHostSettings {
        var settings = self
        let missing = Demand.allCases.filter { demands.contains($0) }.map(\.rawValue).joined(separator: ", ")
        if !missing.isEmpty {
            settings.notes.insert(
                "ssh's configuration asks for \(missing), which takes the ssh program (transport=ssh).", at: 0)
        }
        return settings
    }

    /// `error` with what of the configuration was not followed: that may be the reason.
    package func noted(_ error: URLError) -> URLError {
        let codes: [URLError.Code] = [
            .userAuthenticationRequired, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot, .cannotFindHost,
            .cannotConnectToHost, .timedOut,
        ]
        guard codes.contains(error.code), !notes.isEmpty else { return error }
        var info = error.userInfo
        info[NSLocalizedDescriptionKey] = ([error.sentence] + notes.prefix(3)).joined(separator: " ")
        return URLError(error.code, userInfo: info)
    }
}
