import Foundation
import Testing

/// `carrel fleet` on a real PostgreSQL.
@Suite(.enabled(if: FleetRunner.isReady, "this program has no fleet, or PostgreSQL is not up; run bash Tests/run.sh"))
struct CommandFleetTests {
    private func lines(_ outcome: CommandRunner.Outcome) -> [String] {
        outcome.text.split(separator: "\n").map(String.init)
    }

    // MARK: Tables

    @Test func `tables are made once, and a second time nothing is left to do`() async throws {
        try await FleetRunner.use(isMade: false) { fleet in
            #expect(try await fleet.run("ls").code != 0)
            let first = try await fleet.run("init", "--json")
            #expect(first.code == 0 && first.object["migrations"] as? Int ?? 0 > 0, "\(first.error)")
            let second = try await fleet.run("init", "--json")
            #expect(second.code == 0 && second.object["migrations"] as? Int == 0, "\(second.error)")
            #expect(try await fleet.run("init").text == "The database is up to date.\n")
            #expect(try await fleet.run("ls").code == 0)
        }
    }

    @Test func `a database of a newer version is refused`() async throws {
        try await FleetRunner.use { fleet in
            let table = fleet.schema + ".migration"
            try await fleet.sql(
                "INSERT INTO \(table) (number, checksum, applied) SELECT max(number) + 1, min(checksum), now() FROM \(table)"
            )
            for verb in ["init", "ls", "status"] {
                let refused = try await fleet.run(verb)
                #expect(refused.code != 0 && refused.error.contains("newer"), "\(verb): \(refused.error)")
            }
            let added = try await fleet.run("add", "a", "/source", "/destination")
            #expect(added.code != 0 && added.error.contains("newer"), "\(added.error)")
            #expect(try await fleet.sql("SELECT count(*) FROM \(fleet.schema).pair") == "0\n")
        }
    }

    // MARK: Pairs

    @Test func `a pair is listed as it was added`() async throws {
        try await FleetRunner.use { fleet in
            let added = try await fleet.run(
                "add", "photos", "davs://ann@nas.example:5006/photos", "copy", "--owner", "ann", "--every", "90m",
                "--deadline", "10m", "--priority", "-2", "--source-credential", "ann-nas", "--two-way", "--filter",
                "- *.tmp", "--max-delete", "25%", "--trash-days", "7")
            #expect(added.code == 0 && added.text.isEmpty, "\(added.error)")
            let pairs = try await fleet.pairs()
            let pair = try #require(pairs["photos"])
            #expect(pair["owner"] as? String == "ann" && pair["priority"] as? Int == -2)
            #expect(pair["source"] as? String == "davs://ann@nas.example:5006/photos")
            #expect(pair["destination"] as? String == "file://\(fleet.runner.path("copy"))")
            #expect(pair["sourceCredential"] as? String == "ann-nas" && pair["destinationCredential"] == nil)
            #expect(pair["every"] as? Int == 5400 && pair["deadline"] as? Int == 600)
            let options = try #require(pair["options"] as? [String: Any])
            #expect(options["direction"] as? String == "twoWay" && options["filter"] as? [String] == ["- *.tmp"])
            #expect(options["removalLimit"] as? String == "25%" && options["trashDays"] as? Int == 7)
            #expect(pair["runs"] as? Int == 0 && pair["paused"] as? Bool == false)
            expectFailure(try await fleet.run("add", "photos", "/a", "/b"), 5, "photos")
            #expect(try await fleet.pairs()["photos"]?["every"] as? Int == 5400)
            let changed = try await fleet.run("add", "--replace", "photos", "/a", "/b")
            #expect(changed.code == 0, "\(changed.error)")
            #expect(try await fleet.pairs()["photos"]?["source"] as? String == "file:///a")
            #expect(lines(try await fleet.run("ls", "photos")).first?.hasPrefix("photos\t") == true)
            expectFailure(try await fleet.run("ls", "other"), 3, "other")
            #expect(try await fleet.run("rm", "photos").code == 0)
            expectFailure(try await fleet.run("rm", "photos"), 3, "photos")
            let listed = try await fleet.pairs()
            #expect(listed.isEmpty)
        }
    }

