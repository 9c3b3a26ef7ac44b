import Carrel
import Foundation
import LCP

/// The credential sources of the command line: `$CARREL_TOKEN`, `$CARREL_PASSWORD`, `--password-file`, `~/.netrc`, a
/// question on a terminal.
enum CommandCredentials {
    private static let (password, token) = ("CARREL_PASSWORD", "CARREL_TOKEN")

    static func source(_ common: CommonOptions, environment: [String: String]) -> any CredentialSource {
        var sources: [any CredentialSource] = [
            EnvironmentCredentials(password: password, token: token, environment: environment)
        ]
        if let file = common.passwordFile { sources.append(PasswordFileCredentials(file: file)) }
        sources.append(NetrcCredentials(environment: environment))
        sources.append(
            AskedCredentials { origin, user in
                guard let user else { return nil }
                return try await TerminalQuestion.password(user: user, host: origin.host).map {
                    .password(user: user, password: $0)
                }
            })
        return CredentialChain(sources, user: common.user)
    }

    /// Returns `source`, preceded by the sources of the AWS tools.
    static func s3(_ source: any CredentialSource, user: String?, environment: [String: String]) -> any CredentialSource
    {
        CredentialChain([S3Credentials(environment: environment), source], user: user)
    }

    /// Whether a variable is set whose value every host would receive.
    static func isInEnvironment(_ environment: [String: String]) -> Bool {
        environment[password] != nil || environment[token] != nil
    }
}

/// Asks on the terminal.
enum TerminalQuestion {
    /// Asks for a password. Returns `nil` if there is no terminal.
    static func password(user: String, host: String) async throws -> String? {
        try await BlockingThreads.shared.run { try ask("Password of \(user) at \(host)", echoes: false) }
    }

    /// Asks for a new password, twice. Returns `nil` if there is no terminal.
    ///
    /// - Throws: A usage error if the two are different.
    static func newPassword(of user: String) async throws -> String? {
        let typed = try await BlockingThreads.shared.run { () throws -> (String, String)? in
            guard let first = try ask("New password of \(user.onOneLine)", echoes: false),
                let second = try ask("The same again", echoes: false)
            else { return nil }
            return (first, second)
        }
        guard let (first, second) = typed else { return nil }
        if first != second { throw CommandFailure.usage("The two passwords are different. Nothing was changed.") }
        return first
    }

    /// Asks for the passphrase of a book. Returns `nil` if there is no terminal, or nothing was typed.
    static func passphrase(for request: PassphraseRequest) async throws -> String? {
        let hint = request.hint.isEmpty ? "" : " (hint: \(request.hint.onOneLine))"
        let words = "\(request.wasWrong ? "Wrong. " : "")Passphrase of the book\(hint)"
        let typed = try await BlockingThreads.shared.run { try ask(words, echoes: false) }
        return typed?.isEmpty == false ? typed : nil
    }

    /// Answers an SSH server's questions; `nil` if there is no terminal.
    static var answer: (@Sendable (LoginQuestion) throws -> String)? {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else { return nil }
        close(terminal)
        return { question in
            let words = [question.instruction, question.prompt].filter { !$0.isEmpty }.joined(separator: " ")
            // Names the server, so that its words are not mistaken for the tool's own.
            return try ask("\(question.host) asks: \(words)", echoes: question.echoes) ?? ""
        }
    }

    private static func ask(_ words: String, echoes: Bool) throws -> String? {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else { return nil }
        defer { close(terminal) }
        var before = termios()
        guard tcgetattr(terminal, &before) == 0 else { return nil }
        var settings = before
        if !echoes { settings.c_lflag &= ~tcflag_t(ECHO) }
        SilentTerminal.begin(before)
        tcsetattr(terminal, TCSAFLUSH, &settings)
        defer { SilentTerminal.end(terminal) }
        let handle = FileHandle(fileDescriptor: terminal)
        try handle.write(contentsOf: Data("\(words.hasSuffix(":") ? words : words + ":") ".utf8))
        defer { if !echoes { try? handle.write(contentsOf: Data("\n".utf8)) } }
        var typed = Data()
        while let byte = try handle.read(upToCount: 1), byte.first != UInt8(ascii: "\n") { typed += byte }
        return String(decoding: typed, as: UTF8.self)
    }
}

/// Restores a terminal without echo if the program ends in the middle of a question.
private enum SilentTerminal {
    private static let before = LockedValue<termios?>(nil)
    private static let isRegistered: Bool = atexit { SilentTerminal.restore() } == 0

    static func begin(_ settings: termios) {
        _ = isRegistered
        before.update { $0 = settings }
    }

    static func end(_ terminal: Int32) {
        guard var settings = before.update({ before in before.take() }) else { return }
        tcsetattr(terminal, TCSAFLUSH, &settings)
    }

    private static func restore() {
        guard before.value != nil else { return }
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        if terminal >= 0 { end(terminal) }
    }
}
