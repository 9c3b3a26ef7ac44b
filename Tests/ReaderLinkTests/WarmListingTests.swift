import FileProviderCore
import Foundation
import Testing

import ReaderApplication
import ReaderDriver
import ReaderMessages

/// What a second listing costs, however many books there are.
@Suite(.timeLimit(.minutes(5)))
struct WarmListingTests {
    private static let count = 300

    @Test func `a list that is known costs one look, and another driver fetches the list and no book`() async throws {
        var options = DriverBed.options
        options.booksFolder = "Documents"
        let bed = try DriverBed(options, reader: JSONSnapshotReader())
        try await bed.begin(["snapshot": "library.sqlite"])
        let documents = StagingFolder(provider: bed.provider.base, path: try ProviderPath("Documents"))
        try await documents.create()
        let books = (0..<Self.count).map { number in
            LibraryBook(filename: "\(number).epub", title: "Book \(number)", added: Date(timeIntervalSince1970: 0))
        }
        for book in books { try await documents.publish(Data(book.title.utf8), as: book.filename) }
        try await bed.publish(books)

        let warm = ["open connected.xml", "attributes library.sqlite"]
        for session in [bed.session, bed.anotherSession()] {
            #expect(try await calls(to: bed) { try await session.books().books } == warm + ["open library.sqlite"])
            #expect(try await calls(to: bed) { try await session.books().books } == warm)
        }

        func calls(to bed: DriverBed, _ list: () async throws -> [LibraryBook]) async throws -> [String] {
            let before = bed.provider.calls.count
            #expect(try await list() == books)
            return Array(bed.provider.calls[before...])
        }
    }

    @Test
    func `a folder that did not change costs its listing, and another driver fetches what is remembered and no book`()
        async throws
    {
        let bed = try await PlainFolderBed()
        for number in 0..<Self.count {
            try await bed.put("\(number % 10)/\(number).epub", PlainFolderBed.epub("Book \(number)"))
        }
        let listed = CollectedValues<String>()
        bed.provider.change { $0.onList = { listed.append($0.string) } }
        let driver = try bed.driver()
        let listing = try await driver.books()
        #expect(Set(listing.books.map(\.title)).count == Self.count)
        #expect(listing.warnings == [])
        #expect(listed.values.count == 11)

        _ = bed.provider.takeOpened(withCache: true)
        #expect(try await driver.books() == listing)
        #expect(bed.provider.takeOpened(withCache: true) == [])
        #expect(listed.values.count == 22)
        #expect(try await bed.driver().books() == listing)
        #expect(bed.provider.takeOpened(withCache: true) == [try bed.path(".carrel-books.sqlite").string])
        #expect(listed.values.count == 33)
    }
}
