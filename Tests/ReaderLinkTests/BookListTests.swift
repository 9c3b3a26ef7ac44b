import FileProviderCore
import Foundation
import Synchronization
import Testing

import ReaderApplication
@testable import ReaderDriver
@testable import ReaderMessages

/// Lists of books as JSON, where the real thing is of no account.
struct JSONSnapshotReader: LibrarySnapshotReader {
    func books(in file: URL) async throws -> [LibraryBook] {
        do { return try JSONDecoder().decode([LibraryBook].self, from: Data(contentsOf: file)) } catch {
            throw FileError.make(.fileReadCorruptFile, path: file.path)
        }
    }
}

@Suite(.timeLimit(.minutes(2)))
struct BookListTests {
    private func book(_ title: String, uuid: String = "", filename: String? = nil) -> LibraryBook {
        var book = LibraryBook(
            filename: filename ?? "\(title).epub", title: title, uuid: uuid, added: Date(timeIntervalSince1970: 0))
        book.authors = ["Ann Author"]
        return book
    }

    @Test(arguments: [
        (BookReference(uuid: " URN:UUID:AB "), "one"),
        (BookReference(filename: "two.epub"), "two"),
        (BookReference(author: "Ann Author", title: "three"), "three"),
        // Two with one uuid are told apart by the name alone.
        (BookReference(filename: "five.epub", uuid: "dd"), "five"),
        (BookReference(uuid: "dd"), nil),
        // A uuid that is unknown is another book, whatever its title.
        (BookReference(author: "Ann Author", title: "three", uuid: "ff"), nil),
        // A name is used again when its book has gone.
        (BookReference(filename: "one.epub", uuid: "ff"), nil),
        (BookReference(filename: "two.epub", uuid: "ff"), "two"),
        (BookReference(), nil),
    ])
    func `a reference means a book by uuid, else by name, else by title and authors`(
        reference: BookReference, title: String?
    ) {
        let list = BookList([
            book("one", uuid: "ab"), book("two"), book("three"), book("four", uuid: "dd"), book("five", uuid: "dd"),
        ])
        #expect(list.book(reference)?.title == title)
    }

    @Test func `a report changes the list as it changed the device`() {
        var list = BookList([book("one", uuid: "aa"), book("two", uuid: "bb")])
        var two = book("two", uuid: "bb")
        two.title = "Two, second edition"
        list.merge(
            UploadReport(entries: [
                UploadReport.Entry(index: 0, outcome: .added, book: book("three", uuid: "cc")),
                UploadReport.Entry(index: 1, outcome: .replaced, book: two),
                UploadReport.Entry(index: 2, outcome: .skipped, book: book("four", uuid: "dd")),
                UploadReport.Entry(index: 3, outcome: .rejected("No.")),
                UploadReport.Entry(index: 4, outcome: .updated, book: book("three", uuid: "CC")),
            ]))
        #expect(list.books.map(\.title) == ["one", "Two, second edition", "three"])
        list.remove([BookReference(uuid: "AA"), BookReference(uuid: "none")])
        #expect(list.books.map(\.title) == ["Two, second edition", "three"])
    }

    @Test func `only what differs goes to the device`() throws {
        var present = [
            book("one", uuid: "aa"), book("two", uuid: "bb"), book("three", uuid: "cc"), book("gone", uuid: "dd"),
        ]
        present[0].collections = ["A", "B"]
        var wanted = Array(present.dropLast()) + [book("new", uuid: "ee")]
        wanted[0].collections = ["B", "A"]
        wanted[1].series = "S"
        wanted[1].seriesIndex = 0
        wanted[2].collections = ["C"]
        let differences = BookListDifferences(wanted: BookList(wanted), present: BookList(present))
        #expect(differences.updates.map(\.reference.uuid) == ["bb"])
        let update = try #require(differences.updates.first)
        #expect(update.seriesIndex == "0")
        #expect(update.collections == nil)
        #expect(update.publisher == "")
        #expect(differences.collections.map(\.collections) == [["C"]])
    }

