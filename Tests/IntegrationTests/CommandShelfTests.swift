import Foundation
import SampleBooks
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
}
