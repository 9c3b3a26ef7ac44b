import FaultServer
import FileProviderCore
import Foundation
import Testing

/// `cp --resume` to servers, and from them.
@Suite struct CommandResumeTests {
    /// Bytes that are nowhere the same for long.
    private func bytes(_ count: Int, seed: UInt64) -> Data {
        var state = seed
        let words = (0..<(count + 7) / 8).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state
        }
        return words.withUnsafeBytes { Data($0.prefix(count)) }
    }

    /// A server that resets the data connection once 4 MiB have come.
    private func double() throws -> FTPDouble {
        var settings = FTPDouble.Settings { $0.verb == "STOR" ? [.resetDataAfter(4 << 20, reply: "426 Cut")] : [] }
        settings.allowsPipelining = true
        return try FTPDouble(settings)
    }

    @Test func `an upload that was cut goes on in the next run`() async throws {
        let double = try double()
        defer { double.stop() }
        try await CommandRunner.use { runner in
            let data = bytes(8 << 20, seed: 1)
            try runner.write("book", data)
            let target = double.url().absoluteString + "book"
            let cut = try await runner.run("cp", "--resume", "--retries", "0", "book", target)
            // Whether the reset is seen first, or what the server says to it.
            #expect([1, 6].contains(cut.code), "\(cut.error)")
            let part = try #require(double.paths.first)
            let kept = try #require(double.file(part)?.count)
            #expect(TemporaryName.matches(String(part.dropFirst())) && double.paths.count == 1 && kept >= 4 << 20)
            double.setAnswer { _ in [] }
            let before = double.dataTraffic
            let rest = try await runner.run("cp", "--resume", "--json", "--stats", "book", target)
            #expect(rest.code == 0 && rest.object["copied"] as? Int == 1 && rest.object["bytes"] as? Int == data.count)
            #expect((rest.statistics["bytesOut"] as? Int ?? .max) < 5 << 20)
            #expect(double.file("/book") == data && double.paths == ["/book"])
            let moved = (double.dataTraffic.received - before.received) + (double.dataTraffic.sent - before.sent)
            #expect(moved <= data.count - kept + 128 << 10)
            let again = try await runner.run("cp", "--resume", "--json", "book", target)
            #expect(again.code == 0 && again.object["skipped"] as? Int == 1)
        }
    }

    @Test func `a source that changed in between is begun anew, and nothing of the old one is in it`() async throws {
        let double = try double()
        defer { double.stop() }
        try await CommandRunner.use { runner in
            try runner.write("book", bytes(8 << 20, seed: 1))
            let target = double.url().absoluteString + "book"
            #expect(try await [1, 6].contains(runner.run("cp", "--resume", "--retries", "0", "book", target).code))
            let part = try #require(double.paths.first)
            double.setAnswer { _ in [] }
            let changed = bytes(8 << 20, seed: 2)
            try runner.write("book", changed)
            #expect(try await runner.run("cp", "--resume", "book", target).code == 0)
            #expect(double.file("/book") == changed && !double.commands.contains { $0.verb == "APPE" })
            #expect(Set(double.paths) == ["/book", part])
        }
    }

    @Test(
        .enabled(if: !TestServers.ftp.isEmpty, "the servers are not up; run bash Tests/run.sh"),
        arguments: TestServers.ftp)
    func `an interrupted upload to a real server goes on`(_ server: TestServers.FTP) async throws {
        try await server.withFolder { _, folder in
            try await CommandRunner.use { runner in
                runner.environment["CARREL_PASSWORD"] = TestServers.environment["CARREL_TEST_PASSWORD"]
                try runner.write("big", bytes(16 << 20, seed: 3))
                let there = server.location(folder)
                let target = "\(server.url.absoluteString)\(folder.percentEncoded)/big"
                let arguments = ["--user", TestServers.environment["CARREL_TEST_USER"] ?? "", "big", target]
                let isArriving: @Sendable () -> Bool = { Self.size(in: there) > 4 << 20 }
                let interrupted = try await runner.run(
                    ["cp", "--resume", "--bwlimit", "2M"] + arguments, interruptWhen: isArriving)
                expectFailure(interrupted, 130)
                let kept = Self.size(in: there)
                #expect(kept > 4 << 20 && kept < 16 << 20)
                let rest = try await runner.run(["cp", "--resume", "--stats"] + arguments)
                #expect(rest.code == 0, "\(rest.error)")
                #expect((rest.statistics["bytesOut"] as? Int ?? .max) < (16 << 20) - kept + 128 << 10)
                #expect(
                    FileManager.default.contentsEqual(
                        atPath: runner.path("big"), andPath: there.appending(path: "big").path))
                #expect(try FileManager.default.contentsOfDirectory(atPath: there.path) == ["big"])
            }
        }
    }

    @Test(
        .enabled(if: !TestServers.sftp.isEmpty, "the servers are not up; run bash Tests/run.sh"),
        arguments: TestServers.sftp.filter { $0.name != "rclone" })
    func `over SFTP an interrupted upload goes on, and so does a download`(_ server: TestServers.SFTP) async throws {
        try await server.withFolder { _, folder in
            try await CommandRunner.use { runner in
                runner.environment["CARREL_PASSWORD"] = TestServers.environment["CARREL_TEST_PASSWORD"]
                let (size, slack) = (48 << 20, 1 << 20)
                try runner.write("big", bytes(size, seed: 6))
                // The download's source gets this date: one of the last seconds would tell no version.
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: runner.path("big"))
                let there = server.location(folder)
                let target = "\(server.url.absoluteString)\(folder.percentEncoded)/big"
                let options = ["--known-hosts", TestServers.knownHosts, "--setting", "config=no"]
                let up = ["cp", "--resume"] + options + ["big", target]
                // Of the last 16 MiB nobody knows what of them is there.
                let spread = 16 << 20
                let isArriving: @Sendable () -> Bool = { Self.size(in: there) > 20 << 20 }
                expectFailure(try await runner.run(up + ["--bwlimit", "8M"], interruptWhen: isArriving), 130)
                let sent = Self.size(in: there)
                #expect(sent > spread && sent <= size)
                let rest = try await runner.run(up + ["--stats"])
                #expect(rest.code == 0, "\(rest.error)")
                #expect((rest.statistics["bytesOut"] as? Int ?? .max) < size - (sent - spread) + slack)
                #expect(
                    FileManager.default.contentsEqual(
                        atPath: runner.path("big"), andPath: there.appending(path: "big").path))
                #expect(try FileManager.default.contentsOfDirectory(atPath: there.path) == ["big"])

                try runner.makeFolder("there")
                let own = URL(fileURLWithPath: runner.path("there"))
                let down = ["cp", "--resume"] + options + [target, "there/big"]
                let isComing: @Sendable () -> Bool = { Self.size(in: own) > 8 << 20 }
                expectFailure(try await runner.run(down + ["--bwlimit", "8M"], interruptWhen: isComing), 130)
                let kept = Self.size(in: own)
                #expect(kept > 8 << 20 && kept < size)
                let end = try await runner.run(down + ["--stats"])
                #expect(end.code == 0, "\(end.error)")
                #expect((end.statistics["bytesIn"] as? Int ?? .max) < size - kept + slack)
                #expect(
                    FileManager.default.contentsEqual(atPath: runner.path("big"), andPath: runner.path("there/big")))
                #expect(try runner.names("there") == ["big"])
            }
        }
    }

    // MARK: Down

    /// A server that closes the data connection of the first download once 4 MiB have gone.
    private func closingDouble() throws -> FTPDouble {
        var settings = FTPDouble.Settings {
            $0.verb == "RETR" && $0.occurrence == 1 ? [.closeDataAfter(4 << 20, reply: "426 Cut")] : []
        }
        settings.allowsPipelining = true
        return try FTPDouble(settings)
    }

    /// The names of the parts that lie beside the target.
    private func parts(_ runner: CommandRunner) throws -> [String] {
        try runner.names("there").filter { TemporaryName.matches($0) }
    }

    @Test func `a download that was cut goes on in the next run`() async throws {
        let double = try closingDouble()
        defer { double.stop() }
        try await CommandRunner.use { runner in
            let data = bytes(8 << 20, seed: 4)
            double.put(data, at: "/book", modified: Date(timeIntervalSinceNow: -60))
            let source = double.url().absoluteString + "book"
            try runner.makeFolder("there")
            let cut = try await runner.run("cp", "--resume", "--retries", "0", source, "there/book")
            expectFailure(cut, 6, "426: Cut")
            let part = try #require(parts(runner).first)
            let kept = try Data(contentsOf: URL(fileURLWithPath: runner.path("there/\(part)")))
            #expect(try kept.count == 4 << 20 && data.starts(with: kept) && parts(runner).count == 1)
            let rest = try await runner.run("cp", "--resume", "--json", "--stats", source, "there/book")
            #expect(
                rest.code == 0 && rest.object["copied"] as? Int == 1 && rest.object["bytes"] as? Int == data.count,
                "\(rest.error)")
            #expect((rest.statistics["bytesIn"] as? Int ?? .max) < 5 << 20)
            #expect(double.commands.contains { $0.verb == "REST" && $0.argument == "\(kept.count)" })
            #expect(try runner.names("there") == ["book"])
            #expect(try Data(contentsOf: URL(fileURLWithPath: runner.path("there/book"))) == data)
            let again = try await runner.run("cp", "--resume", "--json", source, "there/book")
            #expect(again.code == 0 && again.object["skipped"] as? Int == 1)
        }
    }

    @Test func `of a file that only a date tells, nothing is kept while the next version may have the same date`()
        async throws
    {
        let double = try closingDouble()
        defer { double.stop() }
        try await CommandRunner.use { runner in
            let date = Date(timeIntervalSinceNow: 3600)
            double.put(bytes(8 << 20, seed: 4), at: "/book", modified: date)
            let source = double.url().absoluteString + "book"
            try runner.makeFolder("there")
            expectFailure(try await runner.run("cp", "--resume", "--retries", "0", source, "there/book"), 6)
            #expect(try runner.names("there").isEmpty)
            let changed = bytes(8 << 20, seed: 5)
            double.put(changed, at: "/book", modified: date)
            #expect(try await runner.run("cp", "--resume", source, "there/book").code == 0)
            #expect(try Data(contentsOf: URL(fileURLWithPath: runner.path("there/book"))) == changed)
            #expect(!double.commands.contains { $0.verb == "REST" && $0.argument != "0" })
        }
    }

    @Test func `a file that changed on the server in between is fetched anew, and nothing of the old one is in it`()
        async throws
    {
        let double = try closingDouble()
        defer { double.stop() }
        try await CommandRunner.use { runner in
            double.put(bytes(8 << 20, seed: 4), at: "/book", modified: Date(timeIntervalSince1970: 1_500_000_000))
            let source = double.url().absoluteString + "book"
            try runner.makeFolder("there")
            expectFailure(try await runner.run("cp", "--resume", "--retries", "0", source, "there/book"), 6, "426: Cut")
            let part = try #require(parts(runner).first)
            let changed = bytes(8 << 20, seed: 5)
            double.put(changed, at: "/book", modified: Date(timeIntervalSince1970: 1_600_000_000))
            #expect(try await runner.run("cp", "--resume", source, "there/book").code == 0)
            #expect(try Data(contentsOf: URL(fileURLWithPath: runner.path("there/book"))) == changed)
            #expect(try parts(runner) == [part])
        }
    }

    /// Bytes of the largest file in a folder.
    private static func size(in folder: URL) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let sizes = names.map {
            (try? FileManager.default.attributesOfItem(atPath: folder.appending(path: $0).path)[.size]) as? Int ?? 0
        }
        return sizes.max() ?? 0
    }

    @Test func `a server without it is wrong usage`() async throws {
        let server = try FaultServer { request in
            if request.method == "OPTIONS" { return .reply(200, headers: ["DAV": "1, 2"]) }
            let root = #"""
                <D:multistatus xmlns:D="DAV:"><D:response><D:href>/</D:href><D:propstat><D:prop><D:resourcetype><D:collection/>\#
                </D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response></D:multistatus>
                """#
            return request.method == "PROPFIND" && request.target == "/"
                ? .reply(207, body: Data(root.utf8)) : .reply(404)
        }
        defer { server.stop() }
        try await CommandRunner.use { runner in
            try runner.write("a", "a")
            expectFailure(
                try await runner.run("cp", "--resume", "a", "dav://127.0.0.1:\(server.port)/a"), 2,
                "--resume needs a target that keeps partial copies")
        }
    }
}
