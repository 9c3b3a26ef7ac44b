import Foundation
import Testing

/// `carrel watch`: a line for each change until it is interrupted.
@Suite struct CommandWatchTests {
    @Test(arguments: [[], ["--poll"]]) func `changes are printed as they come, until an interrupt`(_ flags: [String])
        async throws
    {
        try await CommandRunner.use { runner in
            try runner.makeFolder("in/d")
            let outcome = try await runner.shell(
                """
                $CARREL watch --verbose \(flags.joined(separator: " ")) in >out 2>err & watch=$!
                until grep -q watching err; do sleep 0.01; done
                mkdir in/d/a
                until grep -q 'created in/d/a' out; do sleep 0.01; done
                mv in/d/a in/b
                until grep -q in/b out; do sleep 0.01; done
                kill -INT $watch; wait $watch
                """)
            #expect(outcome.code == 130)
            let lines = try runner.read("out").split(separator: "\n")
            #expect(lines.first == "created in/d/a")
            #expect(
                Set(lines.dropFirst())
                    == (flags.isEmpty ? ["moved in/d/a -> in/b"] : ["removed in/d/a", "created in/b"]))
        }
    }

    @Test func `with --json each change is an object with the contract's keys`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("in")
            let outcome = try await runner.shell(
                """
                $CARREL watch --verbose --json in >out 2>err & watch=$!
                until grep -q watching err; do sleep 0.01; done
                mkdir in/a
                until grep -q created out; do sleep 0.01; done
                mv in/a in/b
                until grep -q moved out; do sleep 0.01; done
                rmdir in
                rmdir in/b in
                wait $watch
                """)
            #expect(outcome.code == 3)
            let objects = try runner.read("out").split(separator: "\n").map {
                try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
            }
            let paths = ["in/a", "in/b", "in"].map(runner.path)
            #expect(objects[0] as? [String: String] == ["event": "created", "path": paths[0]])
            #expect(objects[1] as? [String: String] == ["event": "moved", "path": paths[1], "from": paths[0]])
            #expect(objects.contains { $0 as? [String: String] == ["event": "removed", "path": paths[2]] })
            #expect((objects.last?["error"] as? [String: Any])?["path"] as? String == paths[2])
        }
    }

    @Test func `what is no folder is an error`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("file", "x")
            expectFailure(try await runner.run("watch", "missing"), 3, "carrel: watch missing: ")
            expectFailure(try await runner.run("watch", "file"), 1, "is not a folder")
        }
    }
}
