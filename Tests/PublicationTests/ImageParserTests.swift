import FileProviderCore
import Foundation
import SampleBooks
import Testing

import Archives
import MediaTypes
@testable import Publication
import PublicationCache

/// Entries that hold their own names.
private func named(_ names: String...) -> [(String, String)] { names.map { ($0, $0) } }

struct NaturalOrderTests {
    /// Pitfall 44 and the tenth page before the second.
    @Test(arguments: [
        ["page1", "page2", "Page3", "page10", "page20"], ["a/2/1", "a/10/1", "b/1"], ["p001", "p02", "p3"],
        ["1", "01", "2"].sorted { NaturalOrder($0) < NaturalOrder($1) },
        ["page.jpg", "page-2.jpg", "page_3.jpg"], ["1.jpg", "1a.jpg", "2.jpg"],
        ["ch 1/9.png", "ch 1-2/1.png", "ch 2/1.png"],
        ["99999999999999999999998", "99999999999999999999999", "100000000000000000000000"], ["x", "x/1"],
        ["É1", "é2", "É10"],
    ])
    func `numbers count as numbers, whatever the case`(names: [String]) {
        for shuffled in [names.reversed(), Array(names.dropFirst()) + names.prefix(1)] {
            #expect(shuffled.sorted { NaturalOrder($0) < NaturalOrder($1) } == names)
        }
    }

    @Test func `the order is total`() {
        let names = ["1", "01", "001", "A", "a", "a.", ".a", "", "/", "a/", "a//b", "0", "00", "a0", "a00b", "a0b"]
        for a in names {
            #expect(!(NaturalOrder(a) < NaturalOrder(a)))
            for b in names where a != b {
                #expect((NaturalOrder(a) < NaturalOrder(b)) != (NaturalOrder(b) < NaturalOrder(a)))
            }
        }
    }
}

