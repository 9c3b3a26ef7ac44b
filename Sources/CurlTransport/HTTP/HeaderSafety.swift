import FileProviderCore
import Foundation

extension TransferRequest {
    /// Sees that no header holds what would be read as the end of a line, wherever its value is from: a server's tags
    /// go back to it.
    ///
    /// - Throws: `URLError(.badServerResponse)`; nothing was sent.
    func checkHeaders() throws {
        guard let header = headers.first(where: { $0.name.hasControlCharacters || $0.value.hasControlCharacters })
        else { return }
        let name = String(
            String.UnicodeScalarView(header.name.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
        throw FileError.make(
            .badServerResponse, url: url,
            sentence: "The request header “\(name)” would hold control characters; nothing was sent.")
    }
}

extension StringProtocol {
    /// Whether there is a control character in it (RFC 9110, section 5.5); a tab is none.
    package var hasControlCharacters: Bool { utf8.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F } }
}

extension ResponseHead {
    /// Whether the body comes in another form than its own (RFC 9110, section 8.4).
    package var isEncoded: Bool {
        guard let encoding = joined("Content-Encoding")?.lowercased() else { return false }
        return encoding.split { $0 == "," || $0 == " " }.contains { $0 != "identity" }
    }
}

extension ProxyPolicy {
    /// The ports of the proxies that requests may go by: what is at such a port may be one. Source: libcurl-env(3).
    func ports(_ environment: [String: String]) -> Set<Int> {
        switch self {
        case .none: return []
        case .server(let server): return [server.origin.port]
        case .environment:
            let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
            return Set(names.compactMap { environment[$0] }.filter { !$0.isEmpty }.map(Self.port))
        }
    }

    private static func port(of text: String) -> Int {
        guard let url = URL(string: text.contains("://") ? text : "http://" + text) else { return 1080 }
        return url.port ?? ProxyServer.ports[url.scheme?.lowercased() ?? ""] ?? 1080
    }
}
