import Foundation
import Testing

extension CommandServer {
    /// A line of shell that keeps `a` and `target` in step, changes `a`, then the other side by `change`, and ends it
    /// by a signal.
    static func watching(_ target: String, _ change: String) -> String {
        """
        echo 0 > a/start
        $CARREL sync --two-way --watch a \(target) >out 2>err & sync=$!
        until grep -q '^1 created' out; do sleep 0.05; done
        echo 1 > a/one
        until grep -q '^created .*/one$' out; do sleep 0.05; done
        \(change)
        until grep -q '^created a/two$' out; do sleep 0.05; done
        kill -TERM $sync; wait $sync
        """
    }
}

/// `carrel sync` with real servers.
@Suite(.serialized, .enabled(if: !CommandServer.oneOfEachKind.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct CommandSyncServerTests {
    /// A runner that knows the server and has a folder to keep in step, and a new folder there.
    private func use(_ server: CommandServer, _ body: (inout CommandRunner, _ folder: String) async throws -> Void)
        async throws
    {
        try await server.use { runner, folder in
            try runner.makeFolder("a")
            try await body(&runner, folder)
        }
    }

    @Test(arguments: CommandServer.oneOfEachKind)
    func `a folder goes up, changes follow, and it comes back`(_ server: CommandServer) async throws {
        try await use(server) { runner, folder in
            try runner.makeFolder("a/e")
            try runner.write("a/x", "hello")
            try runner.write("a/e/y", "world!")
            let up = try await runner.run("sync", "--json", "a", "\(folder)/up")
            #expect(
                up.code == 0 && up.object["created"] as? Int == 3 && up.object["bytes"] as? Int == 11, "\(up.error)")
            #expect(try await runner.run("ls", "-R", "\(folder)/up").text == "e\ne/y\nx\n")
            let again = try await runner.run("sync", "a", "\(folder)/up")
            #expect(again.code == 0 && again.text.isEmpty, "\(again.error)")
            try runner.write("a/x", "hello, world")
            try FileManager.default.moveItem(atPath: runner.path("a/e/y"), toPath: runner.path("a/z"))
            let changed = try await runner.run("sync", "--delete", "--json", "a", "\(folder)/up")
            #expect(
                changed.code == 0 && changed.object["updated"] as? Int == 1 && changed.object["moved"] as? Int == 1,
                "\(changed.error)")
            #expect(changed.object["bytes"] as? Int == 12)
            let back = try await runner.run("sync", "\(folder)/up", "back")
            #expect(back.code == 0, "\(back.error)")
            #expect(try runner.names("back") == ["e", "x", "z"])
            #expect(try runner.read("back/x") == "hello, world" && runner.read("back/z") == "world!")
            expectFailure(
                try await runner.run("sync", "\(folder)/missing", "back"), 3, "carrel: sync \(folder)/missing: ")
        }
    }

    @Test(arguments: CommandServer.oneOfEachKind)
    func `where both sides changed one file both versions are on both sides`(_ server: CommandServer) async throws {
        try await use(server) { runner, folder in
            try runner.write("a/f", "base")
            #expect(try await runner.run("sync", "--two-way", "a", folder).code == 0)
            try runner.write("a/f", "source")
            try runner.write("other", "destination")
            #expect(try await runner.run("cp", "--overwrite", "other", "\(folder)/f").code == 0)
            let merged = try await runner.run("sync", "--two-way", "--json", "a", folder)
            #expect(merged.code == 0 && merged.object["conflicts"] as? Int == 1, "\(merged.error)")
            let names = try runner.names("a")
            #expect(names.count == 2 && names.contains("f"))
            let copy = try #require(names.first { $0.hasPrefix("f (conflict ") })
            #expect(try runner.read("a/f") == "source" && runner.read("a/\(copy)") == "destination")
            #expect(try await runner.run("ls", folder).text.split(separator: "\n").map(String.init) == names)
            #expect(try await runner.run("cat", "\(folder)/f").text == "source")
            #expect(try await runner.run("cat", "\(folder)/\(copy)").text == "destination")
        }
    }

    @Test(.enabled(if: TestServers.named("Apache, Basic") != nil))
    func `what the other side cannot hold is named, and exit code 7`() async throws {
        try await use(#require(CommandServer.oneOfEachKind.first)) { runner, folder in
            try runner.write("a/f", "1")
            try FileManager.default.createSymbolicLink(atPath: runner.path("a/link"), withDestinationPath: "f")
            let outcome = try await runner.run("sync", "--links", "copy", "--json", "a", folder)
            expectFailure(outcome, 7, "/link: The destination doesn't support symbolic links.")
            #expect(outcome.object["created"] as? Int == 1)
            #expect((outcome.object["skipped"] as? [[String: String]])?.first?["path"] == "link")
            #expect(try await runner.run("sync", "a", folder).code == 0)
        }
    }

    /// A server is listed again and again.
    @Test func `with --watch a server is followed, too`() async throws {
        try await use(#require(CommandServer.oneOfEachKind.first)) { runner, folder in
            let outcome = try await runner.shell(
                CommandServer.watching(folder, "echo 2 > two; $CARREL cp two \(folder)/two"))
            let log = try runner.read("err")
            #expect(outcome.code == 130, "\(log)")
            #expect(try await runner.run("cat", "\(folder)/one").text == "1\n")
            #expect(try runner.read("a/two") == "2\n")
        }
    }
}
