import Carrel
import Foundation

/// Secrets as the command line finds them: `$CARREL_TOKEN`, `$CARREL_PASSWORD`, `--password-file`, `~/.netrc`, a question on a terminal.
struct CommandCredentials: CredentialSource {
    let user: String?
    let passwordFile: String?
    let environment: [String: String]

    /// Whether one of the variables is set that every host would get.
    static var isInEnvironment: Bool {
        let environment = ProcessInfo.processInfo.environment
        return environment["CARREL_PASSWORD"] != nil || environment["CARREL_TOKEN"] != nil
    }

    func credential(for origin: Origin, user urlUser: String?) async throws -> Credential? {
        if let token = environment["CARREL_TOKEN"], !token.isEmpty { return .bearer(token) }
        let name = urlUser ?? user
        if let name, let password = try givenPassword() { return .password(user: name, password: password) }
        if let entry = try netrc()?.entry(host: origin.host, user: name) { return .password(user: entry.login, password: entry.password) }
        guard let name else { return nil }
        return try await TerminalQuestion.password(user: name, host: origin.host).map { .password(user: name, password: $0) }
    }

    private func givenPassword() throws -> String? {
        if let password = environment["CARREL_PASSWORD"] { return password }
        guard let passwordFile else { return nil }
        let text = try String(contentsOfFile: passwordFile, encoding: .utf8)
        return text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).first.map {
            $0.hasSuffix("\r") ? String($0.dropLast()) : String($0)
        }
    }

    private func netrc() throws -> Netrc? {
        guard let home = environment["HOME"], let text = try? String(contentsOfFile: home + "/.netrc", encoding: .utf8) else { return nil }
        return Netrc(text)
    }
}

/// A `~/.netrc`. Source: netrc(5).
struct Netrc {
    /// One machine's login.
    struct Entry: Equatable {
        /// Nil for the `default` entry.
        var host: String?
        var login = ""
        var password = ""
    }

    private(set) var entries: [Entry] = []

    init(_ text: String) {
        var words = Self.words(in: text)[...]
        while let word = words.popFirst() {
            switch word {
            case "machine": entries.append(Entry(host: words.popFirst()?.lowercased() ?? ""))
            case "default": entries.append(Entry())
            case "login" where !entries.isEmpty: entries[entries.count - 1].login = words.popFirst() ?? ""
            case "password" where !entries.isEmpty: entries[entries.count - 1].password = words.popFirst() ?? ""
            case "account": _ = words.popFirst()
            default: break
            }
        }
    }

    /// The first entry that fits; `default` fits every host.
    func entry(host: String, user: String?) -> Entry? {
        entries.first { ($0.host == nil || $0.host == host.lowercased()) && (user == nil || $0.login == user) }
    }

    /// Words apart by white space; double quotes keep it, and a backslash keeps what follows. Macros and comments are left out.
    private static func words(in text: String) -> [String] {
        var words: [String] = []
        var isMacro = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if isMacro {
                isMacro = !line.allSatisfy(\.isWhitespace)
                continue
            }
            if line.drop(while: \.isWhitespace).first == "#" { continue }
            var rest = line.drop(while: \.isWhitespace)
            while !rest.isEmpty {
                let word = takeWord(&rest)
                if word == "macdef" {
                    isMacro = true
                    break
                }
                words.append(word)
                rest = rest.drop(while: \.isWhitespace)
            }
        }
        return words
    }

    private static func takeWord(_ rest: inout Substring) -> String {
        var word = ""
        let isQuoted = rest.first == "\""
        if isQuoted { rest.removeFirst() }
        while let character = rest.first, isQuoted ? character != "\"" : !character.isWhitespace {
            rest.removeFirst()
            if character == "\\", let next = rest.popFirst() { word.append(next) } else { word.append(character) }
        }
        if isQuoted, !rest.isEmpty { rest.removeFirst() }
        return word
    }
}

/// Asks on the terminal, without showing what is typed.
enum TerminalQuestion {
    /// The password; nil when there is no terminal to ask on.
    static func password(user: String, host: String) async throws -> String? {
        try await BlockingThreads.shared.run {
            let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
            guard terminal >= 0 else { return nil }
            defer { close(terminal) }
            var before = termios()
            guard tcgetattr(terminal, &before) == 0 else { return nil }
            var silent = before
            silent.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(terminal, TCSAFLUSH, &silent)
            defer { tcsetattr(terminal, TCSAFLUSH, &before) }
            let handle = FileHandle(fileDescriptor: terminal)
            try handle.write(contentsOf: Data("Password of \(user) at \(host): ".utf8))
            defer { try? handle.write(contentsOf: Data("\n".utf8)) }
            var typed = Data()
            while let byte = try handle.read(upToCount: 1), byte.first != UInt8(ascii: "\n") { typed += byte }
            return String(decoding: typed, as: UTF8.self)
        }
    }
}
