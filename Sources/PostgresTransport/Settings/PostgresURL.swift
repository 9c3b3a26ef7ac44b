import FileProviderCore
import Foundation

/// The parts of a connection URL that this program has to know. Source: PostgreSQL 15 manual, 34.1.1.2.
struct PostgresURL: Sendable {
    struct Host: Equatable, Sendable {
        /// A name, an address, or the folder of a socket; empty for libpq's default.
        var name: String
        /// Empty for libpq's default.
        var port: String
    }

    private(set) var hosts: [Host] = []
    private(set) var parameters: [String: String] = [:]

    /// - Throws: `URLError(.badURL)`. Its sentence quotes nothing that may be a password.
    init(_ text: String) throws {
        guard let scheme = ["postgresql://", "postgres://"].first(where: { text.hasPrefix($0) }) else {
            throw Self.bad("The URL of a PostgreSQL database begins with postgresql://.")
        }
        guard !text.utf8.contains(where: { $0 < 33 || $0 == 127 }) else {
            throw Self.bad("The URL of the PostgreSQL database contains a space or a control character.")
        }
        let rest = text.dropFirst(scheme.count)
        let query = rest.firstIndex(of: "?") ?? rest.endIndex
        let slash = rest[..<query].firstIndex(of: "/") ?? query
        var authority = rest[..<slash]
        if let at = authority.firstIndex(of: "@") {
            if authority[..<at].contains(":") { throw Self.password() }
            authority = authority[authority.index(after: at)...]
        }
        // A password with a slash or a question mark that is not encoded.
        if authority.contains("@") || rest[slash..<query].contains("@") { throw Self.password() }
        hosts = try authority.split(separator: ",", omittingEmptySubsequences: false).map(Self.host)
        for parameter in rest[query...].dropFirst().split(separator: "&") { try add(parameter) }
    }

    private mutating func add(_ parameter: Substring) throws {
        let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[0].allSatisfy({ $0.isASCII && ($0.isLetter || $0 == "_") }),
            let value = parts[1].removingPercentEncoding
        else { throw Self.bad("The URL of the PostgreSQL database has a parameter that is not name=value.") }
        let name = String(parts[0])
        if name.lowercased().contains("pass"), name != "passfile" { throw Self.password() }
        parameters[name] = value
    }

    private static func host(_ text: Substring) throws -> Host {
        var name = text
        var port = text[text.endIndex...]
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { throw bad(hostSentence) }
            name = text[..<end].dropFirst()
            port = text[text.index(after: end)...]
        } else if let colon = text.firstIndex(of: ":") {
            name = text[..<colon]
            port = text[colon...]
        }
        guard let decoded = name.removingPercentEncoding, port.isEmpty || port.first == ":",
            port.dropFirst().utf8.allSatisfy({ 48...57 ~= $0 })
        else { throw bad(hostSentence) }
        return Host(name: decoded, port: String(port.dropFirst()))
    }

    private static let hostSentence =
        "The URL of the PostgreSQL database has a host or a port that cannot be read; write [::1]:5432 for IPv6."

    private static func bad(_ sentence: String) -> URLError { FileError.make(.badURL, url: nil, sentence: sentence) }

    private static func password() -> URLError {
        bad(
            "The URL of the PostgreSQL database contains a password, or an @ or : that is not percent-encoded. "
                + "Leave the password out; set PGPASSWORD or use the password file ~/.pgpass.")
    }
}

extension PostgresURL {
    /// The hosts that are tried one by one; empty if libpq finds them by other settings.
    func tried(_ environment: [String: String]) -> [Host] {
        let isElsewhere = ["host", "hostaddr", "port", "service"].contains { parameters[$0] != nil }
        let isFound = ["PGHOSTADDR", "PGSERVICE"].contains { environment[$0]?.isEmpty == false }
        return hosts.count < 2 || isElsewhere || isFound || hosts.contains { $0.name.isEmpty } ? [] : hosts
    }

    /// Whether every server is on this machine, so that what is sent to it crosses no network.
    func isOnThisMachine(_ environment: [String: String]) -> Bool {
        if parameters["service"] != nil || environment["PGSERVICE"]?.isEmpty == false { return false }
        if let addresses = parameters["hostaddr"] ?? environment["PGHOSTADDR"], !addresses.isEmpty {
            return addresses.split(separator: ",").allSatisfy { Self.isLoopback($0) }
        }
        var names = hosts.map(\.name)
        if let listed = parameters["host"] { names = listed.split(separator: ",").map(String.init) }
        if names.allSatisfy(\.isEmpty) {
            names = (environment["PGHOST"] ?? "").split(separator: ",").map(String.init)
        }
        return names.allSatisfy { name in
            name.isEmpty || name.hasPrefix("/") || name.hasPrefix("@") || name == "localhost"
                || Self.isLoopback(name[...])
        }
    }

    private static func isLoopback(_ address: Substring) -> Bool {
        address == "::1"
            || address.hasPrefix("127.")
                && address.utf8.allSatisfy { 48...57 ~= $0 || $0 == UInt8(ascii: ".") }
    }

    /// The servers as sentences name them.
    var shownServer: String {
        let names = hosts.map { host in
            let name = host.name.contains(":") ? "[\(host.name)]" : host.name
            return host.port.isEmpty ? name : "\(name):\(host.port)"
        }
        let shown = names.filter { !$0.isEmpty }.joined(separator: ", ")
        return LogText.shown(shown.isEmpty ? parameters["host"] ?? "the local socket" : shown)
    }
}
