import FileProviderCore
public import Foundation

/// The address of a WebDAV server, and its known behaviour. Holds no secrets, and is meant to be saved.
public struct WebDAVConfiguration: Codable, Hashable, Sendable {
    /// The root collection: `dav`, `davs`, `webdav`, `webdavs`, `http` or `https`.
    public let baseURL: URL
    /// The behaviour of the server, for example from ``WebDAVFileProvider/configuration``; nil to find out.
    public var quirks: WebDAVQuirks?

    /// Creates a configuration with `baseURL`, without its user, password, query and fragment. Credentials come with
    /// the `ConnectionOptions`.
    public init(baseURL: URL, quirks: WebDAVQuirks? = nil) {
        self.baseURL = baseURL.withoutSecrets
        self.quirks = quirks
    }

    /// Decodes a configuration, and drops secrets that were written into the document.
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
