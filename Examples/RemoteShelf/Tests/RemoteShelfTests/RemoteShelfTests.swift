import Carrel
import Foundation
import Testing

@testable import RemoteShelf

/// What `value` gives once it gives something.
func eventually<Value>(_ location: SourceLocation = #_sourceLocation, _ value: () async throws -> Value?) async throws
    -> Value
{
    let end = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < end {
        if let value = try await value() { return value }
        try await Task.sleep(for: .milliseconds(5))
    }
    return try #require(await value(), "It did not come about.", sourceLocation: location)
}

@Suite final class RemoteShelfTests {
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "carrel-shelf-\(UInt64.random(in: 0 ... .max))")
    private let provider = CountingProvider()
    private let lines = CollectedValues<String>()

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func put(_ path: String, _ data: Data) async throws {
        let path = try ProviderPath(path)
        try await provider.memory.createFolderWithParents(path: path.parent ?? .root)
        try await provider.memory.writeContents(path: path, contents: data, overwrite: true)
    }

    private func shelf() async throws -> Shelf {
        try await Shelf(of: provider, path: ProviderPath("books"), in: folder) { [lines] in lines.append($0) }
    }

    private func catalogue() throws -> Catalogue {
        try Catalogue(json: Data(contentsOf: folder.appending(path: "catalogue.json")))
    }

    private func entry(_ path: String) throws -> CatalogueEntry? { try catalogue()[ProviderPath(path)] }

    private func covers() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "covers").path))
    }

    /// Follows the changes for the length of `body`.
    private func following(_ shelf: Shelf, _ body: () async throws -> Void) async throws {
        let work = Task { try await shelf.follow(WatchOptions(minInterval: 0.05, maxInterval: 0.2)) }
        do {
            _ = try await eventually {
                FileManager.default.fileExists(atPath: folder.appending(path: "catalogue.json").path) ? true : nil
            }
            try await body()
            work.cancel()
        } catch {
            work.cancel()
            _ = await work.result
            throw error
        }
        await #expect(throws: CancellationError.self) { try await work.value }
    }

    @Test func `books are described and other files refused, and hardly anything of them is read`() async throws {
        try await put("books/a/Emma.epub", Books.epub("Emma", extra: 2 << 20))
        try await put("books/comic.cbz", Books.cbz())
        try await put("books/web.webpub", Books.webpub("Pages"))
        try await put("books/broken.epub", Data("This is no archive.".utf8))
        try await put("books/picture.png", Books.cover)
        try await put("books/.hidden.epub", Books.epub("Hidden"))
        try await put("books/.trash/Emma.epub", Books.epub("Gone"))
        #expect(try await shelf().update())

        let emma = try #require(try entry("books/a/Emma.epub"))
        #expect(
            emma.title == "Emma" && emma.authors == ["Jane Austen"] && emma.languages == ["en"]
                && emma.identifier == "urn:x:1")
        #expect(emma.mediaType == "application/epub+zip" && emma.refusal == nil)
        let cover = try #require(emma.cover)
        #expect(try Data(contentsOf: folder.appending(path: "covers").appending(path: cover)) == Books.cover)
        #expect(
            try entry("books/comic.cbz")?.title == "comic"
                && entry("books/comic.cbz")?.mediaType == "application/vnd.comicbook+zip")
        #expect(
            try entry("books/web.webpub")?.title == "Pages"
                && entry("books/web.webpub")?.mediaType == "application/webpub+zip")
        #expect(try entry("books/broken.epub")?.refusal != nil && entry("books/broken.epub")?.title == nil)
        #expect(try entry("books/picture.png")?.refusal?.contains("image/png") == true)
        #expect(try catalogue().entries.count == 5)
        #expect(try covers().count == 2)
        #expect(provider.bytes < 256 << 10, "\(provider.bytes) bytes were read")
        #expect(lines.values.contains("added /books/a/Emma.epub: Emma by Jane Austen"))
    }

    @Test func `what is known is not opened again, and what is gone leaves with its cover`() async throws {
        try await put("books/a.epub", Books.epub("A"))
        try await put("books/b.epub", Books.epub("B"))
        try await put("books/broken.epub", Data("This is no archive.".utf8))
        #expect(try await shelf().update())
        let (opened, cover) = (provider.opened, try #require(try entry("books/a.epub")?.cover))
        #expect(try await shelf().update())
        #expect(provider.opened == opened)

        try await provider.memory.removeItem(path: ProviderPath("books/b.epub"))
        try await provider.memory.moveItem(path: ProviderPath("books/a.epub"), to: ProviderPath("books/c.epub"))
        #expect(try await shelf().update())
        #expect(provider.opened == opened)
        #expect(try catalogue().entries.keys.map(\.string).sorted() == ["/books/broken.epub", "/books/c.epub"])
        #expect(try covers() == [cover])
        #expect(lines.values.suffix(2) == ["moved /books/a.epub -> /books/c.epub", "removed /books/b.epub"])
    }

    @Test func `changes are followed, and a renamed folder is not opened`() async throws {
        try await put("books/old/a.epub", Books.epub("A"))
        try await put("books/old/below/comic.cbz", Books.cbz())
        try await following(shelf()) {
            let cover = try #require(try entry("books/old/a.epub")?.cover)
            let opened = provider.opened
            try await provider.memory.moveItem(path: ProviderPath("books/old"), to: ProviderPath("books/new"))
            let moved = try await eventually { try entry("books/new/a.epub") }
            #expect(moved.cover == cover && moved.title == "A")
            #expect(try covers().contains(cover))
            #expect(try entry("books/new/below/comic.cbz") != nil && catalogue().entries.count == 2)
            #expect(provider.opened == opened)

            try await put("books/new/a.epub", Books.epub("Changed"))
            _ = try await eventually { try entry("books/new/a.epub")?.title == "Changed" ? true : nil }
            try await put("books/b.epub", Books.epub("B"))
            _ = try await eventually { try entry("books/b.epub") }
            _ = try await eventually { try covers().contains(cover) ? nil : true }
            try await provider.memory.removeItem(path: ProviderPath("books/new"))
            _ = try await eventually { try catalogue().entries.count == 1 ? true : nil }
            #expect(lines.values.contains("changed /books/new/a.epub: Changed by Jane Austen"))
        }
    }

    @Test func `a folder of this machine tells of its moves`() async throws {
        let root = folder.appending(path: "books")
        try FileManager.default.createDirectory(at: root.appending(path: "old"), withIntermediateDirectories: true)
        try Books.epub("A").write(to: root.appending(path: "old/a.epub"))
        let local = try LocalFileProvider(root: root)
        try await following(Shelf(of: local, path: .root, in: folder) { [lines] in lines.append($0) }) {
            try await local.moveItem(path: ProviderPath("old"), to: ProviderPath("new"))
            _ = try await eventually { try entry("new/a.epub") }
            #expect(lines.values == ["added /old/a.epub: A by Jane Austen", "moved /old/a.epub -> /new/a.epub"])
        }
    }

    @Test func `a book with a password is refused, and tried no more`() async throws {
        try await put("books/locked.epub", Books.lockedEPUB())
        let shelf = try await shelf()
        #expect(try await shelf.update())
        #expect(try entry("books/locked.epub")?.refusal?.contains("password") == true)
    }

    @Test func `the folder may be named by a symbolic link`() async throws {
        let top = folder.appending(path: "top")
        try FileManager.default.createDirectory(at: top.appending(path: "real"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: top.appending(path: "books").path, withDestinationPath: "real")
        try Books.epub("A").write(to: top.appending(path: "real/a.epub"))
        let shelf = try await Shelf(of: LocalFileProvider(root: top), path: ProviderPath("books"), in: folder)
        for _ in 1...2 {
            #expect(try await shelf.update())
            #expect(try entry("books/a.epub")?.title == "A")
        }
    }

    @Test func `a lost connection postpones and refuses nothing`() async throws {
        try await put("books/a.epub", Books.epub("A"))
        provider.setAway(true)
        #expect(try await shelf().update() == false)
        #expect(try catalogue().entries.isEmpty)
        try await following(shelf()) {
            _ = try await eventually { lines.values.count { $0.hasPrefix("postponed") } == 2 ? true : nil }
            provider.setAway(false)
            _ = try await eventually { try entry("books/a.epub")?.cover }
        }
        #expect(
            lines.values == Array(repeating: "postponed /books/a.epub: The connection was lost.", count: 2) + [
                "added /books/a.epub: A by Jane Austen"
            ])
    }

    @Test(.timeLimit(.minutes(1))) func `a look that takes longer than the pauses comes to its end`() async throws {
        try await put("books/a.epub", Books.epub("A"))
        provider.setAway(true)
        try await following(shelf()) {
            _ = try await eventually {
                lines.values.contains { $0.hasPrefix("postponed /books/a.epub: ") } ? true : nil
            }
            // From now on each look outlasts two pauses, in which what is owed is tried again.
            provider.setSlow(true)
            try await put("books/b.epub", Books.epub("B"))
            _ = try await eventually {
                lines.values.contains { $0.hasPrefix("postponed /books/b.epub: ") } ? true : nil
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a folder that is missing for a while is followed again`() async throws {
        let (books, elsewhere) = (try ProviderPath("books"), try ProviderPath("elsewhere"))
        try await put("books/a.epub", Books.epub("A"))
        try await following(shelf()) {
            try await provider.memory.moveItem(path: books, to: elsewhere)
            _ = try await eventually { lines.values.contains { $0.hasPrefix("interrupted /books: ") } ? true : nil }
            #expect(try entry("books/a.epub") != nil)
            try await put("elsewhere/b.epub", Books.epub("B"))
            try await provider.memory.moveItem(path: elsewhere, to: books)
            _ = try await eventually { try entry("books/b.epub") }
        }
        #expect(try entry("books/a.epub") != nil)
        let others = lines.values.filter { !$0.hasPrefix("interrupted ") }
        #expect(others == ["added /books/a.epub: A by Jane Austen", "added /books/b.epub: B by Jane Austen"])
    }

    @Test(.timeLimit(.minutes(1))) func `a login that is refused ends nothing, neither at the start nor later`()
        async throws
    {
        let interruption = "interrupted /books: The login was refused."
        try await put("books/a.epub", Books.epub("A"))
        #expect(try await shelf().update())
        provider.setRefusing(true)
        try await following(shelf()) {
            _ = try await eventually { lines.values.contains(interruption) ? true : nil }
            try await put("books/b.epub", Books.epub("B"))
            provider.setRefusing(false)
            _ = try await eventually { try entry("books/b.epub") }
            provider.setRefusing(true)
            _ = try await eventually { lines.values.count { $0 == interruption } == 2 ? true : nil }
            #expect(try catalogue().entries.count == 2)
            try await put("books/c.epub", Books.epub("C"))
            provider.setRefusing(false)
            _ = try await eventually { try entry("books/c.epub") }
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a catalogue that cannot be written ends it`() async throws {
        try await put("books/a.epub", Books.epub("A"))
        let shelf = try await shelf()
        // Not even root writes a file where a folder is.
        let inTheWay = folder.appending(path: "catalogue.json/more")
        try FileManager.default.createDirectory(at: inTheWay, withIntermediateDirectories: true)
        await #expect {
            try await shelf.follow()
        } throws: {
            ($0 as? CocoaError)?.code == .fileWriteFileExists
        }
        await #expect {
            try await shelf.update()
        } throws: {
            ($0 as? CocoaError)?.code == .fileWriteFileExists
        }
    }

    @Test func `a cover that is too large is left out unread`() async throws {
        try await put("books/a.epub", Books.epub("A", cover: Books.cover + Data(count: 5 << 20)))
        #expect(try await shelf().update())
        #expect(try entry("books/a.epub")?.title == "A" && entry("books/a.epub")?.cover == nil)
        #expect(provider.bytes < 256 << 10, "\(provider.bytes) bytes were read")
    }

    @Test(arguments: [
        "", "{\"location\": ", "{\"books\": [], \"refused\": []}",
        "{\"location\": \"mem://other/\", \"books\": [], \"refused\": []}",
    ])
    func `a file that is no catalogue of this folder is refused and left`(text: String) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: folder.appending(path: "catalogue.json"))
        await #expect {
            _ = try await self.shelf()
        } throws: {
            ($0 as? CocoaError)?.code == .fileReadCorruptFile && $0.sentence.contains("catalogue.json")
        }
        #expect(try Data(contentsOf: folder.appending(path: "catalogue.json")) == Data(text.utf8))
    }

    @Test func `what a crash left among the covers is swept, and nothing else`() async throws {
        try await put("books/a.epub", Books.epub("A"))
        #expect(try await shelf().update())
        let cover = try #require(try entry("books/a.epub")?.cover)
        for name in ["cover-lost.png", ".x.carrel-part", "mine.png"] {
            try Books.cover.write(to: folder.appending(path: "covers").appending(path: name))
        }
        _ = try await shelf()
        #expect(try covers() == [cover, "mine.png"])
    }

    @Test func `a folder that is away empties no catalogue`() async throws {
        try await put("books/a.epub", Books.epub("A"))
        #expect(try await shelf().update())
        try await provider.memory.removeItem(path: ProviderPath("books"))
        await #expect { try await self.shelf().update() } throws: { $0.isNoSuchFile }
        #expect(try entry("books/a.epub") != nil)
    }

    @Test func `names steer no terminal`() async throws {
        try await put("books/a\u{1B}[2J\u{202E}\n.epub", Books.epub("A"))
        #expect(try await shelf().update())
        #expect(lines.values == ["added /books/a?[2J??.epub: A by Jane Austen"])
    }
}
