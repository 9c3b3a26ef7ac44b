import FaultServer
import Foundation
import Testing

/// `check` and `checksum` on this machine.
@Suite struct CommandCheckTests {
    private func date(_ name: String, _ seconds: TimeInterval, of runner: CommandRunner) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: runner.path(name))
    }

    @Test func `folders that are the same are the same, whenever they were copied`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("a/d")
            for file in ["a/1", "a/d/2"] {
                try runner.write(file, "content of \(file)")
                try date(file, 1000, of: runner)
            }
            try FileManager.default.createSymbolicLink(atPath: runner.path("a/link"), withDestinationPath: "1")
            #expect(try await runner.run("cp", "-r", "a", "b").code == 0)
            for arguments in [["a", "b"], ["--checksum", "a", "b"], ["a", "a"]] {
                let outcome = try await runner.run(["check"] + arguments)
                #expect(outcome.code == 0 && outcome.text == "", "\(outcome.text) \(outcome.error)")
            }
            let json = try await runner.run("check", "--json", "a", "b")
            #expect(json.text == #"{"different":[],"failed":[],"onlyA":[],"onlyB":[],"same":3}"# + "\n")
        }
    }

    @Test func `each difference is a line, and the exit code is 1`() async throws {
        try await CommandRunner.use { runner in
            for folder in ["a/d", "a/only", "b/d", "b/kind"] { try runner.makeFolder(folder) }
            try runner.write("a/only/x", "x")
            for (name, one, other) in [("same", "x", "x"), ("size", "x", "xx"), ("d/content", "12345", "12354")] {
                try runner.write("a/" + name, one)
                try runner.write("b/" + name, other)
            }
            try date("a/d/content", 1000, of: runner)
            try runner.write("a/kind", "x")
            try runner.write("b/d/more", "x")
            for (folder, target) in [("a", "1"), ("b", "2")] {
                try FileManager.default.createSymbolicLink(
                    atPath: runner.path(folder + "/link"), withDestinationPath: target)
            }
            let text = try await runner.run("check", "a", "b")
            #expect(text.code == 1 && text.error == "")
            #expect(
                text.text == """
                    different\td/content\tcontent
                    different\tkind\ttype
                    different\tlink\tlink target
                    different\tsize\tsize
                    only in A\tonly
                    only in B\td/more

                    """)
            let json = try await runner.run("check", "--json", "a", "b")
            #expect(json.code == 1 && json.object["different"] as? [String] == ["d/content", "kind", "link", "size"])
            #expect(json.object["onlyA"] as? [String] == ["only"] && json.object["onlyB"] as? [String] == ["d/more"])
            #expect(json.object["same"] as? Int == 1)
        }
    }

    @Test func `only a comparison of the content finds a change that kept size and time`() async throws {
        try await CommandRunner.use { runner in
            for (folder, text) in [("a", "one"), ("b", "two")] {
                try runner.makeFolder(folder)
                try runner.write(folder + "/x", text)
                try date(folder + "/x", 1000, of: runner)
            }
            #expect(try await runner.run("check", "a", "b").code == 0)
            #expect(try await runner.run("check", "--checksum", "a", "b").text == "different\tx\tcontent\n")
            #expect(try await runner.run("check", "--checksum", "a/x", "b/x").text == "different\t.\tcontent\n")
            expectFailure(try await runner.run("check", "a", "missing"), 3, "carrel: check missing: ")
        }
    }

    @Test(.enabled(if: geteuid() != 0, "the superuser may read everything"))
    func `what cannot be compared is named, and the exit code is 7`() async throws {
        try await CommandRunner.use { runner in
            for folder in ["a/d", "b/d"] { try runner.makeFolder(folder) }
            for file in ["a/x", "b/x", "a/y", "b/z"] { try runner.write(file, "text") }
            chmod(runner.path("b/x"), 0)
            chmod(runner.path("a/d"), 0)
            defer { chmod(runner.path("a/d"), 0o700) }
            let outcome = try await runner.run("check", "--checksum", "--json", "a", "b")
            #expect(outcome.code == 7 && outcome.errorLines.count == 2, "\(outcome.error)")
            let failed = outcome.object["failed"] as? [[String: Any]]
            let paths = failed?.compactMap { $0["path"] as? String } ?? []
            #expect(paths.sorted() == ["d", "x"])
            #expect(outcome.object["onlyA"] as? [String] == ["y"])
        }
    }

    @Test func `files have the hashes that other programs give them`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("a", "abc")
            try runner.write("empty", "")
            let md5 = try await runner.run("checksum", "--kind", "MD5", "--json", "a").object
            #expect(md5["value"] as? String == "900150983cd24fb0d6963f7d28e17f72" && md5["kind"] as? String == "md5")
            #expect(md5["by"] as? String == "client" && md5["location"] as? String == "a")
            let sha = try await runner.run("checksum", "a", "empty").text
            #expect(
                sha == """
                    ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\ta\tsha256 by client
                    e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\tempty\tsha256 by client

                    """)
            let some = try await runner.run("checksum", "--json", "--kind", "sha1", "a", "missing", ".")
            #expect(some.code == 7 && some.errorLines.count == 2)
            let values = (some.json as? [[String: Any]])?.map { $0["value"] as? String }
            #expect(values == ["a9993e364706816aba3e25717850c26c9cd0d89d"])
            expectFailure(try await runner.run("checksum", "--kind", "crc9", "a"), 1, "“crc9”")
            expectFailure(try await runner.run("checksum", "."), 1, "is a folder")
        }
    }

    @Test func `a hash that the server has is not computed here`() async throws {
        var settings = FTPDouble.Settings()
        settings.features.append("HASH SHA-1*")
        // Not that of the bytes: it shows who says it.
        settings.hashes = ["SHA-1": { _ in String(repeating: "0123456789", count: 4) }]
        let double = try FTPDouble(settings, files: ["/a": Data("abc".utf8)])
        defer { double.stop() }
        let file = double.url().absoluteString + "a"
        try await CommandRunner.use { runner in
            let there = try await runner.run("checksum", "--kind", "sha1", "--json", file)
            #expect(there.object["by"] as? String == "server", "\(there.error)")
            #expect(there.object["value"] as? String == String(repeating: "0123456789", count: 4))
            #expect(!double.commands.contains { $0.verb == "RETR" })
            let here = try await runner.run("checksum", "--kind", "md5", "--json", file)
            #expect(here.object["by"] as? String == "client", "\(here.error)")
            #expect(here.object["value"] as? String == "900150983cd24fb0d6963f7d28e17f72")
        }
    }
}
