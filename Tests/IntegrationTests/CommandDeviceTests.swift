import Carrel
import Foundation
import SampleBooks
import Testing

/// `carrel device` and `carrel app serve`, as scripts use them.
@Suite(.serialized) struct CommandDeviceTests {
    private static let desk = "11111111-2222-4333-8444-555555555555"
    private static let lamp = "11111111-2222-4333-8444-666666666666"
    private static let staging = ["--staging", "staging"]

    private func writeBooks(_ runner: CommandRunner) throws {
        try runner.write("desk.epub", SampleEPUB().data())
        try runner.write("lamp.epub", SampleEPUB(title: "The Lamp", uuid: Self.lamp).data())
    }

    /// Runs `body` while an application looks after the staging folder, and interrupts that in the end.
    /// - Returns: What came of the application.
    @discardableResult
    private func serving(_ runner: CommandRunner, _ body: () async throws -> Void) async throws -> CommandRunner.Outcome
    {
        let isOver = LockedValue(false)
        async let served = runner.run(
            ["app", "serve", "--library", "library"] + Self.staging, interruptWhen: { isOver.value })
        do {
            var looks = 0
            while try await device(runner, "probe").code != 0, looks < 100 { looks += 1 }
            try await body()
        } catch {
            isOver.update { $0 = true }
            _ = try await served
            throw error
        }
        isOver.update { $0 = true }
        return try await served
    }

    private func device(_ runner: CommandRunner, _ verb: String, _ arguments: String...) async throws
        -> CommandRunner.Outcome
    {
        try await runner.run(["device", verb] + Self.staging + arguments)
    }

    private func books(_ runner: CommandRunner) async throws -> [[String: Any]] {
        try #require(try await device(runner, "books", "--json").json as? [[String: Any]])
    }

    // MARK: An application

