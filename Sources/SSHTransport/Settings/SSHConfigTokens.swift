import Foundation

/// Resolves `~`, tokens and variables in paths of ssh's configuration. Source: ssh_config(5), "TOKENS" and "ENVIRONMENT
/// VARIABLES".
struct SSHConfigTokens {
    private let account: SSHAccount
    private let tokens: [Character: String]

    /// In bytes; no path is longer.
    private static let maxLength = 4096

    init(account: SSHAccount, host: String, hostName: String, port: Int, user: String, alias: String?) {
        self.account = account
        tokens = [
            "%": "%", "d": account.home, "h": hostName, "i": "\(account.identifier)", "k": alias ?? host,
            "L": account.shortHostName,
            "l": account.hostName, "n": host, "p": "\(port)", "r": user, "u": account.user,
        ]
    }

    /// Resolves `text` to a path; nil for an unknown token, an unset variable, and a path that is too long.
    func path(_ text: String) -> String? { withTokens(account.expandingTilde(text)).flatMap(withVariables) }

    private func withTokens(_ text: String) -> String? {
        var result = ""
        var rest = text[...]
        while let percent = rest.firstIndex(of: "%") {
            result += rest[..<percent]
            rest = rest[rest.index(after: percent)...]
            guard let name = rest.popFirst(), let value = tokens[name], result.utf8.count <= Self.maxLength else {
                return nil
            }
            result += value
        }
        result += rest
        return result.utf8.count > Self.maxLength ? nil : result
    }

    private func withVariables(_ text: String) -> String? {
        var result = ""
        var rest = text[...]
        while let start = rest.range(of: "${") {
            guard let end = rest[start.upperBound...].firstIndex(of: "}"),
                let value = account.environment[String(rest[start.upperBound..<end])]
            else { return nil }
            result += rest[..<start.lowerBound] + value
            if result.utf8.count > Self.maxLength { return nil }
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }
}
