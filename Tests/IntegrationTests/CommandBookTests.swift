import Foundation
import SampleBooks
import Testing

/// `sniff` and `book`: what is it, and what is in it?
@Suite struct CommandBookTests {
    private func expectSniffed(
        _ item: Any?, location: String, type: String?, by: String?, at target: SourceLocation = #_sourceLocation
    ) {
        let item = item as? [String: Any] ?? [:]
        #expect(item["location"] as? String == location, sourceLocation: target)
        #expect(item["mediaType"] as? String == type, sourceLocation: target)
        #expect(item["by"] as? String == by, sourceLocation: target)
        // The contract has null here, not a missing key.
        #expect(item["mediaType"] != nil, sourceLocation: target)
    }

    @Test func `hints answer, content on request`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("a.epub", try SampleBook.small())
            try runner.write("b.txt", try SampleBook.small())
            expectSniffed(
                try await runner.run("sniff", "--json", "a.epub").json, location: "a.epub",
                type: "application/epub+zip", by: "hint")
            expectSniffed(
                try await runner.run("sniff", "--json", "--content", "a.epub").json, location: "a.epub",
                type: "application/epub+zip",
                by: "content")
            expectSniffed(
                try await runner.run("sniff", "--json", "--content", "b.txt").json, location: "b.txt",
                type: "application/epub+zip",
                by: "content")
            expectSniffed(
                try await runner.run("sniff", "--json", "--ext", "pdf", "b.txt").json, location: "b.txt",
                type: "application/pdf",
                by: "hint")
            let both = try await runner.run("sniff", "--json", "a.epub", "b.txt")
            #expect((both.json as? [Any])?.count == 2 && both.code == 0)
        }
    }

    @Test func `an unknown format is exit code 8 and null`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("empty", "")
            let outcome = try await runner.run("sniff", "--json", "empty")
            expectFailure(outcome, 8, "carrel: sniff empty: ")
            expectSniffed(outcome.json, location: "empty", type: nil, by: nil)
            try runner.write("a.pdf", "%PDF-1.4")
            let both = try await runner.run("sniff", "--json", "empty", "a.pdf")
            #expect(both.code == 7 && (both.json as? [Any])?.count == 2)
        }
    }

    @Test(arguments: [[], ["--type", "application/epub+zip"], ["--ext", "epub"], ["--content"]])
    func `a hint alone does not make a file`(_ flags: [String]) async throws {
        try await CommandRunner.use { runner in
            expectFailure(try await runner.run(["sniff"] + flags + ["missing.epub"]), 3)
            try runner.makeFolder("folder.epub")
            expectFailure(try await runner.run(["sniff"] + flags + ["folder.epub"]), 1, "is a folder")
        }
    }

    @Test(arguments: [
        ("empty", "", "is empty"), ("a.txt", "Once upon a time", "cannot be opened as a book"),
        ("a.pdf", "%PDF-1.4\n", "PDF"),
        ("a.epub", "no archive", ""),
    ])
    func `what is no book is exit code 8`(_ name: String, _ content: String, _ part: String) async throws {
        try await CommandRunner.use { runner in
            try runner.write(name, content)
            expectFailure(try await runner.run("book", "info", name), 8, "carrel: book info \(name): ")
            if !part.isEmpty { expectFailure(try await runner.run("book", "ls", name), 8, part) }
        }
    }

    @Test func `a book tells of itself, and gives its resources`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("a.epub", try SampleBook.small())
            #expect(try await runner.run("book", "info", "a.epub").text.hasPrefix("title\t\(SampleBook.title)\n"))
            let manifest = try await runner.run("book", "info", "--json", "a.epub").object
            #expect((manifest["metadata"] as? [String: Any])?["identifier"] as? String == SampleBook.identifier)
            let links = try #require(try await runner.run("book", "ls", "--json", "a.epub").json as? [[String: Any]])
            let first = try #require(links.first?["href"] as? String)
            #expect(try await runner.run("book", "cat", "a.epub", first).text.contains("<html"))
            expectFailure(try await runner.run("book", "cat", "a.epub", "missing.xhtml"), 3)
            expectFailure(try await runner.run("book", "info", "missing.epub"), 3)
            expectFailure(try await runner.run("book", "info", "."), 8, "is a folder")
        }
    }

    @Test func `a cover goes to a file, to standard output, and over no other file`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("a.epub", try SampleBook.small())
            #expect(try await runner.run("book", "cover", "a.epub", "c").code == 0)
            let image = try Data(contentsOf: runner.folder.appending(path: "c"))
            #expect(try await runner.run("book", "cover", "a.epub", "-").output == image && !image.isEmpty)
            expectFailure(try await runner.run("book", "cover", "a.epub", "c"), 5, "carrel: book cover c: ")
            #expect(try await runner.run("book", "cover", "--overwrite", "a.epub", "c").code == 0)
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/pdftoppm"), "needs poppler-utils"))
    func `a PDF file tells its pages, and its cover is the first of them`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("a.pdf", PDFBuilder.pages(3).build())
            try runner.write("misnamed.epub", PDFBuilder.pages(3).build())
            #expect(try await runner.run("book", "info", "a.pdf").text.contains("pages\t3\n"))
            for name in ["a.pdf", "misnamed.epub"] {
                let cover = try await runner.run("book", "cover", name, "-")
                #expect(cover.code == 0 && cover.output.starts(with: [0xFF, 0xD8, 0xFF]), "\(cover.error)")
            }
            try runner.write("b.pdf", "Once upon a time")
            expectFailure(try await runner.run("book", "cover", "b.pdf", "c"), 8, "b.pdf")
            #expect(!(try runner.names().contains("c")))
        }
    }

    @Test func `a book without a cover says so`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("a.mp3", Data([0xFF, 0xFB, 0x90, 0]) + Data(count: 413))
            expectFailure(try await runner.run("book", "cover", "a.mp3", "c"), 3, "has no cover")
        }
    }
}
