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

    // MARK: Reading

    /// Each line of standard output as a JSON object.
    private func lines(_ outcome: CommandRunner.Outcome) throws -> [[String: Any]] {
        try outcome.text.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    private func locations(_ object: [String: Any]) -> [String: Any] { object["locations"] as? [String: Any] ?? [:] }

    @Test func `text is found in a book, with what stands around it`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("a.epub", try SampleBook.small())
            let plain = try await runner.run("book", "search", "a.epub", "LAMP")
            let rows = plain.text.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
            #expect(plain.code == 0 && rows.count == 3 && rows.allSatisfy { $0.count == 3 })
            #expect(rows.map(\.first) == [1, 3, 3].map { "EPUB/chapter-\($0).xhtml" })
            #expect(rows.first?.last?.contains("What she liked was the [lamp]. It hung") == true)
            let hits = try lines(try await runner.run("book", "search", "--json", "a.epub", "lamp"))
            let texts = hits.compactMap { $0["text"] as? [String: Any] }
            #expect(texts.map { $0["highlight"] as? String } == ["lamp", "Lamp", "lamp"])
            #expect((texts.first?["before"] as? String)?.hasSuffix("What she liked was the ") == true)
            #expect(hits.allSatisfy { locations($0)["position"] is Int && locations($0)["partialCfi"] is String })
            for (flags, count) in [
                (["--words"], 2), (["--case-sensitive"], 2), (["--limit", "1"], 1), (["--accents"], 3),
            ] {
                let outcome = try await runner.run(["book", "search", "--json"] + flags + ["a.epub", "lamp"])
                #expect(try lines(outcome).count == count, "\(flags)")
            }
            let nothing = try await runner.run("book", "search", "a.epub", "zebra")
            #expect(nothing.code == 0 && nothing.output.isEmpty)
            expectFailure(try await runner.run("book", "search", "a.epub", " "), 2, "nothing to search for")
            expectFailure(try await runner.run("book", "search", "missing.epub", "lamp"), 3)
            #expect(try await runner.run("book", "search", "--limit", "0", "a.epub", "lamp").code == 2)
        }
    }

    @Test func `a chapter that cannot be read is named after the hits in the others`() async throws {
        try await CommandRunner.use { runner in
            let whole = try SampleBook.small()
            // The last chapter's data, which lie in front of the directory.
            let directory = try #require(whole.range(of: Data([0x50, 0x4B, 1, 2]))).lowerBound
            var damaged = whole
            for index in directory - 60..<directory - 20 { damaged[index] ^= 0x55 }
            try runner.write("a.epub", damaged)
            let outcome = try await runner.run("book", "search", "--json", "a.epub", "lamp")
            // The error is a line, too.
            #expect(try lines(outcome).compactMap { $0["href"] as? String } == ["EPUB/chapter-1.xhtml"])
            expectFailure(outcome, 7, "EPUB/chapter-3.xhtml")
        }
    }

    @Test func `the text of a book is written, or a part of it`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("a.epub", try SampleBook.small())
            let all = try await runner.run("book", "text", "a.epub").text
            #expect(all.hasPrefix("The Desk by the Window\n\nThere were forty desks"))
            #expect(all.hasSuffix("\n\nHe let that one burn.\n"))
            let last = try await runner.run("book", "text", "a.epub", "--from", "EPUB/chapter-3.xhtml").text
            #expect(last.hasPrefix("The Lamp Stays Lit\n\nIn the third month") && all.hasSuffix(last))
            let first = try await runner.run("book", "text", "a.epub", "--to", "EPUB/chapter-2.xhtml").text
            #expect(all.hasPrefix(first) && first.hasSuffix("did not believe in asking twice.\n"))
            let elements = try lines(try await runner.run("book", "text", "--json", "a.epub"))
            #expect(elements.count == 15 && elements.first?["type"] as? String == "heading")
            #expect(elements.first?["level"] as? Int == 1 && elements.first?["language"] as? String == "en")
            #expect(elements.dropFirst().first?["type"] as? String == "paragraph")
            #expect(elements.last?["text"] as? String == "He let that one burn.")
            #expect((elements.last?["locator"] as? [String: Any])?["href"] as? String == "EPUB/chapter-3.xhtml")
            expectFailure(try await runner.run("book", "text", "a.epub", "--from", "missing.xhtml"), 3)
            expectFailure(try await runner.run("book", "text", "a.epub", "--to", "1.5"), 2)
        }
    }

    @Test func `the positions of a book are listed`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("a.epub", try SampleBook.small())
            let outcome = try await runner.run("book", "positions", "--json", "a.epub")
            let positions = try #require(outcome.json as? [[String: Any]])
            #expect(positions.map { locations($0)["position"] as? Int } == (1...positions.count).map { $0 })
            let hrefs = positions.compactMap { $0["href"] as? String }
            #expect(hrefs == hrefs.sorted() && Set(hrefs).count == 3)
            let rows = try await runner.run("book", "positions", "a.epub").text.split(separator: "\n")
            #expect(rows.count == positions.count)
            #expect(rows.first == "1\tEPUB/chapter-1.xhtml\t0.0\tThe Desk by the Window")
            try runner.write("a.mp3", Data([0xFF, 0xFB, 0x90, 0]) + Data(count: 413))
            let none = try await runner.run("book", "positions", "--json", "a.mp3")
            #expect(none.code == 0 && (none.json as? [Any])?.isEmpty == true)
        }
    }

    @Test func `a place is located, however it is written`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("a.epub", try SampleBook.small())
            func locate(_ place: String) async throws -> [String: Any] {
                try await runner.run("book", "locate", "--json", "a.epub", place).object
            }
            let start = try await locate("EPUB/chapter-2.xhtml")
            #expect(
                start["href"] as? String == "EPUB/chapter-2.xhtml" && locations(start)["progression"] as? Double == 0)
            let middle = try await locate("0.5")
            #expect(locations(middle)["totalProgression"] as? Double == 0.5)
            let plain = try await runner.run("book", "locate", "a.epub", "EPUB/chapter-2.xhtml").text
            let cfi = try #require(plain.split(separator: "\n").first { $0.hasPrefix("cfi\t") }?.dropFirst(4))
            #expect(cfi.hasPrefix("epubcfi(/6/4"))
            #expect(try await locate(String(cfi))["href"] as? String == "EPUB/chapter-2.xhtml")
            // A quotation that was edited, in a chapter that had another name.
            let quotation = """
                {"href":"old.xhtml","type":"text/html","text":{"highlight":"had once carved a small fish on its edge"}}
                """
            let found = try await locate(quotation)
            #expect(found["href"] as? String == "EPUB/chapter-1.xhtml")
            let text = found["text"] as? [String: Any]
            #expect((text?["highlight"] as? String)?.contains("carved a small fish into its edge") == true)
            for place in ["missing.xhtml", "epubcfi(/6/40!/4/2)", #"{"href":"x","type":"text/html"}"#] {
                expectFailure(try await runner.run("book", "locate", "a.epub", place), 3, "has no place")
            }
            for place in ["2", "nan", "epubcfi(", "{}", "{"] {
                expectFailure(try await runner.run("book", "locate", "a.epub", place), 2)
            }
        }
    }

    @Test(arguments: [
        ["search", "a.epub", "lamp"], ["text", "a.epub"], ["positions", "a.epub"], ["locate", "a.epub", "0.5"],
    ])
    func `reading reports what it cost`(_ arguments: [String]) async throws {
        try await CommandRunner.use { runner in
            try runner.write("a.epub", try SampleBook.small())
            let outcome = try await runner.run(["book"] + arguments + ["--json", "--stats"])
            #expect(outcome.code == 0 && outcome.statistics["requests"] is Int)
        }
    }
}
