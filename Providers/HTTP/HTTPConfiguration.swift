import FileProviderCore
public import Foundation

/// A plain HTTP server's address: a value without secrets, to be kept.
public struct HTTPConfiguration: Codable, Hashable, Sendable {
    /// The root, `http` or `https`.
    public let baseURL: URL

    /// Keeps `baseURL` without user, password, query and fragment; credentials come with the `ConnectionOptions`.
    public init(baseURL: URL) {
        self.baseURL = baseURL.withoutSecrets
    }

    /// A secret that somebody has written into the document is left out, too.
    public init(from decoder: any Decoder) throws {
        self.init(baseURL: try decoder.container(keyedBy: CodingKeys.self).decode(URL.self, forKey: .baseURL))
    }
}
