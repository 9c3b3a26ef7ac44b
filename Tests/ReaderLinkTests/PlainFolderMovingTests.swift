import FileProviderCore
import Foundation
import MemoryFileProvider
import Testing

import ReaderApplication
import ReaderDriver
import ReaderMessages

/// Files that somebody moves, copies, replaces and removes between two looks.
@Suite struct PlainFolderMovingTests {
    /// A folder with one book whose title the user edited.
    private func edited(_ name: String = "a.epub") async throws -> PlainFolderBed {
        let bed = try await PlainFolderBed()
        try await bed.put(name, PlainFolderBed.epub("Extracted"))
        let report = try await bed.driver().update([PlainFolderEdit(filename: name, title: "Edited")])
        #expect(report.done == [name])
        _ = bed.provider.takeOpened()
        return bed
    }

    @Test(arguments: ["b.epub", "A.epub", "folder/a.epub", "folder/below/Other Name.epub"])
    func `a moved book keeps what was edited, and is not opened as a book`(target: String) async throws {
        let bed = try await edited()
        try await bed.move("a.epub", to: target)
        let books = try await bed.driver().books().books
        #expect(books.map(\.filename) == [target])
        #expect(books.map(\.title) == ["Edited"])
        // Its ends alone are read.
        #expect(bed.provider.takeOpened() == ["/library/\(target)"])
        #expect(try await bed.remembered().entries.map(\.path) == [target])
    }

    @Test func `a copy is a book of its own`() async throws {
        let bed = try await edited()
        try await bed.put("folder/a.epub", PlainFolderBed.epub("Extracted"))
        let books = try await bed.driver().books().books
        #expect(books.map(\.filename) == ["a.epub", "folder/a.epub"])
        #expect(books.map(\.title) == ["Edited", "Extracted"])
    }

    @Test func `a book that went to two places at once is moved to neither`() async throws {
        let bed = try await edited()
        try await bed.move("a.epub", to: "1/a.epub")
        try await bed.put("2/a.epub", PlainFolderBed.epub("Extracted"))
        #expect(try await bed.driver().books().books.map(\.title) == ["Extracted", "Extracted"])
    }

    @Test func `of two equal books that are gone none is taken for the one that is new`() async throws {
        let bed = try await edited()
        try await bed.put("b.epub", PlainFolderBed.epub("Extracted"))
        _ = try await bed.driver().books()
        try await bed.move("a.epub", to: "c.epub")
        try await bed.remove("b.epub")
        #expect(try await bed.driver().books().books.map(\.title) == ["Extracted"])
    }

    @Test func `another book under the old book's name elsewhere is not the old one`() async throws {
        let bed = try await edited()
        try await bed.remove("a.epub")
        try await bed.put("folder/a.epub", PlainFolderBed.epub("Different"))
        #expect(try await bed.driver().books().books.map(\.title) == ["Different"])
    }

    @Test func `a changed book is read again and keeps what was edited`() async throws {
        let bed = try await edited()
        try await bed.put("a.epub", PlainFolderBed.epub("Extracted Anew", by: "New Author"))
        let books = try await bed.driver().books().books
        #expect(books.map(\.title) == ["Edited"])
        #expect(books.map(\.titleSort) == ["Edited"])
        #expect(books.map(\.authors) == [["New Author"]])
    }

    @Test func `a book of the same length without a tag is known by its time`() async throws {
        let bed = try await PlainFolderBed()
        bed.provider.change { $0.hasTags = false }
        for (title, time) in [("One", 1000.0), ("Two", 2000.0)] {
            let source = DataSource(try PlainFolderBed.epub(title))
            let options = WriteOptions(overwrite: true, modificationDate: Date(timeIntervalSince1970: time))
            try await bed.provider.base.writeContents(path: bed.path("a.epub"), from: source, options: options)
            #expect(try await bed.driver().books().books.map(\.title) == [title])
        }
    }

    @Test func `a removed book is forgotten`() async throws {
        let bed = try await edited()
        try await bed.remove("a.epub")
        #expect(try await bed.driver().books().books == [])
        #expect(try await bed.remembered().entries == [])
    }

    @Test(arguments: [true, false])
    func `a listing that fails in the middle removes nothing from the cache`(isWhole: Bool) async throws {
        let bed = try await edited("folder/a.epub")
        try await bed.put("b.epub", PlainFolderBed.epub("Top"))
        let driver = try bed.driver()
        _ = try await driver.books()
        let folder = try bed.path("folder")
        bed.provider.change {
            $0.onList = { path in
                guard path == folder else { return }
                if isWhole {
                    throw FileError.make(.networkConnectionLost, url: nil, sentence: "The connection was lost.")
                }
                throw FileError.make(.fileReadNoPermission, path: path)
            }
        }
        if isWhole {
            await #expect { try await driver.books() } throws: { ($0 as? URLError)?.code == .networkConnectionLost }
        } else {
            let listing = try await driver.books()
            #expect(listing.books.map(\.title) == ["Top"])
            #expect(listing.warnings.count == 1)
        }
        #expect(try await bed.remembered().entries.map(\.path).sorted() == ["b.epub", "folder/a.epub"])
        bed.provider.change { $0.onList = { _ in } }
        #expect(try await driver.books().books.map(\.title) == ["Top", "Edited"])
    }
}
