import Foundation
import Testing

/// `carrel sync`: two folders brought in step, and kept so.
@Suite struct CommandSyncTests {
    private func use(_ body: (inout CommandRunner) async throws -> Void) async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("a")
            try runner.makeFolder("b")
            try await body(&runner)
        }
    }

    /// Ten files in `a`, and in `b` by a first run.
    private func useTen(_ body: (inout CommandRunner) async throws -> Void) async throws {
        try await use { runner in
            for index in 0..<10 { try runner.write("a/f\(index)", "file \(index)") }
            let first = try await runner.run("sync", "a", "b")
            #expect(first.code == 0, "\(first.error)")
            let lines = first.text.split(separator: "\n").map(String.init)
            #expect(
                Set(lines.dropLast()) == Set((0..<10).map { "created b/f\($0)" }) && lines.last == "10 created; 60 B")
            try await body(&runner)
        }
    }

    private func remove(_ name: String, _ runner: CommandRunner) throws {
        try FileManager.default.removeItem(atPath: runner.path(name))
    }

    private func link(_ name: String, to target: String, _ runner: CommandRunner) throws {
        try FileManager.default.createSymbolicLink(atPath: runner.path(name), withDestinationPath: target)
    }

    // MARK: A mirror

    @Test
    func `a folder is found through a symbolic link, also where it is empty, and also where it lies in the other one`()
        async throws
    {
        try await use { runner in
            try runner.write("a/x", "1")
            try link("to b", to: "b", runner)
            #expect(try await runner.run("sync", "a", "to b").text == "created to b/x\n1 created; 1 B\n")
            // However it is reached, the pair has one state.
            #expect(try await runner.run("sync", "a", "b").text.isEmpty)
            #expect(try runner.names(".local/state/carrel/sync").filter { $0.hasSuffix(".db") }.count == 1)
            try link("nowhere", to: "missing", runner)
            expectFailure(try await runner.run("sync", "nowhere", "b"), 3, "symbolic link to a missing item")
            expectFailure(try await runner.run("sync", "a", "nowhere"), 3, "symbolic link to a missing item")
            try link("to x", to: "a/x", runner)
            expectFailure(try await runner.run("sync", "to x", "b"), 2, "is a file")
            try runner.makeFolder("a/sub")
            try link("to a", to: "a", runner)
            expectFailure(try await runner.run("sync", "a", "to a/sub"), 2, "neither may be, or be inside, the other")
            expectFailure(try await runner.run("sync", "to a", "a"), 2, "neither may be, or be inside, the other")
        }
    }

    @Test func `a second run does nothing, a third what changed, and a folder that is missing is made`() async throws {
        try await use { runner in
            try runner.makeFolder("a/d")
            try runner.write("a/d/x", "hello")
            let first = try await runner.run("sync", "--json", "a", "new/c")
            #expect(first.code == 0, "\(first.error)")
            let keys = "bytes conflicts created failed failures moved postponed removed skipped unheld updated"
            #expect(first.object.keys.sorted().joined(separator: " ") == keys)
            #expect(first.object["created"] as? Int == 2 && first.object["bytes"] as? Int == 5)
            #expect(try runner.read("new/c/d/x") == "hello")
            let second = try await runner.run("sync", "a", "new/c")
            #expect(second.code == 0 && second.text.isEmpty && second.error.isEmpty)
            try runner.write("a/d/x", "hello, world")
            #expect(try await runner.run("sync", "a", "new/c").text == "updated new/c/d/x\n1 updated; 12 B\n")
            try runner.write("a/d/x", "silent")
            #expect(try await runner.run("sync", "--quiet", "a", "new/c").text.isEmpty)
            #expect(try runner.read("new/c/d/x") == "silent")
            // Without --state it lies in the home folder.
            let states = try runner.names(".local/state/carrel/sync").filter { $0.hasSuffix(".db") }
            #expect(states.count == 1)
        }
    }

    @Test func `removals go along with --delete only, a plan changes nothing, and too many stop the run`() async throws
    {
        try await useTen { runner in
            for index in 0..<6 { try remove("a/f\(index)", runner) }
            #expect(try await runner.run("sync", "a", "b").text.isEmpty)
            let stopped = try await runner.run("sync", "--delete", "a", "b")
            expectFailure(stopped, 1, "carrel: sync: This run would remove 6 of 10 items")
            #expect(stopped.error.contains("--max-delete 6 allows them"))
            let fewer = try await runner.run("sync", "--delete", "--max-delete", "5", "--json", "a", "b")
            #expect(fewer.code == 1 && (fewer.failure["message"] as? String)?.contains("would remove") == true)

            let plan = ["sync", "--delete", "--max-delete", "60%", "--dry-run"]
            let text = try await runner.run(plan + ["a", "b"])
            let lines = text.text.split(separator: "\n").map(String.init)
            #expect(
                text.code == 0 && Set(lines.dropLast()) == Set((0..<6).map { "would be removed b/f\($0)" }),
                "\(text.error)")
            #expect(lines.last == "would be: 6 removed; 0 B")
            let json = try await runner.run(plan + ["--json", "a", "b"]).object
            let actions = json["actions"] as? [[String: Any]] ?? []
            #expect(json["dryRun"] as? Bool == true && json["removed"] as? Int == 6 && actions.count == 6)
            let action = ["action": "remove", "side": "destination", "path": "f0", "type": "file"]
            #expect(actions.contains { $0 as? [String: String] == action })
            #expect(try runner.names("b").count == 10)

            let done = try await runner.run("sync", "--delete", "--max-delete", "6", "--json", "a", "b").object
            #expect(done["removed"] as? Int == 6 && done["dryRun"] == nil && done["actions"] == nil)
            #expect(try runner.names("b") == ["f6", "f7", "f8", "f9"])
            #expect(try await runner.run("sync", "--dry-run", "--json", "a", "b").object["actions"] as? [String] == [])
        }
    }

    @Test func `a source that is suddenly empty changes nothing`() async throws {
        try await useTen { runner in
            for index in 0..<10 { try remove("a/f\(index)", runner) }
            let stopped = try await runner.run("sync", "--delete", "a", "b")
            expectFailure(stopped, 1, "has none of the 10 items")
            #expect(stopped.error.contains("--max-delete 100% allows it; the state is “/"))
            #expect(try runner.names("b").count == 10)
        }
    }

    @Test func `what is removed is kept in the trash when that is asked for`() async throws {
        try await useTen { runner in
            try remove("a/f0", runner)
            #expect(try await runner.run("sync", "--delete", "--trash", "--trash-days", "1", "a", "b").code == 0)
            let day = try #require(try runner.names("b/.carrel-trash").first)
            #expect(try runner.read("b/.carrel-trash/\(day)/f0") == "file 0")
        }
    }

    @Test func `filters say what takes part`() async throws {
        try await use { runner in
            for name in ["keep.tmp", "x.tmp", "book"] { try runner.write("a/\(name)", name) }
            #expect(try await runner.run("sync", "--filter", "+ keep.tmp", "--filter", "- *.tmp", "a", "b").code == 0)
            #expect(try runner.names("b") == ["book", "keep.tmp"])
        }
    }

    @Test func `a home is kept in step without the states of this machine's pairs`() async throws {
        try await use { runner in
            runner.environment["HOME"] = runner.path("a")
            try runner.makeFolder("a/.local/state/carrel/sync")
            try runner.write("a/.local/state/carrel/sync/other.db", "of another pair")
            try runner.write("a/notes", "notes")
            for options in [[], ["--state", runner.path("elsewhere.db")]] {
                let outcome = try await runner.run(["sync"] + options + ["a", "b"])
                #expect(outcome.code == 0, "\(outcome.error)")
                #expect(try runner.read("b/notes") == "notes")
                #expect(!FileManager.default.fileExists(atPath: runner.path("b/.local/state/carrel/sync/other.db")))
            }
        }
    }

    @Test func `links are left out, or copied`() async throws {
        try await use { runner in
            try FileManager.default.createSymbolicLink(atPath: runner.path("a/link"), withDestinationPath: "nowhere")
            let skipped = try await runner.run("sync", "a", "b")
            #expect(skipped.code == 0 && skipped.text.hasPrefix("skipped a/link: ") && skipped.error.isEmpty)
            let item = (try await runner.run("sync", "--json", "a", "b").object["skipped"] as? [[String: String]])?
                .first
            #expect(item?["side"] == "source" && item?["path"] == "link" && item?["reason"]?.isEmpty == false)
            #expect(try await runner.run("sync", "--links", "copy", "a", "b").code == 0)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: runner.path("b/link")) == "nowhere")
        }
    }

    @Test func `names that are not UTF-8 are told in bytes, too`() async throws {
        try await use { runner in
            let outcome = try await runner.shell(
                #"mkdir "a/$(printf 'd\377')"; echo 1 > "a/$(printf 'd\377/x')"; $CARREL sync --dry-run --json a b"#)
            let actions = outcome.object["actions"] as? [[String: Any]] ?? []
            let bytes = actions.compactMap { ($0["pathBytes"] as? String).flatMap { Data(base64Encoded: $0) } }
            #expect(Set(bytes) == [Data([0x64, 0xFF]), Data([0x64, 0xFF, 0x2F, 0x78])], "\(outcome.error)")
            #expect(actions.count == 2)
        }
    }

    // MARK: Two ways

    @Test func `changes go both ways, and where both changed one file both versions are on both sides`() async throws {
        try await use { runner in
            try runner.write("a/both", "base")
            try runner.write("a/here", "1")
            try runner.write("b/there", "2")
            #expect(try await runner.run("sync", "--two-way", "a", "b").code == 0)
            #expect(try runner.names("a") == ["both", "here", "there"])
            try runner.write("a/both", "source")
            try runner.write("b/both", "destination")
            try remove("b/here", runner)
            let merged = try await runner.run("sync", "--two-way", "--json", "a", "b")
            #expect(
                merged.code == 0 && merged.object["conflicts"] as? Int == 1 && merged.object["removed"] as? Int == 1,
                "\(merged.error)")
            let names = try runner.names("a")
            let copy = try #require(names.first { $0.hasPrefix("both (conflict ") })
            #expect(try names == runner.names("b") && names.count == 3)
            for side in ["a", "b"] {
                #expect(try runner.read("\(side)/both") == "source" && runner.read("\(side)/\(copy)") == "destination")
            }
            #expect(try await runner.run("sync", "--two-way", "a", "b").text.isEmpty)
        }
    }

    // MARK: Failures

    @Test func `what cannot be meant is wrong usage`() async throws {
        try await use { runner in
            try runner.write("file", "x")
            expectFailure(try await runner.run("sync", "a", "a"), 2)
            try runner.makeFolder("a/in")
            expectFailure(try await runner.run("sync", "a", "a/in"), 2, "neither may be, or be inside, the other")
            expectFailure(try await runner.run("sync", "file", "b"), 2, "is a file")
            expectFailure(try await runner.run("sync", "a", "file"), 2, "is a file")
            expectFailure(try await runner.run("sync", "--filter", "*.tmp", "a", "b"), 2, "*.tmp")
            expectFailure(try await runner.run("sync", "--filter", "- [ab", "a", "b"), 2, "“[” without its “]”")
            expectFailure(try await runner.run("sync", "--max-delete", "some", "a", "b"), 2, "some")
            expectFailure(try await runner.run("sync", "--timetable", "25:00,1M", "a", "b"), 2, "25:00,1M")
            expectFailure(try await runner.run("sync", "--watch", "--dry-run", "a", "b"), 2, "--dry-run")
            expectFailure(try await runner.run("sync", "--poll", "a", "b"), 2, "--watch")
            expectFailure(try await runner.run("sync", "--trash-days", "0", "a", "b"), 2, "--trash-days")
            expectFailure(try await runner.run("sync", "--links", "follow", "a", "b"), 2, "skip, copy or all")
            expectFailure(try await runner.run("sync", "--state", "", "a", "b"), 2, "--state")
        }
    }

    @Test func `a source that is missing, a server that is away, and the state of another pair`() async throws {
        try await use { runner in
            try runner.makeFolder("c")
            expectFailure(try await runner.run("sync", "missing", "b"), 3, "carrel: sync missing: ")
            expectFailure(
                try await runner.run("sync", "--retries", "0", "a", "dav://127.0.0.1:1/x"), 6, "dav://127.0.0.1:1/x")
            #expect(try await runner.run("sync", "--state", "s.db", "a", "b").code == 0)
            expectFailure(try await runner.run("sync", "--state", "s.db", "a", "c"), 1, "s.db")
            try runner.write("text", "no state at all, but long enough to be taken for one by nobody")
            let damaged = try await runner.run("sync", "--state", "text", "a", "b")
            #expect(damaged.code == 8, "\(damaged.error)")
            // SQLite would take it for an empty database.
            try runner.write("byte", "x")
            expectFailure(try await runner.run("sync", "--state", "byte", "a", "b"), 8, "“byte” is damaged")
            #expect(try runner.read("byte") == "x")
            let location = runner.path("text/in/s.db")
            expectFailure(
                try await runner.run("sync", "--state", location, "a", "b"), 1,
                "The folder of the state “\(location)” cannot be created")
            expectFailure(
                try await runner.run("sync", "--state", runner.path("c"), "a", "b"), 1,
                "The state “\(runner.path("c"))” cannot")
        }
    }

    @Test func `an interrupted run leaves whole files, and the next one completes it`() async throws {
        try await use { runner in
            let count = 40
            let data = Data(repeating: 7, count: 512 << 10)
            for index in 0..<count { try runner.write("a/f\(index)", data) }
            let folder = runner.folder.appending(path: "b")
            let hasBegun: @Sendable () -> Bool = {
                let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
                return names.contains { $0.hasPrefix("f") }
            }
            let cut = try await runner.run(
                "sync", "--bwlimit", "1M", "--transfers", "1", "a", "b", interruptWhen: hasBegun)
            expectFailure(cut, 130, "Interrupted")
            let kept = try runner.names("b")
            #expect(!kept.isEmpty && kept.count < count && kept.allSatisfy { $0.hasPrefix("f") })
            let rest = try await runner.run("sync", "--json", "a", "b")
            #expect(rest.code == 0 && rest.object["created"] as? Int == count - kept.count, "\(rest.error)")
            for index in 0..<count {
                #expect(
                    FileManager.default.contentsEqual(
                        atPath: runner.path("a/f\(index)"), andPath: runner.path("b/f\(index)")))
            }
        }
    }

    // MARK: Watching

    @Test func `with --watch what stays left out is said once`() async throws {
        try await use { runner in
            let outcome = try await runner.shell(
                """
                ln -s nowhere a/link; echo 0 > a/start
                $CARREL sync --two-way --watch --poll a b >out 2>err & sync=$!
                until grep -q '^1 created' out; do sleep 0.05; done
                echo 1 > a/one
                until grep -q '^created b/one$' out; do sleep 0.05; done
                echo 2 > b/two
                until grep -q '^created a/two$' out; do sleep 0.05; done
                kill -TERM $sync; wait $sync
                """)
            let log = try runner.read("err")
            #expect(outcome.code == 130, "\(log)")
            #expect(try runner.read("out").split(separator: "\n").count { $0.hasPrefix("skipped ") } == 1)
        }
    }

    @Test func `with --watch nobody goes on who is not listened to`() async throws {
        try await use { runner in
            try runner.write("a/x", "1")
            let outcome = try await runner.shell("$CARREL sync --watch a b --json >/dev/full 2>err")
            #expect(outcome.code == 1)
            #expect(try !runner.read("err").isEmpty)
            let pipe = try await runner.shell(
                "set -o pipefail; $CARREL sync --watch --poll a b --json 2>err | head -n 0")
            let log = try runner.read("err")
            #expect(pipe.code == 141, "\(log)")
        }
    }

    @Test func `with --watch a server whose name is not known yet is waited for`() async throws {
        try await use { runner in
            let outcome = try await runner.shell(
                """
                $CARREL sync --watch --retries 0 a dav://nas.invalid/x >out 2>err & sync=$!
                until [ -s err ]; do sleep 0.05; done
                kill -TERM $sync; wait $sync
                """)
            let log = try runner.read("err")
            #expect(outcome.code == 130, "\(log)")
        }
    }

    @Test func `with --watch changes of both sides are followed until a signal`() async throws {
        try await use { runner in
            let outcome = try await runner.shell(CommandServer.watching("b", "echo 2 > b/two"))
            let log = try runner.read("err")
            #expect(outcome.code == 130, "\(log)")
            #expect(try runner.read("b/one") == "1\n" && runner.read("a/two") == "2\n")
            #expect(try runner.read("out").hasPrefix("created b/start\n1 created; 2 B\n"))
        }
    }
}
