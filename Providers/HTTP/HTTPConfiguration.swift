import FileProviderCore
public import Foundation

/// The address of a plain HTTP server. Holds no secrets, and is meant to be saved.
public struct HTTPConfiguration: Codable, Hashable, Sendable {
    /// The root URL, `http` or `https`.
    public let baseURL: URL

    /// Creates a configuration with `baseURL`, without its user, password, query and fragment. Credentials come with
    /// the `ConnectionOptions`.
    public init(baseURL: URL) {
        self.baseURL = baseURL.withoutSecrets
    }

    /// Decodes a configuration, and drops secrets that were written into the document.
    public init(from decoder: any Decoder) throws {
        self.init(baseURL: try decoder.container(keyedBy: CodingKeys.self).decode(URL.self, forKey: .baseURL))
    }
}
