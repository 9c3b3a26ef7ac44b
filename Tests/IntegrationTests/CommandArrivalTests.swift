import FaultServer
import Foundation
import Synchronization
import Testing

/// What arrives is compared with what was listed before anything of the user's is replaced.
@Suite struct CommandArrivalTests {
    private static let book = Data((0..<108_894).map { UInt8(truncatingIfNeeded: $0) })
    private static let login = Data("<html>login form</html>".utf8)

    /// A WebDAV server with one file, `d/book.txt`, that lists `sizes` bytes, one after the other, and answers each GET
    /// with `get`.
    private func server(
        listing sizes: [Int], get: @escaping @Sendable (FaultServer.Request) -> FaultServer.Answer
    ) throws -> FaultServer {
        let looks = Mutex(0)
        return try FaultServer { request in
            guard request.method == "PROPFIND" else {
                if request.method == "OPTIONS" {
                    return .reply(200, headers: ["DAV": "1", "Allow": "OPTIONS, GET, PROPFIND"])
                }
                return get(request)
            }
            let target = request.target.hasSuffix("/") ? String(request.target.dropLast()) : request.target
            guard ["/d", "/d/book.txt"].contains(target) else { return .reply(404) }
            let file = { (size: Int) in
                """
                <D:response><D:href>/d/book.txt</D:href><D:propstat><D:prop><D:resourcetype/><D:getcontentlength>\(size)</D:getcontentlength>
                <D:getetag>"e\(size)"</D:getetag></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>
                """
            }
            let folder = """
                <D:response><D:href>/d/</D:href><D:propstat><D:prop><D:resourcetype><D:collection/></D:resourcetype></D:prop>
                <D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>
                """
            var items = target == "/d" ? [folder] : []
            if target != "/d" || request.headers["depth"] != "0" {
                let look = looks.withLock { looks in
                    defer { looks += 1 }
                    return looks
                }
                items.append(file(sizes[min(look, sizes.count - 1)]))
            }
            return .reply(
                207, headers: ["Content-Type": "application/xml"],
                body: Data(
                    "<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\">\(items.joined())</D:multistatus>".utf8))
        }
    }

    /// A session that has run out: each GET is redirected to a login page.
    private func expiredSession() throws -> FaultServer {
        try server(listing: [Self.book.count]) { request in
            if request.target.hasPrefix("/login") {
                return .reply(200, headers: ["Content-Type": "text/html"], body: Self.login)
            }
            return .reply(302, headers: ["Location": "/login?next=\(request.target)"])
        }
    }

