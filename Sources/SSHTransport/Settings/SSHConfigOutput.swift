import FileProviderCore
import Foundation

/// The output of `ssh -G`: a line for each option, its name in lower case, a space and its value. Source: ssh(1).
struct SSHConfigOutput {
    private var values: [String: [String]] = [:]

    init(_ text: [UInt8]) {
        for line in text.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
            let words = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 1)
            guard words.count == 2 else { continue }
            values[words[0].lowercased(), default: []].append(String(words[1]))
        }
    }

    /// The values of an option that may occur several times, without `none`.
    func all(_ option: String) -> [String] { (values[option] ?? []).filter { $0.lowercased() != "none" } }

    /// The value of an option; nil for `none`.
    func first(_ option: String) -> String? { all(option).first }

    func isNamed(_ option: String) -> Bool { values[option] != nil }

    func isYes(_ option: String) -> Bool { ["yes", "true"].contains(first(option)?.lowercased()) }

    /// Seconds; nil for a missing option, and for 0.
    func seconds(_ option: String) -> Duration? {
        first(option).flatMap { Int32($0) }.flatMap { $0 > 0 ? .seconds(Int64($0)) : nil }
    }

    /// Paths separated by spaces. The program prints no quotes, so a part that doesn't begin a path belongs to the path
    /// before it.
    func paths(_ option: String) -> [String] {
        var paths: [String] = []
        for word in (first(option) ?? "").split(separator: " ", omittingEmptySubsequences: false) {
            if paths.isEmpty || word.hasPrefix("/") || word.hasPrefix("~") {
                paths.append(String(word))
            } else {
                paths[paths.count - 1] += " " + word
            }
        }
        return paths.filter { !$0.isEmpty }
    }
}

extension SSHHostSettings {
    /// The settings in the ssh program's answer for a host. Looks at the keys that it names, so it reads from the disk.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if the answer does not say where to connect.
    init(_ output: SSHConfigOutput, host: String, account: SSHAccount) throws {
        guard let hostName = output.first("hostname"), let port = output.first("port").flatMap({ Int($0) }),
            (1...65535).contains(port),
            let user = output.first("user")
        else {
            throw FileError.make(
                .fileReadCorruptFile, path: "ssh", sentence: "“ssh -G \(host)” does not say how to reach “\(host)”.")
        }
        try self.init(host: host, user: user, port: port, account: account)
        self.hostName = hostName.lowercased()
        hostKeyAlias = output.first("hostkeyalias")?.lowercased()
        identitiesOnly = output.isYes("identitiesonly")
        hashKnownHosts = output.isYes("hashknownhosts")
        connectTimeout = output.seconds("connecttimeout")
        serverAliveInterval = output.seconds("serveraliveinterval")
        knownHosts = KnownHosts(
            userFiles: output.paths("userknownhostsfile").map { account.ours($0) },
            systemFiles: output.paths("globalknownhostsfile"))
        let tokens = SSHConfigTokens(
            account: account, host: host, hostName: self.hostName, port: port, user: user, alias: hostKeyAlias)
        setTrust(output, tokens: tokens)
        setKeys(output, tokens: tokens, account: account)
        demands = demands(output, account)
    }

    private mutating func setTrust(_ output: SSHConfigOutput, tokens: SSHConfigTokens) {
        // A path that cannot be resolved must not hide a revoked key. No file has that name, so every key is refused.
        revokedHostKeys = output.first("revokedhostkeys").map { RevokedHostKeys(file: tokens.path($0) ?? $0) }
        let checking = output.first("stricthostkeychecking")?.lowercased() ?? "ask"
        if checking == "accept-new" { hostKeyPolicy = .acceptNew }
        if ["no", "off", "false"].contains(checking) {
            notes.append("“StrictHostKeyChecking no” of ssh's configuration is not followed: keys are always checked.")
        }
    }

    /// The names that ssh uses if the configuration names none.
    private static let usualKeys = [
        "id_rsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk", "id_xmss", "id_dsa", "id_mldsa44_ed25519",
    ]

    private mutating func setKeys(_ output: SSHConfigOutput, tokens: SSHConfigTokens, account: SSHAccount) {
        let named = output.all("identityfile")
        let usual = Self.usualKeys.map { "~/.ssh/\($0)" }
        let isUsual = named.count > 3 && named.allSatisfy { usual.contains($0) }
        if !isUsual { identityFiles = paths(named, "IdentityFile", tokens) }
        certificateFiles = paths(output.all("certificatefile"), "CertificateFile", tokens)
        let agent = output.first("identityagent")
        if output.isNamed("identityagent"), agent == nil { identityAgent = .none }
        guard let agent, agent != "SSH_AUTH_SOCK" else { return }
        if agent.hasPrefix("$"), !agent.hasPrefix("${") {
            // As in ssh, an unset variable means no agent.
            identityAgent = account.environment[String(agent.dropFirst())].map { .socket(path: $0) } ?? .none
        } else if let path = tokens.path(agent) {
            identityAgent = .socket(path: path)
        }
    }

    private mutating func paths(_ texts: [String], _ option: String, _ tokens: SSHConfigTokens) -> [String] {
        texts.compactMap { text in
            if let path = tokens.path(text) { return path }
            notes.append(
                "“\(option) \(SSHText.line(text.utf8))” of ssh's configuration has a token that Carrel does not know, and is ignored."
            )
            return nil
        }
    }
}
