import FileProviderCore
import Foundation
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

private func named(_ names: String...) -> [(String, String)] { names.map { ($0, $0) } }

struct AudioParserTests {
    @Test(arguments: ["My Book.zab", "My Book.zip"])
    func `tracks follow one another in natural order`(name: String) async throws {
        let entries = named(
            "10.mp3", "2.M4B", "1.flac", "list.pls", "Cover.JPG", "scan.png", ".x.mp3", "__MACOSX/._1.mp3", "notes.txt")
        let book = try await Shelf().open(name, entries)
        #expect(book.readingOrder.map(\.href) == ["1.flac", "2.M4B", "10.mp3"])
        #expect(book.readingOrder.map(\.type) == ["audio/flac", "audio/mp4", "audio/mpeg"])
        #expect(book.readingOrder.map(\.size) == [6, 5, 6] && book.readingOrder.allSatisfy { $0.duration == nil })
        #expect(book.coverLink?.href == "Cover.JPG" && book.resources.map(\.href) == ["Cover.JPG", "scan.png"])
        #expect(book.metadata.title.string == "My Book" && book.metadata.type == "http://schema.org/Audiobook")
        #expect(book.metadata.conformsTo == ["https://readium.org/webpub-manifest/profiles/audiobook"])
        #expect(book.fetcherTree == "ArchiveFetcher" && book.tableOfContents.isEmpty && book.warnings.isEmpty)
        #expect(try await book.text("2.M4B") == "2.M4B")
    }

    @Test func `every extension of sound is a track`() async throws {
        let extensions = [
            "aac", "aiff", "alac", "flac", "m4a", "m4b", "mp3", "ogg", "oga", "mogg", "opus", "wav", "webm",
        ]
        let book = try await Shelf().open("b.zab", extensions.map { ("a.\($0)", "x") })
        #expect(book.readingOrder.count == extensions.count && book.readingOrder.allAreAudio)
    }

    @Test func `folders are the table of contents, a lone one the title`() async throws {
        let book = try await Shelf().open(
            "x.zab", named("Saga/CD 10/1.mp3", "Saga/CD 2/1.mp3", "Saga/front.png", "Saga/art/cover.png"))
        #expect(book.metadata.title.string == "Saga" && book.tableOfContents.map(\.title) == ["CD 2", "CD 10"])
        #expect(book.coverLink?.href == "Saga/front.png")
    }

    @Test func `a folder and a single file open, too`() async throws {
        let shelf = Shelf()
        try await shelf.spread("Sounds", named("10.mp3", "2.mp3", "folder.jpg"))
        let book = try await shelf.open("Sounds")
        #expect(book.readingOrder.map(\.href) == ["2.mp3", "10.mp3"] && book.metadata.title.string == "Sounds")
        #expect(book.coverLink?.href == "folder.jpg")
        for (name, type) in [("10.mp3", "audio/mpeg"), ("a b.mogg", "audio/ogg")] {
            try await shelf.spread("Sounds", named(name))
            let single = try await shelf.open("Sounds/\(name)")
            #expect(single.readingOrder.map(\.type) == [type] && single.fetcherTree == "FileFetcher")
            #expect(try await single.get(single.readingOrder[0]).readAsString() == name)
        }
    }

    @Test(arguments: [
        ("b.mp3\n# x\nA.mp3", ["b.mp3", "A.mp3"]),
        ("\u{FEFF}#EXTM3U\r\n#EXTINF:1,A\r\n.\\b.mp3\r\n./A.mp3\r\n", ["b.mp3", "A.mp3"]),
        ("b%2Emp3\nA.mp3", ["b.mp3", "A.mp3"]), ("b.mp3", ["A.mp3", "b.mp3"]),
        ("b.mp3\nb.mp3\nA.mp3", ["A.mp3", "b.mp3"]),
        ("b.mp3\nA.mp3\nc.mp3", ["A.mp3", "b.mp3"]), ("../b.mp3\nA.mp3", ["A.mp3", "b.mp3"]), ("", ["A.mp3", "b.mp3"]),
    ])
    func `a lone playlist that names every file has the order`(list: String, order: [String]) async throws {
        let entries = named("A.mp3", "b.mp3")
        for name in ["list.m3u", "list.m3u8"] {
            #expect(try await Shelf().open("x.zab", entries + [(name, list)]).readingOrder.map(\.href) == order)
        }
        let two = entries + [("1.m3u", list), ("2.m3u", list)]
        #expect(try await Shelf().open("x.zab", two).readingOrder.map(\.href) == ["A.mp3", "b.mp3"])
    }

    @Test func `a playlist counts from its own folder, and may be in Latin-1`() async throws {
        let shelf = Shelf()
        try await shelf.spread("Zoe", named("cd/é.mp3", "cd/a.mp3"))
        try await shelf.provider.writeContents(
            path: ProviderPath("Zoe/cd/x.m3u"), contents: Data([0xE9]) + Data(".mp3\na.mp3".utf8))
        #expect(try await shelf.open("Zoe").readingOrder.map(\.href) == ["cd/%C3%A9.mp3", "cd/a.mp3"])
    }

    /// Pitfall 6: playlists alone are no audiobook, and neither is nothing.
    @Test(arguments: [[], named("a.m3u"), named(".a.mp3"), named("a.mp3", "b.exe"), named("a.txt")])
    func `what is no audiobook is not taken for one`(entries: [(String, String)]) async throws {
        #expect(try await Shelf().failure("x.zip", entries) != nil)
        let isTrack = entries.contains { $0.0 == "a.mp3" }
        let sentence = try await Shelf().failure("x.zab", entries)?.sentence
        #expect(sentence == (isTrack ? nil : "“x.zab” contains no sound files, so there is nothing to listen to."))
    }
}
