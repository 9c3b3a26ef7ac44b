import FileProviderCore
import Foundation

extension SSHTunnel {
    /// The maximum number of bytes of answers, including those with a status of 1xx.
    private static let maxAnswer = 64 << 10

    /// Asks an HTTP proxy for a tunnel by `CONNECT` (RFC 9110, section 9.3.6), with a login by Basic (RFC 7617).
    func openByHTTP() throws {
        guard server.host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw errors.refused(host: SSHText.line(server.host.utf8), detail: "that is not the name of a host")
        }
        let name = server.host.contains(":") ? "[\(server.host)]" : server.host
        var request = "CONNECT \(name):\(server.port) HTTP/1.1\r\nHost: \(name):\(server.port)\r\n"
        if let login = proxy.login {
            let pair = Data("\(login.user):\(login.password.text)".utf8).base64EncodedString()
            request += "Proxy-Authorization: Basic \(pair)\r\n"
        }
        try send(Array((request + "\r\n").utf8))
        var room = Self.maxAnswer
        var answer = try answer(&room)
        while (100..<200).contains(answer.status) { answer = try self.answer(&room) }
        switch answer.status {
        // This answer has no body, whatever its headers say.
        case 200..<300: return
        // tinyproxy refuses a wrong login as a server would, with 401.
        case 401, 407:
            guard Self.offersBasic(answer.head) else { throw withoutBasic() }
            throw refusedLogin()
        default: throw errors.refused(host: server.host, detail: "\(answer.status)")
        }
    }

    /// Reads an answer's head, and nothing after it.
    private func answer(_ room: inout Int) throws -> (status: Int, head: String) {
        var head: [UInt8] = []
        while !head.hasSuffix([10, 10]), !head.hasSuffix([10, 13, 10]) {
            guard room > 0 else { throw notHTTP() }
            let seen = try peek(upTo: min(room, 4096))
            var count = 0
            for byte in seen where !(head.hasSuffix([10, 10]) || head.hasSuffix([10, 13, 10])) {
                head.append(byte)
                count += 1
            }
            _ = try receive(count)
            room -= count
            guard head.starts(with: "HTTP/1.".utf8.prefix(head.count)) else { throw notHTTP() }
        }
        let text = String(decoding: head, as: UTF8.self)
        let words = text.prefix { !$0.isNewline }.split(separator: " ")
        guard words.count >= 2, let status = Int(words[1]), (100...599).contains(status) else { throw notHTTP() }
        return (status, text)
    }

    /// Whether a login by Basic may help. It may also if the answer names no scheme.
    private static func offersBasic(_ head: String) -> Bool {
        let challenges = head.split(whereSeparator: \.isNewline).map { $0.lowercased() }
            .filter { $0.hasPrefix("proxy-authenticate:") }
        return challenges.isEmpty || challenges.contains { $0.split { " ,:\t".contains($0) }.contains("basic") }
    }

    private func withoutBasic() -> SSHProxyRefusal {
        let sentence =
            "\(errors.name) asks for a login but does not accept Basic, the only method that SFTP has for a proxy."
        return SSHProxyRefusal(
            error: FileError.make(.userAuthenticationRequired, url: server.url, sentence: sentence), asksForLogin: false
        )
    }

    private func notHTTP() -> URLError { errors.notAProxy(of: "an HTTP proxy") }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ end: [UInt8]) -> Bool { suffix(end.count).elementsEqual(end) }
}
