import FileProviderCore
public import Foundation

/// A WebDAV server's address, and what is known of it: a value without secrets, to be kept.
public struct WebDAVConfiguration: Codable, Hashable, Sendable {
    /// The root collection: `dav`, `davs`, `webdav`, `webdavs`, `http` or `https`.
    public let baseURL: URL
    /// What the server does in its own way, such as ``WebDAVFileProvider/configuration`` gave it; nil to find out.
    public var quirks: WebDAVQuirks?

    /// Keeps `baseURL` without user, password, query and fragment; credentials come with the `ConnectionOptions`.
    public init(baseURL: URL, quirks: WebDAVQuirks? = nil) {
        self.baseURL = baseURL.withoutSecrets
        self.quirks = quirks
    }

    /// A secret that somebody has written into the document is left out, too.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            baseURL: try container.decode(URL.self, forKey: .baseURL),
            quirks: try container.decodeIfPresent(WebDAVQuirks.self, forKey: .quirks))
    }

    /// `url` with the scheme that goes over the wire.
    static func httpURL(_ url: URL) -> URL {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url }
        switch parts.scheme?.lowercased() {
        case "dav", "webdav": parts.scheme = "http"
        case "davs", "webdavs": parts.scheme = "https"
        default: break
        }
        return parts.url ?? url
    }
}
