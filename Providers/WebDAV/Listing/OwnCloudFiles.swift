import FileProviderCore
import Foundation
import HTTPFileProvider

/// An item of a Nextcloud or ownCloud server, told apart from the addresses under which it is reached.
///
/// Source: Nextcloud developer manual, “WebDAV: basic APIs”; ownCloud developer manual, “WebDAV API”.
struct OwnCloudFiles: Equatable {
    /// The path at which the server is installed, from its host's root on.
    let installation: ProviderPath
    /// The root of its newer WebDAV, `remote.php/dav`; nil for an item that is reached by the older one.
    let dav: ProviderPath?
    /// Counted from the root of what its WebDAV shows.
    let scope: ProviderPath
    /// Counted from the root of the user's files.
    let file: ProviderPath

    /// - Parameter path: From the host's root on.
    /// - Returns: nil for what does not lie among a user's files.
    init?(_ path: ProviderPath) {
        let names = path.components.map { String(decoding: $0, as: UTF8.self) }
        guard let entry = names.firstIndex(of: "remote.php") else { return nil }
        let rest = names[(entry + 1)...]
        let isNew = rest.count >= 3 && rest.starts(with: ["dav", "files"])
        guard isNew || rest.first == "webdav" else { return nil }
        let parts = path.components
        func joined(_ names: ArraySlice<ArraySlice<UInt8>>) -> ProviderPath? {
            try? ProviderPath(bytes: names.joined(separator: "/".utf8))
        }
        guard let installation = joined(parts[..<entry]), let dav = joined(parts[...(entry + 1)]),
            let scope = joined(parts[(entry + 2)...]),
            let file = joined(parts[(entry + (isNew ? 4 : 2))...])
        else { return nil }
        self.installation = installation
        self.dav = isNew ? dav : nil
        self.scope = scope
        self.file = file
    }
}

extension WebDAVFileProvider {
    /// The item as Nextcloud and ownCloud know it; nil on any other server, and for what is not one of the user's
    /// files.
    func ownCloudFiles(at path: ProviderPath) async throws -> OwnCloudFiles? {
        guard let files = OwnCloudFiles(rootPath.appending(path)),
            [.nextcloud, .owncloud].contains(try await quirks().vendor)
        else {
            return nil
        }
        return files
    }

    /// A URL on this server.
    ///
    /// - Parameters:
    ///   - path: From the host's root on.
    ///   - query: Percent-encoded.
    func serverURL(_ path: ProviderPath, isFolder: Bool = false, query: String? = nil) -> URL {
        let root = connection.baseURL.serverRoot.withoutSecrets.absoluteString
        let text = root + path.percentEncoded + (isFolder && !path.isRoot ? "/" : "") + (query.map { "?" + $0 } ?? "")
        // Never nil: the root is a URL, and all that is added is unreserved or percent-encoded.
        return URL(string: text) ?? connection.baseURL
    }
}
