import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

/// `shelf scan`, `ls` and `search` on real servers, while others change the books, and while the storage is away.
@Suite(.serialized) struct CommandShelfServerTests {
    /// A server of the command line, with its disk.
    struct Place: Sendable, CustomTestStringConvertible {
        let server: CommandServer
        let disk: any ServerDisk & Sendable

        var testDescription: String { server.testDescription }

        /// One of each kind: the listings of ProFTPD have times to the second.
        static let all: [Place] =
            TestServers.webDAV.filter { $0.name == "Apache, Basic" }.map { Place(server: CommandServer($0), disk: $0) }
            + TestServers.sftp.filter { $0.name == "OpenSSH" }.map { Place(server: CommandServer($0), disk: $0) }
            + TestServers.ftp.filter { $0.program == "ProFTPD" }.map { Place(server: CommandServer($0), disk: $0) }

        func put(_ path: ProviderPath, _ title: String) throws {
            try disk.put(path, try SampleEPUB(title: title).data())
        }

        func makeFolder(_ path: ProviderPath) throws {
            try FileManager.default.createDirectory(at: disk.location(path), withIntermediateDirectories: false)
            try disk.give(path)
        }

        func move(_ path: ProviderPath, to target: ProviderPath) throws {
            try FileManager.default.moveItem(at: disk.location(path), to: disk.location(target))
        }

        func remove(_ path: ProviderPath) throws { try FileManager.default.removeItem(at: disk.location(path)) }
    }

    private func lines(_ outcome: CommandRunner.Outcome) -> [String] {
        outcome.text.split(separator: "\n").map(String.init)
    }

    /// The path of a folder of `CommandServer.use` on the server.
    private func path(_ folder: String) throws -> ProviderPath {
        try ProviderPath(String(folder.dropFirst("server:".count)))
    }