struct ImageParserTests {
    @Test func `pages follow one another in natural order`() async throws {
        let entries = named(
            "10.png", "2.JPG", "1.webp", "ComicInfo.txt", "Thumbs.db", ".hidden.png", "__MACOSX/._1.png", "x.acbf")
        let book = try await Shelf().open("My Comic.cbz", entries)
        #expect(book.readingOrder.map(\.href) == ["1.webp", "2.JPG", "10.png"])
        #expect(book.readingOrder.map(\.type) == ["image/webp", "image/jpeg", "image/png"])
        #expect(book.readingOrder.map(\.size) == [6, 5, 6] && book.readingOrder.allAreBitmap)
        #expect(book.coverLink?.href == "1.webp" && book.tableOfContents.isEmpty)
        #expect(
            book.metadata.title.string == "My Comic" && book.metadata.layout == .fixed
                && book.metadata.numberOfPages == 3)
        #expect(book.metadata.conformsTo == ["https://readium.org/webpub-manifest/profiles/divina"])
        #expect(book.fetcherTree == "ArchiveFetcher" && book.warnings.isEmpty)
        #expect(try await book.text("2.JPG") == "2.JPG")
    }

    @Test func `every extension of a picture is a page`() async throws {
        let extensions = [
            "avif", "bmp", "dib", "gif", "jfi", "jfif", "jif", "jpe", "jpeg", "jpg", "jxl", "png", "tif", "tiff",
            "webp",
        ]
        let book = try await Shelf().open("b.zip", extensions.map { ("a.\($0)", "x") })
        #expect(book.readingOrder.count == extensions.count && book.readingOrder.allAreBitmap)
    }

    @Test func `pictures that a password keeps are told of`() async throws {
        func open(_ encrypted: [String], _ plain: [String]) async throws -> Publication {
            let shelf = try await MemoryShelf([
                "/a.cbz": ZIPBuilder.data { zip in
                    var options = ZIPBuilder.Options()
                    options.isEncrypted = true
                    for name in encrypted { try zip.add(name, Data("x".utf8), options) }
                    for name in plain { try zip.deflate(name, "x") }
                }
            ])
            return try await Publication.open(path: ProviderPath("/a.cbz"), of: shelf.provider)
        }
        let all = try await open(["1 é.png", "2.png"], ["info.txt"])
        let reason = "The comic's pictures are encrypted with a password and cannot be read here."
        #expect(all.protection == .locked(.other("password"), reason: reason) && all.readingOrder.count == 2)
        let some = try await open(["1.png"], ["2.png", "3.png"])
        #expect(
            some.protection?.reason
                == "One of the comic's pictures is encrypted with a password and cannot be read here.")
        let most = try await open(["1.png", "2.png"], ["3.png"])
        #expect(
            most.protection?.reason
                == "2 of the comic's 3 pictures are encrypted with a password and cannot be read here.")
        await #expect(throws: CocoaError.self) { _ = try await most.get("1.png").read() }
        #expect(try await open(["ComicInfo.xml"], ["1.png"]).protection == nil)
        #expect(try await open([], ["1.png"]).protection == nil)
    }

    #if Formats
        @Test func `in a RAR archive, too`() async throws {
            let shelf = try await MemoryShelf([
                "/a.cbr": RARBuilder.version4([RARBuilder.File("1.png", Data("x".utf8), isEncrypted: true)])
            ])
            let book = try await Publication.open(path: ProviderPath("/a.cbr"), of: shelf.provider)
            #expect(book.protection?.isLocked == true)
        }
    #endif

    @Test func `folders with pages are the table of contents, a lone one the title`() async throws {
        let shelf = Shelf()
        let entries = named(
            "Saga/Part 10/1.png", "Saga/Part 2/1.png", "Saga/Part 2/Inner/1.png", "Saga/notes/a.txt", "Saga/cover.png",
            "info.txt")
        let book = try await shelf.open("x.cbz", entries)
        #expect(book.metadata.title.string == "Saga")
        #expect(book.tableOfContents.map(\.title) == ["Part 2", "Part 10"])
        #expect(book.tableOfContents.map(\.href) == ["Saga/Part%202/1.png", "Saga/Part%2010/1.png"])
        #expect(book.tableOfContents[0].children.map(\.title) == ["Inner"])
        #expect(book.tableOfContents[1].children.isEmpty)
        let flat = try await shelf.open("y.cbz", named("b/1.png", "a/1.png"))
        #expect(flat.metadata.title.string == "y" && flat.tableOfContents.map(\.title) == ["a", "b"])
    }

    @Test func `a folder opens like the archive, with or without a comic's name`() async throws {
        for name in ["Comic", "b.cbz"] {
            let shelf = Shelf()
            try await shelf.spread(name, named("10.png", "2.png", "sub/.DS_Store", "notes.txt"))
            let book = try await shelf.open(name)
            #expect(book.readingOrder.map(\.href) == ["2.png", "10.png"])
            #expect(book.metadata.title.string == name)
            #expect(try await book.text("10.png") == "10.png")
        }
    }

    @Test func `a single picture is a comic of one page`() async throws {
        let shelf = Shelf()
        try await shelf.spread("a", named("A Map.tiff"))
        let book = try await shelf.open("a/A Map.tiff")
        #expect(book.readingOrder.map(\.href) == ["A%20Map.tiff"] && book.readingOrder[0].type == "image/tiff")
        #expect(book.metadata.title.string == "A Map" && book.coverLink != nil && book.fetcherTree == "FileFetcher")
        #expect(book.readingOrder[0].size == 10)
        #expect(try await book.text("A%20Map.tiff") == "A Map.tiff")
    }

    /// Pitfalls 6 to 8: nothing, only litter, only texts, and pictures among other things are no comics.
    @Test(arguments: [
        [], named(".a.png"), named("__MACOSX/._a.png", "Thumbs.db"), named("a.xml"), named("a.png", "b.exe"),
        named("a.png", "readme"),
        named("a.png", "b.mp4"),
    ])
    func `what is no comic is not taken for one`(entries: [(String, String)]) async throws {
        let error = try #require(try await Shelf().failure("x.zip", entries))
        #expect(error.sentence.contains("x.zip"))
        let comic = try await Shelf().failure("x.cbz", entries)
        let pages = entries.contains { $0.0 == "a.png" }
        #expect(comic?.sentence == (pages ? nil : "“x.cbz” contains no pictures, so there is nothing to read."))
    }

    @Test func `a comic that is no archive is damaged`() async throws {
        let shelf = Shelf()
        try await shelf.spread("a", named("x.cbz"))
        let error = await #expect(throws: CocoaError.self) { try await shelf.open("a/x.cbz") }
        #expect(error?.code == .fileReadCorruptFile && error?.sentence.contains("is not a ZIP archive") == true)
    }

    @Test func `an archive of any kind is taken by its entries or its name`() async throws {
        let archive = ZIPPretender(named("2.png", "1.png", "odd.exe"))
        for (name, mediaType) in [
            ("x.cbr", MediaType.cbr), ("x.cb7", MediaType("application/x-7z-compressed")), ("x.cbt", nil),
        ] {
            let asset = PublicationAsset(
                path: try ProviderPath(name), mediaType: mediaType, form: .archive, fetcher: archive)
            let found = try await ImageParser().parse(asset, warnings: WarningLog())
            #expect(found?.manifest.readingOrder.map(\.href) == (mediaType == nil ? nil : ["1.png", "2.png"]))
        }
        let plain = PublicationAsset(
            path: try ProviderPath("x.rar"), mediaType: .rar, form: .archive, fetcher: ZIPPretender(named("1.png")))
        #expect(try await ImageParser().parse(plain, warnings: WarningLog())?.manifest.readingOrder.count == 1)
    }

    @Test func `folders without end do not exhaust the parser`() async throws {
        let deep = String(repeating: "a/", count: 20_000)
        let book = try await Shelf().open("x.cbz", named(deep + "1.png", "b/1.png"))
        var (links, depth) = (book.tableOfContents, 0)
        while let first = links.first { (links, depth) = (first.children, depth + 1) }
        #expect(depth == 16 && book.readingOrder.count == 2)
    }
}

/// Files by name, as an archive of any kind gives them.
private func ZIPPretender(_ entries: [(String, String)]) -> DictionaryFetcher {
    DictionaryFetcher(Dictionary(entries, uniquingKeysWith: { $1 }))
}
