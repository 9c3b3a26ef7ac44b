import FaultServer
import Foundation
import Testing

/// The command line against servers: real ones, and one that does what real ones do not.
@Suite struct CommandServerTests {
    /// A runner that logs in as the tests do, and a new folder on the server.
    private func use(
        _ server: TestServers.WebDAV, _ body: (inout CommandRunner, _ folder: String) async throws -> Void
    ) async throws {
        try await CommandRunner.use { runner in
            let user = TestServers.environment["CARREL_TEST_USER"] ?? ""
            let base = server.url.absoluteString.replacingOccurrences(of: "://", with: "://\(user)@")
            runner.environment["CARREL_PASSWORD"] = TestServers.environment["CARREL_TEST_PASSWORD"]
            let connection =
                #"{"connections": {"server": {"url": "\#(base)", "cacert": "\#(TestServers.environment["CARREL_TEST_CA"] ?? "")"}}}"#
            try runner.write("config.json", connection)
            runner.environment["CARREL_CONFIG"] = runner.path("config.json")
            let folder = "server:test-\(UInt64.random(in: 0 ... .max))"
            #expect(try await runner.run("mkdir", folder).code == 0)
            try await body(&runner, folder)
            #expect(try await runner.run("rm", "-r", folder).code == 0)
        }
    }

    @Test(.enabled(if: !TestServers.webDAV.isEmpty), arguments: TestServers.webDAV)
    func `files go up, around and down again`(_ server: TestServers.WebDAV) async throws {
        // WsgiDAV cuts a destination at a question mark; such names are refused there.
        let name = server.name == "WsgiDAV" ? "b c#!.txt" : "b c#?.txt"
        try await use(server) { runner, folder in
            try runner.makeFolder("d/e")
            try runner.write("d/a.txt", "hello")
            try runner.write("d/e/\(name)", "world")
            let up = try await runner.run("cp", "-r", "--preserve", "--json", "d", "\(folder)/up")
            #expect(up.code == 0 && up.object["copied"] as? Int == 2 && up.object["bytes"] as? Int == 10)
            #expect(try await runner.run("ls", "-R", "\(folder)/up").text == "a.txt\ne\ne/\(name)\n")
            expectFailure(try await runner.run("cp", "d/a.txt", "\(folder)/up/"), 5)
            expectFailure(try await runner.run("mv", "\(folder)/up/a.txt", "\(folder)/up/e/\(name)"), 5)
            #expect(try await runner.run("mv", "--overwrite", "\(folder)/up/a.txt", "\(folder)/up/e/\(name)").code == 0)
            #expect(try await runner.run("cat", "--tail", "2", "\(folder)/up/e/\(name)").text == "lo")
            #expect(try await runner.run("cp", "-r", "\(folder)/up", "down").code == 0)
            #expect(try runner.read("down/e/\(name)") == "hello")
            #expect(try await runner.run("df", "--json", folder).object.keys.sorted() == ["available", "total", "used"])
            expectFailure(try await runner.run("rm", folder), 1, "say -r")
            expectFailure(try await runner.run("mkdir", folder), 5)
            expectFailure(try await runner.run("stat", "\(folder)/missing"), 3, "carrel: stat \(folder)/missing: ")
        }
    }

    @Test(.enabled(if: TestServers.named("Apache, Basic") != nil))
    func `moving between this machine and a server removes what was moved`() async throws {
        try await use(#require(TestServers.named("Apache, Basic"))) { runner, folder in
            try runner.makeFolder("d")
            try runner.write("d/a", "1")
            #expect(try await runner.run("mv", "d", folder).code == 0)
            #expect(try await runner.run("ls", "-R", folder).text == "d\nd/a\n")
            try runner.makeFolder("d")
            expectFailure(try await runner.run("mv", "--overwrite", "d", folder), 5)
            #expect(try await runner.run("mv", "\(folder)/d", "back").code == 0)
            #expect(try runner.names("back") == ["a"])
            #expect(try await runner.run("ls", folder).text == "")
        }
    }

    @Test(.enabled(if: TestServers.named("nginx, Basic") != nil))
    func `a folder whose server hides names is not moved away, and nothing of it is lost`() async throws {
        try await use(#require(TestServers.named("nginx, Basic"))) { runner, folder in
            try runner.makeFolder("d")
            try runner.write("d/.hidden", "1")
            #expect(try await runner.run("cp", "-r", "d", folder).code == 0)
            let outcome = try await runner.run("mv", "\(folder)/d", "back")
            #expect(outcome.code != 0)
            #expect(outcome.error.contains("leaves names out of its listings"))
            #expect(try await runner.run("cat", "\(folder)/d/.hidden").text == "1")
        }
    }

