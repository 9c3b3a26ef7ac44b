import FileProviderCore
public import Foundation

/// A WebDAV server's address: a value without secrets, to be kept.
public struct WebDAVConfiguration: Codable, Hashable, Sendable {
    /// The root collection: `dav`, `davs`, `webdav`, `webdavs`, `http` or `https`.
    public let baseURL: URL

    /// Keeps `baseURL` without user, password, query and fragment; credentials come with the `ConnectionOptions`.
    public init(baseURL: URL) {
        self.baseURL = baseURL.withoutSecrets
    }

    /// A secret that somebody has written into the document is left out, too.
    public init(from decoder: any Decoder) throws {
        self.init(baseURL: try decoder.container(keyedBy: CodingKeys.self).decode(URL.self, forKey: .baseURL))
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