    @Test func `what an application keeps in another form does not differ for ever`() throws {
        var present = book("one", uuid: "aa")
        (present.pubDate, present.rating) = ("2020-01-01", nil)
        var wanted = present
        (wanted.pubDate, wanted.rating, wanted.publisher, wanted.seriesIndex) = ("2020", 0, "", 3)
        #expect(BookListDifferences(wanted: BookList([wanted]), present: BookList([present])).updates == [])
        wanted.pubDate = nil
        let updates = BookListDifferences(wanted: BookList([wanted]), present: BookList([present])).updates
        #expect(updates.map(\.pubDate) == [""])
    }

    @Test func `a uuid that one of the two lists lacks, and white space around collections, do not differ for ever`() {
        for (mine, theirs) in [("aa", ""), ("", "aa")] {
            var (wanted, present) = (book("one", uuid: mine), book("one", uuid: theirs))
            (wanted.collections, present.collections) = ([" A ", ""], ["A"])
            let differences = BookListDifferences(wanted: BookList([wanted]), present: BookList([present]))
            #expect(differences.updates == [])
            #expect(differences.collections == [])
        }
    }

    @Test func `a list without a tag is trusted once it stood unchanged for two minutes`() throws {
        var file = FileObject(
            path: try ProviderPath("library.sqlite"), type: .regular, size: 1,
            modifiedDate: Date(timeIntervalSince1970: 0))
        let version = SnapshotCache.Version(file)
        var cache = SnapshotCache()
        cache.put(BookList(), version: version, now: 1000)
        #expect(!cache.holds(version))
        cache.put(BookList(), version: version, now: 1121)
        #expect(cache.holds(version))
        file.entryTag = "\"a\""
        let tagged = SnapshotCache.Version(file)
        #expect(!cache.holds(tagged))
        cache.put(BookList(), version: tagged, now: 1122)
        #expect(cache.holds(tagged))
        cache.outdate()
        #expect(!cache.holds(tagged))
    }

    // MARK: From the device

    @Test func `a list that is still the same is not fetched again`() async throws {
        let bed = try DriverBed(reader: JSONSnapshotReader())
        try await bed.begin(["snapshot": "library.sqlite"])
        try await bed.publish([book("one")])
        #expect(try await bed.session.books().books.map(\.title) == ["one"])
        let before = bed.provider.calls.filter { $0 == "open library.sqlite" }.count
        #expect(try await bed.session.books().books.map(\.title) == ["one"])
        #expect(bed.provider.calls.filter { $0 == "open library.sqlite" }.count == before)
        try await bed.publish([book("two")])
        #expect(try await bed.session.books(refresh: .never).books.map(\.title) == ["one"])
        #expect(try await bed.session.books().books.map(\.title) == ["two"])
    }

    @Test func `a damaged list is an error, and the one before stays`() async throws {
        let bed = try DriverBed(reader: JSONSnapshotReader())
        try await bed.begin(["snapshot": "library.sqlite"])
        try await bed.publish([book("one")])
        _ = try await bed.session.books()
        try await bed.put(Data("[".utf8), "library.sqlite")
        #expect(try await bed.kind { try await bed.session.books() } == .damagedLibrary)
        #expect(try await bed.session.books(refresh: .never).books.map(\.title) == ["one"])
    }

    @Test(arguments: [
        (nil, DriverError.Kind.incompatiblePeer), ("library.sqlite", .incompatiblePeer),
        ("../library.sqlite", .pathRejected),
        ("", .pathRejected),
    ])
    func `a list that is not there, or elsewhere, is an error`(name: String?, kind: DriverError.Kind) async throws {
        let bed = try DriverBed(reader: JSONSnapshotReader())
        try await bed.begin(name.map { ["snapshot": $0] } ?? [:])
        #expect(try await bed.kind { try await bed.session.books() } == kind)
    }

    @Test func `a list that is too large is not fetched`() async throws {
        var options = DriverBed.options
        options.maxSnapshotSize = 10
        let bed = try DriverBed(options, reader: JSONSnapshotReader())
        try await bed.begin(["snapshot": "library.sqlite"])
        try await bed.publish([book("one")])
        await #expect {
            try await bed.session.books()
        } throws: { ($0 as? CocoaError)?.code == .fileReadTooLarge }
    }
}
