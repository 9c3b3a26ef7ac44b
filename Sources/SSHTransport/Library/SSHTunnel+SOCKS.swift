import FileProviderCore
import Foundation

extension SSHTunnel {
    /// Asks a SOCKS 5 proxy (RFC 1928), with user and password where there are any (RFC 1929).
    ///
    /// - Parameter sendsNames: Whether the proxy looks up the server's name, and not this machine.
    func openBySOCKS(sendsNames: Bool) throws {
        let target = try target(sendsNames: sendsNames)
        try send([5] + (proxy.login == nil ? [1, 0] : [2, 0, 2]))
        let choice = try receive(2)
        guard choice[0] == 5 else { throw notSOCKS() }
        switch (choice[1], proxy.login) {
        case (0, _): break
        case (2, .some(let login)): try logInBySOCKS(login)
        case (0xFF, _): throw refusedLogin()
        default: throw notSOCKS()
        }
        try send(
            [5, 1, 0] + target + [UInt8(truncatingIfNeeded: server.port >> 8), UInt8(truncatingIfNeeded: server.port)])
        let head = try receive(4)
        guard head[0] == 5 else { throw notSOCKS() }
        guard head[1] == 0 else { throw errors.refused(host: server.host, detail: Self.reason(head[1])) }
        // The address that the proxy uses, which is not needed, and its port.
        switch head[3] {
        case 1: _ = try receive(4 + 2)
        case 3: _ = try receive(Int(try receive(1)[0]) + 2)
        case 4: _ = try receive(16 + 2)
        default: throw notSOCKS()
        }
    }

    private func logInBySOCKS(_ login: SSHProxy.Login) throws {
        let fields = [Array(login.user.utf8), Array(login.password.text.utf8)]
        guard fields.allSatisfy({ $0.count <= 255 }) else {
            let sentence = "\(errors.name) accepts a user and a password of at most 255 bytes."
            throw SSHProxyRefusal(
                error: FileError.make(.userAuthenticationRequired, url: server.url, sentence: sentence),
                asksForLogin: false)
        }
        try send([1] + fields.flatMap { [UInt8($0.count)] + $0 })
        let answer = try receive(2)
        // The RFC demands version 1; some proxies repeat SOCKS's own version.
        guard answer[0] == 1 || answer[0] == 5 else { throw notSOCKS() }
        guard answer[1] == 0 else { throw refusedLogin() }
    }

    /// The kind of address and the address (RFC 1928, section 5).
    private func target(sendsNames: Bool) throws -> [UInt8] {
        var known = SSHAddress.numeric(server.host)
        if known == nil, !sendsNames {
            do { known = try SSHAddress.all(of: server.host, port: server.port).first?.host } catch {
                if let end = control.end { throw end }
                throw server.notFound(error)
            }
        }
        if let known { return [known.count == 4 ? 1 : 4] + known }
        let name = Array(server.host.utf8)
        guard (1...255).contains(name.count) else {
            throw errors.refused(host: server.host, detail: "SOCKS accepts names of at most 255 bytes")
        }
        return [3, UInt8(name.count)] + name
    }

    private func notSOCKS() -> URLError { errors.notAProxy(of: "a SOCKS5 proxy") }

    /// RFC 1928, section 6.
    private static func reason(_ code: UInt8) -> String {
        switch code {
        case 2: "not allowed by its rules"
        case 3: "network unreachable"
        case 4: "host unreachable"
        case 5: "connection refused"
        case 6: "too many hops"
        case 7: "it does not support connections"
        case 8: "it does not support this kind of address"
        default: "SOCKS error \(code)"
        }
    }
}
