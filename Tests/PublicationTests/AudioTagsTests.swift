import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

private typealias Sound = SampleSound

struct AudioTagsTests {
    private func open(_ files: [String: Data], at path: String) async throws -> Publication {
        let shelf = try await MemoryShelf(files)
        return try await Publication.open(path: ProviderPath(path), of: shelf.provider)
    }

    @Test(arguments: [false, true]) func `a recording says who made it, how long it is and what is in it`(isLast: Bool)
        async throws
    {
        for chapters in [Sound.MP4.Chapters.list(version: 0), .list(version: 1), .track(gap: 0)] {
            var file = Sound.MP4()
            (file.chapters, file.isMovieLast, file.cover) = (chapters, isLast, SparseData(Sound.picture))
            let book = try await open(["a/A b.m4b": file.bytes.data], at: "a/A b.m4b")
            #expect(
                book.metadata.title.string == "A Recording"
                    && book.metadata.authors.map(\.name.string) == ["Ann Author"])
            #expect(book.metadata.narrators.map(\.name.string) == ["Ned Narrator"] && book.metadata.duration == 600)
            #expect(book.metadata.belongsToCollections.map(\.name?.string) == ["An Album"])
            #expect(book.readingOrder.map(\.duration) == [600] && book.readingOrder.map(\.type) == ["audio/mp4"])
            #expect(book.tableOfContents.map(\.href) == ["A%20b.m4b#t=0", "A%20b.m4b#t=60", "A%20b.m4b#t=300.5"])
            #expect(book.tableOfContents.map(\.title) == ["Opening", "Zwölf", "End"])
            #expect(try await book.contents() == book.tableOfContents && book.warnings.isEmpty)
            let cover = try #require(book.coverLink)
            #expect(cover.href == "cover.png" && cover.type == "image/png" && cover.size == Int64(Sound.picture.count))
            #expect(try await book.get(cover).read() == Sound.picture)
            #expect(try await book.get("cover.png").read(8..<20) == Sound.picture[8..<20])
            #expect(try await book.get(book.readingOrder[0]).read(0..<8) == file.bytes.bytes(0..<8))
            #expect(book.locator(from: book.tableOfContents[1])?.locations.fragments == ["t=60"])
            await book.close()
        }
    }

    @Test(arguments: [
        (
            "x.mp3",
            Sound.mp3(
                Sound.id3(
                    Sound.frame("TIT2", text: "T"), Sound.chapterFrame("a", chapter: (0, "One")),
                    Sound.chapterFrame("b", chapter: (1.25, "Two"))))
        ),
        (
            "x.flac",
            Sound.flac([
                "TITLE=T", "CHAPTER001=00:00:00", "CHAPTER001NAME=One", "CHAPTER002=00:00:01.250", "CHAPTER002NAME=Two",
            ])
        ),
        (
            "x.ogg",
            Sound.vorbis([
                "TITLE=T", "CHAPTER01=00:00:00", "CHAPTER01NAME=One", "CHAPTER02=00:00:01.250", "CHAPTER02NAME=Two",
            ])
        ),
        (
            "x.opus",
            Sound.opus([
                "TITLE=T", "CHAPTER000=00:00:00", "CHAPTER000NAME=One", "CHAPTER001=00:00:01.250", "CHAPTER001NAME=Two",
            ])
        ),
    ])
    func `chapters of every format are the table of contents`(name: String, data: Data) async throws {
        let book = try await open([name: data], at: name)
        #expect(book.metadata.title.string == "T" && book.metadata.duration != nil)
        #expect(
            book.tableOfContents.map(\.href) == ["\(name)#t=0", "\(name)#t=1.25"]
                && book.tableOfContents.map(\.title) == ["One", "Two"])
    }

    @Test func `a cue sheet beside a recording has its chapters`() async throws {
        let sheet = Data(
            "TITLE Whole\nPERFORMER Ann\nFILE \"other.wav\" WAVE\nTRACK 01 AUDIO\nTITLE One\nINDEX 01 01:00:00\n".utf8)
        let book = try await open(["s/x.mp3": Sound.mp3(), "s/x.cue": sheet], at: "s/x.mp3")
        #expect(book.tableOfContents.map(\.href) == ["x.mp3#t=60"] && book.metadata.title.string == "Whole")
        #expect(book.metadata.authors.map(\.name.string) == ["Ann"])
        let folder = try await open(["s/x.mp3": Sound.mp3(), "s/y.mp3": Sound.mp3(), "s/x.cue": sheet], at: "s")
        #expect(
            folder.tableOfContents.map(\.href) == ["x.mp3#t=60", "y.mp3"]
                && folder.tableOfContents.map(\.title) == ["One", "y"])
    }

    @Test(arguments: [
        ("UTF-8", "Глава первая"), ("windows-1251", "Глава первая"), ("ISO-8859-1", "Kapitel für alle"),
        ("Shift_JIS", "第一話 はじまり"),
        ("GB18030", "第一章 开始"),
    ])
    func `a cue sheet may be in the encoding of its language`(encoding: String, title: String) async throws {
        let text =
            "TITLE \"\(title)\"\r\nFILE \"x.mp3\" MP3\r\n  TRACK 01 AUDIO\r\n    TITLE \"\(title)\"\r\n    INDEX 01 00:01:00\r\n"
        let sheet = Data(try #require(TextEncoding(encoding)?.encoder()?.convert(Array(text.utf8))))
        let files = ["s/x.mp3": Sound.mp3(), "s/x.cue": sheet]
        for path in ["s/x.mp3", "s"] {
            let book = try await open(files, at: path)
            #expect(book.metadata.title.string == title && book.tableOfContents.map(\.title) == [title], "\(path)")
        }
    }

    @Test func `a folder takes its title from the album, and knows how long all of it is`() async throws {
        func track(_ title: String, artist: String = "Ann; Bob") -> Data {
            Sound.mp3(
                Sound.id3(
                    Sound.frame("TIT2", text: title), Sound.frame("TALB", text: "The Book"),
                    Sound.frame("TPE1", text: artist),
                    Sound.frame("TCOM", text: "Ned"), Sound.pictureFrame()), frames: 400)
        }
        let files = ["b/1.mp3": track("One"), "b/2.mp3": track("Two", artist: "Ann")]
        let book = try await open(files, at: "b")
        #expect(book.metadata.title.string == "The Book" && book.metadata.authors.map(\.name.string) == ["Ann", "Bob"])
        #expect(
            book.metadata.narrators.map(\.name.string) == ["Ned"] && book.readingOrder.map(\.title) == ["One", "Two"])
        let lengths = book.readingOrder.compactMap(\.duration)
        #expect(lengths.count == 2 && book.metadata.duration == lengths[0] + lengths[1])
        #expect(
            book.tableOfContents.map(\.href) == ["1.mp3", "2.mp3"]
                && book.tableOfContents.map(\.title) == ["One", "Two"])
        #expect(try await book.get(#require(book.coverLink)).read() == Sound.picture)
        // A picture beside the sound is the cover before one inside.
        let other = try await open(files.merging(["b/cover.jpg": Data("jpg".utf8)]) { $1 }, at: "b")
        #expect(other.coverLink?.href == "cover.jpg" && other.fetcherTree == "ArchiveFetcher")
    }

    @Test func `tracks in an archive say as much, packed or not`() async throws {
        var recording = Sound.MP4()
        recording.list = [(0, "Opening"), (60, "End")]
        let zip = try ZIPBuilder.data { builder in
            try builder.deflate("1.m4b", recording.bytes.data, times: 1)
            try builder.store("2.mp3", Sound.mp3(Sound.id3(Sound.frame("TIT2", text: "Two"))))
        }
        let book = try await open(["x.zip": zip], at: "x.zip")
        #expect(book.tableOfContents.map(\.href) == ["1.m4b#t=0", "1.m4b#t=60", "2.mp3"])
        #expect(book.tableOfContents.map(\.title) == ["Opening", "End", "Two"] && book.metadata.duration ?? 0 > 600)
    }

    /// The product's promise for a server: six requests and 1 MiB without the cover.
    @Test(arguments: [false, true]) func `half a gigabyte is opened in six requests`(isLast: Bool) async throws {
        var file = Sound.MP4()
        file.list = (0..<100).map { (Double($0) * 360, "Chapter \($0 + 1)") }
        (file.duration, file.sound, file.tables, file.isMovieLast) = (36_000, 500_000_000, 12_000_000, isLast)
        file.cover = SparseData(hole: 1_000_000)
        let reader = try CountingReader(file.bytes, name: "x.m4b")
        let book = try await Publication.open(path: ProviderPath("x.m4b"), of: ReadOnlyProvider(reader))
        #expect(try await book.contents().count == 100 && book.coverLink?.size == 1_000_000)
        #expect(reader.trips <= 6 && reader.bytes <= 1 << 20, "\(reader.requests)")
    }

    @Test func `titles among the sound are read when the contents are asked for`() async throws {
        var file = Sound.MP4()
        file.list = (0..<40).map { (Double($0) * 10, "Title \($0)") }
        file.chapters = .track(gap: 100_000)
        let reader = try CountingReader(file.bytes, name: "x.m4b")
        let book = try await Publication.open(path: ProviderPath("x.m4b"), of: ReadOnlyProvider(reader))
        #expect(reader.trips <= 6 && book.tableOfContents.isEmpty)
        let before = reader.requests.count
        #expect(try await book.contents().map(\.title) == file.list.map(\.title))
        let after = reader.requests.count
        #expect(after - before <= 40)
        #expect(try await book.contents().count == 40 && reader.requests.count == after)
        #expect(try await book.copy { _, _ in }.contents().count == 40)
    }

    @Test func `files need not be read`() async throws {
        var options = OpeningOptions()
        options.parsers = [AudioParser(readsFiles: false)]
        let reader = try CountingReader(Sound.MP4().bytes, name: "x.m4b")
        let book = try await Publication.open(
            path: ProviderPath("x.m4b"), of: ReadOnlyProvider(reader), options: options)
        #expect(book.metadata.title.string == "x" && book.tableOfContents.isEmpty && reader.trips <= 1)
    }
}
