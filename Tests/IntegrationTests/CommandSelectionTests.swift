import Foundation
import Testing

/// `cp` and `rm` of a part of a folder: patterns, lists, dry runs.
@Suite struct CommandSelectionTests {
    /// A folder `src` with a few files, and one that is empty.
    private func fill(_ runner: CommandRunner) throws {
        for folder in ["src/a/deep", "src/b", "src/empty", "src/x.epub"] { try runner.makeFolder(folder) }
        for file in ["1.epub", "2.txt", "a/3.epub", "a/4.txt", "a/deep/5.txt", "b/6.txt", "x.epub/7.txt", ".hidden"] {
            try runner.write("src/" + file, file)
        }
    }

    /// All files and folders below `folder`, folders with a slash at the end.
    private func tree(_ folder: String, _ runner: CommandRunner) throws -> [String] {
        let all = try FileManager.default.subpathsOfDirectory(atPath: runner.path(folder))
        return all.map { name in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: runner.path(folder + "/" + name), isDirectory: &isFolder)
            return name + (isFolder.boolValue ? "/" : "")
        }.sorted()
    }

    @Test func `only what is included is copied, and no folder that stays empty`() async throws {
        try await CommandRunner.use { runner in
            try fill(runner)
            let outcome = try await runner.run("cp", "-r", "--include", "*.epub", "--json", "src", "dst")
            #expect(outcome.code == 0 && outcome.object["copied"] as? Int == 3, "\(outcome.error)")
            #expect(try tree("dst", runner) == ["1.epub", "a/", "a/3.epub", "x.epub/", "x.epub/7.txt"])
            #expect(try await runner.run("cp", "-r", "--include", "/a/deep/", "src", "deep").code == 0)
            #expect(try tree("deep", runner) == ["a/", "a/deep/", "a/deep/5.txt"])
            #expect(
                try await runner.run(
                    "cp", "-r", "--include", "*.txt", "--exclude", "a/", "--exclude", "2*", "src", "txt"
                ).code == 0)
            #expect(try tree("txt", runner) == ["b/", "b/6.txt", "x.epub/", "x.epub/7.txt"])
            #expect(
                try await runner.run("cp", "-r", "--exclude", "*.epub", "--exclude", "/a/**/5*", "src", "rest").code
                    == 0)
            #expect(
                try tree("rest", runner) == [".hidden", "2.txt", "a/", "a/4.txt", "a/deep/", "b/", "b/6.txt", "empty/"])
        }
    }

    @Test func `a list says what is copied, and what is missing is named`() async throws {
        try await CommandRunner.use { runner in
            try fill(runner)
            try runner.write("list", "a/deep\n./1.epub\n\n/b/6.txt")
            #expect(try await runner.run("cp", "-r", "--files-from", "list", "src", "dst").code == 0)
            #expect(try tree("dst", runner) == ["1.epub", "a/", "a/deep/", "a/deep/5.txt", "b/", "b/6.txt"])
            let input = Data("b\na/none.txt\nnone/7\n".utf8)
            let some = try await runner.run("cp", "-r", "--json", "--files-from", "-", "src", "some", input: input)
            #expect(some.code == 7 && some.errorLines.count == 2, "\(some.error)")
            let failed = some.object["failed"] as? [[String: Any]]
            #expect(
                failed?.map { $0["path"] as? String } == [runner.path("src/a/none.txt"), runner.path("src/none/7")])
            #expect(try tree("some", runner) == ["b/", "b/6.txt"])
            try runner.write("all", ".\n")
            #expect(
                try await runner.run("cp", "-r", "--files-from", "all", "--exclude", "?*", "src", "nothing").code == 0)
            #expect(try tree("nothing", runner) == [])
        }
    }

    @Test(arguments: ["../x", "a/../../x", "a//b", "a\n.."])
    func `a list names nothing outside of the folder`(_ list: String) async throws {
        try await CommandRunner.use { runner in
            try fill(runner)
            try runner.write("list", list)
            let line = list.contains("\n") ? "Line 2 of “list”" : "Line 1 of “list”"
            for verb in [
                ["cp", "-r", "--files-from", "list", "src", "dst"], ["rm", "-r", "--files-from", "list", "src"],
            ] {
                expectFailure(try await runner.run(verb), 2, line)
            }
            #expect(try tree("src", runner).count == 13)
        }
    }

    @Test(arguments: [
        (["cp", "--include", "*", "src", "dst"], "add -r"), (["cp", "-r", "--exclude", "[a", "src", "dst"], "its “]”"),
        (["cp", "-r", "--files-from", "missing", "src", "dst"], "missing"),
        (["rm", "-r", "--files-from", "list", "src", "b"], "one folder"),
        (["cp", "--dry-run", "-", "dst"], "--dry-run"),
    ])
    func `what makes no sense together is wrong usage`(_ arguments: [String], _ part: String) async throws {
        try await CommandRunner.use { runner in
            try runner.write("list", "a")
            expectFailure(try await runner.run(arguments), 2, part)
        }
    }

    @Test func `a dry run names what a copy would do, and does nothing`() async throws {
        try await CommandRunner.use { runner in
            try fill(runner)
            try runner.makeFolder("dst/src/a")
            try runner.write("dst/src/a/3.epub", "there")
            let text = try await runner.run("cp", "-r", "--dry-run", "--include", "*.epub", "src", "dst")
            expectFailure(text, 7, "carrel: cp src/a/3.epub: ")
            #expect(text.text == "would be copied src/1.epub\nwould be copied src/x.epub/7.txt\n")
            let json = try await runner.run(
                "cp", "-r", "--dry-run", "--overwrite", "--json", "--include", "*.epub", "src", "dst")
            #expect(json.code == 0 && json.object["dryRun"] as? Bool == true && json.object["copied"] as? Int == 3)
            #expect(json.object["bytes"] as? Int == "1.epub".count + "a/3.epub".count + "x.epub/7.txt".count)
            let files = json.object["files"] as? [[String: Any]]
            let targets = files?.compactMap { $0["target"] as? String } ?? []
            #expect(targets.contains(runner.path("dst/src/a/3.epub")))
            #expect(try tree("dst", runner) == ["src/", "src/a/", "src/a/3.epub"])
            #expect(try await runner.run("cp", "--dry-run", "src/2.txt", "dst").text == "would be copied src/2.txt\n")
            try runner.write("dst/2.txt", "there")
            expectFailure(try await runner.run("cp", "--dry-run", "src/2.txt", "dst"), 5)
            expectFailure(try await runner.run("cp", "--dry-run", "src", "dst"), 1, "use -r")
            // What is named is what is done.
            #expect(try await runner.run("cp", "-r", "--overwrite", "--include", "*.epub", "src", "dst").code == 0)
            #expect(
                try tree("dst", runner) == [
                    "2.txt", "src/", "src/1.epub", "src/a/", "src/a/3.epub", "src/x.epub/", "src/x.epub/7.txt",
                ])
        }
    }

    @Test func `what a pattern takes is removed, and folders of which nothing stays`() async throws {
        try await CommandRunner.use { runner in
            try fill(runner)
            #expect(try await runner.run("rm", "-r", "--include", "*.epub", "src").code == 0)
            let left = [".hidden", "2.txt", "a/", "a/4.txt", "a/deep/", "a/deep/5.txt", "b/", "b/6.txt", "empty/"]
            #expect(try tree("src", runner) == left)
            let dry = try await runner.run("rm", "-r", "--exclude", "4*", "--dry-run", "src")
            #expect(dry.code == 0 && !dry.text.contains("4.txt"))
            #expect(Set(dry.text.split(separator: "\n")).count == 7, "\(dry.text)")
            #expect(try tree("src", runner) == left)
            let json = try await runner.run("rm", "-r", "--exclude", "4*", "--dry-run", "--json", "src").object
            #expect((json["removed"] as? [String])?.count == 7 && json["dryRun"] as? Bool == true)
            #expect(try await runner.run("rm", "-r", "--exclude", "4*", "src").code == 0)
            #expect(try tree("src", runner) == ["a/", "a/4.txt"])
            try runner.write("list", "a/4.txt\nnone")
            expectFailure(try await runner.run("rm", "-r", "--files-from", "list", "src"), 7, "carrel: rm src/none: ")
            #expect(try tree("src", runner) == ["a/"])
            #expect(try await runner.run("rm", "-r", "--exclude", "none", "src").code == 0)
            #expect(try runner.names() == ["list"])
        }
    }

    @Test func `a dry run of a removal keeps everything`() async throws {
        try await CommandRunner.use { runner in
            try fill(runner)
            try runner.write("file", "x")
            let all = try await runner.run("rm", "-r", "--dry-run", "src", "file")
            #expect(all.code == 0 && all.text.hasSuffix("would be removed src\nwould be removed file\n"), "\(all.text)")
            #expect(all.text.split(separator: "\n").count == 15)
            #expect(try await runner.run("rm", "--dry-run", "file").text == "would be removed file\n")
            expectFailure(try await runner.run("rm", "--dry-run", "src"), 1, "use -r")
            expectFailure(try await runner.run("rm", "--dry-run", "missing"), 3)
            #expect(try tree("src", runner).count == 13 && runner.read("file") == "x")
        }
    }

    @Test func `a pattern stands for names where no shell expands it`() async throws {
        try await CommandRunner.use { runner in
            try fill(runner)
            let url = "file://\(runner.path("src"))"
            try runner.write("config.json", #"{"connections": {"books": {"url": "\#(url)"}}}"#)
            runner.environment["CARREL_CONFIG"] = runner.path("config.json")
            try runner.makeFolder("dst")
            #expect(try await runner.run("cp", "books:*.txt", "dst").code == 0)
            #expect(try await runner.run("cp", "books:a/[0-3]*", "books:b/?.txt", "dst").code == 0)
            #expect(try tree("dst", runner) == ["2.txt", "3.epub", "6.txt"])
            expectFailure(
                try await runner.run("cp", "books:a/*.txt", "books:*.none", "dst"), 3,
                "carrel: cp books:*.none: Nothing in “")
            // A file that is called so is meant first, and what begins with a dot is hidden.
            try runner.write("src/*", "star")
            try runner.makeFolder("star")
            #expect(try await runner.run("cp", "books:*", "star").code == 0)
            #expect(try tree("star", runner) == ["*"])
            let sums =
                try await runner.run("checksum", "--json", "books:*.txt", "books:a/*.txt").json as? [[String: Any]]
            #expect(sums?.map { $0["location"] as? String } == ["books:/2.txt", "books:a/4.txt"])
            #expect(try await runner.run("rm", "books:[1-2]*").code == 0)
            #expect(try tree("src", runner).filter { !$0.contains("/") } == ["*", ".hidden"])
            expectFailure(try await runner.run("rm", "src/*.none"), 3)
        }
    }
}