    @Test(.enabled(if: TestServers.named("Apache, Basic") != nil))
    func `an interrupted copy leaves nothing on either side`() async throws {
        let server = try #require(TestServers.named("Apache, Basic"))
        try await use(server) { runner, folder in
            let isArriving: @Sendable (URL, String) -> Bool = { folder, suffix in
                let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
                return names.contains { name in
                    let path = folder.appending(path: name).path
                    let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size]) as? Int
                    return (suffix.isEmpty || name.contains(suffix)) && (size ?? 0) > 1 << 20
                }
            }
            let data = server.data.appending(path: String(folder.dropFirst("server:".count)))
            let here = runner.folder
            try runner.write("big", Data(count: 200_000_000))
            let up = try await runner.run("cp", "--bwlimit", "10M", "big", "\(folder)/big") { isArriving(data, "") }
            expectFailure(up, 130, "Interrupted")
            #expect(try await runner.run("ls", folder).text == "")
            #expect(try await runner.run("cp", "big", "\(folder)/big").code == 0)
            let down = ["--bwlimit", "10M", "\(folder)/big", "down"]
            expectFailure(try await runner.run(["cp"] + down) { isArriving(here, ".carrel-part") }, 130)
            #expect(try runner.names() == ["big", "config.json"])
            expectFailure(try await runner.run(["cp", "--resume"] + down) { isArriving(here, ".carrel-part") }, 130)
            #expect(try runner.names().count == 3)
            let rest = try await runner.run("cp", "--resume", "--stats", "\(folder)/big", "down")
            #expect(rest.code == 0 && (rest.statistics["bytesIn"] as? Int ?? .max) < 200_000_000)
            #expect(FileManager.default.contentsEqual(atPath: runner.path("big"), andPath: runner.path("down")))
            #expect(try runner.names() == ["big", "config.json", "down"])
        }
    }

    @Test(.enabled(if: TestServers.named("Apache, TLS") != nil && TestServers.named("Apache, Basic") != nil))
    func `refusals are exit code 4`() async throws {
        let clear = try #require(TestServers.named("Apache, Basic")).url.absoluteString
        let secure = try #require(TestServers.named("Apache, TLS")).url.absoluteString
        try await CommandRunner.use { runner in
            expectFailure(try await runner.run("ls", clear), 4, "asks for a login")
            expectFailure(try await runner.run("ls", secure), 4, "certificate")
            let insecure = try await runner.run("ls", "--insecure", secure)
            #expect(insecure.code == 4 && insecure.errorLines.first == "carrel: WARNING: certificates are not checked (--insecure).")
            runner.environment["CARREL_PASSWORD"] = "WRONG"
            expectFailure(try await runner.run("ls", "--user", "reader", clear), 4, "refused this user and password")
        }
    }

    @Test func `what cannot be reached is exit code 6`() async throws {
        try await CommandRunner.use { runner in
            expectFailure(try await runner.run("ls", "--retries", "0", "dav://127.0.0.1:1/"), 6, "port 1")
            expectFailure(try await runner.run("ls", "--retries", "0", "dav://no-such-host.invalid/"), 6, "cannot be found")
        }
    }

    @Test func `a server that says nothing is given up after the time and the tries that were asked for`() async throws {
        let server = try FaultServer { _ in .silence }
        defer { server.stop() }
        try await CommandRunner.use { runner in
            for retries in [0, 1] {
                let url = "http://127.0.0.1:\(server.port)/a"
                let outcome = try await runner.run("stat", "--timeout", "1", "--retries", "\(retries)", "--stats", url)
                #expect(outcome.code == 6)
                #expect(outcome.statistics["retries"] as? Int == retries)
                #expect((outcome.statistics["seconds"] as? Double ?? 99) < 30, "far less than the default for one try")
            }
        }
    }

    @Test(arguments: [(403, 4), (404, 3), (500, 1), (503, 6)] as [(Int, Int32)])
    func `a status has its exit code`(_ status: Int, _ code: Int32) async throws {
        let server = try FaultServer { _ in .reply(status, headers: ["Content-Type": "text/plain"], body: Data("Be\u{1B}[31mcause.".utf8)) }
        defer { server.stop() }
        try await CommandRunner.use { runner in
            let outcome = try await runner.run("ls", "--retries", "0", "dav://127.0.0.1:\(server.port)/a")
            expectFailure(outcome, code)
            #expect(!outcome.error.contains("\u{1B}") && !outcome.error.contains("could not be completed"))
        }
    }

    @Test func `a server that is no WebDAV server fails with a sentence`() async throws {
        let server = try FaultServer { _ in .reply(200, body: Data("<html></html>".utf8)) }
        defer { server.stop() }
        try await CommandRunner.use { runner in
            expectFailure(try await runner.run("ls", "dav://127.0.0.1:\(server.port)/a"), 1, "no WebDAV server")
        }
    }
}
