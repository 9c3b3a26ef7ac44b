import FileProviderCore
import Foundation
import WebServer

/// For whom a request was sent: what the connection says, or what a trusted proxy says about it.
struct ForwardedRequest: Hashable, Sendable {
    /// The address of the client; empty if it is not known.
    let client: String
    /// `http` or `https`.
    let scheme: String
    /// As in `Host`; nil if there is none.
    let host: String?
    /// The path that a proxy removed from the front of the target, without a slash at its end; empty for none.
    let prefix: String
    /// Whether a program on this machine sent the request itself: the connection is of this machine, and no field names a
    /// proxy, trusted or not. What a proxy says about its client is no proof.
    let isLocal: Bool

    /// What one proxy says.
    private struct Hop {
        var client: String?
        var scheme: String?
        var host: String?
    }

    init(_ request: ServerRequest, trusting proxies: [AddressRange], fields: ShelfServerConfiguration.ProxyFields) {
        func isTrusted(_ text: String?) -> Bool {
            guard let address = text.flatMap({ PeerAddress($0) }) else { return false }
            return proxies.contains { $0.contains(address) }
        }
        let peer = request.remoteAddress.map { PeerAddress($0)?.text ?? $0 } ?? ""
        let own = request.header("Host")
        let isLocal = PeerAddress(peer)?.isLoopback == true && !Self.namesProxy(request)
        let hops = Self.hops(of: request, fields)
        let prefix = fields == .xForwarded && isTrusted(peer) ? Self.prefix(of: request) : ""
        guard isTrusted(peer), !hops.isEmpty else {
            self.init(client: peer, scheme: "http", host: own, prefix: prefix, isLocal: isLocal)
            return
        }
        // The last proxy wrote the last part. What a proxy that isn't trusted wrote may be the client's invention.
        let hop = hops.last { !isTrusted($0.client) } ?? hops[0]
        // Other text, such as a hidden name, may be the client's too: limits count for the proxy then.
        let client = hop.client.flatMap { PeerAddress($0)?.text } ?? peer
        let scheme = hop.scheme?.lowercased() == "https" ? "https" : "http"
        self.init(client: client, scheme: scheme, host: hop.host ?? own, prefix: prefix, isLocal: isLocal)
    }

    private init(client: String, scheme: String, host: String?, prefix: String, isLocal: Bool) {
        self.client = client
        self.scheme = scheme
        self.host = host
        self.prefix = prefix
        self.isLocal = isLocal
    }

    private static func namesProxy(_ request: ServerRequest) -> Bool {
        let fields = [
            "Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Prefix", "X-Real-IP",
            "Via",
        ]
        return fields.contains { request.header($0) != nil }
    }

    /// The last path in `X-Forwarded-Prefix`, which the last proxy wrote. Empty for what could lead elsewhere: a client may
    /// have sent it through a proxy that doesn't set the field.
    private static func prefix(of request: ServerRequest) -> String {
        guard var path = list(of: request, "X-Forwarded-Prefix").last else { return "" }
        while path.hasSuffix("/") { path.removeLast() }
        let isPlain = path.utf8.allSatisfy { PercentEncoding.isAlphanumeric($0) || "/-._~".utf8.contains($0) }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        guard path.utf8.count <= 200, isPlain, segments.first == "", !segments.contains("."), !segments.contains(".."),
            !segments.dropFirst().contains("")
        else { return "" }
        return path
    }

    /// One for each proxy, in order; the first is the one next to the client.
    private static func hops(of request: ServerRequest, _ fields: ShelfServerConfiguration.ProxyFields) -> [Hop] {
        switch fields {
        case .forwarded: return parts(request.header("Forwarded") ?? "", at: ",").suffix(50).map { hop(in: $0) }
        case .xForwarded:
            let clients = list(of: request, "X-Forwarded-For")
            let schemes = list(of: request, "X-Forwarded-Proto")
            let hosts = list(of: request, "X-Forwarded-Host")
            return clients.indices.map { index in
                // Most proxies write scheme and host once, whatever the number of addresses.
                Hop(
                    client: clients[index],
                    scheme: schemes.count == clients.count ? schemes[index] : schemes.last,
                    host: hosts.count == clients.count ? hosts[index] : hosts.last)
            }
        }
    }

    /// One element of `Forwarded`: `for=192.0.2.60;proto=https;host="books.example"` (RFC 7239, section 4).
    private static func hop(in element: String) -> Hop {
        var hop = Hop()
        for pair in parts(element, at: ";") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2 else { continue }
            let value = unquoted(sides[1].trimmingCharacters(in: .whitespaces))
            switch sides[0].trimmingCharacters(in: .whitespaces).lowercased() {
            case "for": hop.client = value
            case "proto": hop.scheme = value
            case "host": hop.host = value
            default: break
            }
        }
        return hop
    }

    /// The parts of a field that knows no quoted strings: a client's quotation mark must not hide what a proxy appends.
    private static func list(of request: ServerRequest, _ name: String) -> [String] {
        let parts = (request.header(name) ?? "").utf8.split(separator: UInt8(ascii: ",")).suffix(50)
        return trimmed(parts.map { String(decoding: $0, as: UTF8.self) })
    }

    /// Splits a field outside its quoted strings. Empty if one has no end: what a client sent could then have a part of
    /// what a proxy appended.
    private static func parts(_ text: String, at separator: Character) -> [String] {
        var parts: [String] = []
        var part: [UInt8] = []
        var (isQuoted, isEscaped) = (false, false)
        for byte in text.utf8 {
            if byte == separator.asciiValue, !isQuoted {
                parts.append(String(decoding: part, as: UTF8.self))
                part = []
                continue
            }
            part.append(byte)
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && byte == UInt8(ascii: "\\") && !isEscaped
        }
        if isQuoted { return [] }
        parts.append(String(decoding: part, as: UTF8.self))
        return trimmed(parts)
    }

    private static func trimmed(_ parts: [String]) -> [String] {
        parts.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    private static func unquoted(_ text: String) -> String {
        guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
        return String(text.dropFirst().dropLast()).replacing("\\", with: "")
    }
}
