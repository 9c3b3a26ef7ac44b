import Foundation

/// What stands for what in the configuration's paths. Source: ssh_config(5), "TOKENS" and "ENVIRONMENT VARIABLES".
struct SSHConfigTokens {
    private let account: SSHConfigAccount
    private let tokens: [Character: String]

    /// In bytes; no path is longer.
    private static let longest = 4096

    init(account: SSHConfigAccount, host: String, hostName: String, port: Int, user: String, alias: String?) {
        self.account = account
        tokens = [
            "d": account.home, "h": hostName, "i": "\(account.identifier)", "k": alias ?? host, "L": account.shortHostName,
            "l": account.hostName, "n": host, "p": "\(port)", "r": user, "u": account.user,
        ]
    }

    /// A path with `~`, tokens and variables resolved.
    func path(_ text: String, _ value: SSHConfigValue) throws -> String {
        let expanded = try Self.expand(account.expandingTilde(text), value) { tokens[$0] }
        var result = ""
        var rest = expanded[...]
        while let start = rest.range(of: "${") {
            guard let end = rest[start.upperBound...].firstIndex(of: "}") else { throw value.error("“${” is not closed") }
            result += rest[..<start.lowerBound] + (try variable(String(rest[start.upperBound..<end]), value))
            if result.utf8.count > Self.longest { throw value.error("it is too long") }
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private func variable(_ name: String, _ value: SSHConfigValue) throws -> String {
        guard let text = account.environment[name] else { throw value.error("the variable “\(name)” is not set") }
        return text
    }

    /// Each `%` with the character behind it becomes what `token` says, `%%` a percent sign.
    static func expand(_ text: String, _ value: SSHConfigValue, token: (Character) -> String?) throws -> String {
        var result = ""
        var rest = text[...]
        while let percent = rest.firstIndex(of: "%") {
            result += rest[..<percent]
            rest = rest[rest.index(after: percent)...]
            guard let name = rest.popFirst(), let found = name == "%" ? "%" : token(name) else {
                throw value.error("“\(text.prefix(100))” has a “%” with a meaning that is not known here")
            }
            result += found
            if result.utf8.count > longest { break }
        }
        result += rest
        if result.utf8.count > longest { throw value.error("it is too long") }
        return result
    }
}
