import Carrel
import Foundation
import SampleBooks
import Testing

/// `props` and `thumb`: what does a file say of itself, and what does it look like?
@Suite struct CommandInformationTests {
    private static let isWhole: Bool = {
        #if Formats
            true
        #else
            false
        #endif
    }()

    /// A PNG file of 240 × 360 pixels.
    private func writePicture(_ runner: CommandRunner, name: String) async throws {
        try runner.write("cover.epub", try SampleBook.small(.epub2))
        #expect(try await runner.run("book", "cover", "cover.epub", name).code == 0)
    }

    @Test func `a book's properties come as lines and as an object`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("a.epub", try SampleBook.small())
            let lines = try await runner.run("props", "a.epub")
            #expect(lines.code == 0 && lines.text.hasPrefix("title\t\(SampleBook.title)\n"))
            let object = try await runner.run("props", "--json", "a.epub").object
            #expect(object["title"] as? String == SampleBook.title && object["author"] as? String == SampleBook.author)
        }
    }

    @Test(.enabled(if: isWhole)) func `a picture says how large it is, in numbers`() async throws {
        try await CommandRunner.use { runner in
            try await writePicture(runner, name: "c.png")
            let object = try await runner.run("props", "--json", "c.png").object
            #expect(
                object["width"] as? Int == 240 && object["height"] as? Int == 360
                    && object["mediaType"] as? String == "image/png")
        }
    }

    @Test(.enabled(if: isWhole)) func `a thumbnail goes to a file, to standard output, and over no other file`()
        async throws
    {
        try await CommandRunner.use { runner in
            try await writePicture(runner, name: "c.png")
            let made = try await runner.run("thumb", "--size", "90", "--json", "c.png", "t.jpg")
            #expect(made.code == 0 && made.object["width"] as? Int == 60 && made.object["height"] as? Int == 90)
            let image = try Data(contentsOf: runner.folder.appending(path: "t.jpg"))
            #expect(image.starts(with: [0xFF, 0xD8]) && made.object["bytes"] as? Int == image.count)
            #expect(made.object["mediaType"] as? String == "image/jpeg")
            #expect(try await runner.run("thumb", "--size", "90", "c.png", "-").output == image)
            expectFailure(try await runner.run("thumb", "c.png", "t.jpg"), 5, "carrel: thumb t.jpg: ")
            #expect(try await runner.run("thumb", "--overwrite", "cover.epub", "t.jpg").code == 0)
            #expect(try await runner.run("props", "--json", "t.jpg").object["height"] as? Int == 256)
        }
    }

    @Test func `what is damaged or of another kind is exit code 8`() async throws {
        try await CommandRunner.use { runner in
            for name in ["a.epub", "a.cbz", "a.txt", "noextension"] {
                try runner.write(name, "Once upon a time")
                expectFailure(try await runner.run("props", name), 8, "carrel: props \(name): ")
                let lacksTrait = !Self.isWhole && ["a.epub", "a.cbz"].contains(name)
                expectFailure(try await runner.run("thumb", name, "t"), lacksTrait ? 2 : 8, "carrel: thumb \(name): ")
            }
            expectFailure(try await runner.run("props", "missing.epub"), 3)
            expectFailure(try await runner.run("thumb", "missing.pdf", "t"), 3)
            try runner.makeFolder("d.epub")
            expectFailure(try await runner.run("props", "d.epub"), 1, "is a folder")
            #expect(!(try runner.names().contains("t")))
        }
    }

    @Test func `sizes, pages and a mixed output are checked first`() async throws {
        try await CommandRunner.use { runner in
            for arguments in [
                ["--size", "0", "a.jpg", "t"], ["--size", "5000", "a.jpg", "t"], ["--page", "0", "a.pdf", "t"],
            ] {
                expectFailure(try await runner.run(["thumb"] + arguments), 2)
            }
            expectFailure(try await runner.run("thumb", "a.jpg", "-"), Self.isWhole ? 3 : 2)
            let mixed = try await runner.run("thumb", "--json", "a.jpg", "-")
            #expect(mixed.code == 2)
        }
    }

    @Test func `without Poppler a PDF file is refused with the package to install`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("a.pdf", "%PDF-1.4\n")
            runner.environment["PATH"] = "/nowhere"
            for verb in [["props", "a.pdf"], ["thumb", "a.pdf", "t"]] {
                expectFailure(try await runner.run(verb), 1, "poppler-utils")
            }
        }
    }

    @Test(.enabled(if: isWhole && !TestServers.webDAV.isEmpty), arguments: TestServers.webDAV)
    func `a picture of 20 MB on a server tells of itself in one small range, and shows itself`(
        _ server: TestServers.WebDAV
    ) async throws {
        let generators = FileInformationGenerators.withBuiltInGenerators()
        let shelf = MemoryFileProvider()
        let book = try ProviderPath("a.epub")
        try await shelf.writeContents(path: book, contents: SampleBook.small(.epub2))
        let cover = try await shelf.thumbnailOfFile(path: book, dimension: 360, generators: generators)
        let options = TestServers.options()
        try await server.withFolder(options) { provider, folder in
            let path = try folder.appending("a.jpg")
            try await provider.writeContents(path: path, contents: cover.data + Data(count: 20 << 20))
            let before = options.counters[.bytesIn]
            let properties = try await provider.propertiesOfFile(path: path, generators: generators)
            #expect(properties["width"] == 240 && properties["height"] == 360)
            #expect(options.counters[.bytesIn] - before <= 256 << 10)
            let thumbnail = try await provider.thumbnailOfFile(path: path, dimension: 36, generators: generators)
            #expect(thumbnail.width == 24 && thumbnail.height == 36)
        }
    }
}
