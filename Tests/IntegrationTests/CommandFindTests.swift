import Foundation
import Testing

/// `carrel find` on this machine: what it finds, how it says so, and what it does with folders that cannot be listed.
@Suite struct CommandFindTests {
    private func fill(_ runner: CommandRunner) throws {
        try runner.makeFolder("shelf/novels")
        try runner.makeFolder("shelf/.old")
        try runner.write("shelf/a.epub", Data(count: 3000))
        try runner.write("shelf/novels/B.EPUB", Data(count: 10))
        try runner.write("shelf/novels/c.epub", Data(count: 2048))
        try runner.write("shelf/.old/d.txt", "x")
        let past = [FileAttributeKey.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)]
        try FileManager.default.setAttributes(past, ofItemAtPath: runner.path("shelf/a.epub"))
    }

    @Test(arguments: [
        ([], [".old", ".old/d.txt", "a.epub", "novels", "novels/B.EPUB", "novels/c.epub"]),
        (["--name", "*.epub"], ["a.epub", "novels/c.epub"]),
        (["--name", "[!a-z]*"], [".old", "novels/B.EPUB"]), (["--type", "d"], [".old", "novels"]),
        (["--type", "f", "--name", "?.*"], ["a.epub", "novels/B.EPUB", "novels/c.epub"].sorted() + [".old/d.txt"]),
        (["--larger", "2K"], ["a.epub"]), (["--larger", "2047"], ["a.epub", "novels/c.epub"]),
        (["--larger", "0.5k"], ["a.epub", "novels/c.epub"]), (["--larger", "10G"], []),
        (["--newer", "2001-09-09", "--name", "a*"], ["a.epub"]),
        (["--newer", "2001-09-09T01:46:40Z", "--name", "a*"], []),
        (["--newer", "2001-09-09T03:46:39+02:00", "--name", "a*"], ["a.epub"]),
        (["--query", "name LIKE[c] '*.epub' AND NOT fileSize > 2048"], ["novels/B.EPUB", "novels/c.epub"]),
        (["--query", "isHidden == TRUE", "--type", "d"], [".old"]),
    ])
    func `what fits all conditions is found`(_ options: [String], _ expected: [String]) async throws {
        try await CommandRunner.use { runner in
            try fill(runner)
            let outcome = try await runner.run(["find"] + options + ["shelf"])
            #expect(outcome.code == 0 && outcome.error.isEmpty, "\(outcome.error)")
            #expect(outcome.text.split(separator: "\n").map(String.init).sorted() == expected.sorted())
        }
    }

    @Test func `with --json each line is an object as of ls`() async throws {
        try await CommandRunner.use { runner in
            try fill(runner)
            let outcome = try await runner.run("find", "--json", "--name", "c.*", "shelf")
            #expect(outcome.text.split(separator: "\n").count == 1)
            let stat = try await runner.run("stat", "--json", "shelf/novels/c.epub")
            #expect(outcome.output == stat.output && outcome.object["size"] as? Int == 2048)
        }
    }

    @Test func `a file is asked about itself, and what is not there is not found`() async throws {
        try await CommandRunner.use { runner in
            try fill(runner)
            #expect(try await runner.run("find", "--larger", "1K", "shelf/a.epub").text == "a.epub\n")
            #expect(try await runner.run("find", "--type", "d", "shelf/a.epub").text == "")
            expectFailure(try await runner.run("find", "missing"), 3, "carrel: find missing: ")
        }
    }

    @Test(arguments: [
        (["--type", "x"], "--type"), (["--larger", "big"], "--larger"), (["--larger=-1"], "--larger"),
        (["--larger", "nan"], "--larger"),
        (["--newer", "yesterday"], "--newer"),
        (["--newer", "2026-02-30"], "--newer"), (["--query", "nmae == 'a'"], "character 1: “nmae” is not a key"),
    ])
    func `a condition that cannot be read is wrong usage`(_ options: [String], _ part: String) async throws {
        try await CommandRunner.use { runner in expectFailure(try await runner.run(["find"] + options + ["."]), 2, part)
        }
    }

    @Test(.enabled(if: geteuid() != 0, "the superuser may read everything"))
    func `a folder that may not be listed is named, the rest is found, and the exit code is 7`() async throws {
        try await CommandRunner.use { runner in
            try fill(runner)
            chmod(runner.path("shelf/novels"), 0)
            defer { chmod(runner.path("shelf/novels"), 0o700) }
            let outcome = try await runner.run("find", "--type", "f", "shelf")
            #expect(outcome.text.split(separator: "\n").sorted() == [".old/d.txt", "a.epub"])
            expectFailure(outcome, 7, "carrel: find shelf/novels: ")
        }
    }

    @Test func `folders deeper than are entered are named, and the exit code is 7`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("deep/" + (0..<260).map { _ in "d" }.joined(separator: "/"))
            let outcome = try await runner.run("find", "deep")
            expectFailure(outcome, 7, "more than 256 folders deep")
            #expect(outcome.text.split(separator: "\n").count == 256)
        }
    }
}
