import FileProviderCore
import Foundation

/// What the lines that concern one host say: of most keywords the first value, of some all.
struct SSHConfigValues {
    /// The keywords that are understood, in lower case; all others are passed over.
    enum Keyword: String {
        case host, match, include
        case hostName = "hostname"
        case port, user
        case identityFile = "identityfile"
        case certificateFile = "certificatefile"
        case identitiesOnly = "identitiesonly"
        case identityAgent = "identityagent"
        case userKnownHostsFile = "userknownhostsfile"
        case globalKnownHostsFile = "globalknownhostsfile"
        case revokedHostKeys = "revokedhostkeys"
        case strictHostKeyChecking = "stricthostkeychecking"
        case hostKeyAlias = "hostkeyalias"
        case hashKnownHosts = "hashknownhosts"
        case proxyJump = "proxyjump"
        case proxyCommand = "proxycommand"
        case connectTimeout = "connecttimeout"
        case serverAliveInterval = "serveraliveinterval"
    }

    private var firsts: [Keyword: SSHConfigValue] = [:]
    private(set) var identityFiles: [SSHConfigValue] = []
    private(set) var certificateFiles: [SSHConfigValue] = []
    private(set) var notes: [String] = []

    /// As many as ssh takes.
    private static let mostFiles = 100
    private static let mostNotes = 20

    func first(_ keyword: Keyword) -> SSHConfigValue? { firsts[keyword] }

    mutating func set(_ keyword: Keyword, _ value: SSHConfigValue) throws {
        switch keyword {
        case .identityFile: try Self.add(value, to: &identityFiles)
        case .certificateFile: try Self.add(value, to: &certificateFiles)
        // Whichever of the two comes first; a jump over no host leaves room for the command.
        case .proxyCommand where firsts[.proxyJump].map { $0.rest.lowercased() != "none" } ?? false: break
        case .proxyJump where firsts[.proxyCommand] != nil: break
        // To ssh, this word is as if nothing was said.
        case .connectTimeout where value.arguments == ["none"]: break
        default: if firsts[keyword] == nil { firsts[keyword] = value }
        }
    }

    private static func add(_ value: SSHConfigValue, to list: inout [SSHConfigValue]) throws {
        if list.contains(where: { $0.arguments == value.arguments }) { return }
        guard list.count < mostFiles else { throw value.error("more than \(mostFiles) files are named") }
        list.append(value)
    }

    mutating func note(_ sentence: String) {
        if notes.count < Self.mostNotes { notes.append(sentence) }
    }

    /// What to connect to, by what was said up to here.
    func hostName(_ host: String) throws -> String {
        guard let value = firsts[.hostName] else { return host }
        return try SSHConfigTokens.expand(value.word(), value) { $0 == "h" ? host : nil }
    }
}

/// The words behind a keyword, and where they stand.
struct SSHConfigValue {
    let arguments: [String]
    /// The line's end as it stands, for commands.
    let rest: String
    let file: String
    let line: Int

    var place: String { "\(file):\(line)" }

    func error(_ what: String) -> CocoaError {
        FileError.make(.fileReadCorruptFile, path: file, sentence: "“\(place)” cannot be followed: \(what).")
    }

    /// The only word.
    func word() throws -> String {
        guard arguments.count == 1 else { throw error("one value belongs there") }
        if arguments[0].isEmpty { throw error("a value is missing") }
        return arguments[0]
    }

    func isYes() throws -> Bool {
        switch try word().lowercased() {
        case "yes", "true": true
        case "no", "false": false
        default: throw error("“\(try word())” is neither yes nor no")
        }
    }

    func number(_ range: ClosedRange<Int>) throws -> Int {
        guard let number = Int(try word()), range.contains(number) else {
            throw error("“\(try word())” is no number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Seconds, or numbers with units as `1h30m`; nil for 0 and “none”. Source: sshd_config(5), "TIME FORMATS".
    func duration() throws -> Duration? {
        let text = try word().lowercased()
        if text == "none" { return nil }
        var total = 0
        var rest = text[...]
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            let unit = rest.popFirst() ?? "s"
            guard digits.count <= 9, let number = Int(digits), let factor = Self.seconds[unit] else { throw error("“\(text)” is no time") }
            total += number * factor
            guard total <= Int(Int32.max) else { throw error("“\(text)” is too long a time") }
        }
        return total == 0 ? nil : .seconds(total)
    }

    private static let seconds: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604_800]
}
