import FileProviderCore
import Foundation
import MemoryFileProvider
import Testing

import ReaderApplication
import ReaderDriver
import ReaderMessages

/// Uploading, deleting, editing and reading.
@Suite struct PlainFolderChangesTests {
    private static let uuid = "6f1d2a54-3f0e-4a53-9a3c-2f6f8a1c5b70"
    private static let names = [
        "../secret.epub", "/secret.epub", "..", ".", "", "a.epub/../../secret.epub", "secret.epub", "b\0.epub",
    ]

    private func outcome(_ report: UploadReport) -> [UploadReport.Outcome] { report.entries.map(\.outcome) }

    @Test func `an uploaded book is listed with what calibre knows of it`() async throws {
        let bed = try await PlainFolderBed()
        let item = try await PlainFolderBed.item(
            try PlainFolderBed.epub("Inside"), title: "From calibre", author: "C", uuid: Self.uuid)
        let report = try await bed.driver().upload([item])
        #expect(outcome(report) == [.added])
        #expect(report.warnings == [])
        let books = try await bed.driver().books().books
        #expect(books == report.entries.compactMap(\.book))
        #expect(books.map(\.filename) == ["From calibre.epub"])
        #expect(books.map(\.title) == ["From calibre"])
        #expect(books.map(\.authors) == [["C"]])
        #expect(books.map(\.uuid) == [Self.uuid])
    }

    @Test func `a cover that is given is kept for a file that has none in itself`() async throws {
        let bed = try await PlainFolderBed()
        let picture = Data([0xFF, 0xD8, 0xFF, 0xE0])
        for (name, cover) in [
            ("Small", picture), ("Text", Data("Once upon a time".utf8)), ("Large", picture + Data(count: 256 << 10)),
        ] {
            var item = try await PlainFolderBed.item(Data("%PDF-1.4".utf8), title: name, author: name, format: "pdf")
            item.cover = cover
            #expect(outcome(try await bed.driver().upload([item])) == [.added])
        }
        let driver = try bed.driver()
        _ = try await driver.books()
        #expect(await driver.cover(of: "Small.pdf") == picture)
        #expect(await driver.cover(of: "Text.pdf") == nil)
        #expect(await driver.cover(of: "Large.pdf") == nil)
    }

    @Test func `hostile titles become files at the top of the folder and nowhere else`() async throws {
        let bed = try await PlainFolderBed()
        var items: [UploadItem] = []
        for (number, title) in hostileTitles.enumerated() {
            items.append(
                try await PlainFolderBed.item(
                    try PlainFolderBed.epub("Book \(number)"), title: title, author: "\(number)"))
        }
        let report = try await bed.driver().upload(items)
        #expect(outcome(report) == Array(repeating: .added, count: items.count))
        let files = try await bed.files().filter { !$0.hasSuffix(".sqlite") }
        #expect(files.count == items.count)
        #expect(files.allSatisfy { $0.hasPrefix("/library/") && $0.split(separator: "/").count == 2 })
        #expect(try await bed.driver().books().books.count == items.count)
    }

    @Test func `a name that is taken by another book, in any case or form, gets a number`() async throws {
        let bed = try await PlainFolderBed()
        try await bed.put("the caf\u{E9}.EPUB", PlainFolderBed.epub("Other"))
        try await bed.put("The Caf\u{E9} 2.epub", Data("no book".utf8))
        let before = try await bed.provider.base.contents(path: bed.path("the caf\u{E9}.EPUB"))
        let item = try await PlainFolderBed.item(try PlainFolderBed.epub("New"), title: "The Cafe\u{301}")
        let report = try await bed.driver().upload([item, item])
        #expect(report.entries.map(\.book?.filename) == ["The Caf\u{E9} 3.epub", "The Caf\u{E9} 3.epub"])
        #expect(outcome(report) == [.added, .skipped])
        #expect(try await bed.provider.base.contents(path: bed.path("the caf\u{E9}.EPUB")) == before)
    }

    @Test func `a name that somebody takes in the last moment gets a number`() async throws {
        let bed = try await PlainFolderBed()
        let (provider, path) = (bed.provider, try bed.path("New.epub"))
        bed.provider.change {
            $0.onWrite = { written in
                if written == path { try await provider.base.writeContents(path: path, contents: Data("theirs".utf8)) }
            }
        }
        let report = try await bed.driver().upload([
            try await PlainFolderBed.item(try PlainFolderBed.epub("New"), title: "New")
        ])
        #expect(report.entries.map(\.book?.filename) == ["New 2.epub"])
        #expect(try await provider.base.contents(path: path) == Data("theirs".utf8))
    }

