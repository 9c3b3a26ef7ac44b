import FileProviderCore
import Foundation

/// Goes through the files for one host, and through those that they include.
struct SSHConfigReader {
    /// Whose file it is: relative names start elsewhere, and only the user's own can have been changed by others.
    enum Origin {
        case user, system
    }

    private let host: String
    private let user: String?
    private let account: SSHConfigAccount
    private let source: any SSHConfigSource
    private(set) var values = SSHConfigValues()
    /// The files that are being read, each within the one in front.
    private var stack: [String] = []
    private var filesRead = 0
    private var bytesRead = 0

    /// As ssh.
    private static let deepest = 16
    private static let mostFiles = 256
    private static let mostBytes = 4 << 20

    init(host: String, user: String?, account: SSHConfigAccount, source: any SSHConfigSource) {
        self.host = host
        self.user = user
        self.account = account
        self.source = source
    }

    mutating func read(_ file: String, origin: Origin) throws {
        try read(file, origin: origin, isActive: true)
    }

    /// - Parameter isActive: False within a block for other hosts, where nothing counts whatever the file says.
    private mutating func read(_ file: String, origin: Origin, isActive: Bool) throws {
        guard let bytes = try source.bytes(file, isUsers: origin == .user) else { return }
        filesRead += 1
        bytesRead += bytes.count
        guard filesRead <= Self.mostFiles, bytesRead <= Self.mostBytes else {
            throw FileError.make(
                .fileReadTooLarge, path: file, sentence: "“\(file)” and the files around it are more than are read for ssh's configuration."
            )
        }
        stack.append(file)
        defer { stack.removeLast() }
        var concerns = isActive
        for (index, text) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            guard let line = SSHConfigLine(text), let keyword = SSHConfigValues.Keyword(rawValue: line.keyword) else { continue }
            let isBlock = keyword == .host || keyword == .match
            guard concerns || isActive && isBlock else { continue }
            let value = try Self.value(of: line, keyword, file: file, line: index + 1)
            switch keyword {
            case .host: concerns = isActive && concernsHost(value)
            case .match: concerns = try isActive && concernsMatch(value)
            case .include: try include(value, origin: origin)
            default: try values.set(keyword, value)
            }
        }
    }

    private static func value(
        of line: SSHConfigLine, _ keyword: SSHConfigValues.Keyword, file: String, line number: Int
    ) throws -> SSHConfigValue {
        let rest = String(decoding: line.rest, as: UTF8.self)
        let arguments = keyword == .proxyCommand ? [rest] : line.arguments()
        let value = SSHConfigValue(arguments: arguments ?? [], rest: rest, file: file, line: number)
        if arguments == nil { throw value.error("a quote is not closed") }
        if value.arguments.isEmpty || rest.isEmpty { throw value.error("a value is missing") }
        return value
    }

    private mutating func include(_ value: SSHConfigValue, origin: Origin) throws {
        guard stack.count < Self.deepest else {
            throw FileError.make(
                .fileReadTooLarge, path: value.file, sentence: "“\(value.place)” includes deeper than \(Self.deepest) files.")
        }
        for argument in value.arguments {
            let folder = origin == .user ? account.home + "/.ssh/" : "/etc/ssh/"
            let tilde = origin == .user ? account.expandingTilde(argument) : argument
            let pattern = tilde.hasPrefix("/") ? tilde : folder + tilde
            for file in source.files(matching: pattern) {
                if stack.contains(file) {
                    values.note("“\(value.place)” includes “\(file)” within itself, which is left out.")
                } else {
                    try read(file, origin: origin, isActive: true)
                }
            }
        }
    }

    // MARK: Blocks

    /// Patterns for what the user typed, with case. Source: ssh_config(5), "Host".
    private func concernsHost(_ value: SSHConfigValue) -> Bool {
        SSHPatternList.matches(Array(host.utf8), value.arguments.map { Array($0.utf8)[...] }, ignoringCase: false) == .matched
    }

    /// All conditions hold; one that is not understood does not. Source: ssh_config(5), "Match".
    private mutating func concernsMatch(_ value: SSHConfigValue) throws -> Bool {
        var words = SSHConfigMatchWords(value.arguments)
        var concerns = true
        while let word = words.next() {
            let isNegated = word.hasPrefix("!")
            let condition = (isNegated ? String(word.dropFirst()) : word).lowercased()
            switch condition {
            case "all": if isNegated { concerns = false }
            // Only a second reading, which is not done, has them.
            case "canonical", "final":
                if isNegated { continue }
                concerns = false
                if condition == "final" {
                    values.note("“\(value.place)” is for a final reading, which is not done; its block is left out.")
                }
            case "host", "originalhost", "user", "localuser":
                guard let list = words.next() else { throw value.error("“\(word)” lacks its patterns") }
                if try fits(condition, list) == isNegated { concerns = false }
            default:
                values.note("“\(value.place)” has the condition “\(word)”, which is not followed; its block is left out.")
                return false
            }
        }
        return concerns
    }

    private func fits(_ condition: String, _ list: String) throws -> Bool {
        let isHost = condition.hasSuffix("host")
        let text =
            switch condition {
            case "host": try values.hostName(host).lowercased()
            case "originalhost": host.lowercased()
            case "user": try user ?? values.first(.user)?.word() ?? account.user
            default: account.user
            }
        return SSHPatternList.matches(Array(text.utf8), Array(list.utf8)[...], ignoringCase: isHost) == .matched
    }
}

/// The words of a condition, which an equals sign may part as well.
private struct SSHConfigMatchWords {
    private var rest: ArraySlice<String>
    private var pending: String?

    init(_ words: [String]) {
        rest = words[...]
    }

    mutating func next() -> String? {
        if let word = pending {
            pending = nil
            return word
        }
        guard let word = rest.popFirst() else { return nil }
        guard let equals = word.firstIndex(of: "=") else { return word }
        pending = String(word[word.index(after: equals)...])
        return String(word[..<equals])
    }
}
