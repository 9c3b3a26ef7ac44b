import Carrel
import Foundation
import ReaderLibrary
import SampleBooks
import Testing

/// The cover that goes to a device is the one that the book shows.
@Suite struct CommandDeviceCoverTests {
    /// The covers of the books in a plain folder, by the extensions of their names.
    private func covers(in folder: String, of runner: CommandRunner) async throws -> [String: Data] {
        let driver = try PlainFolderDriver(
            provider: LocalFileProvider(root: runner.folder), folder: ProviderPath(folder), cache: SQLiteFolderCache())
        var covers: [String: Data] = [:]
        for book in try await driver.books().books {
            covers[String(book.filename.split(separator: ".").last ?? "")] = await driver.cover(of: book.filename)
        }
        return covers
    }

    @Test func `a folder of books has the covers that they show`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("shelf")
            var found = SampleEPUB(cover: SampleEPUB.jpeg)
            found.hasCoverInGuide = true
            try runner.write("found.epub", found.data())
            try runner.write(
                "comic.cbz",
                try ZIPBuilder.data { zip in
                    try zip.store("10.png", SampleEPUB.png + [10])
                    try zip.store("9.png", SampleEPUB.png + [9])
                })
            let names = ["found.epub", "comic.cbz"]
            let added = try await runner.run(["device", "upload", "--plain", "shelf"] + names)
            #expect(added.code == 0 && added.text == "added\tfound.epub\nadded\tcomic.cbz\n", "\(added.error)")
            let covers = try await covers(in: "shelf", of: runner)
            #expect(covers == ["epub": SampleEPUB.jpeg, "cbz": SampleEPUB.png + [9]])
            for name in names {
                let shown = try await runner.run("book", "cover", name, "-")
                #expect(
                    shown.output == covers[String(name.suffix(4)).replacing(".", with: "")], "\(name): \(shown.error)")
            }
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/pdftoppm"), "needs poppler-utils"))
    func `a document has its first page for a cover`() async throws {
        try await CommandRunner.use { runner in
            try runner.makeFolder("shelf")
            try runner.write("scan.pdf", PDFBuilder.pages(2).build())
            let added = try await runner.run("device", "upload", "--plain", "shelf", "scan.pdf")
            #expect(added.code == 0, "\(added.error)")
            let book = try await Publication.open(
                path: ProviderPath("scan.pdf"), of: LocalFileProvider(root: runner.folder))
            // As large as those of calibre.
            let cover = try #require(try await book.cover(dimension: 675))
            await book.close()
            #expect(cover.mediaType == "image/jpeg")
            #expect(try await covers(in: "shelf", of: runner) == ["pdf": cover.data])
        }
    }
}