    @Test(arguments: [
        (ExistingBookPolicy.protect, UploadReport.Outcome.skipped, "Old", "Old File"),
        (.update, .updated, "New", "Old File"), (.replace, .replaced, "New", "New File"),
    ])
    func `what becomes of a book that is there already is the caller's choice`(
        policy: ExistingBookPolicy, expected: UploadReport.Outcome, title: String, content: String
    ) async throws {
        let bed = try await PlainFolderBed()
        let previous = try await PlainFolderBed.item(try PlainFolderBed.epub("Old File"), title: "Old", uuid: Self.uuid)
        _ = try await bed.driver().upload([previous])
        let new = try await PlainFolderBed.item(
            try PlainFolderBed.epub("New File"), title: "New", uuid: "urn:uuid:" + Self.uuid.uppercased())
        #expect(outcome(try await bed.driver().upload([new], policy: policy)) == [expected])
        let books = try await bed.driver().books().books
        #expect(books.map(\.title) == [title])
        #expect(books.map(\.filename) == ["Old.epub"])
        #expect(try await bed.provider.base.contents(path: bed.path("Old.epub")) == PlainFolderBed.epub(content))
    }

    @Test func `a format that the folder does not take is rejected, and the others go on`() async throws {
        let bed = try await PlainFolderBed()
        let data = try PlainFolderBed.epub("Book")
        let items = [
            try await PlainFolderBed.item(data, title: "One", format: "exe"),
            try await PlainFolderBed.item(data, title: "Two", format: "e/../pub"),
            try await PlainFolderBed.item(data, title: "Three"),
        ]
        let report = try await bed.driver().upload(items)
        #expect(report.entries.map { $0.book != nil } == [false, false, true])
        #expect(try await bed.driver().books().books.map(\.title) == ["Three"])
    }

    @Test func `deleted books are gone, and only they`() async throws {
        let bed = try await PlainFolderBed()
        for name in ["a", "b", "c"] { try await bed.put("\(name).epub", PlainFolderBed.epub(name)) }
        let driver = try bed.driver()
        _ = try await driver.books()
        try await bed.remove("c.epub")
        let report = try await driver.delete(["a.epub", "c.epub", "d.epub"])
        #expect(report.done == ["a.epub", "c.epub"])
        #expect(report.failed.map(\.filename) == ["d.epub"])
        #expect(try await driver.books().books.map(\.filename) == ["b.epub"])
        #expect(try await bed.remembered().entries.map(\.path) == ["b.epub"])
    }

    @Test(arguments: names)
    func `a name that no listing showed leads nowhere`(name: String) async throws {
        let bed = try await PlainFolderBed()
        try await bed.put("a.epub", PlainFolderBed.epub("A"))
        try await bed.provider.base.writeContents(
            path: ProviderPath("secret.epub"), contents: PlainFolderBed.epub("Secret"))
        let before = try await bed.files()
        let driver = try bed.driver()
        #expect(try await driver.delete([name]).failed.count == 1)
        #expect(try await driver.update([PlainFolderEdit(filename: name, title: "T")]).failed.count == 1)
        let sink = DataSink(limit: 1 << 20)
        await #expect(throws: PlainFolderError.self) { try await driver.read(name, into: sink) }
        #expect(sink.data.isEmpty)
        #expect(try await bed.files().filter { !$0.contains(".carrel-books") } == before)
    }

    @Test func `a folder that became a link is not gone through`() async throws {
        let bed = try await PlainFolderBed()
        try await bed.put("folder/a.epub", PlainFolderBed.epub("A"))
        let driver = try bed.driver()
        _ = try await driver.books()
        bed.provider.change { $0.types = ["/library/folder": .symbolicLink] }
        let sink = DataSink(limit: 1 << 20)
        await #expect(throws: PlainFolderError.self) { try await driver.read("folder/a.epub", into: sink) }
        _ = try await driver.delete(["folder/a.epub"])
        #expect(try await bed.files().contains("/library/folder/a.epub"))
    }

    @Test func `edits change what is listed and not the file`() async throws {
        let bed = try await PlainFolderBed()
        try await bed.put("a.epub", PlainFolderBed.epub("Old"))
        let driver = try bed.driver()
        let edits = [
            PlainFolderEdit(
                filename: "a.epub", title: "The \"New\" One'; DROP", titleSort: "New One, The", authors: ["B", "C"]),
            PlainFolderEdit(filename: "a.epub", title: "  "),
        ]
        let report = try await driver.update(edits)
        #expect(report.done == ["a.epub"])
        #expect(report.failed.count == 1)
        let book = try #require(try await bed.driver().books().books.first)
        #expect(book.title == "The \"New\" One'; DROP")
        #expect(book.titleSort == "New One, The")
        #expect(book.authors == ["B", "C"])
        #expect(book.authorSort == "B & C")
        #expect(try await bed.provider.base.contents(path: bed.path("a.epub")) == PlainFolderBed.epub("Old"))
    }

    @Test func `after it was ejected a folder does nothing more`() async throws {
        let bed = try await PlainFolderBed()
        let driver = try bed.driver()
        await driver.eject()
        await driver.eject()
        await #expect(throws: PlainFolderError.self) { try await driver.books() }
        await #expect(throws: PlainFolderError.self) { try await driver.space() }
    }
}
