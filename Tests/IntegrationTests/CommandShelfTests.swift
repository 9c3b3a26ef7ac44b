import Carrel
import Foundation
import SampleBooks
import Shelf
import Testing

/// `shelf scan`, `ls` and `search` on a folder of this machine.
@Suite struct CommandShelfTests {
    private func makeBooks(_ runner: CommandRunner) throws {
        try runner.makeFolder("books/austen")
        try runner.write("books/lamp.epub", try SampleBook.small(.epub2))
        try runner.write("books/austen/emma.epub", try SampleEPUB(title: "Emma").data())
        try runner.write("books/broken.epub", "This is no archive.")
    }

    private func lines(_ outcome: CommandRunner.Outcome) -> [String] {
        outcome.text.split(separator: "\n").map(String.init)
    }

    @Test func `a folder is scanned once, then listed and searched without it`() async throws {
        try await CommandRunner.use { runner in
            try makeBooks(runner)
            let scan = try await runner.run("shelf", "scan", "books")
            #expect(scan.code == 0, "\(scan.error)")
            #expect(lines(scan).count == 3 && scan.text.contains("added books/austen/emma.epub: Emma by Ada Reader\n"))
            #expect(scan.text.contains("refused books/broken.epub: "))
            let again = try await runner.run("shelf", "scan", "--json", "books")
            #expect(again.code == 0 && again.object["listed"] as? Int == 3 && again.object["read"] as? Int == 0)

            try FileManager.default.removeItem(at: runner.folder.appending(path: "books/lamp.epub"))
            let list = try await runner.run("shelf", "ls", "books")
            #expect(
                lines(list) == [
                    "Emma\tAda Reader\tbooks/austen/emma.epub", "\(SampleBook.title)\tCarrel\tbooks/lamp.epub",
                ], "\(list.text)\(list.error)")
            let found = try await runner.run("shelf", "search", "--json", "books", "LAMP carr")
            #expect(found.code == 0 && lines(found).count == 1)
            let metadata = found.object["metadata"] as? [String: Any]
            #expect(metadata?["title"] as? String == SampleBook.title)
            #expect(found.object["mediaType"] as? String == "application/epub+zip")
            expectFailure(try await runner.run("shelf", "search", "books", "nothing"), 3)
            let refused = try await runner.run("shelf", "ls", "--refused", "books")
            #expect(refused.code == 0 && refused.text.hasPrefix("books/broken.epub\t"))
        }
    }

    @Test func `most books are removed when their removal is confirmed`() async throws {
        try await CommandRunner.use { runner in
            try makeBooks(runner)
            #expect(try await runner.run("shelf", "scan", "--folder", "catalogue", "--covers", "books").code == 0)
            #expect(try runner.names("catalogue").contains("shelf.sqlite"))
            for name in ["lamp.epub", "austen/emma.epub"] {
                try FileManager.default.removeItem(at: runner.folder.appending(path: "books/\(name)"))
            }
            let first = try await runner.run("shelf", "scan", "--folder", "catalogue", "books")
            #expect(first.code == 0 && first.error.contains("2 books are missing"), "\(first.error)")
            let confirmed = try await runner.run(
                "shelf", "scan", "--folder", "catalogue", "--confirm-removals", "--json", "books")
            #expect(confirmed.object["removed"] as? Int == 2, "\(confirmed.error)")
        }
    }

    @Test func `a catalogue in the folder itself, and words without letters, are wrong usage`() async throws {
        try await CommandRunner.use { runner in
            try makeBooks(runner)
            expectFailure(
                try await runner.run("shelf", "scan", "--folder", "books/catalogue", "books"), 2, "watch itself")
            expectFailure(try await runner.run("shelf", "search", "books", " "), 2)
            expectFailure(try await runner.run("shelf", "scan", "missing"), 3)
        }
    }

    @Test func `a folder that was never scanned is not found, and nothing is made`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("my books")
            let scan = "run “carrel shelf scan 'my books'” first"
            expectFailure(try await runner.run("shelf", "ls", "my books"), 3, scan)
            expectFailure(try await runner.run("shelf", "search", "my books", "lamp"), 3, scan)
            let named = try await runner.run("shelf", "ls", "--folder", "catalogue", "my books")
            expectFailure(named, 3, "run “carrel shelf scan --folder catalogue 'my books'” first")
            #expect(try runner.names() == ["my books"])
        }
    }

    @Test func `a folder of several in one catalogue is listed alone, and not scanned alone unless that is asked for`()
        async throws
    {
        try await CommandRunner.use { runner in
            for (folder, title) in [("a", "White Whale"), ("b", "Whale Songs")] {
                try runner.makeFolder(folder)
                try runner.write("\(folder)/book.epub", try SampleEPUB(title: title).data())
                try runner.write("\(folder)/broken.epub", "This is no archive.")
            }
            let (a, b) = (runner.path("a"), runner.path("b"))
            let local = try LocalFileProvider(root: URL(filePath: "/"))
            let sources = try [a, b].map { ShelfSource(provider: local, root: try ProviderPath($0)) }
            let shelf = try await Shelf.open(folder: runner.folder.appending(path: "catalogue"), sources: sources)
            try await shelf.scan()
            try await shelf.close()

            let catalogue = ["--folder", "catalogue"]
            let list = try await runner.run(["shelf", "ls"] + catalogue + [b])
            #expect(list.text == "Whale Songs\tAda Reader\t\(b)/book.epub\n", "\(list.error)")
            let refused = try await runner.run(["shelf", "ls", "--refused"] + catalogue + [b])
            #expect(lines(refused).count == 1 && refused.text.hasPrefix("\(b)/broken.epub\t"), "\(refused.text)")
            let found = try await runner.run(["shelf", "search"] + catalogue + [a, "whale", "WHITE"])
            #expect(found.text == "White Whale\tAda Reader\t\(a)/book.epub\n", "\(found.error)")
            expectFailure(try await runner.run(["shelf", "search"] + catalogue + [b, "whale", "white"]), 3)

            expectFailure(try await runner.run(["shelf", "scan"] + catalogue + [a]), 2, "file://\(b)")
            #expect(lines(try await runner.run(["shelf", "ls"] + catalogue + [b])).count == 1)
            let replaced = try await runner.run(["shelf", "scan", "--replace-sources"] + catalogue + [a])
            #expect(replaced.code == 0, "\(replaced.error)")
            expectFailure(try await runner.run(["shelf", "ls"] + catalogue + [b]), 3, "never scanned")
        }
    }
}
