import Foundation
import Testing

/// `ls`, `stat`, `tree`, `du` and `df` on this machine: orders, sizes for people, and JSON that is written as it comes.
@Suite struct CommandListingTests {
    /// An item of `ls --json`.
    private struct Item: Codable {
        var etag: String?
        var linkTarget: String?
        var mimeType: String?
        var modified: String?
        var name: String
        var nameBytes: String?
        var path: String
        var permissions: String?
        var size: Int64?
        var type: String
    }

    private static func encoded(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    private func date(_ name: String, _ seconds: TimeInterval, of runner: CommandRunner) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: runner.path(name))
    }

    @Test func `a listing's JSON is, byte for byte, what an encoder writes`() async throws {
        try await CommandRunner.use { runner in
            for code in 1..<0x20 { try runner.write("c\(Character(UnicodeScalar(UInt8(code))))", "x") }
            for name in [
                "quote\"", "back\\slash", "del\u{7F}", "é", "e\u{301}", "日本", "📚", "\u{2028}", "\u{10FF85}", " ",
            ] {
                try runner.write(name, String(repeating: "x", count: name.utf8.count))
            }
            try runner.makeFolder("folder")
            try FileManager.default.createSymbolicLink(atPath: runner.path("link"), withDestinationPath: "a \"b\"")
            _ = try await runner.shell("printf x > $'f\\xff'")
            let output = try await runner.run("ls", "--json", ".").output
            let items = try JSONDecoder().decode([Item].self, from: output)
            #expect(items.count == 44)
            #expect(try output == Self.encoded(items) + Data("\n".utf8))
            #expect(items.count { $0.nameBytes != nil } == 1)
            let link = try #require(items.first { $0.name == "link" })
            #expect(link.type == "symlink" && link.linkTarget == "a \"b\"")
            // The same objects wherever items are shown.
            let lines = try await runner.run("ls", "-R", "--json", ".").output
            #expect(try lines == items.map { try Self.encoded($0) + Data("\n".utf8) }.reduce(Data(), +))
            #expect(try await runner.run("stat", "--json", "link").output == Self.encoded(link) + Data("\n".utf8))
            let two = try await runner.run("stat", "--json", "link", "link").output
            #expect(try two == Self.encoded([link, link]) + Data("\n".utf8))
        }
    }

    @Test func `an empty folder is an empty array, and a file lists itself`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("empty")
            #expect(try await runner.run("ls", "--json", "empty").text == "[]\n")
            #expect(try await runner.run("ls", "empty").text == "")
            try runner.write("a", "hello")
            let items = try await runner.run("ls", "--json", "a").json as? [[String: Any]]
            #expect(items?.map { $0["size"] as? Int } == [5])
            #expect(try await runner.run("ls", "-R", "a").text == "a\n")
        }
    }

    @Test func `names are sorted by their bytes, however many pages there are`() async throws {
        try await CommandRunner.use { runner in
            // More than one piece of memory, and more than one page.
            let names = (0..<6000).map { "name-\($0)-" + String(repeating: "x", count: 180) }
            for name in names { try runner.write(name, "") }
            let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            let items = try JSONDecoder().decode([Item].self, from: try await runner.run("ls", "--json", ".").output)
            #expect(items.map(\.name) == sorted)
            #expect(try await runner.run("ls", ".").text.split(separator: "\n").map(String.init) == sorted)
        }
    }

    @Test func `the newest or the largest come first on request`() async throws {
        try await CommandRunner.use { runner in
            for (name, size, time) in [("a", 3, 2000.0), ("b", 1, 3000.5), ("c", 3, 3000.25), ("d", 2, 1000)] {
                try runner.write(name, String(repeating: "x", count: size))
                try date(name, time, of: runner)
            }
            try runner.makeFolder("e")
            try date("e", 500, of: runner)
            #expect(try await runner.run("ls", "-t", ".").text == "b\nc\na\nd\ne\n")
            #expect(try await runner.run("ls", "-S", ".").text == "a\nc\nd\nb\ne\n")
            #expect(try await runner.run("ls", "-S", "-t", ".").text == "b\nc\na\nd\ne\n")
            #expect(try await runner.run("ls", "-tS", ".").text == "a\nc\nd\nb\ne\n")
            let items = try JSONDecoder().decode(
                [Item].self, from: try await runner.run("ls", "--json", "-S", ".").output)
            #expect(items.map(\.name) == ["a", "c", "d", "b", "e"])
            try runner.write("e/f", "xx")
            try runner.write("e/g", "xxx")
            try date("e", 500, of: runner)
            #expect(try await runner.run("ls", "-R", "-S", ".").text == "a\nc\nd\nb\ne\ne/g\ne/f\n")
        }
    }

    @Test func `sizes are rounded for people, and never in JSON`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("d")
            try runner.write("d/a", Data(count: 1_572_864))
            for flag in ["-h", "--human-readable"] {
                #expect(try await runner.run("ls", "-l", flag, "d").text.contains(" 1.5 MiB "))
                #expect(try await runner.run("du", flag, "d").text.contains("bytes\t1.5 MiB\n"))
                #expect(try await runner.run("df", flag, "d").text.contains("iB\n"))
            }
            #expect(try await runner.run("ls", "-l", "d").text.contains(" 1572864 "))
            #expect(try await runner.run("du", "-h", "--json", "d").object["bytes"] as? Int == 1_572_864)
            #expect(try await runner.run("ls", "--help").text.contains("USAGE: carrel ls"))
        }
    }

    @Test func `sizes below a folder are added up`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("d/e/f")
            try runner.write("d/a", "12345")
            try runner.write("d/e/b", "123")
            try FileManager.default.createSymbolicLink(atPath: runner.path("d/link"), withDestinationPath: "a")
            let size = try await runner.run("du", "--json", "d")
            #expect(size.code == 0)
            #expect(size.text == #"{"bytes":8,"files":3,"folders":2}"# + "\n")
            #expect(try await runner.run("du", "d").text == "bytes\t8\nfiles\t3\nfolders\t2\n")
            #expect(try await runner.run("du", "--json", "d/a").text == #"{"bytes":5,"files":1,"folders":0}"# + "\n")
            expectFailure(try await runner.run("du", "missing"), 3)
        }
    }

    @Test func `a tree is shown, as deep as wanted`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("d/e/f")
            for name in ["d/a", "d/e/b", "d/e/f/c", "d/z"] { try runner.write(name, "x") }
            let text = try await runner.run("tree", "d").text
            #expect(
                text == """
                    d
                    ├── a
                    ├── e
                    │   ├── b
                    │   └── f
                    │       └── c
                    └── z
                    2 folders, 4 files

                    """)
            #expect(try await runner.run("tree", "-d", "1", "d").text == "d\n├── a\n├── e\n└── z\n1 folder, 2 files\n")
            let tree = try await runner.run("tree", "--json", "d").object
            let children = try #require(tree["children"] as? [[String: Any]])
            #expect(tree["name"] as? String == "d" && children.map { $0["name"] as? String } == ["a", "e", "z"])
            #expect(children[0]["children"] == nil && children[0]["size"] as? Int == 1)
            let below = children[1]["children"] as? [[String: Any]]
            #expect(
                below?.map { $0["name"] as? String } == ["b", "f"] && children[1]["type"] as? String == "directory")
            let flat =
                try await runner.run("tree", "--json", "--depth", "1", "d").object["children"] as? [[String: Any]]
            #expect(flat?.count == 3 && flat?.allSatisfy { $0["children"] == nil } == true)
            try runner.makeFolder("empty")
            #expect((try await runner.run("tree", "--json", "empty").object["children"] as? [Any])?.isEmpty == true)
            expectFailure(try await runner.run("tree", "missing"), 3)
            expectFailure(try await runner.run("tree", "-d", "0", "d"), 2, "--depth")
        }
    }

    @Test(.enabled(if: geteuid() != 0, "the superuser may list everything"))
    func `of a tree of which a part cannot be listed, the rest is shown`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("d/e")
            try runner.makeFolder("d/f")
            try runner.write("d/f/a", "xx")
            chmod(runner.path("d/e"), 0)
            defer { chmod(runner.path("d/e"), 0o700) }
            let tree = try await runner.run("tree", "--json", "d")
            expectFailure(tree, 7, "carrel: tree d/e: ")
            let children = tree.object["children"] as? [[String: Any]]
            #expect(children?.map { $0["children"] is [Any] } == [false, true])
            let size = try await runner.run("du", "--json", "d")
            expectFailure(size, 7, "carrel: du d/e: ")
            #expect(size.object["bytes"] as? Int == 2)
        }
    }
}