    private func expectLoginPage(_ outcome: CommandRunner.Outcome, code: Int32) {
        #expect(outcome.code == code, "\(outcome.error)")
        for part in ["108894", "23 bytes", "/login"] { #expect(outcome.error.contains(part), "\(outcome.error)") }
    }

    @Test(arguments: [["cp", "--overwrite"], ["cp", "--overwrite", "--preserve"], ["mv", "--overwrite"]])
    func `a login page replaces no file`(_ verb: [String]) async throws {
        let server = try expiredSession()
        defer { server.stop() }
        try await CommandRunner.use { runner in
            try runner.makeFolder("there")
            try runner.write("there/book.txt", "mine")
            expectLoginPage(
                try await runner.run(verb + ["dav://127.0.0.1:\(server.port)/d/book.txt", "there"]), code: 1)
            #expect(try runner.read("there/book.txt") == "mine")
            #expect(try runner.names("there") == ["book.txt"])
            #expect(server.requests.filter { $0.method == "GET" && $0.target == "/d/book.txt" }.count == 1)
            #expect(!server.requests.contains { $0.method == "DELETE" })
        }
    }

    @Test(arguments: [["sync"], ["sync", "--two-way"]])
    func `sync brings no login page`(_ verb: [String]) async throws {
        let server = try expiredSession()
        defer { server.stop() }
        try await CommandRunner.use { runner in
            try runner.makeFolder("there")
            expectLoginPage(try await runner.run(verb + ["dav://127.0.0.1:\(server.port)/d", "there"]), code: 7)
            #expect(try runner.names("there") == [])
        }
    }

    @Test func `a login page in a tree is a failed item, and the old file stays`() async throws {
        let server = try expiredSession()
        defer { server.stop() }
        try await CommandRunner.use { runner in
            try runner.makeFolder("there/d")
            try runner.write("there/d/book.txt", "mine")
            let outcome = try await runner.run("cp", "-r", "--overwrite", "dav://127.0.0.1:\(server.port)/d", "there")
            expectLoginPage(outcome, code: 7)
            #expect(try runner.names("there/d") == ["book.txt"])
            #expect(try runner.read("there/d/book.txt") == "mine")
        }
    }

    @Test(arguments: [["cp", "-r"], ["sync"]])
    func `an answer that ends early fails its file, and the others are copied`(_ verb: [String]) async throws {
        let files = ["/d/a": Self.login, "/d/b": Self.book, "/d/c": Self.login]
        let server = try FaultServer { request in
            if request.method == "OPTIONS" { return .reply(200, headers: ["DAV": "1"]) }
            if request.method == "GET" {
                guard let content = files[request.target] else { return .reply(404) }
                if request.target != "/d/b" { return .reply(200, body: content) }
                return .raw(
                    Data("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n".utf8) + content.dropLast(100))
            }
            let target = request.target == "/d" ? "/d/" : request.target
            let hrefs = target == "/d/" && request.headers["depth"] != "0" ? ["/d/"] + files.keys.sorted() : [target]
            let responses = hrefs.map { href in
                let kind = files[href].map { "<D:resourcetype/><D:getcontentlength>\($0.count)</D:getcontentlength>" }
                return """
                    <D:response><D:href>\(href)</D:href><D:propstat><D:prop>\(kind ?? "<D:resourcetype><D:collection/></D:resourcetype>")\
                    </D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>
                    """
            }
            return .reply(
                207, headers: ["Content-Type": "application/xml"],
                body: Data(
                    "<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\">\(responses.joined())</D:multistatus>".utf8)
            )
        }
        defer { server.stop() }
        try await CommandRunner.use { runner in
            let outcome = try await runner.run(verb + ["--retries", "0", "dav://127.0.0.1:\(server.port)/d", "there"])
            #expect(outcome.code == 7, "\(outcome.error)")
            #expect(outcome.error.contains("ended after 108794 of 108894 bytes"), "\(outcome.error)")
            #expect(try runner.names("there") == ["a", "c"])
        }
    }

    @Test(arguments: [["cat"], ["cp"]])
    func `a login page on standard output is exit code 1 after its bytes`(_ verb: [String]) async throws {
        let server = try expiredSession()
        defer { server.stop() }
        try await CommandRunner.use { runner in
            let outcome = try await runner.run(
                verb + ["dav://127.0.0.1:\(server.port)/d/book.txt"] + (verb == ["cp"] ? ["-"] : []))
            expectLoginPage(outcome, code: 1)
            #expect(outcome.output == Self.login)
        }
    }

    @Test func `a file that was replaced after the listing is taken whole`() async throws {
        let server = try server(listing: [Self.book.count, Self.login.count]) { _ in
            .reply(200, headers: ["ETag": "\"e\(Self.login.count)\""], body: Self.login)
        }
        defer { server.stop() }
        try await CommandRunner.use { runner in
            let outcome = try await runner.run("cp", "dav://127.0.0.1:\(server.port)/d/book.txt", "book.txt")
            #expect(outcome.code == 0, "\(outcome.error)")
            #expect(try Data(contentsOf: runner.folder.appending(path: "book.txt")) == Self.login)
            // The listing, and one new look.
            #expect(server.requests.filter { $0.method == "PROPFIND" && $0.target == "/d/book.txt" }.count == 2)
        }
    }

    @Test func `a server whose sizes are never right is named, and read with ignore-size`() async throws {
        let server = try server(listing: [4096]) { _ in .reply(200, body: Self.login) }
        defer { server.stop() }
        try await CommandRunner.use { runner in
            try runner.makeFolder("there")
            let location = "dav://127.0.0.1:\(server.port)/d/book.txt"
            expectFailure(try await runner.run("cp", location, "there/book.txt"), 1, "--ignore-size")
            #expect(try runner.names("there") == [])
            #expect(try await runner.run("cp", "--ignore-size", location, "there/book.txt").code == 0)
            #expect(try runner.read("there/book.txt") == String(decoding: Self.login, as: UTF8.self))
            #expect(
                try await runner.run("sync", "--ignore-size", "dav://127.0.0.1:\(server.port)/d", "other").code == 0)
            #expect(try runner.read("other/book.txt") == String(decoding: Self.login, as: UTF8.self))
        }
    }
}
