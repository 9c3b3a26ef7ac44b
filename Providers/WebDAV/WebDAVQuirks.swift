import CurlTransport
import FileProviderCore
import HTTPFileProvider

/// What a server does in its own way, as data: a row for each vendor, corrected by what the server says of itself.
public struct WebDAVQuirks: Codable, Hashable, Sendable {
    /// Who made the server.
    public enum Vendor: String, Codable, Hashable, Sendable, CaseIterable {
        /// Apache's mod_dav.
        case apache
        /// nginx with its dav-ext module.
        case nginx
        /// lighttpd's mod_webdav.
        case lighttpd
        /// `rclone serve webdav`.
        case rclone
        /// WsgiDAV.
        case wsgidav
        /// Nextcloud.
        case nextcloud
        /// ownCloud.
        case owncloud
        /// SharePoint and OneDrive for Business.
        case sharepoint
        /// Any other: nothing is taken for granted.
        case other
    }

    /// Who made the server, as its answers show.
    public var vendor: Vendor

    /// The row of `vendor`.
    public init(_ vendor: Vendor) {
        self.vendor = vendor
    }
}

extension WebDAVQuirks.Vendor {
    /// Recognises the vendor by the head of any answer: its `Server` line, and the features in `DAV` where they are asked for.
    init(_ head: ResponseHead) {
        let server = head["Server"]?.lowercased() ?? ""
        let features = head.joined("DAV")?.lowercased() ?? ""
        self =
            if features.contains("nextcloud") || head["X-Nextcloud-Version"] != nil {
                .nextcloud
            } else if features.contains("owncloud") || features.contains("oc-") {
                .owncloud
            } else if head["MicrosoftSharePointTeamServices"] != nil {
                .sharepoint
            } else if server.hasPrefix("apache") {
                .apache
            } else if server.hasPrefix("nginx") {
                .nginx
            } else if server.hasPrefix("lighttpd") {
                .lighttpd
            } else if server.hasPrefix("rclone") {
                .rclone
            } else if server.hasPrefix("wsgidav") {
                .wsgidav
            } else {
                .other
            }
    }
}

extension WebDAVFileProvider {
    /// What this server does in its own way.
    ///
    /// - Complexity: One `OPTIONS` in the provider's life.
    func quirks() async throws -> WebDAVQuirks {
        if let known = knownQuirks.value { return known }
        let head = try await connection.send(HTTPRequest("OPTIONS", home, accepts: Set(400..<500).union([501])))
        let quirks = WebDAVQuirks(WebDAVQuirks.Vendor(head))
        knownQuirks.update { $0 = quirks }
        return quirks
    }
}
