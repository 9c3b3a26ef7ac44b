import Foundation
import SampleBooks
import Testing

/// The command line on real FTP servers, as scripts use it.
@Suite(.serialized, .enabled(if: !TestServers.ftp.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct CommandFTPTests {
    /// A runner that logs in as the tests do, and a new folder on the server.
    private func use(_ server: TestServers.FTP, _ body: (inout CommandRunner, _ folder: String) async throws -> Void) async throws {
        try await CommandRunner.use { runner in
            let user = TestServers.environment["CARREL_TEST_USER"] ?? ""
            runner.environment["CARREL_PASSWORD"] = TestServers.environment["CARREL_TEST_PASSWORD"]
            runner.environment["CARREL_CONFIG"] = runner.path("config.json")
            let base = server.url.absoluteString.replacingOccurrences(of: "://", with: "://\(user)@")
            let authority = TestServers.environment["CARREL_TEST_CA"] ?? ""
            try runner.write("config.json", #"{"connections": {"server": {"url": "\#(base)", "cacert": "\#(authority)"}}}"#)
            let folder = "server:test-\(UInt64.random(in: 0 ... .max))"
            #expect(try await runner.run("mkdir", folder).code == 0)
            try await body(&runner, folder)
            #expect(try await runner.run("rm", "-r", folder).code == 0)
        }
    }

    @Test(arguments: TestServers.ftp + TestServers.ftpes)
    func `files go up, around and down again`(_ server: TestServers.FTP) async throws {
        // What a command line, a pattern and a list separator may trip over; Pure-FTPd keeps no backslash.
        let name = "a b*[c]{d};'\"$&#%?ü~-" + (server.program == "Pure-FTPd" ? "" : "\\") + ".txt"
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

    @Test(arguments: TestServers.ftp)
    func `parts, standard input and output, and items as JSON`(_ server: TestServers.FTP) async throws {
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

    @Test(arguments: TestServers.ftp + TestServers.ftpes)
    func `a book is told, shown and read where it lies`(_ server: TestServers.FTP) async throws {
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

    @Test(arguments: TestServers.ftp.filter { $0.program != "Pure-FTPd" } + TestServers.ftpes.filter { $0.program != "Pure-FTPd" })
    func `refusals are exit code 4, and no secret is shown`(_ server: TestServers.FTP) async throws {
        try await CommandRunner.use { runner in
            let url = server.url.absoluteString
            let place = url.replacingOccurrences(of: "://", with: "://reader:SECRET@") + "a"
            let trust = ["--cacert", TestServers.environment["CARREL_TEST_CA"] ?? ""]
            let outcome = try await runner.run(["ls", "--json", "--verbose", "--stats", "--retries", "0"] + trust + [place])
            #expect(outcome.code == 4, "\(outcome.error)")
            #expect(!outcome.error.contains("SECRET") && !outcome.text.contains("SECRET"))
            if server.security != .clear {
                runner.environment["CARREL_PASSWORD"] = TestServers.environment["CARREL_TEST_PASSWORD"]
                expectFailure(try await runner.run("ls", "--user", "reader", url), 4, "certificate")
                let insecure = try await runner.run("ls", "--insecure", "--user", "reader", url)
                #expect(insecure.code == 0 && insecure.errorLines.first == "carrel: WARNING: certificates are not checked (--insecure).")
            }
        }
    }

    @Test(arguments: TestServers.ftp)
    func `a password in the URL is sent, and shown nowhere`(_ server: TestServers.FTP) async throws {
        try await CommandRunner.use { runner in
            let password = TestServers.environment["CARREL_TEST_PASSWORD"] ?? ""
            let encoded = try #require(password.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let url = server.url.absoluteString.replacingOccurrences(of: "://", with: "://reader:\(encoded)@")
            for place in [url, "\(url)/", "\(url)~/", "\(url).."] {
                let outcome = try await runner.run("ls", "--json", "--verbose", "--stats", place)
                if !place.hasSuffix("..") { #expect(outcome.code == 0, "\(outcome.error)") }
                for secret in [password, encoded] { #expect(!(outcome.error + outcome.text).contains(secret)) }
            }
            expectFailure(try await runner.run("stat", "\(url)no-such-file"), 3)
        }
    }

    @Test func `the schemes are listed, and what cannot be reached is exit code 6`() async throws {
        try await CommandRunner.use { runner in
            let listed = try await runner.run("providers").text
            for scheme in ["ftp", "ftpes", "ftps"] { #expect(listed.contains(scheme)) }
            expectFailure(try await runner.run("ls", "--retries", "0", "ftp://127.0.0.1:1/"), 6, "port 1")
            expectFailure(try await runner.run("ls", "--retries", "0", "ftpes://no-such-host.invalid/"), 6, "cannot be found")
        }
    }
}