    @Test(.enabled(if: !Place.all.isEmpty, "the servers are not up; run bash Tests/run.sh"), arguments: Place.all)
    func `changes by others are found, and nothing else is read again`(_ place: Place) async throws {
        try await place.server.use { runner, folder in
            let root = try path(folder)
            for (name, title) in [("a", "Amber"), ("b", "Basin"), ("c", "Cedar"), ("d", "Delta")] {
                try place.put(root.appending("\(name).epub"), title)
            }
            let first = try await runner.run("shelf", "scan", folder)
            #expect(first.code == 0 && first.error.isEmpty, "\(first.error)")
            #expect(
                lines(first).sorted() == [
                    "added \(folder)/a.epub: Amber by Ada Reader", "added \(folder)/b.epub: Basin by Ada Reader",
                    "added \(folder)/c.epub: Cedar by Ada Reader", "added \(folder)/d.epub: Delta by Ada Reader",
                ])
            let again = try await runner.run("shelf", "scan", "--json", folder)
            #expect(again.code == 0 && again.object["listed"] as? Int == 4, "\(again.text)\(again.error)")
            #expect(again.object["read"] as? Int == 0)

            try place.put(root.appending("b.epub"), "Basin, revised and enlarged")
            try place.makeFolder(root.appending("old"))
            try place.move(root.appending("c.epub"), to: root.appending("old").appending("c.epub"))
            // In this order: a new file with the inode of a removed one could be taken for it.
            try place.put(root.appending("e.epub"), "Ember")
            try place.remove(root.appending("d.epub"))
            let changed = try await runner.run("shelf", "scan", folder)
            #expect(changed.code == 0 && changed.error.isEmpty, "\(changed.error)")
            #expect(
                lines(changed).sorted() == [
                    "added \(folder)/e.epub: Ember by Ada Reader",
                    "changed \(folder)/b.epub: Basin, revised and enlarged by Ada Reader",
                    "moved \(folder)/c.epub -> \(folder)/old/c.epub", "removed \(folder)/d.epub",
                ])
            let found = try await runner.run("shelf", "search", folder, "REVISED ada")
            #expect(
                lines(found) == ["Basin, revised and enlarged\tAda Reader\t\(folder)/b.epub"],
                "\(found.text)\(found.error)")
            expectFailure(try await runner.run("shelf", "search", folder, "delta"), 3)
        }
    }

    @Test(.enabled(if: !Place.all.isEmpty, "the servers are not up; run bash Tests/run.sh"), arguments: Place.all)
    func `a folder that goes away and comes back, or is empty for a while, loses no book`(_ place: Place) async throws {
        try await place.server.use { runner, folder in
            let root = try path(folder)
            let away = try ProviderPath(root.name + "-away")
            for name in ["a", "b", "c"] { try place.put(root.appending("\(name).epub"), "Book \(name)") }
            let scanned = try await runner.run("shelf", "scan", folder)
            #expect(scanned.code == 0 && lines(scanned).count == 3, "\(scanned.error)")
            let before = try await runner.run("shelf", "ls", "--json", folder)
            #expect(lines(before).count == 3, "\(before.error)")

            try place.move(root, to: away)
            expectFailure(try await runner.run("shelf", "scan", folder), 3, "carrel: shelf scan \(folder): ")
            // As an empty mount point.
            try place.makeFolder(root)
            let empty = try await runner.run("shelf", "scan", folder)
            #expect(empty.code == 0 && empty.text.isEmpty, "\(empty.text)")
            #expect(empty.error.contains("3 books are missing in this listing"), "\(empty.error)")
            let kept = try await runner.run("shelf", "ls", "--json", folder)
            #expect(kept.output == before.output, "\(kept.text)\(kept.error)")

            try place.remove(root)
            try place.move(away, to: root)
            let back = try await runner.run("shelf", "scan", "--json", folder)
            #expect(back.code == 0 && back.error.isEmpty, "\(back.error)")
            for (key, value) in ["listed": 3, "read": 0, "removed": 0, "withheld": 0] {
                #expect(back.object[key] as? Int == value, "\(key) in \(back.text)")
            }
            #expect(try await runner.run("shelf", "ls", "--json", folder).output == before.output)
        }
    }

    @Test(.enabled(if: TestServers.named("Apache, Basic") != nil, "the servers are not up; run bash Tests/run.sh"))
    func `a server that says nothing, and then is gone, loses no book`() async throws {
        let server = try #require(TestServers.named("Apache, Basic"))
        let relay = try TCPRelay(to: try #require(server.url.port))
        defer { relay.stop() }
        try await CommandServer(server).use { runner, folder in
            let root = try path(folder)
            for name in ["a", "b"] {
                try server.put(root.appending("\(name).epub"), try SampleEPUB(title: "Book \(name)").data())
            }
            let location = try location(of: root, on: server, through: relay)
            let scan = ["shelf", "scan", "--timeout", "1", "--retries", "0"]
            let first = try await runner.run("shelf", "scan", location)
            #expect(first.code == 0 && lines(first).count == 2, "\(first.error)")
            let before = try await runner.run("shelf", "ls", "--json", location)
            #expect(lines(before).count == 2, "\(before.error)")

            relay.hushesNew = true
            expectFailure(try await runner.run(scan + [location]), 6, "carrel: shelf scan ")
            relay.hushesNew = false
            let back = try await runner.run("shelf", "scan", "--json", location)
            #expect(back.code == 0 && back.object["listed"] as? Int == 2, "\(back.error)")
            #expect(back.object["read"] as? Int == 0)
            relay.stop()
            expectFailure(try await runner.run(scan + [location]), 6, "does not accept a connection")
            #expect(try await runner.run("shelf", "ls", "--json", location).output == before.output)
        }
    }

    private func location(of root: ProviderPath, on server: TestServers.WebDAV, through relay: TCPRelay) throws
        -> String
    {
        let url = server.url.appending(path: root.name)
        var parts = try #require(URLComponents(url: url, resolvingAgainstBaseURL: true))
        parts.user = TestServers.environment["CARREL_TEST_USER"]
        parts.port = relay.port
        return try #require(parts.url).absoluteString
    }

    @Test(.enabled(if: TestServers.named("Apache, Basic") != nil, "the servers are not up; run bash Tests/run.sh"))
    func `a scan without changes asks for the login and for one listing of each folder`() async throws {
        let server = try #require(TestServers.named("Apache, Basic"))
        let place = Place(server: CommandServer(server), disk: server)
        try await place.server.use { runner, folder in
            let root = try path(folder)
            for name in ["a", "b", "c"] {
                try place.makeFolder(root.appending(name))
                try place.put(root.appending(name).appending("x.epub"), "Book \(name)")
            }
            let first = try await runner.run("shelf", "scan", folder)
            #expect(first.code == 0 && lines(first).count == 3, "\(first.error)")
            let again = try await runner.run("shelf", "scan", "--stats", folder)
            #expect(again.code == 0 && again.text.isEmpty, "\(again.error)")
            #expect(again.statistics["requests"] as? Int == 5, "\(again.error)")
        }
    }

    /// The released program has a web server; the one that is built with the tests has none.
    private static let hasServer = ProcessInfo.processInfo.environment["CARREL_TEST_PROGRAM"] != nil

    @Test(
        .enabled(
            if: hasServer && TestServers.named("Apache, Basic") != nil,
            "this program has no web server, or the servers are not up"))
    func `a server says when its storage is away and when it is back, and serves its catalogue meanwhile`() async throws
    {
        let server = try #require(TestServers.named("Apache, Basic"))
        let relay = try TCPRelay(to: try #require(server.url.port))
        defer { relay.stop() }
        try await CommandServer(server).use { runner, folder in
            let root = try path(folder)
            try server.put(root.appending("a.epub"), try SampleEPUB(title: "Amber").data())
            let location = try location(of: root, on: server, through: relay)
            var client = runner
            client.environment["CARREL_PASSWORD"] = nil
            let (serving, reading) = (runner, client)
            async let served = serving.shell(
                """
                "$CARREL" shelf serve --port 0 --folder shelf --timeout 1 --retries 0 '\(location)' >out 2>problems &
                until [ -e stop ] || [ "$SECONDS" -ge 55 ]; do sleep 0.1; done
                kill -TERM "$!"
                wait "$!"
                """)
            let address = try await eventually {
                try? serving.read("out").split(separator: "\n").first.map(String.init)
            }
            let feed = ["opds", "ls", address + "opds/2.0/books"]
            try await eventually { try await reading.run(feed).text.contains("\nAmber\t") }
            #expect(try serving.read("problems").isEmpty)

            relay.hushesNew = true
            relay.cut()
            try await eventually { try !serving.read("problems").isEmpty }
            let during = try await reading.run(feed)
            #expect(during.text.contains("\nAmber\t"), "\(during.error)")
            relay.hushesNew = false
            try await eventually { try serving.read("problems").contains("The folder can be read again.\n") }
            try serving.write("stop", "")
            let ended = try await served
            #expect(ended.code == 130, "\(ended.error)")
            let problems = try serving.read("problems").split(separator: "\n")
            #expect(
                problems.allSatisfy { $0.contains(/^carrel: shelf serve (http|dav):\/\/127\.0\.0\.1:/) }, "\(problems)")
            #expect(problems.count { $0.hasSuffix(": The folder can be read again.") } == 1, "\(problems)")
        }
    }

    // MARK: Two processes

    @Test func `a shelf that another process has open is refused, until that process is killed`() async throws {
        let silent = try FaultServer { _ in .silence }
        defer { silent.stop() }
        try await CommandRunner.use { runner in
            let location = silent.url("dav").absoluteString
            let (isOver, holder) = (LockedValue(false), runner)
            async let killed = holder.run(
                ["shelf", "scan", "--folder", "catalogue", location], interruptWhen: { isOver.value }, signal: SIGKILL)
            // The shelf is open before its storage is asked.
            try await eventually { !silent.requests.isEmpty }
            var verbs = [["scan"], ["ls"], ["search"]]
            if Self.hasServer { verbs.append(["serve"]) }
            for verb in verbs {
                let words = verb == ["search"] ? ["lamp"] : []
                let second = try await runner.run(
                    ["shelf"] + verb + ["--folder", "catalogue", location] + words)
                expectFailure(second, 1, "The shelf “catalogue” is open in another process; close it there first.")
            }
            isOver.update { $0 = true }
            #expect(try await killed.code == -SIGKILL)
            let next = try await runner.run("shelf", "ls", "--folder", "catalogue", location)
            expectFailure(next, 3, "This folder was never scanned")
        }
    }
}
