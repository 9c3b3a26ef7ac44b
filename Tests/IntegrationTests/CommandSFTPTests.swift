import Foundation
import SampleBooks
import Testing

/// The command line on real SFTP servers, as scripts use it.
@Suite(.serialized, .enabled(if: !TestServers.sftp.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct CommandSFTPTests {
    private static let password = TestServers.environment["CARREL_TEST_PASSWORD"] ?? ""

    /// A runner that logs in as the tests do, and a new folder on the server.
    private func use(_ server: TestServers.SFTP, _ body: (inout CommandRunner, _ folder: String) async throws -> Void) async throws {
        try await CommandRunner.use { runner in
            runner.environment["CARREL_PASSWORD"] = Self.password
            runner.environment["CARREL_CONFIG"] = runner.path("config.json")
            let connection = #"{"url": "\#(server.url.absoluteString)", "knownHosts": ["\#(TestServers.knownHosts)"]}"#
            try runner.write("config.json", #"{"connections": {"server": \#(connection)}}"#)
            let folder = "server:test-\(UInt64.random(in: 0 ... .max))"
            let made = try await runner.run("mkdir", folder)
            #expect(made.code == 0, "\(made.error)")
            try await body(&runner, folder)
            let removed = try await runner.run("rm", "-r", folder)
            #expect(removed.code == 0, "\(removed.error)")
        }
    }

    @Test(arguments: TestServers.sftp)
    func `files go up, around and down again`(_ server: TestServers.SFTP) async throws {
        // What a command line, a pattern and a list separator may trip over.
        let name = "a b*[c]{d};'\"$&#%?ü~-\\.txt"
        try await use(server) { runner, folder in
            try runner.makeFolder("d/e")
            try runner.write("d/a.txt", "hello")
            try runner.write("d/e/\(name)", "world")
            let up = try await runner.run("cp", "-r", "--preserve", "--json", "d", "\(folder)/up")
            #expect(up.code == 0 && up.object["copied"] as? Int == 2 && up.object["bytes"] as? Int == 10, "\(up.error)")
            #expect(try await runner.run("ls", "-R", "\(folder)/up").text == "a.txt\ne\ne/\(name)\n")
            // The folder that is missing, and not the one that it would be in.
            expectFailure(try await runner.run("cp", "d/a.txt", "\(folder)/none/a.txt"), 3, "/none” does not exist")
            expectFailure(try await runner.run("cp", "d/a.txt", "\(folder)/up/"), 5)
            expectFailure(try await runner.run("mv", "\(folder)/up/a.txt", "\(folder)/up/e/\(name)"), 5)
            #expect(try await runner.run("mv", "--overwrite", "\(folder)/up/a.txt", "\(folder)/up/e/\(name)").code == 0)
            #expect(try await runner.run("cp", "-r", "\(folder)/up", "down").code == 0)
            #expect(try runner.read("down/e/\(name)") == "hello")
            #expect(try await runner.run("find", folder, "--name", "*.txt", "--type", "f").text.contains(name))
            #expect(try await runner.run("rm", "\(folder)/up/e/\(name)").code == 0)
            #expect(try await runner.run("ls", "-R", "\(folder)/up").text == "e\n")
            expectFailure(try await runner.run("rm", folder), 1, "say -r")
            expectFailure(try await runner.run("mkdir", folder), 5)
            expectFailure(try await runner.run("stat", "\(folder)/missing"), 3, "carrel: stat \(folder)/missing: ")
            expectFailure(try await runner.run("ls", "\(folder)/missing"), 3)
            expectFailure(try await runner.run("cat", "\(folder)/missing"), 3)
        }
    }

    @Test(arguments: TestServers.sftp)
    func `parts, standard input and output, and items as JSON`(_ server: TestServers.SFTP) async throws {
        try await use(server) { runner, folder in
            let up = try await runner.run(["cp", "-", "\(folder)/file"], input: Data("0123456789".utf8))
            #expect(up.code == 0, "\(up.error)")
            #expect(try await runner.run("cp", "\(folder)/file", "-").text == "0123456789")
            #expect(try await runner.run("cat", "--offset", "3", "--length", "4", "\(folder)/file").text == "3456")
            #expect(try await runner.run("cat", "--tail", "2", "\(folder)/file").text == "89")
            let item = try await runner.run("stat", "--json", "\(folder)/file").object
            #expect(item["type"] as? String == "file" && item["size"] as? Int == 10 && item["name"] as? String == "file")
            #expect((item["modified"] as? String)?.hasSuffix("Z") == true)
            #expect(try await runner.run("ls", "-l", folder).text.contains("10"))
            #expect(try await runner.run("df", "--json", folder).object.keys.sorted() == ["available", "total", "used"])
        }
    }

    @Test(arguments: TestServers.sftp.filter(\.keepsAttributes))
    func `times go along both ways when they are to be kept`(_ server: TestServers.SFTP) async throws {
        try await use(server) { runner, folder in
            let time = Date(timeIntervalSince1970: 1_400_000_000)
            try runner.write("a", "hello")
            try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: runner.path("a"))
            #expect(try await runner.run("cp", "--preserve", "a", "\(folder)/a").code == 0)
            #expect(try await runner.run("stat", "--json", "\(folder)/a").object["modified"] as? String == "2014-05-13T16:53:20Z")
            #expect(try await runner.run("cp", "--preserve", "\(folder)/a", "b").code == 0)
            #expect(try FileManager.default.attributesOfItem(atPath: runner.path("b"))[.modificationDate] as? Date == time)
        }
    }

    @Test(arguments: TestServers.sftp)
    func `a book is told, shown and read where it lies`(_ server: TestServers.SFTP) async throws {
        try await use(server) { runner, folder in
            try runner.write("lamp.epub", SampleBook.small(.epub3))
            #expect(try await runner.run("cp", "lamp.epub", "\(folder)/lamp").code == 0)
            let sniffed = try await runner.run("sniff", "--json", "--content", "\(folder)/lamp").object
            #expect(sniffed["mediaType"] as? String == "application/epub+zip" && sniffed["by"] as? String == "content")
            #expect(try await runner.run("book", "info", "\(folder)/lamp").text.contains("The Lamp at the Carrel"))
            let first = try await runner.run("book", "ls", "lamp.epub").text.split(separator: "\n").first.map(String.init) ?? ""
            let href = try #require(first.split(whereSeparator: \.isWhitespace).first { $0.contains(".xhtml") }.map(String.init))
            let page = try await runner.run("book", "cat", "\(folder)/lamp", href)
            #expect(page.code == 0 && page.text.contains("</html>"), "\(page.error)")
        }
    }

    /// `CARREL_STRESS=1` takes a GiB.
    @Test(arguments: TestServers.sftp)
    func `memory does not grow with the file`(_ server: TestServers.SFTP) async throws {
        let megabytes = TestServers.environment["CARREL_STRESS"] != nil ? 1024 : 96
        try await use(server) { runner, folder in
            for (number, line) in [
                "head -c \(megabytes)M /dev/zero | /usr/bin/time -o peak -f %M \"$CARREL\" cp - \(folder)/big",
                "/usr/bin/time -o peak -f %M \"$CARREL\" cp \(folder)/big big",
                "/usr/bin/time -o peak -f %M \"$CARREL\" cp big \(folder)/again",
            ].enumerated() {
                let outcome = try await runner.shell("set -o pipefail; \(line)")
                #expect(outcome.code == 0, "\(outcome.error)")
                let peak = try #require(Int(runner.read("peak").trimmingCharacters(in: .whitespacesAndNewlines)))
                #expect(peak <= 64 << 10, "\(number): \(peak) KiB")
            }
            #expect(try FileManager.default.attributesOfItem(atPath: runner.path("big"))[.size] as? Int == megabytes << 20)
        }
    }
}
