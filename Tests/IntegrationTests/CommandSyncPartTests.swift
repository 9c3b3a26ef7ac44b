import FileProviderCore
import Foundation
import Testing

/// What killed writers left: `carrel clean`, and what a sync sweeps.
@Suite struct CommandSyncPartTests {
    private static let day = 86_400.0

    /// Makes a part whose time is so many days ago.
    private func leave(_ folder: String, days: Double, isResumable: Bool = false, _ runner: CommandRunner) throws
        -> String
    {
        let location = try ProviderPath(folder).appending("a")
        let name =
            try isResumable
            ? TemporaryName.make(beside: location, for: folder).name : TemporaryName.make(beside: location).name
        try runner.write("\(folder)/\(name)", "half of it")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -days * Self.day)],
            ofItemAtPath: runner.path("\(folder)/\(name)"))
        return name
    }

    @Test func `clean removes old parts and nothing else`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("a")
            try runner.makeFolder("a/d")
            for name in ["a/kept", "a/d/.bin.carrel-part"] { try runner.write(name, "somebody's own") }
            let old = try leave("a/d", days: 1.1, runner)
            let (young, week) = try (leave("a/d", days: 0.9, runner), leave("a", days: 6.9, isResumable: true, runner))
            let planned = try await runner.run("clean", "--dry-run", "a")
            #expect(
                planned.code == 0 && planned.text == "would be removed a/d/\(old)\nkept 2 parts\n",
                "\(planned.text) \(planned.error)")
            let done = try await runner.run("clean", "--json", "a")
            #expect(done.code == 0 && done.object["kept"] as? Int == 2, "\(done.error)")
            #expect((done.object["removed"] as? [String])?.map { $0.hasSuffix("/a/d/\(old)") } == [true])
            #expect(try runner.names("a/d").sorted() == [".bin.carrel-part", young].sorted())
            #expect(try await runner.run("clean", "--older", "12h", "--quiet", "a").code == 0)
            #expect(try runner.names("a/d") == [".bin.carrel-part"])
            #expect(try runner.names("a").sorted() == [week, "d", "kept"].sorted())
            for age in ["1", "d", "-1d", "1y"] {
                expectFailure(try await runner.run("clean", "--older=\(age)", "a"), 2, "--older")
            }
            expectFailure(try await runner.run("clean", "missing"), 3)
        }
    }

    @Test func `a sync sweeps the folders that it may change, also where it has nothing else to do`() async throws {
        try await CommandRunner.use { runner in
            for folder in ["a", "b", "a/d", "b/d"] { try runner.makeFolder(folder) }
            try runner.write("a/d/x", "1")
            #expect(try await runner.run("sync", "a", "b").code == 0)
            let names = try (
                leave("a/d", days: 2, runner), leave("b/d", days: 2, runner), leave("b/d", days: 0.5, runner)
            )
            #expect(try await runner.run("sync", "--dry-run", "a", "b").code == 0)
            #expect(try runner.names("b/d").count == 3)
            #expect(try await runner.run("sync", "a", "b").code == 0)
            #expect(try runner.names("a/d").sorted() == [names.0, "x"].sorted(), "the source of a mirror is only read")
            #expect(try runner.names("b/d").sorted() == [names.2, "x"].sorted())
            #expect(try await runner.run("sync", "--two-way", "a", "b").code == 0)
            #expect(try runner.names("a/d") == ["x"])
        }
    }
}
