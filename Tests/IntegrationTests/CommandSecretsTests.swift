import FaultServer
import Foundation
import Testing

/// Connections that are saved, and secrets that are never shown.
@Suite struct CommandSecretsTests {
    @Test(arguments: [
        "dav://reader:SECRET@127.0.0.1:1/a", "dav://reader:SECRET@127.0.0.1:1/a?token=SECRET",
        "dav://reader:SECRET/x@127.0.0.1:1/a",
        "dav://reader:SECRET#x@127.0.0.1:1/a", "dav://reader:SECRET%@127.0.0.1:1/a", "dav:reader:SECRET@127.0.0.1:1/a",
        "davz://reader:SECRET@127.0.0.1:1/a", "davz:reader:SECRET@127.0.0.1/a", "dav://SECRET@127.0.0.1:1/a",
        "http://reader:SECRET@[::1/a",
    ])
    func `a password in a URL is shown nowhere, well-formed or not`(_ location: String) async throws {
        try await CommandRunner.use { runner in
            try runner.write("a", "x")
            for arguments in [
                ["stat", location], ["sniff", location], ["cp", "a", location], ["cp", location, "b"],
                ["rm", location, location],
                ["stat", location, location], ["ls", "--bogus", location], ["book", "info", location], [location],
                ["checksum", location], ["check", location, "a"], ["cp", location + "*", "b"], ["tree", location],
                ["du", location],
            ] {
                let outcome = try await runner.run(arguments + ["--json", "--stats", "--verbose", "--retries", "0"])
                #expect(outcome.code != 0)
                #expect(
                    !outcome.error.contains("SECRET") && !outcome.text.contains("SECRET"),
                    "\(arguments): \(outcome.error)")
            }
        }
    }

    @Test func `a password is sent and not shown`() async throws {
        let server = try FaultServer { request in
            guard request.headers["authorization"] != nil else {
                return .reply(401, headers: ["WWW-Authenticate": "Basic realm=\"x\""])
            }
            return .reply(request.method == "OPTIONS" ? 405 : 200, body: Data("hello".utf8))
        }
        defer { server.stop() }
        try await CommandRunner.use { runner in
            let outcome = try await runner.run(
                "sniff", "--json", "--stats", "--verbose", "http://reader:SECRET@127.0.0.1:\(server.port)/a.txt")
            #expect(outcome.code == 0)
            #expect(outcome.object["location"] as? String == "http://127.0.0.1:\(server.port)/a.txt")
            #expect(!outcome.error.contains("SECRET") && outcome.error.contains("carrel: "))
            #expect((outcome.statistics["requests"] as? Int ?? 0) >= 2)
        }
    }

    @Test func `what would go to two hosts is refused`() async throws {
        try await CommandRunner.use { runner in
            let targets = ["dav://127.0.0.1:1/a", "dav://127.0.0.1:2/a"]
            for flags in [["--user", "me"], ["--insecure"], ["--allow-clear-password"]] {
                expectFailureIgnoringWarning(try await runner.run(["cp"] + flags + targets), code: 2, part: "two hosts")
            }
            runner.environment["CARREL_PASSWORD"] = "SECRET"
            expectFailure(try await runner.run(["cp"] + targets), 2, "two hosts")
            expectFailure(try await runner.run("book", "cover", targets[0], targets[1]), 2, "two hosts")
            expectFailure(try await runner.run("cp", "--retries", "0", "dav://127.0.0.1:1/a", "dav://127.0.0.1:1/b"), 6)
            runner.environment["CARREL_PASSWORD"] = nil
            expectFailure(try await runner.run(["cp", "--retries", "0"] + targets), 6)
        }
    }

    private func expectFailureIgnoringWarning(_ outcome: CommandRunner.Outcome, code: Int32, part: String) {
        #expect(outcome.code == code)
        #expect(outcome.errorLines.filter { !$0.contains("WARNING") }.count == 1 && outcome.error.contains(part))
    }

    @Test func `a saved connection is a name for a folder on a server`() async throws {
        let server = try FaultServer { request in
            request.method == "OPTIONS"
                ? .reply(405)
                : request.target == "/base/a%20b%25.txt" ? .reply(200, body: Data("hello".utf8)) : .reply(404)
        }
        defer { server.stop() }
        try await CommandRunner.use { runner in
            let configuration = #"{"connections": {"nas": {"url": "http://127.0.0.1:\#(server.port)/base/"}}}"#
            try runner.makeFolder(".config/carrel")
            try runner.write(".config/carrel/config.json", configuration)
            #expect(try await runner.run("cat", "nas:a b%.txt").text == "hello")
            #expect(try await runner.run("cat", "nas:/a b%.txt").text == "hello")
            expectFailure(try await runner.run("cat", "nas:missing"), 3, "carrel: cat nas:missing: ")
            expectFailure(try await runner.run("cat", "nas:../a"), 2)
            expectFailure(try await runner.run("cat", "nos:a"), 2, runner.path(".config/carrel/config.json"))
            runner.environment["XDG_CONFIG_HOME"] = runner.path("xdg")
            expectFailure(try await runner.run("cat", "nas:a"), 2, runner.path("xdg/carrel/config.json"))
            runner.environment["CARREL_CONFIG"] = runner.path(".config/carrel/config.json")
            #expect(try await runner.run("cat", "nas:a b%.txt").code == 0)
            #expect(
                try await runner.run("sniff", "--json", "nas:a b%.txt").object["location"] as? String == "nas:a b%.txt")
        }
    }

    @Test(arguments: [
        (#"{"connections": {"dav": {"url": "dav://h/"}}}"#, "is a scheme"), ("{", "is not what it should be"),
        ("{}", "is not what it should be"),
        (#"{"connections": {"nas": {"url": "dav://u:SECRET@h/"}}}"#, "password"),
        (#"{"connections": {"nas": {"url": "nas:x"}}}"#, "URL"),
        (#"{"connections": {"nas": {"url": "dav://h/", "cacert": "none.pem"}}}"#, "none.pem"),
        (#"{"connections": {"n s": {"url": "dav://h/"}}}"#, "cannot name"),
    ])
    func `a configuration that is wrong is wrong usage, and names the file`(_ configuration: String, _ part: String)
        async throws
    {
        try await CommandRunner.use { runner in
            try runner.write("c.json", configuration)
            runner.environment["CARREL_CONFIG"] = runner.path("c.json")
            let outcome = try await runner.run("ls", "nas:x")
            expectFailure(outcome, 2, part)
            #expect(outcome.error.contains(runner.path("c.json")) && !outcome.error.contains("SECRET"))
        }
    }
}
