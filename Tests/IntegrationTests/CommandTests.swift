import CarrelCommand
import Foundation
import Testing

/// The command line as its contract has it: exit codes, one line for each failure, JSON. Usage, and the verbs on this
/// machine.
@Suite struct CommandTests {
    @Test(arguments: [
        (["frobnicate"], "Unexpected argument 'frobnicate'"), (["ls"], "carrel: ls: "), (["cp", "a"], "carrel: cp: "),
        (["ls", "--bogus", "."], "carrel: ls: "), (["book", "frob"], "carrel: book: "),
        (["book", "info"], "carrel: book info: "),
        (["ls", "--timeout", "0", "."], "--timeout"), (["ls", "--cacert", "no-such-file", "."], "no-such-file"),
        (["ls", "--cacert", "/tmp", "."], "folder"), (["cat", "--tail", "1", "--offset", "1", "x"], "--tail"),
        (["cp", "a", "-", "b"], "Standard input"), (["ls", "--bwlimit", "fast", "."], "--bwlimit"),
        (["book", "serve", "--idle-timeout", "0", "x"], "--idle-timeout"),
    ])
    func `wrong usage is exit code 2 and one line`(_ arguments: [String], _ part: String) async throws {
        try await CommandRunner.use { runner in expectFailure(try await runner.run(arguments), 2, part) }
    }

    @Test(arguments: [
        [], ["--help"], ["help"], ["ls", "--help"], ["book"], ["book", "cat", "--help"], ["--version"],
    ])
    func `help is a success`(_ arguments: [String]) async throws {
        try await CommandRunner.use { runner in
            let outcome = try await runner.run(arguments)
            #expect(outcome.code == 0)
            #expect(outcome.error.isEmpty)
            #expect(outcome.text.contains(arguments == ["--version"] ? "carrel " : "USAGE: carrel"))
        }
    }

    @Test func `the version is the newest one in the changelog`() async throws {
        let repository = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
        let changes = try String(contentsOf: repository.appending(path: "CHANGELOG.md"), encoding: .utf8)
        let headings = changes.split(separator: "\n").map(String.init).filter { $0.hasPrefix("## ") }
        let newest = headings.first { $0 != "## Unreleased" }
        #expect(newest == "## \(CarrelCommand.version)")
        try await CommandRunner.use { runner in
            let text = try await runner.run("--version").text
            #expect(text == "carrel \(CarrelCommand.version)\n")
        }
    }

    @Test(arguments: [
        "dav://h/../x", "dav://h/%2e%2e/x", "dav://h/a?b", "dav://h/a#b", "dav://h/100%", "dav:x", "foo://h/x", "mem:x",
        "", "file:x",
        "file://other/x",
    ])
    func `a location that is none is exit code 2`(_ location: String) async throws {
        try await CommandRunner.use { runner in expectFailure(try await runner.run("stat", location), 2) }
    }

    @Test func `a failure is one line, and with --json a document too`() async throws {
        try await CommandRunner.use { runner in
            let outcome = try await runner.run("stat", "--json", "missing")
            expectFailure(outcome, 3, "carrel: stat missing: ")
            #expect(outcome.failure["message"] as? String == "“\(runner.path("missing"))” does not exist.")
            #expect(outcome.failure["path"] as? String == runner.path("missing"))
            #expect(outcome.failure["domain"] as? String == "NSCocoaErrorDomain")
            let usage = try await runner.run("stat", "--json")
            expectFailure(usage, 2)
            #expect((usage.failure["message"] as? String)?.contains("Missing expected argument") == true)
        }
    }

    @Test func `names cannot steer a terminal or break a line`() async throws {
        try await CommandRunner.use { runner in
            let name = "a\nb\u{1B}[31mc\u{202E}"
            try runner.write(name, "x")
            #expect(try await runner.run("ls", ".").text == "a?b?[31mc?\n")
            #expect(try await runner.run("ls", "-l", ".").text.split(separator: "\n").count == 1)
            expectFailure(try await runner.run("cat", name + "!"), 3, "cat a?b?[31mc?!: ")
            let listed = try await runner.run("ls", "--json", ".").json as? [[String: Any]]
            #expect(listed?.first?["name"] as? String == name)
        }
    }

