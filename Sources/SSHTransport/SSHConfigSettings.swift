import FileProviderCore
package import Foundation

/// What the configuration says of one host, ready for use: names resolved, paths in full.
package struct SSHHostSettings: Sendable, Hashable {
    /// As the user typed it.
    package let host: String
    /// What to connect to, in lower case.
    package let hostName: String
    package let port: Int
    /// The local user's name where nobody gave another.
    package let user: String
    /// Paths of private keys in the order to try, which need not exist; ssh's usual ones where the configuration names none.
    package private(set) var identityFiles: [String] = []
    /// Whether the configuration names identity files, or none on purpose.
    package private(set) var hasOwnIdentityFiles = false
    /// Whether an agent's other keys stay out.
    package let identitiesOnly: Bool
    package let identityAgent: IdentityAgent
    /// Kept for messages: certificates need the ssh program.
    package private(set) var certificateFiles: [String] = []
    package let knownHosts: KnownHosts
    /// Nil where none are named.
    package let revokedHostKeys: RevokedHostKeys?
    package let hostKeyAlias: String?
    package let hashKnownHosts: Bool
    /// Never less than strict; see ``notes`` where the configuration asks for less.
    package let hostKeyPolicy: HostKeyPolicy
    /// As written; nil for none. Needs the ssh program.
    package let proxyJump: String?
    /// As written; nil for none. Needs the ssh program.
    package let proxyCommand: String?
    /// Nil where nothing is said.
    package let connectTimeout: Duration?
    /// Nil where nothing is said, or 0, which sends nothing.
    package let serverAliveInterval: Duration?
    /// Sentences about what was not followed.
    package private(set) var notes: [String]

    /// Where an agent listens.
    package enum IdentityAgent: Sendable, Hashable {
        /// By `$SSH_AUTH_SOCK`.
        case usual
        case none
        case socket(path: String)
    }

    /// What ``KnownHosts`` has the host's keys under.
    package var knownHostsName: (host: String, port: Int) { hostKeyAlias.map { ($0, 22) } ?? (hostName, port) }

    /// Whether the host is reached through another, or a command, which takes the ssh program.
    package var needsSSHProgram: Bool { proxyJump != nil || proxyCommand != nil }

    init(_ values: SSHConfigValues, host: String, user: String?, port: Int?, account: SSHConfigAccount) throws {
        self.host = host
        notes = values.notes
        hostName = try values.hostName(host).lowercased()
        let portGiven = try values.first(.port).map { try $0.number(1...65535) }
        self.port = port ?? portGiven ?? 22
        let userGiven = try values.first(.user)?.word()
        self.user = user ?? userGiven ?? account.user
        hostKeyAlias = try values.first(.hostKeyAlias)?.word().lowercased()
        let tokens = SSHConfigTokens(
            account: account, host: host, hostName: hostName, port: self.port, user: self.user, alias: hostKeyAlias)

        identitiesOnly = try values.first(.identitiesOnly)?.isYes() ?? false
        hashKnownHosts = try values.first(.hashKnownHosts)?.isYes() ?? false
        connectTimeout = try values.first(.connectTimeout)?.duration()
        serverAliveInterval = try values.first(.serverAliveInterval)?.duration()
        proxyJump = try values.first(.proxyJump)?.word().unlessNone
        proxyCommand = values.first(.proxyCommand)?.rest.unlessNone
        identityAgent = try values.first(.identityAgent).map { try Self.agent($0, tokens, account) } ?? .usual
        let usual = KnownHosts(environment: ["HOME": account.home])
        knownHosts = KnownHosts(
            userFiles: try values.first(.userKnownHostsFile).map { try Self.files($0, tokens) } ?? usual.userFiles,
            systemFiles: try values.first(.globalKnownHostsFile).map { try Self.files($0, tokens) } ?? usual.systemFiles)
        revokedHostKeys = try values.first(.revokedHostKeys).flatMap { value in
            try value.word().unlessNone == nil ? nil : RevokedHostKeys(file: tokens.path(value.word(), value))
        }
        let checking = values.first(.strictHostKeyChecking)
        hostKeyPolicy = try checking.map { try Self.policy($0) } ?? .strict
        if let checking, ["no", "off", "false"].contains(try checking.word().lowercased()) {
            notes.append("“StrictHostKeyChecking \(try checking.word())” (\(checking.place)) is not followed: keys are always checked.")
        }
        try setIdentities(values, tokens, account)
    }

    private mutating func setIdentities(_ values: SSHConfigValues, _ tokens: SSHConfigTokens, _ account: SSHConfigAccount) throws {
        hasOwnIdentityFiles = !values.identityFiles.isEmpty
        identityFiles =
            try hasOwnIdentityFiles
            ? values.identityFiles.compactMap { try $0.word().unlessNone == nil ? nil : tokens.path($0.word(), $0) }
            : SSHPrivateKey.usualFiles(home: account.home)
        certificateFiles = try values.certificateFiles.compactMap {
            try $0.word().unlessNone == nil ? nil : tokens.path($0.word(), $0)
        }
    }

    private static func files(_ value: SSHConfigValue, _ tokens: SSHConfigTokens) throws -> [String] {
        let words = value.arguments
        if words.count == 1, words[0].unlessNone == nil { return [] }
        return try words.map { word in
            if word.unlessNone == nil { throw value.error("“none” stands alone") }
            return try tokens.path(word, value)
        }
    }

    private static func agent(_ value: SSHConfigValue, _ tokens: SSHConfigTokens, _ account: SSHConfigAccount) throws -> IdentityAgent {
        let word = try value.word()
        if word.unlessNone == nil { return .none }
        if word == "SSH_AUTH_SOCK" { return .usual }
        guard word.hasPrefix("$"), !word.hasPrefix("${") else { return .socket(path: try tokens.path(word, value)) }
        // As in ssh, a variable that is not set means no agent.
        return account.environment[String(word.dropFirst())].map { .socket(path: $0) } ?? .none
    }

    private static func policy(_ value: SSHConfigValue) throws -> HostKeyPolicy {
        switch try value.word().lowercased() {
        case "yes", "true", "ask", "no", "off", "false": .strict
        case "accept-new": .acceptNew
        default: throw value.error("“\(try value.word())” is neither yes, no, ask, off nor accept-new")
        }
    }
}

extension SSHHostSettings {
    /// A refused login, or host key, with what of the configuration was not followed: that may be the reason.
    package func noted(_ error: URLError) -> URLError {
        let codes: [URLError.Code] = [.userAuthenticationRequired, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot]
        guard codes.contains(error.code) else { return error }
        var notes = Array(notes.prefix(3))
        if !certificateFiles.isEmpty, error.code == .userAuthenticationRequired {
            notes.append("The certificates that ssh's configuration names need the ssh program (transport=ssh).")
        }
        if notes.isEmpty { return error }
        return FileError.make(
            error.code, url: error.failingURL, sentence: ([error.sentence] + notes).joined(separator: " "),
            underlying: error.userInfo[NSUnderlyingErrorKey] as? any Error)
    }
}

extension String {
    /// Nil for the word that says that there is nothing.
    fileprivate var unlessNone: String? { lowercased() == "none" ? nil : self }
}