    @Test func `thousands of pairs come from a file, and the line of a mistake is named`() async throws {
        try await FleetRunner.use { fleet in
            func line(_ number: Int) -> String {
                let places = #""source": "/s/\#(number)", "destination": "/d/\#(number)""#
                return #"{"name": "p\#(number)", "owner": "o\#(number % 3)", \#(places)}"#
            }
            try fleet.runner.write("pairs", (1...2500).map(line).joined(separator: "\n"))
            let added = try await fleet.run("add", "--from", "pairs", "--json")
            #expect(added.code == 0 && added.object["added"] as? Int == 2500, "\(added.error)")
            let count = lines(try await fleet.run("ls")).count
            let ofOwner = lines(try await fleet.run("ls", "--owner", "o1")).count
            #expect(count == 2500 && ofOwner == 834)
            // The last line has no line break, and an empty one is none.
            let again = try await fleet.run("add", "--from", "-", "--replace", input: line(1) + "\n\n" + line(9999))
            #expect(again.code == 0 && again.text == "added 2\n", "\(again.error)")
            let mistakes = [
                (#"{"name": "x", "source": "/s"}"#, "line 1.destination"),
                (#"{"name": "x", "source": "/s", "destination": "/d", "evry": 5}"#, "“every”"),
                (#"{"name": "x", "source": "/s", "destination": "/d", "every": 0}"#, "line 1.every"),
                (#"{"name": "x", "source": "/s", "destination": "/d", "options": {"delets": true}}"#, "line 1.options"),
                (#"{"name": "x", "source": "/s", "destination": "/d", "sourceCredential": "../x"}"#, "line 1.source"),
                (#"{"name": "x", "source": "davs://a:SECRET@h/", "destination": "/d"}"#, "line 1.source"),
                ("[]", "line 1"), ("{", "line 1"),
            ]
            for (line, place) in mistakes {
                let refused = try await fleet.run("add", "--from", "-", input: line)
                expectFailure(refused, 2, place)
                #expect(!refused.error.contains("SECRET"))
            }
            // What came before the batch with the mistake is there, and is said.
            let late = (3000..<4000).map(line) + [#"{"name": "x"}"#]
            let partly = try await fleet.run("add", "--from", "-", input: late.joined(separator: "\n"))
            #expect(partly.code == 2 && partly.error.contains("1000 pairs were added before"), "\(partly.error)")
            #expect(lines(try await fleet.run("ls")).count == 3501)
        }
    }

    @Test(arguments: [
        ["add", "a", "davs://ann:SECRET@nas.example/", "/b"], ["add", "a", "/b", "sftp://ann:SECRET@nas.example/~/"],
        ["add", "a", "nas:photos", "/b"], ["add", "a", "mem:", "/b"], ["add", "a", "/b", "bogus://host/x"],
        ["add", "a", "/b"], ["add", "a", "/b", "/c", "--every", "5"], ["add", "a", "/b", "/c", "--every", "0s"],
        ["add", "a", "/b", "/c", "--source-credential", "../secret"], ["add", "a", "/b", "/c", "--max-delete", "x"],
        ["add", "a", "/b", "/c", "--filter", "*.tmp"], ["add", "--from", "f", "a"], ["add", "--from", "missing"],
        ["limit", "nas.example", "0"], ["limit", "nas.example"], ["limit", "--owner", "ann", "nas.example", "3"],
        ["pause"], ["pause", "a", "--owner", "ann"], ["resume", "--now", "--owner", "ann"],
        ["status", "--behind", "5"],
        ["ls", "a", "--owner", "ann"], ["run"], ["run", "--states", "s", "--credentials", "missing"],
        ["ls", "--database", "postgresql://carrel:SECRET@127.0.0.1/carrel"], ["ls", "--database", "mysql://x/y"],
        ["run", "--states", "s", "--runs", "0"],
    ])
    func `wrong usage is refused, and shows no password`(_ arguments: [String]) async throws {
        try await FleetRunner.use { fleet in
            let refused = try await fleet.runner.run(
                ["fleet", arguments[0], "--schema", fleet.schema] + arguments.dropFirst() + ["--verbose"])
            #expect(refused.code == 2, "\(refused.error)")
            #expect(!refused.error.contains("SECRET") && !refused.text.contains("SECRET"), "\(refused.error)")
            let pairs = try await fleet.pairs()
            #expect(pairs.isEmpty)
        }
    }

    // MARK: The database away

    @Test func `a wrong password is refused, and a database that is away is unreachable`() async throws {
        try await FleetRunner.use { fleet in
            var other = fleet
            other.runner.environment["PGPASSWORD"] = "SECRET"
            let refused = try await other.run("ls", "--verbose")
            #expect(refused.code == 4 && !refused.error.contains("SECRET"), "\(refused.error)")
            // A file of the password goes before the environment.
            try other.writeSecret("password", FleetRunner.password + "\n")
            let listed = try await other.run("ls", "--database-password-file", "password")
            #expect(listed.code == 0, "\(listed.error)")
            for verb in ["ls", "status", "init"] {
                expectFailure(
                    try await fleet.run(verb, "--database", "postgresql://carrel@127.0.0.1:1/carrel"), 6)
            }
            expectFailure(
                try await fleet.run("run", "--states", "s", "--database", "postgresql://carrel@127.0.0.1:1/carrel"), 6)
        }
    }

    // MARK: Limits and state

    @Test func `limits and the state of the fleet are shown as text, JSON and metrics`() async throws {
        try await FleetRunner.use { fleet in
            let empty = try await fleet.run("status", "--json")
            #expect(empty.code == 0 && empty.object["pairs"] as? Int == 0, "\(empty.error)")
            #expect(try await fleet.run("add", "a", "/a", "dav://nas.example:81/b", "--owner", "ann").code == 0)
            #expect(try await fleet.run("limit", "nas.example:81", "3").code == 0)
            #expect(try await fleet.run("limit", "--owner", "ann", "2").code == 0)
            let limits = try await fleet.sql("SELECT name, most FROM \(fleet.schema).gate ORDER BY name")
            #expect(limits == "host:nas.example:81|3\nowner:ann|2\n")
            #expect(try await fleet.run("limit", "--owner", "ann", "none").code == 0)
            let fewer = try await fleet.sql("SELECT name, most FROM \(fleet.schema).gate ORDER BY name")
            #expect(fewer == "host:nas.example:81|3\nowner:ann|\n")
            let status = try await fleet.status()
            #expect(status["pairs"] as? Int == 1 && status["running"] as? Int == 0)
            let metrics = try await fleet.run("status", "--prometheus")
            #expect(metrics.code == 0 && metrics.text.contains("# TYPE carrel_fleet_pairs"), "\(metrics.text)")
            #expect(lines(try await fleet.run("status")).contains("pairs\t1"))
        }
    }

    // MARK: Workers

    @Test func `a worker keeps pairs in step, says so, and ends in order`() async throws {
        try await FleetRunner.use { fleet in
            for name in ["a", "b"] {
                try fleet.runner.makeFolder(name)
                try fleet.runner.write("\(name)/file", "content of \(name)")
                #expect(try await fleet.run("add", name, name, "copy-\(name)", "--owner", "ann").code == 0)
            }
            let outcome = try await fleet.shell(
                """
                run --json >out 2>err & worker=$!
                until_true ended 2
                fleet pause a; fleet pause --owner ann
                echo more > a/more; echo more > b/more
                fleet resume --now b || exit 98
                fleet resume --owner ann
                until_true ended 3
                kill -TERM $worker; wait $worker; echo "code $?"
                """)
            let problems = try fleet.runner.read("err")
            #expect(outcome.code == 0 && outcome.text == "code 130\n", "\(outcome.text)\(outcome.error)\(problems)")
            #expect(try fleet.runner.read("copy-a/file") == "content of a")
            #expect(try fleet.runner.names("copy-b") == ["file", "more"])
            // It was paused by its name.
            #expect(try fleet.runner.names("copy-a") == ["file"])
            let pairs = try await fleet.pairs()
            #expect(pairs["a"]?["paused"] as? Bool == true && pairs["a"]?["runs"] as? Int == 1)
            #expect(pairs["b"]?["runs"] as? Int == 2 && pairs["b"]?["lastOutcome"] as? String == "success")
            #expect(pairs["b"]?["lastSuccess"] as? String != nil && pairs["b"]?["worker"] == nil)
            let status = try await fleet.status()
            #expect(status["running"] as? Int == 0 && status["failing"] as? Int == 0)
        }
    }

    @Test func `a failed run is told by its line, the list, and the exit code of the status`() async throws {
        try await FleetRunner.use { fleet in
            #expect(try await fleet.run("add", "a", "missing", "copy", "--every", "1h").code == 0)
            let outcome = try await fleet.shell(
                """
                run >out 2>err & worker=$!
                until_true grep -q '^a' out
                kill -INT $worker; wait $worker; echo "code $?"
                """)
            #expect(outcome.text == "code 130\n", "\(outcome.text)\(outcome.error)")
            let pair = try #require(try await fleet.pairs()["a"])
            #expect(pair["failures"] as? Int ?? 0 >= 1 && (pair["lastError"] as? String)?.isEmpty == false)
            expectFailure(try await fleet.run("status", "--quiet"), 1, "failed")
            // The metrics say it themselves.
            #expect(try await fleet.run("status", "--prometheus").code == 0)
        }
    }

    @Test func `a run that was refused is not well`() async throws {
        try await FleetRunner.use { fleet in
            try fleet.runner.makeFolder("a")
            for number in 0..<20 { try fleet.runner.write("a/\(number)", "text") }
            #expect(try await fleet.run("add", "a", "a", "copy", "--every", "1h", "--delete").code == 0)
            let outcome = try await fleet.shell(
                """
                run --runs 1 >out 2>err & worker=$!
                until_true grep -q '^a' out
                rm a/*
                fleet resume --now a
                until_true grep -q refused out
                kill -INT $worker; wait $worker; echo "code $?"
                """)
            #expect(outcome.text == "code 130\n", "\(outcome.text)\(outcome.error)")
            #expect(try fleet.runner.names("copy").count == 20)
            expectFailure(try await fleet.run("status", "--quiet"), 1, "refused")
            #expect(try await fleet.status()["failing"] as? Int == 1)
        }
    }

    /// A pair whose first file takes a minute, as the worker's limit has it.
    private func addSlowPair(to fleet: FleetRunner) async throws {
        try fleet.runner.makeFolder("slow")
        try fleet.runner.write("slow/1-small", "small")
        try fleet.runner.write("slow/2-large", Data(repeating: 7, count: 1 << 20))
        #expect(try await fleet.run("add", "slow", "slow", "copy", "--timetable", "16K").code == 0)
    }

    @Test func `a signal during a run ends it within the grace, and the pair goes on later`() async throws {
        try await FleetRunner.use { fleet in
            try await addSlowPair(to: fleet)
            let outcome = try await fleet.shell(
                """
                run >out 2>err & worker=$!
                until_true test -e copy
                SECONDS=0
                kill -TERM $worker; wait $worker; echo "code $?"
                [ "$SECONDS" -le 24 ] || echo "only after $SECONDS s"
                """)
            #expect(outcome.text == "code 130\n", "\(outcome.text)\(outcome.error)")
            let pair = try #require(try await fleet.pairs()["slow"])
            #expect(pair["status"] as? String != "running" && pair["worker"] == nil, "\(pair)")
            try await finishSlowPair(of: fleet)
        }
    }

    @Test func `a killed worker loses its pairs to another one`() async throws {
        try await FleetRunner.use { fleet in
            try await addSlowPair(to: fleet)
            let outcome = try await fleet.shell(
                """
                run --lease 2 >out 2>err & worker=$!
                until_true test -e copy/1-small
                kill -KILL $worker; wait $worker; echo "code $?"
                """)
            #expect(outcome.text == "code 137\n", "\(outcome.text)\(outcome.error)")
            let before = try #require(try await fleet.pairs()["slow"])
            #expect(before["status"] as? String == "running" && before["worker"] as? String != nil, "\(before)")
            try await finishSlowPair(of: fleet)
            // The step that was done is not done again.
            let line = try #require(
                try fleet.runner.read("out").split(separator: "\n").first { $0.contains("success") })
            #expect(line.contains("\"changes\":1,"), "\(line)")
            let after = try #require(try await fleet.pairs()["slow"])
            let fences = [before, after].compactMap { $0["fence"] as? Int }
            #expect(fences.count == 2 && fences[0] < fences[1])
        }
    }

    /// Takes the limit away, and has another worker bring the pair in step.
    private func finishSlowPair(of fleet: FleetRunner) async throws {
        #expect(try await fleet.run("add", "--replace", "slow", "slow", "copy").code == 0)
        let outcome = try await fleet.shell(
            """
            run --json --lease 2 >out 2>err & worker=$!
            until_true ended 1
            kill -TERM $worker; wait $worker; echo "code $?"
            """)
        let problems = try fleet.runner.read("err")
        #expect(outcome.text == "code 130\n", "\(outcome.text)\(outcome.error)\(problems)")
        // What the killed worker had begun to write is removed once it is old.
        let names = try fleet.runner.names("copy")
        #expect(names.filter { !$0.hasPrefix(".") } == ["1-small", "2-large"], "\(names)")
        #expect(
            try Data(contentsOf: fleet.runner.folder.appending(path: "copy/2-large"))
                == Data(repeating: 7, count: 1 << 20))
    }
}

/// `carrel fleet` with real storages, and without the trait.
@Suite struct CommandFleetServerTests {
    @Test(.disabled(if: FleetRunner.isInProgram, "this program has a fleet")) func `a fleet needs the trait`()
        async throws
    {
        try await CommandRunner.use { runner in
            for arguments in [["ls"], ["add", "a", "/b", "/c"], ["run", "--states", "s"], ["status"], ["init"]] {
                expectFailure(try await runner.run(["fleet"] + arguments), 2, "--traits default,Fleet")
            }
        }
    }

    private static let isReady =
        FleetRunner.isReady && TestServers.named("Apache, Basic") != nil
        && TestServers.sftp.contains { $0.name == "OpenSSH" }

    @Test(.enabled(if: isReady, "this program has no fleet, or the servers are not up; run bash Tests/run.sh"))
    func `pairs between this machine, WebDAV and SFTP are brought in step, and no secret is shown or kept`()
        async throws
    {
        let dav = try #require(TestServers.named("Apache, Basic"))
        let sftp = try #require(TestServers.sftp.first { $0.name == "OpenSSH" })
        let name = "fleet-\(UInt64.random(in: 0 ... .max))"
        let user = try #require(TestServers.environment["CARREL_TEST_USER"])
        let password = try #require(TestServers.environment["CARREL_TEST_PASSWORD"])
        defer {
            for data in [dav.data, sftp.data] { try? FileManager.default.removeItem(at: data.appending(path: name)) }
        }
        try await FleetRunner.use { fleet in
            try fleet.runner.makeFolder("a")
            try fleet.runner.makeFolder("secrets")
            try fleet.runner.write("a/file", "hello")
            try fleet.writeSecret("secrets/login", "\(user):\(password)\n")
            let web = dav.url.appending(path: name).absoluteString
            let ssh = sftp.url.appending(path: name).absoluteString
            let credentials = ["--source-credential", "login", "--destination-credential", "login"]
            for (pair, places) in [("up", ["a", web]), ("across", [web, ssh]), ("down", [ssh, "back"])] {
                let added = try await fleet.runner.run(
                    ["fleet", "add", "--schema", fleet.schema, pair] + places + ["--every", "1s"] + credentials)
                #expect(added.code == 0, "\(added.error)")
            }
            let authority = try #require(TestServers.environment["CARREL_TEST_CA"])
            let outcome = try await fleet.shell(
                """
                run --json --verbose --credentials secrets --known-hosts '\(TestServers.knownHosts)' \
                  --cacert '\(authority)' >out 2>err & worker=$!
                until_true test -e back/file
                kill -TERM $worker; wait $worker; echo "code $?"
                """)
            let said = try fleet.runner.read("out") + fleet.runner.read("err")
            #expect(outcome.text == "code 130\n", "\(outcome.text)\(outcome.error)\(said)")
            #expect(try fleet.runner.read("back/file") == "hello")
            for data in [dav.data, sftp.data] {
                let content = try Data(contentsOf: data.appending(path: "\(name)/file"))
                #expect(content == Data("hello".utf8))
            }
            let kept = try await fleet.sql("SELECT p::text FROM \(fleet.schema).pair p")
            let listed = try await fleet.run("ls", "--json").text
            for text in [said, kept, listed] {
                #expect(!text.contains(password) && !text.contains(FleetRunner.password))
            }
            #expect(kept.contains("login"))

            // Without its file, a worker can't log in, and says which is missing.
            let missing = try await fleet.shell(
                """
                rm secrets/login
                run --credentials secrets >out 2>err & worker=$!
                until_true grep -q 'login' out
                kill -TERM $worker; wait $worker; echo "code $?"
                """)
            #expect(missing.text == "code 130\n", "\(missing.text)\(missing.error)")
        }
    }
}