    @Test func `books are uploaded, listed, fetched and deleted`() async throws {
        try await CommandRunner.use { runner in
            try writeBooks(runner)
            try runner.makeFolder("out")
            let served = try await serving(runner) {
                let added = try await device(runner, "upload", "desk.epub", "lamp.epub")
                #expect(added.code == 0 && added.text == "added\tdesk.epub\nadded\tlamp.epub\n", "\(added.error)")
                let listed = try await device(runner, "books")
                let lines = [
                    "The Desk\tAda Reader\t\tAda Reader - The Desk.epub",
                    "The Lamp\tAda Reader\t\tAda Reader - The Lamp.epub",
                ]
                #expect(listed.code == 0 && listed.text == lines.joined(separator: "\n") + "\n", "\(listed.error)")
                let fetched = try await device(runner, "get", "--to", "out", "The Desk", Self.desk, "The Lamp")
                #expect(fetched.code == 0 && fetched.text.split(separator: "\n").count == 2, "\(fetched.error)")
                #expect(try runner.names("out") == ["Ada Reader - The Desk.epub", "Ada Reader - The Lamp.epub"])
                let file = runner.folder.appending(path: "out/Ada Reader - The Desk.epub")
                #expect(try Data(contentsOf: file) == SampleEPUB().data())
                #expect(
                    try await device(runner, "get", "--to", "out", Self.desk).text.hasSuffix(
                        "Ada Reader - The Desk 2.epub\n"))
                expectFailure(
                    try await device(runner, "get", "--to", "none", Self.desk), 3, "carrel: device get none: ")
                let deleted = try await device(runner, "delete", "URN:UUID:\(Self.lamp.uppercased())")
                #expect(deleted.code == 0 && deleted.text == "deleted: 1\n", "\(deleted.error)")
                #expect(try await books(runner).map { $0["title"] as? String } == ["The Desk"])
            }
            #expect(served.code == 130, "\(served.error)")
            let lines = served.text.split(separator: "\n")
            #expect(lines.first == "online" && lines.contains("upload_books.xml done"))
            #expect(try !runner.names("staging").contains("connected.xml"))
        }
    }

    @Test func `books are changed, and what a file does not know stays`() async throws {
        try await CommandRunner.use { runner in
            try writeBooks(runner)
            try await serving(runner) {
                #expect(try await device(runner, "upload", "--collection", "New", "desk.epub").code == 0)
                let updated = try await device(
                    runner, "update", "The Desk", "--title-sort", "Desk, The", "--series", "Rooms", "--series-index",
                    "2", "--rating", "4")
                #expect(updated.code == 0 && updated.text == "updated: 1\n", "\(updated.error)")
                let changed = try #require(try await books(runner).first)
                #expect(changed["titleSort"] as? String == "Desk, The" && changed["series"] as? String == "Rooms")
                #expect(changed["seriesIndex"] as? Double == 2 && changed["rating"] as? Double == 4)
                #expect(changed["collections"] as? [String] == ["New"])
                let added = try #require(changed["added"] as? String)
                #expect(try Date.ISO8601FormatStyle().parse(added).timeIntervalSinceNow < 1 && added.hasSuffix("Z"))
                expectFailure(
                    try await device(runner, "update", "The Desk", "--series", "", "--series-index", "3"), 2,
                    "not in a series")
                let again = try await device(runner, "upload", "--existing", "update", "desk.epub")
                #expect(again.code == 0 && again.text == "updated\tdesk.epub\n", "\(again.error)")
                let kept = try #require(try await books(runner).first)
                #expect(kept["publisher"] as? String == "Carrel Press" && kept["pubDate"] as? String == "2020-05-17")
                #expect(kept["subjects"] as? [String] == ["Furniture", "Light"])
                #expect(kept["collections"] as? [String] == ["New"] && kept["rating"] as? Double == 4)
                #expect(
                    kept["authorSort"] as? String == "Reader, Ada"
                        && kept["description"] as? String == "<p>About a desk.</p>")
                let collected = try await device(runner, "collections", "--json", Self.desk, "Wood", "To read")
                #expect(collected.code == 0 && collected.object["done"] as? Int == 1, "\(collected.error)")
                #expect(Set(try await books(runner).first?["collections"] as? [String] ?? []) == ["Wood", "To read"])
                #expect(try await device(runner, "collections", Self.desk).text == "collected: 1\n")
                #expect(try await books(runner).first?["collections"] as? [String] == [])
            }
        }
    }

    @Test func `one bad file does not hold up the others, and each has its exit code`() async throws {
        try await CommandRunner.use { runner in
            try writeBooks(runner)
            try runner.write("bad.epub", "no archive")
            try await serving(runner) {
                let mixed = try await device(runner, "upload", "--json", "bad.epub", "desk.epub", "missing.epub")
                #expect(mixed.code == 7)
                let shown = try #require(mixed.object["books"] as? [[String: Any]])
                #expect(shown.map { $0["outcome"] as? String } == ["rejected", "added", "rejected"])
                #expect(shown.map { $0["file"] as? String } == ["bad.epub", "desk.epub", "missing.epub"])
                #expect(
                    (shown[1]["book"] as? [String: Any])?["uuid"] as? String == Self.desk && shown[0]["reason"] != nil)
                #expect(
                    mixed.errorLines.count == 2 && mixed.error.contains("carrel: device upload bad.epub: "),
                    "\(mixed.error)")
                expectFailure(try await device(runner, "upload", "bad.epub"), 8, "carrel: device upload bad.epub: ")
                expectFailure(
                    try await device(runner, "upload", "missing.epub"), 3, "carrel: device upload missing.epub: ")
                expectFailure(
                    try await device(runner, "upload", "--quiet", "desk.epub"), 5, "carrel: device upload staging: ")
                let unknown = try await device(runner, "delete", "--json", "The Chair")
                expectFailure(unknown, 3, "The Chair")
                #expect(unknown.failure["code"] as? Int == 3)
                // As an empty variable of a script leaves it.
                expectFailure(try await device(runner, "delete", ""), 2, "must not be empty")
                expectFailure(try await device(runner, "delete", " "), 3)
                #expect(try await books(runner).count == 1)
            }
        }
    }

    @Test func `the driver that is named, and a file of options, say how an application is spoken to`() async throws {
        try await CommandRunner.use { runner in
            try writeBooks(runner)
            let other = #""drivers": {"org.example.other": {"existing_books": "replace"}}"#
            try runner.write("drivers.json", "{\(other)}")
            try runner.write(
                "developing.json", #"{"development_mode": true, "development_app_id": "org.example.other", \#(other)}"#)
            try await serving(runner) {
                #expect(try await device(runner, "upload", "desk.epub").text == "added\tdesk.epub\n")
                // By the application's own word, its driver is another one.
                let own = try await device(runner, "upload", "desk.epub", "--drivers", "drivers.json")
                #expect(own.code == 5 && own.text == "skipped\tdesk.epub\n", "\(own.error)")
                let named = try await device(
                    runner, "upload", "desk.epub", "--drivers", "drivers.json", "--driver", "ORG.example.other")
                #expect(named.code == 0 && named.text == "replaced\tdesk.epub\n", "\(named.error)")
                #expect(!named.error.contains("<?xml"), "\(named.error)")
                let asked = try await device(
                    runner, "upload", "desk.epub", "--drivers", "drivers.json", "--driver", "org.example.other",
                    "--existing", "protect")
                #expect(asked.code == 5 && asked.text == "skipped\tdesk.epub\n", "\(asked.error)")
                let developing = try await device(runner, "upload", "desk.epub", "--drivers", "developing.json")
                #expect(developing.code == 0 && developing.text == "replaced\tdesk.epub\n", "\(developing.error)")
                #expect(developing.error.contains("upload_books.xml: <?xml"), "\(developing.error)")
            }
        }
    }

    @Test func `an application whose output nobody reads leaves all the same`() async throws {
        try await CommandRunner.use { runner in
            try writeBooks(runner)
            _ = try await runner.shell(
                """
                { timeout 30 $CARREL app serve --staging staging --library library; echo $? >code; } 2>err | head -1 >first &
                until test -e staging/connected.xml; do sleep 0.01; done
                $CARREL device upload --staging staging desk.epub >out 2>&1
                wait
                """)
            #expect(try runner.read("first") == "online\n")
            let message = try runner.read("err")
            #expect(try runner.read("code") == "141\n", "\(message)")
            #expect(try !runner.names("staging").contains("connected.xml"))
        }
    }

    // MARK: No application

    @Test func `an application that is not there is exit code 6`() async throws {
        try await CommandRunner.use { runner in
            try writeBooks(runner)
            for wait in [[], ["--wait", "0.1"]] {
                let outcome = try await runner.run(["device", "probe", "--json"] + Self.staging + wait)
                expectFailure(outcome, 6, "carrel: device probe staging: ")
                #expect(outcome.object["state"] as? String == "absent")
            }
            let books = try await device(runner, "books", "--json")
            expectFailure(books, 6, "carrel: device books staging: ")
            #expect(books.failure["code"] as? Int == 1)
            expectFailure(try await device(runner, "upload", "desk.epub"), 6)
        }
    }

    @Test func `an application that stopped without saying so is found out by waiting`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("staging")
            try runner.write(
                "staging/connected.xml",
                #"<?xml version="1.0" encoding="utf-8"?><connection timestamp="1.5" heartbeat="0.1"><state>online</state></connection>"#
            )
            #expect(try await device(runner, "probe").text.hasPrefix("state\tonline\n"))
            let waited = try await device(runner, "probe", "--wait", "1")
            expectFailure(waited, 6, "unresponsive")
            #expect(waited.text == "state\tunresponsive\n")
        }
    }

    @Test(arguments: [
        ["books"], ["books", "--staging", "s", "--plain", "p"], ["probe", "--plain", "p"],
        ["probe", "--staging", "s", "--wait", "x"],
        ["probe", "--staging", "s", "--drivers", "none.json"], ["probe", "--staging", "s", "--drivers", "bad.json"],
        ["books", "--plain", "p", "--driver", "x"], ["update", "--staging", "s", "x"],
        ["update", "--staging", "s", "x", "--published", "soon"],
        ["update", "--staging", "s", "x", "--published", "2021-02-29"],
        ["update", "--staging", "s", "x", "--series-index", "x"], ["update", "--staging", "s", "x", "--rating", "9"],
        ["update", "--staging", "s", "", "--title", "x"],
        ["update", "--plain", "p", "x", "--title", "y", "--series", "z"],
        ["collections", "--staging", "s", "", "x"], ["collections", "--staging", "s", "x", ""],
        ["collections", "--plain", "p", "x", "y"],
        ["get", "--staging", "s", ""], ["upload", "--staging", "s", ""],
        ["upload", "--plain", "p", "--collection", "x", "a.epub"],
    ])
    func `what would be ignored is wrong usage`(_ arguments: [String]) async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("p")
            try runner.write("bad.json", #"{"defaults": {"bogus": 1}}"#)
            let outcome = try await runner.run(["device"] + arguments)
            expectFailure(outcome, 2)
            if let file = arguments.first(where: { $0.hasSuffix(".json") }) { #expect(outcome.error.contains(file)) }
        }
    }

    @Test func `a password in the staging URL is shown nowhere`() async throws {
        let location = "dav://reader:SECRET@127.0.0.1:1/staging"
        try await CommandRunner.use { runner in
            try writeBooks(runner)
            for arguments in [
                ["device", "probe"], ["device", "books"], ["device", "upload", "desk.epub"], ["device", "delete", "x"],
                ["device", "update", "x", "--title", "y"], ["device", "collections", "x", "y"], ["device", "get", "x"],
                ["app", "serve", "--library", "library"],
            ] {
                let outcome = try await runner.run(
                    arguments + ["--staging", location, "--json", "--verbose", "--retries", "0"])
                #expect(outcome.code == 6, "\(arguments): \(outcome.error)")
                #expect(
                    !outcome.error.contains("SECRET") && !outcome.text.contains("SECRET"),
                    "\(arguments): \(outcome.error)")
            }
        }
    }

    // MARK: A plain folder

    @Test func `a plain folder needs no application`() async throws {
        func plain(_ runner: CommandRunner, _ verb: String, _ arguments: String...) async throws
            -> CommandRunner.Outcome
        {
            try await runner.run(["device", verb, "--plain", "shelf"] + arguments)
        }
        try await CommandRunner.use { runner in
            try writeBooks(runner)
            try runner.makeFolder("shelf/more")
            try runner.makeFolder("out")
            try runner.write("shelf/a.epub", SampleEPUB().data())
            try runner.write("shelf/more/a.epub", SampleEPUB(title: "The Chair", uuid: nil).data())
            let listed = try await plain(runner, "books")
            #expect(listed.code == 0, "\(listed.error)")
            #expect(listed.text == "The Chair\tAda Reader\t\tmore/a.epub\nThe Desk\tAda Reader\t\ta.epub\n")
            let updated = try await plain(runner, "update", "a.epub", "--title", "A Desk", "--title-sort", "Desk, A")
            #expect(updated.code == 0 && updated.text == "updated: 1\n", "\(updated.error)")
            let objects = try #require(try await plain(runner, "books", "--json").json as? [[String: Any]])
            #expect(objects.map { $0["title"] as? String } == ["A Desk", "The Chair"])
            #expect(objects[0]["uuid"] as? String == Self.desk && objects[1]["uuid"] == nil)
            #expect(try await plain(runner, "get", "--to", "out", "a.epub", "more/a.epub").code == 0)
            #expect(try runner.names("out") == ["a 2.epub", "a.epub"])
            #expect(try await plain(runner, "upload", "lamp.epub").text == "added\tlamp.epub\n")
            expectFailure(try await plain(runner, "upload", "--quiet", "lamp.epub"), 5)
            #expect(try await plain(runner, "delete", "A Desk", "a.epub", "The Lamp").text == "deleted: 2\n")
            #expect(try runner.names("shelf").filter { $0.hasSuffix(".epub") } == [])
            #expect(try runner.names("shelf/more") == ["a.epub"])
            expectFailure(
                try await runner.run("device", "books", "--plain", "missing"), 3, "carrel: device books missing: ")
        }
    }
}
