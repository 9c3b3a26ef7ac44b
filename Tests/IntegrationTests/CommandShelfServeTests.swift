import FaultServer
import Foundation
import SampleBooks
import Testing

/// `shelf serve` and `shelf user` on a folder of this machine.
@Suite struct CommandShelfServeTests {
    private func lines(_ outcome: CommandRunner.Outcome) -> [String] {
        outcome.text.split(separator: "\n").map(String.init)
    }

    // MARK: Users

    @Test func `people are added, listed and removed`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("secret", "correct horse\nmore\n")
            let shelf = ["--folder", "shelf"]
            let added = try await runner.run(["shelf", "user", "add", "--password-file", "secret", "Ann"] + shelf)
            #expect(added.code == 0 && added.text.isEmpty, "\(added.error)")
            #expect(try runner.names("shelf").contains("people.sqlite"))
            let json = try await runner.run(
                ["shelf", "user", "add", "--json", "--password-file", "secret", "Bo"] + shelf)
            #expect(json.object["name"] as? String == "Bo")
            #expect(lines(try await runner.run(["shelf", "user", "ls"] + shelf)) == ["Ann", "Bo"])
            expectFailure(
                try await runner.run(["shelf", "user", "add", "--password-file", "secret", "ann"] + shelf), 5, "ann")
            let changed = try await runner.run(
                ["shelf", "user", "add", "--overwrite", "--password-file", "secret", "ann"] + shelf)
            #expect(changed.code == 0, "\(changed.error)")
            #expect(try await runner.run(["shelf", "user", "rm", "BO"] + shelf).code == 0)
            #expect(lines(try await runner.run(["shelf", "user", "ls"] + shelf)) == ["Ann"])
            expectFailure(try await runner.run(["shelf", "user", "rm", "Bo"] + shelf), 3, "Bo")
            // The password is nowhere in the file.
            let file = try Data(contentsOf: runner.folder.appending(path: "shelf/people.sqlite"))
            #expect(file.range(of: Data("correct horse".utf8)) == nil)
        }
    }

    @Test func `names and passwords that cannot be are wrong usage`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("secret", "correct horse")
            try runner.write("short", "horse")
            try runner.write("empty", "")
            let add = ["shelf", "user", "add", "--folder", "shelf", "--password-file"]
            expectFailure(try await runner.run(add + ["secret", "a:b"]), 2, "colon")
            expectFailure(try await runner.run(add + ["short", "Ann"]), 2, "8 characters")
            expectFailure(try await runner.run(add + ["empty", "Ann"]), 2, "8 characters")
            expectFailure(
                try await runner.run("shelf", "user", "add", "--password-file", "secret", "Ann"), 2, "--folder")
            expectFailure(try await runner.run("shelf", "user", "ls", "--folder", "missing"), 3, "no shelf")
        }
    }

    @Test func `people of a location are those of its shelf`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("books")
            try runner.write("secret", "correct horse")
            let added = try await runner.run("shelf", "user", "add", "--password-file", "secret", "Ann", "books")
            #expect(added.code == 0, "\(added.error)")
            #expect(added.error.contains("new shelf"))
            let second = try await runner.run("shelf", "user", "add", "--password-file", "secret", "Bo", "books")
            #expect(second.code == 0 && second.error.isEmpty, "\(second.error)")
            try runner.write("shelf.json", #"{"sources": ["books"]}"#)
            #expect(lines(try await runner.run("shelf", "user", "ls", "--config", "shelf.json")) == ["Ann", "Bo"])
        }
    }

    @Test func `the order of locations makes no other shelf`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("books")
            try runner.makeFolder("more")
            try runner.write("secret", "correct horse")
            let add = ["shelf", "user", "add", "--password-file", "secret", "Ann"]
            let added = try await runner.run(add + ["more", "books"])
            #expect(added.code == 0, "\(added.error)")
            #expect(lines(try await runner.run("shelf", "user", "ls", "books", "more")) == ["Ann"])
        }
    }

    @Test func `people of a shelf on two hosts are added with a password file and a password in the environment`()
        async throws
    {
        try await CommandRunner.use { runner in
            try runner.write("secret", "correct horse")
            runner.environment["CARREL_PASSWORD"] = "storage"
            let locations = ["davs://reader@one.example/books", "davs://reader@two.example/books"]
            let add = ["shelf", "user", "add", "--password-file", "secret", "Ann"]
            let added = try await runner.run(add + locations)
            #expect(added.code == 0, "\(added.error)")
            #expect(lines(try await runner.run(["shelf", "user", "ls"] + locations)) == ["Ann"])
        }
    }

    // MARK: The configuration

    private static let whole = """
        {
            "folder": "shelf", "title": "Home", "host": "0.0.0.0", "port": 8180,
            "publicURL": "https://books.example/shelf/", "hosts": ["nas.local"], "trustedProxies": ["10.0.0.0/8"],
            "proxyFields": "forwarded", "access": "users", "allowsRegistration": true, "allowsScripts": false,
            "keyFile": "key", "metricsTokenFile": "token", "maxPageWidth": 1200, "concurrentPictures": 2,
            "connections": 100, "idleTimeout": 10,
            "loginLimits": {"perAddress": 5, "perName": 5, "perNameOverall": 50, "window": 60},
            "cachesFiles": {"folder": "cache", "size": "2G"}, "hidden": true, "removal": "immediate", "sources": ["books", {"location": "more", "name": "More"}]
        }
        """

    @Test func `a configuration is checked without serving`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("etc/books")
            try runner.makeFolder("etc/more")
            try runner.write("etc/token", "0123456789abcdef")
            chmod(runner.path("etc/token"), 0o600)
            try runner.write("etc/shelf.json", Self.whole)
            let checked = try await runner.run("shelf", "serve", "--check", "--config", "etc/shelf.json")
            #expect(checked.code == 0 && checked.text == "etc/shelf.json is valid.\n", "\(checked.error)")
            // Nothing was made.
            #expect(try runner.names("etc") == ["books", "more", "shelf.json", "token"])
        }
    }

    @Test func `every mistake is reported with its place`() async throws {
        try await CommandRunner.use { runner in
            try runner.write(
                "shelf.json",
                """
                {"titel": "Home", "port": 70000, "access": "all", "hosts": "nas", "allowsScripts": 1,
                 "loginLimits": {"perNam": 5, "window": 0}, "cachesFiles": {"size": "1K", "limit": 5},
                 "sources": ["books", {"name": "More"}, {"location": "more", "nam": "More"}, 5]}
                """)
            let checked = try await runner.run("shelf", "serve", "--check", "--config", "shelf.json")
            #expect(checked.code == 2)
            let places = [
                "sources[1].location: ", "sources[2].nam: ", "sources[3]: ", "port: ", "hosts: ", "access: ",
                "allowsScripts: ", "loginLimits.window: ", "loginLimits.perNam: ", "titel: ",
                "cachesFiles.size: ", "cachesFiles.folder: ", "cachesFiles.limit: ",
            ]
            #expect(checked.errorLines.count == places.count, "\(checked.error)")
            for place in places {
                let lead = "carrel: shelf serve shelf.json: " + place
                #expect(checked.errorLines.contains { $0.hasPrefix(lead) }, "\(place) in \(checked.error)")
            }
            #expect(checked.error.contains("“title”?") && checked.error.contains("“perName”?"))
        }
    }

    @Test(arguments: [
        (#"{"sources": ["books", "nowhere:x"]}"#, "sources[1]: "),
        (#"{"sources": [{"location": "books"}, {"location": "nowhere:x"}]}"#, "sources[1].location"),
        (#"{"sources": ["books"], "host": "0.0.0.0", "access": "everyone"}"#, "access: "),
        (#"{"sources": ["books"], "publicURL": "ftp://books.example/"}"#, "publicURL: "),
        (#"{"sources": ["books"], "trustedProxies": ["proxy"]}"#, "trustedProxies: "),
        (#"{"sources": ["books"], "metricsTokenFile": "none"}"#, "metricsTokenFile: "),
        (#"{"sources": ["books"], "folder": "shelf", "keyFile": "open.key"}"#, "keyFile: "),
        (#"{"sources": ["books"], "folder": "shelf", "keyFile": "short.key"}"#, "key: it needs 16 bytes"),
        (#"{"sources": ["books"], "folder": "books/shelf"}"#, "must not be in"),
        (#"{"sources": ["books"], "cachesFiles": {"folder": "books/cache"}}"#, "cachesFiles: "),
        (#"{"sources": ["books", "./books"]}"#, "Two sources"),
        (#"{}"#, "sources"), ("[]", "JSON object"), ("{", "shelf.json"),
    ])
    func `a configuration that cannot be is wrong usage`(json: String, part: String) async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("books")
            try runner.write("shelf.json", json)
            for (name, mode) in [("open.key", 0o644), ("short.key", 0o600)] as [(String, mode_t)] {
                try runner.write(name, "secret")
                chmod(runner.path(name), mode)
            }
            let outcome = try await runner.run("shelf", "serve", "--check", "--config", "shelf.json")
            expectFailure(outcome, 2, part)
        }
    }

    @Test func `wrong flags are wrong usage`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("books")
            expectFailure(try await runner.run("shelf", "serve"), 2, "folder")
            expectFailure(try await runner.run("shelf", "serve", "--port", "70000", "books"), 2, "--port")
            expectFailure(try await runner.run("shelf", "serve", "--config", "missing.json"), 2, "missing.json")
            let check = ["shelf", "serve", "--check", "books"]
            expectFailure(try await runner.run(check + ["--cache-size", "2G"]), 2, "--cache-size needs --cache")
            expectFailure(try await runner.run(check + ["--cache", "c", "--cache-size", "much"]), 2, "--cache-size")
            expectFailure(try await runner.run(check + ["--cache", "c", "--cache-size", "1K"]), 2, "cachesFiles: ")
            #expect(try await runner.run(check + ["--cache", "c", "--cache-size", "2G"]).code == 0)
            expectFailure(
                try await runner.run("shelf", "serve", "--check", "--public-url", "mailto:a", "books"), 2, "publicURL")
        }
    }

    // MARK: Serving

    /// The released program has a web server; the one that is built with the tests has none.
    private static let hasServer = ProcessInfo.processInfo.environment["CARREL_TEST_PROGRAM"] != nil

    @Test(.enabled(if: hasServer, "this program has no web server"))
    func `the first line is the address, at which the shelf is served`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("books")
            try runner.write("books/lamp.epub", try SampleBook.small(.epub2))
            // The pipe is read when the line is there; the socket is bash's own.
            let outcome = try await runner.shell(
                #"""
                mkfifo out
                "$CARREL" shelf serve --port 0 --folder shelf --json books >out 2>problems & server=$!
                read -r line <out
                echo "$line"
                port=${line##*127.0.0.1:}; port=${port%%/*}
                exec 3<>"/dev/tcp/127.0.0.1/$port"
                printf 'GET /koreader/healthcheck HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n' >&3
                cat <&3 | tail -n 1
                echo
                kill -TERM "$server"
                wait "$server"
                echo "$?"
                """#)
            let lines = outcome.text.split(separator: "\n").map(String.init)
            let problems = try runner.read("problems")
            #expect(lines.count == 3, "\(outcome.text)\(problems)")
            guard lines.count == 3 else { return }
            let first = try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: String]
            let url = try #require(first?["url"])
            #expect(url.hasPrefix("http://127.0.0.1:") && first?["opds"] == url + "opds/")
            #expect(lines[1] == #"{"state":"OK"}"# && lines[2] == "130")
            #expect(try runner.names("shelf").contains("serve.key"))
        }
    }

    @Test(.enabled(if: hasServer, "this program has no web server"))
    func `a port that is in use is named, with the flag for another one`() async throws {
        let other = try FaultServer { _ in .silence }
        defer { other.stop() }
        try await CommandRunner.use { runner in
            try runner.makeFolder("books")
            let port = String(try #require(other.url().port))
            let outcome = try await runner.run("shelf", "serve", "--port", port, "--folder", "shelf", "books")
            expectFailure(outcome, 6, "--port")
            #expect(outcome.error.contains(port))
        }
    }

    @Test(.enabled(if: hasServer, "this program has no web server"))
    func `the command that adds a person works as it is printed`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("my books")
            try runner.write("secret", "correct horse")
            try runner.write("shelf.json", #"{"access": "users", "sources": ["none"]}"#)
            let outcome = try await runner.shell(
                #"""
                mkfifo out
                "$CARREL" shelf serve --port 0 --config shelf.json "my books" >out 2>problems & server=$!
                read -r line <out
                kill -TERM "$server"
                wait "$server"
                cat problems
                """#)
            #expect(outcome.text.contains("“carrel shelf user add --config shelf.json NAME 'my books'”"))
            let added = try await runner.run(
                "shelf", "user", "add", "--password-file", "secret", "--config", "shelf.json", "Ann", "my books")
            // The shelf is the one that was served.
            #expect(added.code == 0 && added.error.isEmpty, "\(added.error)")
        }
    }

    @Test(.enabled(if: hasServer && geteuid() != 0, "this program has no web server, or may read everything"))
    func `a folder that cannot be listed is named on standard error`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("books/closed")
            chmod(runner.path("books/closed"), 0)
            defer { chmod(runner.path("books/closed"), 0o700) }
            let outcome = try await runner.shell(
                #"""
                mkfifo out problems
                "$CARREL" shelf serve --port 0 --folder shelf books >out 2>problems & server=$!
                exec 3<out 4<problems
                read -r problem <&4
                echo "$problem"
                kill -TERM "$server"
                wait "$server"
                """#)
            #expect(outcome.text.hasPrefix("carrel: shelf serve ") && outcome.text.contains("/closed: "))
        }
    }

    @Test(.disabled(if: hasServer, "this program has a web server")) func `serving needs the trait`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("books")
            expectFailure(try await runner.run("shelf", "serve", "books"), 2, "--traits default,Serving")
        }
    }
}
