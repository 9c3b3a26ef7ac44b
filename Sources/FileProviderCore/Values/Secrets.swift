public import Foundation

/// Removes secrets from everything that is written: log lines, errors, messages of the command. No other code knows
/// which parts of URLs, headers and commands are secret.
package enum Secrets {
    /// Returns `text` without the users, passwords, queries and fragments of URLs, the values of parameters such as
    /// `token=…`, `X-Auth-Token: …` and `"password": "…"`, and the text behind `Bearer`, `Basic`, `Authorization:` and
    /// their like. Each leaves a `…`.
    ///
    /// For text that this program did not write itself, such as a server's words. It prefers removing a harmless word
    /// to keeping a secret. A private key in PEM (RFC 7468) is removed whole, to the end of the text if its last line
    /// is missing.
    ///
    /// - Complexity: Two passes.
    package static func removed(from text: String) -> String {
        let text = withoutPrivateKeys(text)
        var shown = ""
        var word = ""
        var next = NextWord.shown
        var isEscaped = false
        for character in text {
            if next == .quoted {
                if character == "\"", !isEscaped {
                    shown.append(character)
                    next = .shown
                }
                isEscaped = character == "\\" && !isEscaped
                continue
            }
            guard isBreak(character) else {
                word.append(character)
                continue
            }
            if !word.isEmpty {
                shown += self.shown(word: word, as: &next)
                if endsWithSecret(word.lowercased()) { return shown + " …" }
                word = ""
            }
            shown.append(character)
            if next == .value, character == "\"" {
                shown += "…"
                next = .quoted
            }
        }
        if !word.isEmpty { shown += self.shown(word: word, as: &next) }
        return shown
    }

    /// Returns a command's argument for the log, for protocols of lines such as FTP (RFC 959, section 4.1.1): `…` for
    /// `USER`, `PASS` and `ACCT`.
    package static func shown(argument: [UInt8], of verb: String) -> String {
        if ["USER", "PASS", "ACCT", "ADAT"].contains(verb.uppercased()) { return "…" }
        return LogText.shown(String(decoding: argument, as: UTF8.self), limit: maxPathLength)
    }

    /// The most characters of a path to write.
    package static let maxPathLength = 1024

    // MARK: Keys

    private static func withoutPrivateKeys(_ text: String) -> String {
        let (opening, mark) = ("-----BEGIN ", "PRIVATE KEY-----")
        guard text.contains(mark) else { return text }
        var shown = ""
        var rest = text[...]
        while let start = rest.range(of: opening) {
            // Only the name of an algorithm may be in between.
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

    /// What to do with the text behind a word.
    private enum NextWord {
        case shown
        /// Behind a login scheme (RFC 7617, RFC 6750) or a command of FTP.
        case hidden
        /// Behind the name of a secret, whose value may follow a colon.
        case named
        /// Behind that colon.
        case value
        /// In a value that began with a quotation mark and continues up to the next one (RFC 8259, section 7).
        case quoted
    }

    /// Returns `word` for the log, and decides about the next one.
    private static func shown(word: String, as next: inout NextWord) -> String {
        if next == .hidden || next == .value && hasText(word) {
            next = following(word)
            return "…"
        }
        if next == .named, word.hasPrefix(":") {
            let hasValue = hasText(word)
            // An object, as in `"session": {`, is no value; its members are checked.
            next = hasValue || word.contains("{") ? .shown : .value
            return hasValue ? ":…" : word
        }
        if next != .value || word.contains("{") { next = following(word) }
        return removed(fromWord: word)
    }

    private static func following(_ word: String) -> NextWord {
        if ["basic", "bearer"].contains(word.lowercased()) || ["PASS", "ACCT"].contains(word) { return .hidden }
        let name = trimmed(word[...])
        if name.last == ":" { return isSecret(field: name.dropLast()) ? .value : .shown }
        return isSecret(field: name) ? .named : .shown
    }

    private static func hasText(_ word: String) -> Bool { word.contains { $0.isLetter || $0.isNumber } }

    /// Returns `word` without the marks around names in JSON and in lists.
    private static func trimmed(_ word: Substring) -> Substring {
        let marks = "{}[](),;'\\"
        let start = word.drop { marks.contains($0) }
        return start.prefix(upTo: start.lastIndex { !marks.contains($0) }.map(start.index(after:)) ?? start.startIndex)
    }

    /// Whether a header or a member of a JSON object with this name holds a secret. Not `code`, the name of errors, nor
    /// the author of a book.
    private static func isSecret(field: Substring) -> Bool {
        let name = trimmed(field)
        guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || "-_".contains($0) }) else { return false }
        return !["code", "author", "authors"].contains(name.lowercased()) && isSecret(parameter: name)
    }

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
        if let colon = word.firstIndex(of: ":"), isSecret(field: word[..<colon]),
            hasText(String(word[word.index(after: colon)...]))
        {
            return word[...colon] + "…"
        }
        guard word.contains("=") else { return word }
        return word.split(separator: "&", omittingEmptySubsequences: false).map { parameter in
            guard let equals = parameter.firstIndex(of: "="), isSecret(parameter: parameter[..<equals]) else {
                return String(parameter)
            }
            return parameter[...equals] + "…"
        }.joined(separator: "&")
    }

    /// Returns `text` up to its query or fragment.
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

    /// Headers whose whole value is a secret (RFC 9110, section 11; RFC 6265).
    private static func endsWithSecret(_ word: String) -> Bool {
        ["authorization:", "proxy-authorization:", "cookie:", "set-cookie:", "x-amz-security-token:"].contains(word)
    }
}

extension URL {
    /// This URL without user, password, query and fragment, fit for an error or a log. Signed URLs have their secret in
    /// the query.
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
