import FileProviderCore
import Foundation
import MemoryFileProvider
import Testing

import ReaderApplication
import ReaderDriver
import ReaderMessages

@Suite struct PlainFolderListingTests {
    private static let uuid = "6f1d2a54-3f0e-4a53-9a3c-2f6f8a1c5b70"
    private static let jpeg = Data([0xFF, 0xD8, 0xFF, 0xE0]) + Data(count: 100)

    @Test func `title, authors, uuid and cover come from the books, and a second look opens none`() async throws {
        let bed = try await PlainFolderBed()
        try await bed.put("a.epub", PlainFolderBed.epub("The Lamp", uuid: Self.uuid.uppercased(), cover: Self.jpeg))
        try await bed.put("deep/er/b.epub", PlainFolderBed.epub("The Desk", by: "Bea Writer"))
        let driver = try bed.driver()
        let listing = try await driver.books()
        #expect(listing.books.map(\.filename) == ["a.epub", "deep/er/b.epub"])
        #expect(listing.books.map(\.title) == ["The Lamp", "The Desk"])
        #expect(listing.books.map(\.authors) == [["Ann Author"], ["Bea Writer"]])
        #expect(listing.books.map(\.uuid) == [Self.uuid, ""])
        #expect(listing.warnings == [])
        #expect(await driver.cover(of: "a.epub") == Self.jpeg)
        #expect(!bed.provider.takeOpened().isEmpty)
        #expect(try await driver.books() == listing)
        #expect(try await bed.driver().books() == listing)
        #expect(bed.provider.takeOpened() == [])
    }

    @Test(arguments: [
        ".hidden.epub", ".hidden/a.epub", "._a.epub", "__MACOSX/a.epub", "a.epub.tmp", ".x.carrel-part",
        ".metadata.calibre",
        ".driveinfo.calibre", ".carrel-books.sqlite.bad", "a.txt", "a.jpg", "epub", "a.",
    ])
    func `what is no book by its name is neither listed nor opened`(name: String) async throws {
        let bed = try await PlainFolderBed()
        try await bed.put(name, PlainFolderBed.epub("Not Listed"))
        #expect(try await bed.driver().books() == PlainFolderListing())
        #expect(bed.provider.takeOpened() == [])
    }

    @Test func `links are neither listed nor followed`() async throws {
        let bed = try await PlainFolderBed()
        try await bed.put("a.epub", PlainFolderBed.epub("A Link"))
        try await bed.put("linked/b.epub", PlainFolderBed.epub("Behind a Link"))
        bed.provider.change { $0.types = ["/library/a.epub": .symbolicLink, "/library/linked": .symbolicLink] }
        #expect(try await bed.driver().books() == PlainFolderListing())
    }

    @Test func `a broken book is listed by its name, with a warning, and opened only once`() async throws {
        let bed = try await PlainFolderBed()
        try await bed.put("broken one.epub", Data("this is no archive".utf8))
        try await bed.put("good.epub", PlainFolderBed.epub("Good"))
        let listing = try await bed.driver().books()
        #expect(listing.books.map(\.title) == ["broken one", "Good"])
        #expect(listing.warnings.count == 1)
        #expect(listing.warnings.first?.hasPrefix("“broken one.epub”") == true)
        _ = bed.provider.takeOpened()
        #expect(try await bed.driver().books() == listing)
        #expect(bed.provider.takeOpened() == [])
    }

    @Test func `a book that cannot be read now is listed by its name and tried again`() async throws {
        let bed = try await PlainFolderBed()
        try await bed.put("a.epub", PlainFolderBed.epub("Later"))
        try await bed.put("b.epub", PlainFolderBed.epub("Now"))
        bed.provider.change {
            $0.onOpen = { if $0.name == "a.epub" { throw FileError.make(.fileReadNoPermission, path: $0) } }
        }
        let listing = try await bed.driver().books()
        #expect(listing.books.map(\.title) == ["a", "Now"])
        #expect(listing.warnings.count == 1)
        bed.provider.change { $0.onOpen = { _ in } }
        #expect(try await bed.driver().books().books.map(\.title) == ["Later", "Now"])
    }

