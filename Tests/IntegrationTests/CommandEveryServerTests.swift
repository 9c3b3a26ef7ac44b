import Foundation
import SampleBooks
import Testing

/// The command line on every real server, as scripts use it.
@Suite(.serialized) struct CommandEveryServerTests {
    /// One WebDAV server, and all others in clear or over SSH.
    private static let plain: [CommandServer] =
        Array(CommandServer.webDAV.prefix(1)) + CommandServer.ftp + CommandServer.sftp

    @Test(
        .enabled(if: !CommandServer.all.isEmpty, "the servers are not up; run bash Tests/run.sh"),
        arguments: CommandServer.all)
    func `files go up, around and down again`(_ server: CommandServer) async throws {
        let name = server.oddName
        try await server.use { runner, folder in
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
            #expect(try await runner.run("cat", "--tail", "2", "\(folder)/up/e/\(name)").text == "lo")
            #expect(try await runner.run("cp", "-r", "\(folder)/up", "down").code == 0)
            #expect(try runner.read("down/e/\(name)") == "hello")
            #expect(try await runner.run("find", folder, "--name", "*.txt", "--type", "f").text.contains(name))
            #expect(try await runner.run("rm", "\(folder)/up/e/\(name)").code == 0)
            #expect(try await runner.run("ls", "-R", "\(folder)/up").text == "e\n")
            #expect(
                try await runner.run("df", "--json", folder).object.keys.sorted() == ["available", "total", "used"])
            expectFailure(try await runner.run("rm", folder), 1, "use -r")
            expectFailure(try await runner.run("mkdir", folder), 5)
            expectFailure(try await runner.run("stat", "\(folder)/missing"), 3, "carrel: stat \(folder)/missing: ")
            expectFailure(try await runner.run("ls", "\(folder)/missing"), 3)
            expectFailure(try await runner.run("cat", "\(folder)/missing"), 3)
        }
    }

    @Test(.enabled(if: !CommandServer.all.isEmpty, "the servers are not up; run bash Tests/run.sh"), arguments: plain)
    func `parts, standard input and output, and items as JSON`(_ server: CommandServer) async throws {
        try await server.use { runner, folder in
            let up = try await runner.run(["cp", "-", "\(folder)/file"], input: Data("0123456789".utf8))
            #expect(up.code == 0, "\(up.error)")
            #expect(try await runner.run("cp", "\(folder)/file", "-").text == "0123456789")
            #expect(try await runner.run("cat", "--offset", "3", "--length", "4", "\(folder)/file").text == "3456")
            #expect(try await runner.run("cat", "--tail", "2", "\(folder)/file").text == "89")
            let item = try await runner.run("stat", "--json", "\(folder)/file").object
            #expect(
                item["type"] as? String == "file" && item["size"] as? Int == 10 && item["name"] as? String == "file")
            #expect((item["modified"] as? String)?.hasSuffix("Z") == true)
            #expect(try await runner.run("ls", "-l", folder).text.contains("10"))
        }
    }

    @Test(
        .enabled(if: !CommandServer.all.isEmpty, "the servers are not up; run bash Tests/run.sh"),
        arguments: plain + CommandServer.ftpes)
    func `a book is told, shown and read where it lies`(_ server: CommandServer) async throws {
        try await server.use { runner, folder in
            try runner.write("lamp.epub", SampleBook.small(.epub3))
            #expect(try await runner.run("cp", "lamp.epub", "\(folder)/lamp").code == 0)
            let sniffed = try await runner.run("sniff", "--json", "--content", "\(folder)/lamp").object
            #expect(sniffed["mediaType"] as? String == "application/epub+zip" && sniffed["by"] as? String == "content")
            #expect(try await runner.run("book", "info", "\(folder)/lamp").text.contains("The Lamp at the Carrel"))
            let first =
                try await runner.run("book", "ls", "lamp.epub").text.split(separator: "\n").first.map(String.init) ?? ""
            let href = try #require(
                first.split(whereSeparator: \.isWhitespace).first { $0.contains(".xhtml") }.map(String.init))
            let page = try await runner.run("book", "cat", "\(folder)/lamp", href)
            #expect(page.code == 0 && page.text.contains("</html>"), "\(page.error)")
        }
    }

    @Test(arguments: ["dav", "ftp", "ftpes", "ftps", "sftp"])
    func `a scheme is listed, and what cannot be reached is exit code 6`(_ scheme: String) async throws {
        // SSH wants to know who logs in.
        let login = scheme == "sftp" ? "reader:x@" : ""
        try await CommandRunner.use { runner in
            #expect(try await runner.run("providers").text.contains(scheme))
            expectFailure(try await runner.run("ls", "--retries", "0", "\(scheme)://\(login)127.0.0.1:1/"), 6, "port 1")
            expectFailure(
                try await runner.run("ls", "--retries", "0", "\(scheme)://\(login)no-such-host.invalid/"), 6,
                "cannot be found")
        }
    }
}
