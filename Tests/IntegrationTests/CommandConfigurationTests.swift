import Foundation
import Testing

/// Saved connections, slips of the fingers, the manual page and what shells complete.
@Suite struct CommandConfigurationTests {
    @Test func `a connection is kept, used, listed and forgotten`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("books")
            try runner.write("books/a", "x")
            try runner.write("ca.pem", "x")
            #expect(try await runner.run("config", "ls").text == "")
            #expect(try await runner.run("config", "ls", "--json").text == #"{"connections":{}}"# + "\n")
            let add = [
                "config", "add", "--user", "reader", "--cacert", "ca.pem", "--timeout", "7", "nas",
                "davs://nas.example/b%20c/",
            ]
            #expect(try await runner.run(add).code == 0)
            #expect(try await runner.run("config", "add", "here", "books").code == 0)
            #expect(try await runner.run("ls", "here:").text == "a\n")
            let file = runner.path(".config/carrel/config.json")
            #expect((try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int) == 0o600)
            #expect(
                try await runner.run("config", "ls").text == """
                    here\tfile://\(runner.path("books"))
                    nas\tdavs://reader@nas.example/b%20c/

                    """)
            let connections =
                try await runner.run("config", "ls", "--json").object["connections"] as? [String: [String: Any]]
            #expect(connections?["nas"]?["cacert"] as? String == runner.path("ca.pem"))
            #expect(
                connections?["nas"]?["timeout"] as? Double == 7 && connections?["nas"]?["user"] as? String == "reader")
            expectFailure(try await runner.run("config", "add", "nas", "dav://other/"), 5, "carrel: config add nas: ")
            #expect(try await runner.run("config", "add", "--overwrite", "nas", "dav://other/").code == 0)
            #expect(try await runner.run("config", "rm", "nas", "--json").object["connections"] is [String: Any])
            expectFailure(try await runner.run("config", "rm", "nas"), 3, "carrel: config rm nas: ")
            #expect(try await runner.run("config", "ls").text.hasPrefix("here\t"))
            #expect(try runner.names(".config/carrel") == ["config.json"])
        }
    }

    @Test(arguments: [
        ("nas", "davs://reader:secret@nas.example/", "password"), ("dav", "davs://nas.example/", "no scheme"),
        ("a b", "/tmp", "cannot name a connection"),
        ("nas", "foo://h/", "foo"), ("nas", "other:x", "another connection"), ("nas", "davs://h/a?b", "?"),
    ])
    func `what cannot be kept is wrong usage, and nothing is written`(
        _ name: String, _ location: String, _ part: String
    ) async throws {
        try await CommandRunner.use { runner in
            let outcome = try await runner.run("config", "add", name, location)
            expectFailure(outcome, 2, part)
            #expect(!outcome.error.contains("secret"))
            #expect(try runner.names() == [])
        }
    }

    @Test func `what else is in the file stays, and a damaged one is left alone`() async throws {
        try await CommandRunner.use { runner in
            runner.environment["CARREL_CONFIG"] = "own.json"
            let own =
                #"{"app": {"theme": 3}, "connections": {"a": {"url": "dav://a/", "cacert": "rel.pem", "retries": 5}}}"#
            try runner.write("real.json", own)
            try FileManager.default.createSymbolicLink(
                atPath: runner.path("own.json"), withDestinationPath: "real.json")
            chmod(runner.path("real.json"), 0o640)
            #expect(try await runner.run("config", "add", "b", "/tmp").code == 0)
            let document = try #require(
                JSONSerialization.jsonObject(with: Data(contentsOf: runner.folder.appending(path: "real.json")))
                    as? [String: Any])
            #expect((document["app"] as? [String: Any])?["theme"] as? Int == 3)
            let a = (document["connections"] as? [String: [String: Any]])?["a"]
            #expect(a?["cacert"] as? String == "rel.pem" && a?["retries"] as? Int == 5)
            let attributes = try FileManager.default.attributesOfItem(atPath: runner.path("real.json"))
            #expect(attributes[.posixPermissions] as? Int == 0o640)
            for damaged in ["{", #"{"connections": {"a": {"link": "dav://a/"}}}"#] {
                try runner.write("real.json", damaged)
                for change in [["add", "c", "/tmp"], ["rm", "a"], ["ls"]] {
                    expectFailure(try await runner.run(["config"] + change), 2, "own.json")
                }
                #expect(try runner.read("real.json") == damaged)
            }
        }
    }

    @Test(arguments: [
        (["sl", "."], "“ls”"), (["chekc", "a", "b"], "“check”"), (["checksm", "a"], "“checksum”"),
        (["list", "--json", "."], "“ls”"),
        (["book", "inof", "x"], "“info”"), (["config", "ad", "x", "y"], "“add”"), (["ls", "--jsn", "."], "'--json'"),
        (["cp", "--overwite", "a", "b"], "'--overwrite'"),
    ])
    func `a mistyped verb or flag names the nearest one`(_ arguments: [String], _ nearest: String) async throws {
        try await CommandRunner.use { runner in
            expectFailure(try await runner.run(arguments), 2, "Did you mean \(nearest)?")
        }
    }

    @Test func `a word that is like no verb names none`() async throws {
        try await CommandRunner.use { runner in
            let outcome = try await runner.run("dav://user:secret@host/x")
            expectFailure(outcome, 2)
            #expect(!outcome.error.contains("Did you mean") && !outcome.error.contains("secret"))
        }
    }

    @Test func `the manual page has every verb and option`() async throws {
        try await CommandRunner.use { runner in
            let page = try await runner.run("manual").text
            #expect(page.hasPrefix(".TH CARREL 1\n"))
            for part in [
                ".SS carrel cp ", ".SS carrel book cat ", "\\-\\-include", "\\-\\-known\\-hosts", ".SH EXIT STATUS",
                ".B 141",
            ] {
                #expect(page.contains(part), "\(part)")
            }
            #expect(page.components(separatedBy: "\\-\\-known\\-hosts").count == 2)
            let requests = [".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".I"]
            for line in page.split(separator: "\n") where line.hasPrefix(".") {
                #expect(requests.contains(String(line.prefix { $0 != " " })), "\(line)")
            }
        }
    }

    @Test func `shells complete local files and saved connections`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("nasturtium")
            try runner.write("nasturtium/leaf.txt", "x")
            try runner.write("names", "x")
            try runner.write(".nas", "x")
            try runner.write(
                "config.json", #"{"connections": {"nas": {"url": "dav://a/"}, "other": {"url": "dav://b/"}}}"#)
            runner.environment["CARREL_CONFIG"] = runner.path("config.json")
            let own = runner
            func completed(_ verb: String, _ prefix: String) async throws -> [String] {
                let words = ["carrel", verb, prefix]
                let arguments = ["---completion", verb, "--", "positional@0", "2", String(prefix.count)] + words
                return try await own.run(arguments).text.split(separator: "\n").map(String.init)
            }
            #expect(try await completed("ls", "na") == ["nas:", "names", "nasturtium/"])
            #expect(try await completed("cp", "nasturtium/l") == ["nasturtium/leaf.txt"])
            #expect(try await completed("stat", ".n") == [".nas"])
            #expect(try await completed("ls", "none") == [])
            for shell in ["bash", "zsh", "fish"] {
                let script = try await runner.run("--generate-completion-script", shell)
                #expect(script.code == 0 && script.text.contains("---completion ls -- positional@0"), "\(shell)")
            }
        }
    }
}
