import FaultServer
import Foundation
import Testing

/// The command line against servers: real ones, and one that does what real ones do not.
@Suite struct CommandServerTests {
    @Test(.enabled(if: TestServers.named("Apache, Basic") != nil))
    func `moving between this machine and a server removes what was moved`() async throws {
        try await CommandServer(#require(TestServers.named("Apache, Basic"))).use { runner, folder in
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
        try await CommandServer(#require(TestServers.named("nginx, Basic"))).use { runner, folder in
            try runner.makeFolder("d")
            try runner.write("d/.hidden", "1")
            #expect(try await runner.run("cp", "-r", "d", folder).code == 0)
            let outcome = try await runner.run("mv", "\(folder)/d", "back")
            #expect(outcome.code != 0)
            #expect(outcome.error.contains("hides names from its listings"))
            #expect(try await runner.run("cat", "\(folder)/d/.hidden").text == "1")
        }
    }

    @Test(.enabled(if: TestServers.named("Apache, Basic") != nil))
    func `an interrupted copy leaves nothing on either side`() async throws {
        let server = try #require(TestServers.named("Apache, Basic"))
        try await CommandServer(server).use { runner, folder in
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
            #expect(
                insecure.code == 4
                    && insecure.errorLines.first == "carrel: WARNING: certificates are not checked (--insecure).")
            runner.environment["CARREL_PASSWORD"] = "WRONG"
            expectFailure(try await runner.run("ls", "--user", "reader", clear), 4, "refused this user and password")
        }
    }

    @Test func `a server that says nothing is given up after the time and the tries that were asked for`() async throws
    {
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

    @Test(arguments: [(403, 4), (404, 3), (500, 1), (429, 6), (503, 6)] as [(Int, Int32)])
    func `a status has its exit code`(_ status: Int, _ code: Int32) async throws {
        let server = try FaultServer { _ in
            .reply(status, headers: ["Content-Type": "text/plain"], body: Data("Be\u{1B}[31mcause.".utf8))
        }
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
