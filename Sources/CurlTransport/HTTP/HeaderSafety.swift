import FileProviderCore
import Foundation

extension TransferRequest {
    /// Verifies that no header contains control characters, which could end its line. Some values come from the server,
    /// such as tags.
    ///
    /// - Throws: `URLError(.badServerResponse)`. Nothing was sent.
    func checkHeaders() throws {
        guard let header = headers.first(where: { $0.name.hasControlCharacters || $0.value.hasControlCharacters })
        else { return }
        let name = String(
            String.UnicodeScalarView(header.name.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
        throw FileError.make(
            .badServerResponse, url: url,
            sentence: "The request header “\(name)” would contain control characters; nothing was sent.")
    }
}

extension StringProtocol {
    /// Whether the text contains a control character (RFC 9110, section 5.5). Tabs don't count.
    package var hasControlCharacters: Bool { utf8.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F } }
}

extension ResponseHead {
    /// Whether the body has a content encoding (RFC 9110, section 8.4).
    package var isEncoded: Bool {
        guard let encoding = joined("Content-Encoding")?.lowercased() else { return false }
        return encoding.split { $0 == "," || $0 == " " }.contains { $0 != "identity" }
    }
}

extension ProxyPolicy {
    /// The ports of the proxies that may be used: a peer at such a port may be a proxy. Source: libcurl-env(3).
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
