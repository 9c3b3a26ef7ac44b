import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

import Archives
import MediaTypes
@testable import Publication
import PublicationCache

/// Archives whose names are separated by backslashes, as old programs for Windows write them, and names with escaped
/// separators in them.
@Suite struct SeparatorTests {
    private func open(_ data: Data, named name: String) async throws -> Publication {
        let shelf = try await MemoryShelf([name: data])
        return try await Publication.open(path: ProviderPath(name), of: shelf.provider)
    }

    /// An archive of files by name; names that end in a separator are folders.
    private func zip(_ files: [(name: String, content: String)]) throws -> Data {
        try ZIPBuilder.data { zip in
            for (name, content) in files { try zip.store(name, Data(content.utf8)) }
        }
    }

    @Test func `a book whose names have backslashes is read as one with slashes`() async throws {
        var odd = OddBook()
        let usual = try await odd.open()
        for path in usual.readingOrder.map(\.href) + usual.resources.map(\.href) + [
            "OEBPS/content.opf", "META-INF/container.xml",
        ] {
            odd.renamed[path] = path.replacing("/", with: #"\"#)
        }
        let book = try await odd.open()
        #expect(
            book.readingOrder.map(\.href) == ["OEBPS/c1.xhtml", "OEBPS/c2.xhtml"] && book.resources == usual.resources)
        #expect(book.tableOfContents.map(\.href) == usual.tableOfContents.map(\.href) && book.tags == usual.tags)
        for link in book.readingOrder { #expect(try await book.get(link).readAsString().contains(OddBook.words)) }
        // However it is asked for.
        for href in [
            #"OEBPS\style.css"#, "OEBPS%5Cstyle.css", "/OEBPS/style.css", #"\OEBPS\style.css"#, #"OEBPS\style.css#a"#,
        ] {
            #expect(try await book.get(href).readAsString() == "p{}", "\(href)")
        }
    }

    @Test(arguments: [#"css\a b.css"#, "css%5Ca%20b.css", #"css\a%20b.css"#, "css%5ca b.css"])
    func `an address may have backslashes, too`(href: String) async throws {
        var odd = OddBook()
        odd.add("b", href, "text/css", data: "b{}", path: #"OEBPS\css\a b.css"#)
        let book = try await odd.open()
        let link = try #require(book.resources.first { $0.href.hasSuffix("b.css") })
        #expect(link.href == "OEBPS/css/a%20b.css")
        #expect(try await book.get(link).readAsString() == "b{}")
    }

    @Test func `folders of a comic are its chapters, whatever separates them`() async throws {
        var files = [(name: #"Book\"#, content: ""), (#"Book\One\"#, ""), (#"Book\Two\"#, "")]
        for chapter in ["One", "Two"] { for page in 1...2 { files.append((#"Book\\#(chapter)\\#(page).png"#, "x")) } }
        let book = try await open(zip(files), named: "a.cbz")
        #expect(
            book.readingOrder.map(\.href) == ["Book/One/1.png", "Book/One/2.png", "Book/Two/1.png", "Book/Two/2.png"])
        #expect(book.tableOfContents.map(\.title) == ["One", "Two"] && book.warnings.isEmpty)
        let archive = try await ZIPArchive.open(CountingReader(zip(files)))
        #expect(archive.entries.filter(\.isDirectory).map(\.path) == ["Book/", "Book/One/", "Book/Two/"])
    }

    @Test func `of two spellings of one name the first counts`() async throws {
        let archive = try await ZIPArchive.open(
            CountingReader(zip([(#"a\b"#, "first"), ("a/b", "second"), ("c/d", "other")])))
        #expect(archive.entries.map(\.path) == ["a/b", "c/d"] && archive.directory.leftOut == 1)
        let entry = try #require(archive.entry(at: "a/b"))
        #expect(try await archive.read(entry) == Data("first".utf8))
    }

    @Test func `a name with escaped separators is one name`() async throws {
        let names = ["a%2Fb.txt", "c%5Cd.txt", "..%2F..%2Fe.txt", "%2e%2e%2Ff.txt"]
        let data = try zip(names.map { ($0, $0) } + [("g%2Fh", "one"), ("g/h", "two")])
        let fetcher = ArchiveFetcher(try await ZIPArchive.open(CountingReader(data)))
        #expect(try await fetcher.links().map(\.href) == (names + ["g%2Fh"]).map(HREF.encode) + ["g/h"])
        for name in names {
            // As links have it, and as books write it that were made with such names.
            #expect(try await fetcher.get(HREF.encode(name)).readAsString() == name)
            #expect(try await fetcher.get(name).readAsString() == name)
        }
        // The escaped one is reachable beside the other.
        #expect(try await fetcher.get("g%252Fh").readAsString() == "one")
        #expect(try await fetcher.get("g%2Fh").readAsString() == "two")
        await fetcher.close()
    }

    @Test(arguments: [
        "../secret", "..%2Fsecret", #"..\secret"#, "..%5Csecret", "%2e%2e/secret", "a/../../secret", #"a\..\..\secret"#,
        "..%252Fsecret",
        "/../secret", "%2Fsecret", "//secret",
    ])
    func `no address leads out of a folder or an archive`(href: String) async throws {
        let shelf = try await MemoryShelf([
            "secret": Data("secret".utf8), "book/1.png": Data("x".utf8), "book/a/2.png": Data("y".utf8),
        ])
        let books: [(String, Data?)] = [("book", nil), ("a.cbz", try zip([("1.png", "x"), (#"a\2.png"#, "y")]))]
        for (name, data) in books {
            if let data { try await shelf.add(data, at: ProviderPath(name)) }
            let book = try await Publication.open(path: ProviderPath(name), of: shelf.provider)
            await #expect(throws: CocoaError.self) { try await book.get(href).read() }
            #expect(try await book.get("a/2.png").readAsString() == "y")
            await book.close()
        }
    }

    #if Formats
        @Test(arguments: PackedBuilder.Kind.allCases)
        func `other archives have backslashes, too, and none that lead elsewhere`(kind: PackedBuilder.Kind) async throws
        {
            let names = [
                #"Book\One\1.png"#, #"Book\Two\1.png"#, #"..\x.png"#, #"a\..\..\y.png"#, #"C:\z.png"#,
                #"\\host\share\w.png"#,
            ]
            let archive = try await PackedArchive.open(
                CountingReader(PackedBuilder.data(kind, names.map { PackedBuilder.File($0, $0) })))
            #expect(archive.entries.map(\.path) == ["Book/One/1.png", "Book/Two/1.png"])
            let entry = try #require(archive.entry(at: "Book/Two/1.png"))
            #expect(try await archive.read(entry) == Data(names[1].utf8))
            await archive.close()
        }
    #endif
}