    @Test func `items have the contract's keys`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("b.txt", "hello")
            try runner.makeFolder("a")
            let items = try #require(try await runner.run("ls", "--json", ".").json as? [[String: Any]])
            #expect(items.map { $0["name"] as? String } == ["a", "b.txt"])
            #expect(items.map { $0["type"] as? String } == ["directory", "file"])
            #expect(items[1]["size"] as? Int == 5)
            #expect(items[1]["path"] as? String == runner.path("b.txt"))
            #expect((items[1]["modified"] as? String)?.hasSuffix("Z") == true)
            #expect(items[0]["size"] == nil)
            #expect(
                try await runner.run("stat", "--json", "b.txt").object["etag"] as? String == items[1]["etag"] as? String
            )
            let name: [UInt8] = [0x66, 0xFF]
            let shell = try await runner.shell("printf x > $'f\\xff'; $CARREL ls -R --json . | tail -n 1")
            #expect(shell.object["nameBytes"] as? String == Data(name).base64EncodedString())
        }
    }

    @Test func `parts of files are written to standard output`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("a", "0123456789")
            #expect(try await runner.run("cat", "a").text == "0123456789")
            #expect(try await runner.run("cat", "--offset", "2", "--length", "3", "a").text == "234")
            #expect(try await runner.run("cat", "--tail", "3", "a").text == "789")
            #expect(try await runner.run("cat", "--offset", "20", "a").text == "")
            #expect(try await runner.run("cat", "file://\(runner.path("a"))").text == "0123456789")
            expectFailure(try await runner.run("cat", "."), 1, "is a folder")
        }
    }

    @Test func `a closed pipe ends quietly, a full disk does not`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("big", Data(count: 5_000_000))
            let pipe = try await runner.shell("$CARREL cat big | head -c 1 > /dev/null; echo ${PIPESTATUS[0]}")
            #expect(pipe.text == "141\n" && pipe.error.isEmpty)
            let full = try await runner.shell("$CARREL cat big > /dev/full")
            expectFailure(full, 1, "No space left on device")
        }
    }

    @Test func `removing keeps folders and names what it could not do`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("d/e")
            try runner.write("a", "x")
            expectFailure(try await runner.run("rm", "d"), 1, "use -r")
            expectFailure(try await runner.run("rm", "a", "missing"), 7, "carrel: rm missing: ")
            expectFailure(try await runner.run("rm", "missing"), 3)
            let both = try await runner.run("rm", "missing", "gone")
            #expect(both.code == 3 && both.errorLines.count == 2)
            #expect(try await runner.run("rm", "-r", "d").code == 0)
            #expect(try runner.names() == [])
        }
    }

    @Test func `folders are made, with their parents on request`() async throws {
        try await CommandRunner.use { runner in
            #expect(try await runner.run("mkdir", "a").code == 0)
            expectFailure(try await runner.run("mkdir", "a"), 5)
            expectFailure(try await runner.run("mkdir", "b/c"), 3, "There is no folder “\(runner.path("b"))”")
            for _ in 0..<2 { #expect(try await runner.run("mkdir", "-p", "b/c/d").code == 0) }
            try runner.write("f", "")
            expectFailure(try await runner.run("mkdir", "-p", "f"), 5)
        }
    }

    @Test func `links are made and read, where the storage has them`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("a", "x")
            #expect(try await runner.run("ln", "-s", "a", "link").code == 0)
            #expect(try await runner.run("readlink", "link").text == "a\n")
            #expect(try await runner.run("readlink", "--json", "link").object["linkTarget"] as? String == "a")
            #expect(try await runner.run("cat", "link").text == "x")
            expectFailure(try await runner.run("ln", "-s", "a", "link"), 5)
            expectFailure(try await runner.run("ln", "-s", "a", "no/link"), 3, "There is no folder")
            expectFailure(try await runner.run("ln", "-s", "", "other"), 2)
            expectFailure(try await runner.run("ln", "a", "other"), 2, "add -s")
            expectFailure(try await runner.run("readlink", "a"), 1, "is not a symbolic link")
            expectFailure(try await runner.run("readlink", "missing"), 3)
            expectFailure(try await runner.run("share", "a"), 1, "cannot make public links here")
        }
    }

    @Test func `space, providers and conformance answer with objects`() async throws {
        try await CommandRunner.use { runner in
            let space = try await runner.run("df", "--json", ".").object
            #expect(space["total"] is Int && space["available"] is Int && space["used"] is Int)
            expectFailure(try await runner.run("df", "missing"), 3)
            let schemes = try await runner.run("providers", "--json").json as? [[String: Any]]
            #expect(schemes?.contains { ($0["schemes"] as? [String])?.contains("davs") == true } == true)
            #expect(try await runner.run("providers", "--json", ".").object["support"] is [String: Any])
            expectFailure(try await runner.run("conform", "missing"), 3)
            let report = try await runner.run("conform", "--json", "mem://kit/")
            #expect(
                report.code == 0 && report.object["passed"] is Int
                    && (report.object["failed"] as? [Any])?.isEmpty == true)
            try runner.makeFolder("tried")
            let local = try await runner.run("conform", "--json", "tried")
            let skipped = local.object["skipped"] as? [[String: Any]] ?? []
            #expect(local.code == 0 && !skipped.isEmpty)
            #expect(!skipped.contains { ($0["reason"] as? String)?.contains("connect once more") == true })
        }
    }

    @Test func `statistics are the last line, and nothing else is said`() async throws {
        try await CommandRunner.use { runner in
            let outcome = try await runner.run("ls", "--stats", ".")
            #expect(outcome.code == 0 && outcome.errorLines.count == 1)
            let keys = ["requests", "connections", "dataConnections", "bytesIn", "bytesOut", "seconds", "retries"]
            #expect(Set(outcome.statistics.keys) == Set(keys))
        }
    }

    @Test(.enabled(if: geteuid() != 0, "the superuser may read everything"))
    func `what may not be read or written is exit code 4`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("a", "x")
            chmod(runner.path("a"), 0)
            expectFailure(try await runner.run("cat", "a"), 4)
            expectFailure(try await runner.run("ls", "--password-file", "a", "."), 2)
            try runner.makeFolder("d")
            chmod(runner.path("d"), 0)
            expectFailure(try await runner.run("ls", "d"), 4)
            chmod(runner.path("d"), 0o700)
        }
    }
}
