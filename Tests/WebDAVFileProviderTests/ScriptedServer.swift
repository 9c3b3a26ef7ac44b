import FaultServer
import FileProviderCore
import Foundation
import Testing
import WebDAVFileProvider

/// Answers of WebDAV servers, written by hand.
enum ScriptedReply {
    /// A response of a multi-status; `inside` stands beside its properties.
    static func response(_ href: String, isFolder: Bool = false, size: Int = 1, properties: String = "") -> String {
        let type = isFolder ? "<D:resourcetype><D:collection/></D:resourcetype>" : "<D:resourcetype/>"
        let length = isFolder ? "" : "<D:getcontentlength>\(size)</D:getcontentlength>"
        return """
            <D:response><D:href>\(href)</D:href><D:propstat><D:prop>\(type)\(length)\(properties)</D:prop>\
            <D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>
            """
    }

    /// A response that is a status and nothing more.
    static func failure(_ href: String, _ status: Int) -> String {
        "<D:response><D:href>\(href)</D:href><D:status>HTTP/1.1 \(status) No</D:status></D:response>"
    }

    static func multistatus(_ responses: String...) -> FaultServer.Answer { multistatus(responses) }

    static func multistatus(_ responses: [String]) -> FaultServer.Answer {
        let text = """
            <?xml version="1.0"?><D:multistatus xmlns:D="DAV:" xmlns:oc="http://owncloud.org/ns">\(responses.joined())</D:multistatus>
            """
        return .reply(207, headers: ["Content-Type": "application/xml"], body: Data(text.utf8))
    }
}

extension FaultServer {
    /// A provider whose root is `base` on this server.
    func provider(base: String = "dav/", retries: Int = 0) throws -> WebDAVFileProvider {
        try WebDAVFileProvider(
            configuration: WebDAVConfiguration(
                baseURL: try #require(URL(string: base, relativeTo: url())?.absoluteURL)),
            options: ConnectionOptions(
                timeouts: Timeouts(connect: 2, idle: 5), retries: RetryPolicy(retries: retries, firstPause: 0.01)),
            // Ports come again: what was learnt of another test's server is none of this one's.
            servers: WebDAVServers())
    }
}
