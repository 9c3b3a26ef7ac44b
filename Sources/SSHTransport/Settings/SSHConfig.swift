import FileProviderCore
import Foundation

/// What Carrel reads of ssh's configuration by itself, where the ssh program is not installed or must not run: `Host` with `HostName`,
/// `Port`, `User` and `IdentityFile`. What else could matter is named in ``SSHHostSettings/notes``. Source: ssh_config(5).
package struct SSHConfig: Sendable {
    private let files: [(path: String, isUsers: Bool)]
    private let account: SSHAccount

    /// `~/.ssh/config`, by `$HOME`, and `/etc/ssh/ssh_config`; a missing one says nothing.
    package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let account = SSHAccount(environment: environment)
        self.init(userFile: account.home + "/.ssh/config", systemFile: "/etc/ssh/ssh_config", account: account)
    }

    init(userFile: String, systemFile: String?, account: SSHAccount) {
        files = [(userFile, true)] + (systemFile.map { [($0, false)] } ?? [])
        self.account = account
    }

    /// How to reach and trust a host. Waits for the disk; runs nothing.
    ///
    /// - Parameters:
    ///   - host: As the user typed it, perhaps an alias that only the configuration knows.
    ///   - user: Nil where the user typed none; so `port`.
    /// - Throws: `CocoaError(.fileReadCorruptFile)`, with file and line, for a value that ssh refuses too, where it concerns this host;
    ///   `CocoaError(.fileReadNoPermission)` for a file that others may write to; `CocoaError(.fileReadTooLarge)` for one over 1 MiB;
    ///   `URLError(.badURL)` for a host that is none.
    package func settings(host: String, user: String? = nil, port: Int? = nil) throws -> SSHHostSettings {
        var settings = try SSHHostSettings(host: host, user: user, port: port, account: account)
        var reader = SSHConfigReader(host: host)
        for (path, isUsers) in files {
            guard let bytes = try SSHConfigFile.bytes(path, isUsers: isUsers) else { continue }
            try reader.read(bytes, path)
        }
        settings.isReadInPart = true
        settings.notes = reader.notes
        settings.port = try port ?? reader.port ?? 22
        settings.user = user ?? reader.first("user")?.word ?? account.user
        if let value = reader.first("hostname") {
            if let name = SSHConfigTokens.expand(value.word, token: { $0 == "h" ? host : $0 == "%" ? "%" : nil }) {
                settings.hostName = name.lowercased()
            } else {
                settings.notes.append("“\(value.place)” has a token that is not known here, and is left out.")
            }
        }
        setIdentities(reader, &settings)
        return settings
    }

    private func setIdentities(_ reader: SSHConfigReader, _ settings: inout SSHHostSettings) {
        let named = reader.all("identityfile")
        if named.isEmpty { return }
        let tokens = SSHConfigTokens(
            account: account, host: settings.host, hostName: settings.hostName, port: settings.port, user: settings.user, alias: nil)
        settings.identityFiles = []
        for value in named where value.word.lowercased() != "none" {
            guard let path = tokens.path(value.word) else {
                settings.notes.append("“\(value.place)” has a token that is not known here, and is left out.")
                continue
            }
            if !settings.identityFiles.contains(path) { settings.identityFiles.append(path) }
        }
    }
}

/// Goes through the lines that concern one host.
struct SSHConfigReader {
    struct Value {
        let word: String
        /// `file:line`
        let place: String
    }

    private let host: String
    private var values: [String: [Value]] = [:]
    private(set) var notes: [String] = []

    private static let followed: Set<String> = ["hostname", "port", "user", "identityfile"]
    /// What changes where a connection leads, who logs in, or which host key is taken.
    private static let others: Set<String> = [
        "canonicalizehostname", "certificatefile", "controlmaster", "controlpath", "globalknownhostsfile", "hostkeyalias",
        "identitiesonly", "identityagent", "knownhostscommand", "pkcs11provider", "proxycommand", "proxyjump",
        "revokedhostkeys", "stricthostkeychecking", "userknownhostsfile",
    ]
    private static let mostNotes = 20
    /// As many as ssh takes.
    private static let mostValues = 100

    init(host: String) { self.host = host }

    func all(_ keyword: String) -> [Value] { values[keyword] ?? [] }

    func first(_ keyword: String) -> Value? { all(keyword).first }

    var port: Int? {
        get throws {
            guard let value = first("port") else { return nil }
            guard let number = Int(value.word), (1...65535).contains(number) else {
                throw Self.error(value.place, "“\(value.word)” is no number from 1 to 65535")
            }
            return number
        }
    }

    mutating func read(_ bytes: [UInt8], _ path: String) throws {
        var concerns = true
        for (index, text) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            guard let line = SSHConfigLine(text) else { continue }
            let place = "\(path):\(index + 1)"
            switch line.keyword {
            case "host":
                guard let patterns = line.arguments() else { throw Self.error(place, "a quote is not closed") }
                // With case, as ssh. Source: ssh_config(5), "PATTERNS".
                concerns =
                    SSHPatternList.matches(Array(host.utf8), patterns.map { Array($0.utf8)[...] }, ignoringCase: false) == .matched
            case "match":
                concerns = false
                note(place, "“Match”")
            case "include" where concerns && Self.includes(line, path): note(place, "“Include”")
            case let keyword where concerns && Self.followed.contains(keyword): try set(keyword, line, place)
            case let keyword where concerns && Self.others.contains(keyword): note(place, "“\(keyword)”")
            default: break
            }
        }
    }

    private mutating func set(_ keyword: String, _ line: SSHConfigLine, _ place: String) throws {
        guard let words = line.arguments() else { throw Self.error(place, "a quote is not closed") }
        guard words.count == 1, !words[0].isEmpty else { throw Self.error(place, "one value belongs there") }
        if all(keyword).count < Self.mostValues { values[keyword, default: []].append(Value(word: words[0], place: place)) }
    }

    /// Whether an `Include` names a file that is there: the systems' own configurations include folders that are empty.
    private static func includes(_ line: SSHConfigLine, _ path: String) -> Bool {
        (line.arguments() ?? []).contains { word in
            if word.hasPrefix("~") { return true }
            var found = glob_t()
            defer { globfree(&found) }
            let folder = (path as NSString).deletingLastPathComponent
            return glob(word.hasPrefix("/") ? word : folder + "/" + word, 0, nil, &found) == 0
        }
    }

    private mutating func note(_ place: String, _ what: String) {
        if notes.count < Self.mostNotes {
            notes.append("\(what) in “\(place)” is not followed without the ssh program (transport=auto, with ssh installed).")
        }
    }

    private static func error(_ place: String, _ what: String) -> CocoaError {
        FileError.make(.fileReadCorruptFile, path: place, sentence: "“\(place)” cannot be followed: \(what).")
    }
}
