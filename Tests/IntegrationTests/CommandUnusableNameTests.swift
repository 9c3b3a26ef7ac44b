import FaultServer
import Foundation
import Testing

/// A listing with a name that no file can have: the rest is of use, and what was left out is reported.
@Suite struct CommandUnusableNameTests {
    private static let content = Data("good".utf8)

    /// A WebDAV server with the folder `d`, which holds `good` and items called `a/b` and NUL.
    private func server() throws -> FaultServer {
        try FaultServer { request in
            let target = request.target.hasSuffix("/") ? String(request.target.dropLast()) : request.target
            if request.method == "OPTIONS" { return .reply(200, headers: ["DAV": "1"]) }
            if request.method == "GET" { return target == "/d/good" ? .reply(200, body: Self.content) : .reply(404) }
            guard request.method == "PROPFIND", ["/d", "/d/good"].contains(target) else { return .reply(404) }
            var hrefs = [target == "/d" ? "/d/" : target]
            if target == "/d", request.headers["depth"] != "0" { hrefs += ["/d/a%2Fb", "/d/good", "/d/%00"] }
            let responses = hrefs.map { href in
                let type = href.hasSuffix("/") ? "<D:collection/>" : ""
                return """
                    <D:response><D:href>\(href)</D:href><D:propstat><D:prop><D:resourcetype>\(type)</D:resourcetype>\
                    <D:getcontentlength>\(Self.content.count)</D:getcontentlength></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>\
                    </D:response>
                    """
            }
            let text = "<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\">\(responses.joined())</D:multistatus>"
            return .reply(207, headers: ["Content-Type": "application/xml"], body: Data(text.utf8))
        }
    }

    private func expectReport(_ outcome: CommandRunner.Outcome) {
        #expect(outcome.error.contains("2 items in “/d” were left out"), "\(outcome.error)")
        #expect(outcome.error.contains("the first is “a/b”"), "\(outcome.error)")
    }

    @Test func `ls lists the rest and reports what was left out`() async throws {
        let server = try server()
        defer { server.stop() }
        let folder = server.url("dav").absoluteString + "d/"
        try await CommandRunner.use { runner in
            let plain = try await runner.run("ls", folder)
            #expect(plain.code == 0 && plain.text == "good\n")
            expectReport(plain)
            let document = try await runner.run("ls", "--json", folder)
            let items = document.json as? [[String: Any]] ?? []
            #expect(document.code == 0 && items.count == 2)
            #expect(items.first?["name"] as? String == "good")
            #expect(items.last?["leftOut"] as? Int == 2 && items.last?["firstLeftOut"] as? String == "a/b")
        }
    }

    @Test func `cp copies the rest and is partly done`() async throws {
        let server = try server()
        defer { server.stop() }
        let folder = server.url("dav").absoluteString + "d/"
        try await CommandRunner.use { runner in
            let outcome = try await runner.run("cp", "-r", "--json", folder, "copy")
            #expect(outcome.code == 7)
            expectReport(outcome)
            #expect(outcome.object["copied"] as? Int == 1 && (outcome.object["failed"] as? [Any])?.count == 1)
            #expect(try runner.names("copy") == ["good"])
        }
    }
}
