import Foundation
import Testing

/// `cp` and `mv` between places on this machine.
@Suite struct CommandCopyTests {
    @Test func `one file is copied, and an existing one kept`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("a", "new")
            let first = try await runner.run("cp", "--json", "a", "b")
            #expect(first.code == 0 && first.error.isEmpty)
            #expect(
                first.object["copied"] as? Int == 1 && first.object["bytes"] as? Int == 3
                    && first.object["skipped"] as? Int == 0)
            try runner.write("b", "old")
            expectFailure(try await runner.run("cp", "a", "b"), 5, "carrel: cp b: ")
            #expect(try runner.read("b") == "old")
            for flags in [["--overwrite"], ["--overwrite", "--in-place"], ["--overwrite", "--preserve"]] {
                try runner.write("b", "old")
                #expect(try await runner.run(["cp"] + flags + ["a", "b"]).code == 0)
                #expect(try runner.read("b") == "new")
            }
            #expect(try runner.names() == ["a", "b"])
        }
    }

    @Test func `a copy is compared by hash where that is asked for`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("a", "new")
            try runner.makeFolder("d")
            try runner.write("d/b", "inner")
            #expect(try await runner.run("cp", "--verify", "a", "b").code == 0)
            #expect(try await runner.run("cp", "--verify", "-r", "d", "e").code == 0)
            #expect(try runner.read("b") == "new" && runner.read("e/b") == "inner")
            expectFailure(try await runner.run("cp", "--verify", "a", "-"), 2, "--verify cannot be combined with")
        }
    }

    @Test func `among others an existing file is named, and the rest is copied`() async throws {
        try await CommandRunner.use { runner in
            for name in ["a", "b", "c"] { try runner.write(name, name) }
            try runner.makeFolder("d")
            try runner.write("d/b", "old")
            let outcome = try await runner.run("cp", "--json", "a", "b", "c", "missing", "d")
            #expect(outcome.code == 7)
            #expect(outcome.errorLines.count == 2 && outcome.errorLines.allSatisfy { $0.hasPrefix("carrel: cp ") })
            let failed = outcome.object["failed"] as? [[String: Any]]
            #expect(failed?.compactMap { $0["path"] as? String } == [runner.path("b"), runner.path("missing")])
            #expect(outcome.object["copied"] as? Int == 2)
            #expect(try runner.read("d/b") == "old")
            expectFailure(try await runner.run("cp", "a", "b", "no-folder"), 2)
        }
    }

    @Test func `folders are copied as POSIX has it`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("s/t")
            try runner.write("s/t/x", "1")
            expectFailure(try await runner.run("cp", "s", "n"), 1, "use -r")
            #expect(try await runner.run("cp", "-r", "s", "n").code == 0)
            #expect(try runner.read("n/t/x") == "1")
            #expect(try await runner.run("cp", "-r", "s", "n").code == 0)
            #expect(try runner.read("n/s/t/x") == "1")
            #expect(try await runner.run("cp", "-r", "s/.", "p").code == 0)
            #expect(try runner.names("p") == ["t"])
            expectFailure(try await runner.run("cp", "-r", "s", "n"), 7, "carrel: cp s/t/x: ")
            #expect(try await runner.run("cp", "-r", "--overwrite", "s", "n").code == 0)
            expectFailure(try await runner.run("cp", "-r", "s", "s/t"), 2, "into itself")
            try runner.write("f", "")
            expectFailure(try await runner.run("cp", "-r", "s", "f"), 5)
        }
    }

    @Test func `a target that ends in a slash is a folder`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("a", "x")
            expectFailure(try await runner.run("cp", "a", "d/"), 3, "There is no folder")
            expectFailure(try await runner.run("cp", "a", "d/e/f"), 3, "There is no folder “\(runner.path("d/e"))”")
            try runner.makeFolder("d")
            #expect(try await runner.run("cp", "a", "d/").code == 0)
            #expect(try runner.names("d") == ["a"])
        }
    }

    @Test(arguments: [[], ["--in-place"], ["--preserve"]])
    func `a file is not copied onto itself under any name`(_ flags: [String]) async throws {
        try await CommandRunner.use { runner in
            try runner.write("a", "precious")
            try FileManager.default.linkItem(atPath: runner.path("a"), toPath: runner.path("hard"))
            for target in ["a", "hard", "."] {
                expectFailure(try await runner.run(["cp", "--overwrite"] + flags + ["a", target]), 5, "the same file")
            }
            #expect(try runner.read("a") == "precious")
        }
    }

    @Test func `links are followed, and kept as links with -r`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("a", "x")
            try FileManager.default.createSymbolicLink(atPath: runner.path("l"), withDestinationPath: "a")
            #expect(try await runner.run("cp", "l", "b").code == 0)
            #expect(try await runner.run("cp", "-r", "l", "c").code == 0)
            try runner.makeFolder("s")
            try FileManager.default.createSymbolicLink(
                atPath: runner.path("s/dangling"), withDestinationPath: "nowhere")
            #expect(try await runner.run("cp", "-r", "s", "t").code == 0)
            #expect(try await runner.run("stat", "--json", "t/dangling").object["linkTarget"] as? String == "nowhere")
            #expect(try await runner.run("stat", "--json", "b").object["type"] as? String == "file")
            #expect(try await runner.run("stat", "--json", "c").object["linkTarget"] as? String == "a")
        }
    }

    @Test func `a dash is standard input or output`() async throws {
        try await CommandRunner.use { runner in
            let bytes = Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0 / 3) })
            #expect(try await runner.run("cp", "-", "a", input: bytes).code == 0)
            #expect(try await runner.run("cp", "a", "-").output == bytes)
            expectFailure(try await runner.run("cp", "-", "a", input: bytes), 5)
        }
    }

    @Test func `modification times are kept on request`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("s")
            try runner.write("s/a", "x")
            let date = Date(timeIntervalSince1970: 1_000_000_000)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: runner.path("s/a"))
            #expect(try await runner.run("cp", "-r", "--preserve", "s", "t").code == 0)
            #expect(
                try await runner.run("stat", "--json", "t/a").object["modified"] as? String == "2001-09-09T01:46:40Z")
        }
    }

    @Test func `moving replaces on request only and never merges`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("a", "1")
            try runner.write("b", "2")
            expectFailure(try await runner.run("mv", "a", "b"), 5, "carrel: mv b: ")
            expectFailure(try await runner.run("mv", "missing", "x"), 3, "carrel: mv missing: ")
            #expect(try await runner.run("mv", "--overwrite", "a", "b").code == 0)
            #expect(try runner.read("b") == "1")
            try runner.makeFolder("d/e")
            try runner.makeFolder("e/full")
            #expect(try await runner.run("mv", "b", "d").code == 0)
            try runner.write("d/e/kept", "")
            expectFailure(try await runner.run("mv", "--overwrite", "e", "d"), 5)
        }
    }

    @Test func `an interrupted copy leaves nothing`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("d")
            let outcome = try await runner.shell(
                """
                (exec 2> /dev/null; head -c 3000000 /dev/zero; exec sleep 30) | $CARREL cp - d/x &
                for i in {1..500}; do [ "$(ls -A d)" ] && break; sleep 0.05; done
                ls -A d | wc -l; kill -INT $!; wait $!; echo $?; ls -A d | wc -l
                """)
            #expect(outcome.text == "1\n130\n0\n")
            #expect(outcome.error == "carrel: cp d/x: Interrupted.\n")
        }
    }

    @Test func `resuming goes on with a part of the same file, and with no other`() async throws {
        try await CommandRunner.use { runner in
            let bytes = Data((0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 5) })
            try runner.write("a", bytes)
            try runner.makeFolder("d")
            #expect(try await runner.run("cp", "--resume", "a", "d").code == 0)
            #expect(try Data(contentsOf: runner.folder.appending(path: "d/a")) == bytes)
            let again = try await runner.run("cp", "--resume", "--json", "a", "d")
            #expect(again.code == 0 && again.object["skipped"] as? Int == 1 && again.object["copied"] as? Int == 0)
            try runner.write("d/a", "other")
            expectFailure(try await runner.run("cp", "--resume", "a", "d"), 5)
            #expect(try await runner.run("cp", "--resume", "-r", "d", "e").code == 0)
            #expect(try runner.read("e/a") == "other")
            #expect(try runner.names("d") == ["a"])
        }
    }
}
