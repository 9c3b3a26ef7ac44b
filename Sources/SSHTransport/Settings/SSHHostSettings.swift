import FileProviderCore
package import Foundation

/// How a host is reached and trusted, with all names resolved and all paths absolute.
package struct SSHHostSettings: Sendable, Hashable {
    /// As the user typed it.
    package let host: String
    /// The name or address to connect to, in lower case.
    package internal(set) var hostName: String
    package internal(set) var port: Int
    /// The user to log in as; the local user's name if no other is given.
    package internal(set) var user: String
    /// Paths of private keys in the order to try. They need not exist. Without configured ones, ssh's usual ones.
    package internal(set) var identityFiles: [String]
    /// Whether an agent's other keys are not used.
    package internal(set) var identitiesOnly = false
    package internal(set) var identityAgent = IdentityAgent.usual
    package internal(set) var certificateFiles: [String] = []
    package internal(set) var knownHosts: KnownHosts
    /// Nil if none are named.
    package internal(set) var revokedHostKeys: RevokedHostKeys?
    package internal(set) var hostKeyAlias: String?
    package internal(set) var hashKnownHosts = false
    /// Always strict; ``notes`` report a configuration that asks for less.
    package internal(set) var hostKeyPolicy = HostKeyPolicy.strict
    /// Nil if it is not set.
    package internal(set) var connectTimeout: Duration?
    /// Nil if it is not set, or 0, which turns it off.
    package internal(set) var serverAliveInterval: Duration?
    /// The demands of the configuration that libssh2 cannot meet.
    package internal(set) var demands: Set<Demand> = []
    /// Sentences about settings that are not followed.
    package internal(set) var notes: [String] = []
    /// Whether the user has a configuration that is not read.
    package private(set) var isConfigurationUnread = false

    /// The socket of the agent.
    package enum IdentityAgent: Sendable, Hashable {
        /// The socket in `$SSH_AUTH_SOCK`.
        case usual
        case none
        case socket(path: String)
    }

    /// A feature of the ssh program that libssh2 does not have. The raw value is used in sentences.
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

    /// Whether the host is reached through another host or by a command. Then only the ssh program can reach it.
    package var needsSSHProgram: Bool { demands.contains(.proxy) }

    /// The name under which ``KnownHosts`` has the host's keys.
    package var knownHostsName: (host: String, port: Int) { hostKeyAlias.map { ($0, 22) } ?? (hostName, port) }

    /// ssh's defaults, without a configuration.
    ///
    /// - Parameters:
    ///   - host: As the user typed it.
    ///   - user: Nil if the user typed none; likewise `port`.
    /// - Throws: `URLError(.badURL)` for an invalid host.
    package init(
        host: String, user: String? = nil, port: Int? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        try self.init(host: host, user: user, port: port, account: SSHAccount(environment: environment))
    }

    /// The same, if there is no ssh program to read the configuration: a configuration is not followed, and ``notes``
    /// report it. Reads from the disk.
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
                "“\(file)” is not followed for “\(host)”: only the ssh program reads it, which is not installed or rejects that name."
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
    /// The same, for a login by libssh2, with a note of the demands that it cannot meet.
    package var forLibrary: SSHHostSettings {
        var settings = self
        let missing = Demand.allCases.filter { demands.contains($0) }.map(\.rawValue).joined(separator: ", ")
        if !missing.isEmpty {
            settings.notes.insert(
                "ssh's configuration asks for \(missing), which needs the ssh program (transport=ssh).", at: 0)
        }
        return settings
    }

    /// `error` with the notes about settings that were not followed, which may be the reason.
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