    @Test func `a storage that is lost ends the listing, and what was read is remembered`() async throws {
        var bed = try await PlainFolderBed()
        bed.options.booksAtOnce = 1
        for name in ["a", "b", "c", "d", "e"] {
            try await bed.put("\(name).epub", PlainFolderBed.epub(name.uppercased()))
        }
        // All but the first can be opened once, for their ends, and not again.
        let seen = CollectedValues<String>()
        bed.provider.change {
            $0.onOpen = { path in
                let isLost = seen.values.contains(path.name) && path.name != "a.epub"
                seen.append(path.name)
                if isLost {
                    throw FileError.make(.networkConnectionLost, url: nil, sentence: "The connection was lost.")
                }
            }
        }
        let driver = try bed.driver()
        await #expect(throws: URLError.self) { try await driver.books() }
        #expect(try await bed.remembered().entries.map(\.title) == ["A"])
        bed.provider.change { $0.onOpen = { _ in } }
        #expect(try await driver.books().books.map(\.title) == ["A", "B", "C", "D", "E"])
    }

    @Test func `names that differ in case only are two books`() async throws {
        let bed = try await PlainFolderBed()
        try await bed.put("Book.epub", PlainFolderBed.epub("Upper"))
        try await bed.put("book.epub", PlainFolderBed.epub("Lower"))
        #expect(try await bed.driver().books().books.map(\.title).sorted() == ["Lower", "Upper"])
    }

    @Test func `a name in another form of Unicode is the same name, read by its own bytes`() async throws {
        let bed = try await PlainFolderBed()
        try await bed.put("Cafe\u{301}.epub", PlainFolderBed.epub("Decomposed"))
        let driver = try bed.driver()
        let name = try #require(try await driver.books().books.first?.filename)
        #expect(Array(name.utf8) == Array("Caf\u{E9}.epub".utf8))
        let sink = DataSink(limit: 1 << 20)
        try await driver.read("Caf\u{E9}.epub", into: sink)
        #expect(try sink.data == PlainFolderBed.epub("Decomposed"))
        try await bed.put("Caf\u{E9}.epub", PlainFolderBed.epub("Composed"))
        let listing = try await driver.books()
        #expect(listing.books.count == 1)
        #expect(listing.warnings.count == 1)
    }

    @Test func `what lies too deep is left out with a warning`() async throws {
        var bed = try await PlainFolderBed()
        bed.options.maxDepth = 2
        try await bed.put("1/2/a.epub", PlainFolderBed.epub("Deep"))
        try await bed.put("1/2/3/b.epub", PlainFolderBed.epub("Too Deep"))
        let listing = try await bed.driver().books()
        #expect(listing.books.map(\.title) == ["Deep"])
        #expect(listing.warnings == ["Files more than 2 folders deep were skipped: 1."])
    }

    @Test func `too many files are an error`() async throws {
        var bed = try await PlainFolderBed()
        bed.options.maxItems = 3
        for number in 1...4 { try await bed.put("\(number).txt", Data()) }
        let driver = try bed.driver()
        await #expect { try await driver.books() } throws: { ($0 as? CocoaError)?.code == .fileReadTooLarge }
    }

    @Test func `a cover that is no picture, or too large, is left out`() async throws {
        var bed = try await PlainFolderBed()
        bed.options.maxCoverSize = 50
        try await bed.put("large.epub", PlainFolderBed.epub("Large", cover: Self.jpeg))
        try await bed.put("text.epub", PlainFolderBed.epub("Text", cover: Data("<svg/>".utf8)))
        let driver = try bed.driver()
        #expect(try await driver.books().books.map(\.title) == ["Large", "Text"])
        #expect(await driver.cover(of: "large.epub") == nil)
        #expect(await driver.cover(of: "text.epub") == nil)
    }

    @Test func `covers are kept until their space is full`() async throws {
        var bed = try await PlainFolderBed()
        bed.options.maxCoverBytes = Self.jpeg.count * 3 / 2
        bed.options.booksAtOnce = 1
        for name in ["a", "b"] { try await bed.put("\(name).epub", PlainFolderBed.epub(name, cover: Self.jpeg)) }
        let driver = try bed.driver()
        _ = try await driver.books()
        #expect(await driver.cover(of: "a.epub") == Self.jpeg)
        #expect(await driver.cover(of: "b.epub") == nil)
    }
}
