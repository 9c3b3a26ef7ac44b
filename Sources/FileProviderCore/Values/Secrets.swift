public import Foundation

/// Removes secrets from what is written: log lines, errors, messages of the command. The only place that knows which
/// parts of URLs, headers and commands are secret.
package enum Secrets {
    /// `text` without the users, passwords, queries and fragments of the URLs in it, the values of parameters such as
    /// `token=…`, and what follows `Bearer`, `Basic`, `Authorization:` and their like. Each leaves a `…`.
    ///
    /// For text that this program did not write itself, such as a server's words. Rather removes a harmless word than
    /// keeps a secret. A private key in PEM (RFC 7468) goes whole, to the end of the text where its last line is missing.
    ///
    /// - Complexity: Two passes.
    package static func removed(from text: String) -> String {
        let text = withoutPrivateKeys(text)
        var shown = ""
        var word = ""
        // Behind a scheme of logins (RFC 7617, RFC 6750) or a command of FTP.
        var hidesNext = false
        for character in text {
            guard isBreak(character) else {
                word.append(character)
                continue
            }
            if !word.isEmpty {
                let name = word.lowercased()
                shown += hidesNext ? "…" : removed(fromWord: word)
                if endsWithSecret(name) { return shown + " …" }
                hidesNext = ["basic", "bearer"].contains(name) || ["PASS", "ACCT"].contains(word)
                word = ""
            }
            shown.append(character)
        }
        if !word.isEmpty { shown += hidesNext ? "…" : removed(fromWord: word) }
        return shown
    }

    /// A command's argument as it may be written, for protocols of lines such as FTP (RFC 959, section 4.1.1): that of
    /// `USER`, `PASS` and `ACCT` is `…`.
    package static func shown(argument: [UInt8], of verb: String) -> String {
        if ["USER", "PASS", "ACCT", "ADAT"].contains(verb.uppercased()) { return "…" }
        return LogText.shown(String(decoding: argument, as: UTF8.self), limit: maxPathLength)
    }

    /// Characters of a path that are written.
    package static let maxPathLength = 1024

    // MARK: Keys

    private static func withoutPrivateKeys(_ text: String) -> String {
        let (opening, mark) = ("-----BEGIN ", "PRIVATE KEY-----")
        guard text.contains(mark) else { return text }
        var shown = ""
        var rest = text[...]
        while let start = rest.range(of: opening) {
            // Between them at most the name of an algorithm.
            guard let head = rest[start.upperBound...].prefix(mark.count + 16).range(of: mark) else {
                shown += rest[..<start.upperBound]
                rest = rest[start.upperBound...]
                continue
            }
            shown += rest[..<start.lowerBound] + "…"
            let end = rest[head.upperBound...].range(of: mark)?.upperBound ?? rest.endIndex
            rest = rest[end...]
        }
        return shown + rest
    }

    // MARK: Words

    private static func isBreak(_ character: Character) -> Bool {
        character.isWhitespace || "\"“”‘’<>`".contains(character)
    }

    private static func removed(fromWord word: String) -> String {
        if let start = word.range(of: "://")?.upperBound {
            let authority = word[start...].prefix { !"/?#".contains($0) }
            let rest = authority.lastIndex(of: "@").map { word[word.index(after: $0)...] } ?? word[start...]
            return word[..<start] + cut(rest)
        }
        if let mark = word.firstIndex(of: "?"), word[mark...].contains("=") { return cut(word[...]) }
        guard word.contains("=") else { return word }
        return word.split(separator: "&", omittingEmptySubsequences: false).map { parameter in
            guard let equals = parameter.firstIndex(of: "="), isSecret(parameter: parameter[..<equals]) else {
                return String(parameter)
            }
            return parameter[...equals] + "…"
        }.joined(separator: "&")
    }

    /// `text` up to its query or fragment.
    private static func cut(_ text: Substring) -> String {
        guard let mark = text.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return String(text) }
        return text[...mark] + "…"
    }

    /// Whether a parameter of this name holds a secret, such as `X-Amz-Signature` (AWS Signature Version 4) and
    /// `access_token` (RFC 6750, section 2.3).
    private static func isSecret(parameter name: Substring) -> Bool {
        let name = name.lowercased()
        return ["signature", "credential", "token", "passw", "passphrase", "secret", "auth", "apikey", "session"]
            .contains {
                name.contains($0)
            } || ["sig", "key", "pwd", "pass", "code", "sid", "api_key", "api-key", "x-api-key"].contains(name)
    }

    /// Headers whose value is a secret to its end (RFC 9110, section 11; RFC 6265).
    private static func endsWithSecret(_ word: String) -> Bool {
        ["authorization:", "proxy-authorization:", "cookie:", "set-cookie:", "x-amz-security-token:"].contains(word)
    }
}

extension URL {
    /// This URL without user, password, query and fragment: what may be written in an error or a log. Signed URLs have
    /// their secret in the query.
    public var withoutSecrets: URL {
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: false) else {
            return URL(fileURLWithPath: "/")
        }
        parts.user = nil
        parts.password = nil
        parts.query = nil
        parts.fragment = nil
        return parts.url ?? URL(fileURLWithPath: "/")
    }
}
