package import FileProviderCore
import Foundation

/// The system's ssh program as a link to a host, with the jump hosts, hardware keys and other features of its
/// configuration.
///
/// Runs without prompts: what needs a terminal fails. Source: ssh(1), ssh_config(5).
package struct SSHProgram: Sendable {
    /// A path, or a name that is looked for in `PATH`.
    package var program = "ssh"
    /// The host as the configuration names it: a name, an address or an alias.
    package var host: String
    /// The user; nil for that of the configuration.
    package var user: String?
    package var port: Int?
    /// Files of private keys, which are tried before those of the configuration. If there are any, an agent's other
    /// keys are not used.
    package var identities: [String] = []
    /// A file that replaces the user's and the system's files of known hosts.
    package var knownHosts: String?
    /// The files in which the program looks for host keys, according to its configuration. No other file is opened to
    /// explain its messages.
    package var knownHostsInUse = KnownHosts()
    /// Whether the key of an unknown host is accepted and stored.
    package var acceptsNewHosts = false
    /// Files that replace only the user's files of known hosts.
    package var usersKnownHosts: [String]?
    /// A file that replaces the user's and the system's configuration; `none` for no configuration.
    package var configuration: String?
    /// Whether the program uses another folder than `$HOME` for `~`.
    package internal(set) var hasOtherHome = false
    /// Further arguments, such as `-o`, `Compression=yes`. They come before all others.
    package var extra: [String] = []
    package var timeouts = Timeouts()
    package var counters = TransferCounters()
    /// Whether the program sends a request to a silent server every half a minute; false leaves that to its
    /// configuration.
    package var keepsAlive = true

    package init(host: String) { self.host = host }

    /// The URL for errors.
    var server: SSHServer { SSHServer(host: host, port: port ?? 22) }

    /// The arguments for a subsystem.
    func arguments(subsystem: String) throws -> [String] { try arguments(["-s"], subsystem) }

    /// The arguments for a command in the account's shell.
    func arguments(command: String) throws -> [String] { try arguments([], command) }

    /// Unknown to ssh before 8.5.
    static let noKnownHostsCommand = "-oKnownHostsCommand=none"

    /// ssh uses the first value that it finds for an option, so those of the caller come first.
    ///
    /// - Throws: `URLError(.badURL)` for a host or a user that ssh, or a shell that its configuration runs, may
    ///   misread.
    private func arguments(_ kind: [String], _ request: String) throws -> [String] {
        try checkNames()
        var all = extra
        if let configuration { all += ["-F", configuration] }
        var options = [
            "BatchMode=yes", "ConnectTimeout=\(Self.seconds(timeouts.connect))",
            "StrictHostKeyChecking=\(acceptsNewHosts ? "accept-new" : "yes")", "ClearAllForwardings=yes",
            "ForwardX11=no",
            "PermitLocalCommand=no", "RemoteCommand=none", "RequestTTY=no",
        ]
        if keepsAlive {
            // While a caller waits, `timeouts` set the limit.
            options += [
                "ServerAliveInterval=30", "ServerAliveCountMax=\(max(3, Self.seconds(timeouts.idle) / 30 + 1))",
            ]
        }
        if let knownHosts {
            // No other source may vouch for a key then.
            options += [
                "UserKnownHostsFile=\(try quoted(knownHosts))", "GlobalKnownHostsFile=none", "VerifyHostKeyDNS=no",
                "NoHostAuthenticationForLocalhost=no",
            ]
        }
        if !identities.isEmpty { options.append("IdentitiesOnly=yes") }
        if let usersKnownHosts, knownHosts == nil {
            let files = usersKnownHosts.isEmpty ? ["none"] : try usersKnownHosts.map { try quoted($0) }
            options.append("UserKnownHostsFile=" + files.joined(separator: " "))
        }
        all += options.map { "-o" + $0 }
        if knownHosts != nil { all.append(Self.noKnownHostsCommand) }
        all += names
        for identity in identities { all += ["-i", identity.replacing("%", with: "%%")] }
        // Without the dashes ssh would also read options after the host.
        return all + kind + ["--", host, request]
    }

    /// The arguments that say which host is meant.
    private var names: [String] { (port.map { ["-p", "\($0)"] } ?? []) + (user.map { ["-l", $0] } ?? []) }

    /// The arguments with which the program prints its configuration for the host, without connecting.
    func queryArguments() throws -> [String] {
        try checkNames()
        return extra + (configuration.map { ["-F", $0] } ?? []) + names + ["-T", "-G", "--", host]
    }

    private func checkNames() throws {
        try check(host, "host")
        // Accounts of domains: DOMAIN\name, name@domain. A final backslash would escape the next character.
        if let user { try check(user, "user", alsoSafe: user.hasSuffix("\\") ? "@" : "@\\") }
    }

    /// At least one, and few enough for ssh.
    private static func seconds(_ limit: Double) -> Int { limit.isNaN ? 1 : Int(min(max(1, limit.rounded(.up)), 1e6)) }

    private func check(_ word: String, _ what: String, alsoSafe: String = "") throws {
        let unsafe = "'`\"$\\;&<>|(){}@/".unicodeScalars.filter { !alsoSafe.unicodeScalars.contains($0) }
        let isSafe =
            !word.isEmpty && !word.hasPrefix("-")
            && word.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F && !unsafe.contains($0) }
        if !isSafe {
            throw FileError.make(
                .badURL, url: nil, sentence: "“\(SSHText.line(word.utf8))” is not a \(what) for the ssh program.")
        }
    }

    /// A path as a value in the configuration's language.
    private func quoted(_ path: String) throws -> String {
        guard !path.contains("\""), !path.contains("${") else {
            throw FileError.make(.badURL, url: nil, sentence: "The path “\(path)” cannot be given to the ssh program.")
        }
        return "\"" + path.replacing("%", with: "%%") + "\""
    }

    /// The path of the program.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`.
    func path() throws -> String {
        if program.contains("/") {
            if access(program, X_OK) == 0 { return program }
        } else {
            let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
            for folder in folders.split(separator: ":") where access("\(folder)/\(program)", X_OK) == 0 {
                return "\(folder)/\(program)"
            }
        }
        throw FileError.make(
            .fileReadNoSuchFile, path: program,
            sentence: "The program “\(program)” is missing or not executable; it comes with OpenSSH's client.")
    }

    /// The error for the end of the program, from its last messages.
    ///
    /// - Parameter hasReceived: Whether the other side has sent something. Then the login has succeeded, and messages
    ///   about a login are not the program's.
    func error(status: Int32?, errors: [UInt8], hasReceived: Bool = false) -> any Error {
        let words = errors.split(whereSeparator: { $0 == 10 || $0 == 13 }).map { SSHText.line($0) }
            .filter { !$0.isEmpty && !$0.hasPrefix("Warning: Permanently added") }
        let said = words.joined(separator: " ")
        let code =
            hasReceived
            ? .networkConnectionLost
            : Self.codes.first { said.contains($0.words) }?.code
                ?? (status == 255 ? .cannotConnectToHost : .networkConnectionLost)
        // Long warnings come first, and the important lines last; before those, the keys that a warning is about.
        let keys = words.dropLast(3).filter { $0.contains("SHA256:") || $0.hasPrefix("Offending ") }.suffix(4).map(
            withFingerprint)
        let last = (keys + words.suffix(3)).joined(separator: " ")
        let sentence =
            last.isEmpty
            ? "The ssh program ended the connection to “\(host)”"
                + (status.map { $0 == 0 ? "." : " (exit status \($0))." } ?? ".")
            : (code == .networkConnectionLost
                ? "The ssh program lost “\(host)”: " : "The ssh program could not reach “\(host)”: ") + last
                + (last.hasSuffix(".") ? "" : ".")
                + (code == .userAuthenticationRequired
                    ? " It cannot be given a password; use a key or an agent." : "")
        let cause = SSHProgramError(status: status, text: said)
        return FileError.make(code, url: server.url, sentence: sentence, underlying: cause)
    }

    /// Messages of ssh, the more telling first. They are always in English.
    private static let codes: [(words: String, code: URLError.Code)] = [
        ("REMOTE HOST IDENTIFICATION HAS CHANGED", .serverCertificateUntrusted),
        ("REVOKED HOST KEY", .serverCertificateUntrusted),
        ("Host key verification failed", .serverCertificateHasUnknownRoot),
        ("Permission denied", .userAuthenticationRequired),
        ("Too many authentication failures", .userAuthenticationRequired),
        ("Could not resolve hostname", .cannotFindHost),
        ("Unable to negotiate", .secureConnectionFailed), ("Connection timed out", .timedOut),
        ("Operation timed out", .timedOut),
        ("subsystem request failed", .resourceUnavailable), ("administratively prohibited", .resourceUnavailable),
        ("Connection refused", .cannotConnectToHost), ("No route to host", .cannotConnectToHost),
        ("Network is unreachable", .cannotConnectToHost), ("kex_exchange_identification", .networkConnectionLost),
        ("not responding", .networkConnectionLost), ("Connection reset", .networkConnectionLost),
        ("Connection closed", .networkConnectionLost),
        ("Broken pipe", .networkConnectionLost), ("closed by remote host", .networkConnectionLost),
    ]
}

/// The end of the ssh program, as the underlying error of a Foundation error.
package struct SSHProgramError: Error, LocalizedError, Sendable {
    /// The exit status; nil if a signal ended the program.
    package let status: Int32?
    /// Its standard error, at most 4 KiB.
    package let text: String

    package var errorDescription: String? { text }
}
