import Dispatch
import FaultServer
import FileProviderCore
import Foundation
import Testing

/// Verbs that list folders of a server: several at once, in an order that does not depend on that, and names by
/// patterns.
@Suite struct CommandRemoteListingTests {
    /// Lets requests pass once so many have come: those before wait for them, ten seconds at most.
    private final class Rendezvous: Sendable {
        private let expected: Int
        private let come = LockedValue(0)
        private let failed = LockedValue(false)
        private let door = DispatchSemaphore(value: 0)

        init(_ expected: Int) { self.expected = expected }

        /// Whether so many were under way at once.
        var hasTakenPlace: Bool { come.value >= expected && !failed.value }

        func attend() {
            let count = come.update { come in
                come += 1
                return come
            }
            if count < expected, door.wait(timeout: .now() + 10) == .timedOut { failed.update { $0 = true } }
            door.signal()
        }
    }

    /// A WebDAV server with these paths, those of folders with a slash at the end. Listings of folders in `/d/` attend
    /// `meeting`.
    private func server(_ paths: [String], _ meeting: Rendezvous? = nil) throws -> FaultServer {
        try FaultServer { request in
            if request.method == "OPTIONS" { return .reply(200, headers: ["DAV": "1"]) }
            guard let path = paths.first(where: { $0 == request.target || $0 == request.target + "/" }) else {
                return .reply(404)
            }
            if request.method == "GET" { return .reply(200, body: Data(path.utf8)) }
            guard request.method == "PROPFIND" else { return .reply(405) }
            var items = [path]
            if request.headers["depth"] != "0", path.hasSuffix("/") {
                if path.hasPrefix("/d/"), path != "/d/" { meeting?.attend() }
                items += paths.filter {
                    $0 != path && $0.hasPrefix(path) && !$0.dropFirst(path.count).dropLast().contains("/")
                }
            }
            return .reply(207, headers: ["Content-Type": "application/xml"], body: Data(Self.multistatus(items).utf8))
        }
    }

    private static func multistatus(_ paths: [String]) -> String {
        let responses = paths.map { path in
            let type = path.hasSuffix("/") ? "<D:collection/>" : ""
            return """
                <D:response><D:href>\(path)</D:href><D:propstat><D:prop><D:resourcetype>\(type)</D:resourcetype>\
                <D:getcontentlength>\(path.utf8.count)</D:getcontentlength></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>\
                </D:response>
                """
        }
        return "<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\">\(responses.joined())</D:multistatus>"
    }

    /// Six folders, of which each holds a file and a folder with another one.
    private static let tree = ["/d/"] + "fedcba".flatMap { ["/d/\($0)/", "/d/\($0)/2", "/d/\($0)/1/", "/d/\($0)/1/x"] }

    @Test(arguments: [["tree"], ["tree", "--json"], ["rm", "-r", "--dry-run", "--exclude", "none"]])
    func `folders of a server are listed at once`(verb: [String]) async throws {
        let meeting = Rendezvous(4)
        let server = try server(Self.tree, meeting)
        defer { server.stop() }
        try await CommandRunner.use { runner in
            let outcome = try await runner.run(verb + [server.url("dav").absoluteString + "d"])
            #expect(outcome.code == 0, "\(outcome.error)")
            #expect(meeting.hasTakenPlace)
            // Each folder once.
            let listings = server.requests.filter { $0.method == "PROPFIND" && $0.headers["depth"] == "1" }
            #expect(listings.count == 13 && Set(listings.map(\.target)).count == 13, "\(listings.map(\.target))")
        }
    }

    @Test func `the order of a tree is that of the names`() async throws {
        let server = try server(Self.tree)
        defer { server.stop() }
        let location = server.url("dav").absoluteString + "d"
        try await CommandRunner.use { runner in
            let text = try await runner.run("tree", location).text
            let folders = "abcdef".map { name in
                let isLast = name == "f"
                let bar = isLast ? "    " : "│   "
                return "\(isLast ? "└" : "├")── \(name)\n\(bar)├── 1\n\(bar)│   └── x\n\(bar)└── 2\n"
            }
            #expect(text == "\(location)\n\(folders.joined())12 folders, 12 files\n")
            let json = try await runner.run("tree", "--json", location).object["children"] as? [[String: Any]]
            #expect(json?.map { $0["name"] as? String } == ["a", "b", "c", "d", "e", "f"])
            let below = json?.map { ($0["children"] as? [[String: Any]])?.map { $0["name"] as? String } }
            #expect(below == Array(repeating: ["1", "2"], count: 6))
            #expect(try await runner.run("tree", "-d", "1", location).text.hasSuffix("└── f\n6 folders, 0 files\n"))
        }
    }

    @Test func `a pattern stands for items of a server`() async throws {
        let server = try server(["/d/", "/d/a.epub", "/d/b.epub", "/d/c.txt", "/d/.e.epub", "/d/f/", "/d/f/g.epub"])
        defer { server.stop() }
        let location = server.url("dav").absoluteString + "d/"
        try await CommandRunner.use { runner in
            #expect(try await runner.run("cp", location + "*.epub", ".").code == 0)
            #expect(try runner.names() == ["a.epub", "b.epub"])
            #expect(try runner.read("b.epub") == "/d/b.epub")
            // A listing for the pattern, and a file each.
            #expect(server.requests.filter { $0.method == "GET" }.map(\.target).sorted() == ["/d/a.epub", "/d/b.epub"])
            let none = try await runner.run("cp", location + "*.pdf", ".")
            #expect(none.code == 3 && none.error.contains("*.pdf"), "\(none.error)")
        }
    }
}
