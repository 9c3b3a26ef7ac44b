public import Foundation

extension FileProviderBasic {
    /// The default appends the percent-encoded path to ``baseURL``.
    public func url(of path: ProviderPath) -> URL {
        let encoded = path.percentEncoded
        let base = baseURL?.absoluteString ?? ""
        return URL(string: base.hasSuffix("/") ? base + encoded : base + "/" + encoded) ?? baseURL
            ?? URL(fileURLWithPath: "/")
    }

    /// The default returns the rest of `url` after ``baseURL``, percent-decoded once.
    public func relativePath(of url: URL) throws -> ProviderPath {
        let root = self.url(of: .root)
        let path = try ProviderPath(percentEncoded: url.path(percentEncoded: true))
        let isOurs =
            url.scheme?.lowercased() == root.scheme?.lowercased()
            && url.host()?.lowercased() == root.host()?.lowercased()
            && url.port == root.port
        guard isOurs,
            let relative = path.relative(to: try ProviderPath(percentEncoded: root.path(percentEncoded: true)))
        else {
            throw FileError.make(
                .unsupportedURL, url: url,
                sentence: "“\(url.withoutSecrets)” is not below this provider's root, \(root.withoutSecrets).")
        }
        return relative
    }

    /// The `String` form of ``FileProviderBasic/url(of:)-(ProviderPath)``; nil for an invalid path, such as one with
    /// `..`.
    public func url(of path: String) -> URL? { (try? ProviderPath(path)).map { url(of: $0) } }

    /// The `String` form of ``relativePath(of:)``; nil for a URL of another provider.
    public func relativePathOf(url: URL) -> String? { try? relativePath(of: url).string }
}
