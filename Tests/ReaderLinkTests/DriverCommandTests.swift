import FileProviderCore
import Foundation
import Testing

import ReaderApplication
import ReaderDriver
import ReaderMessages

/// Commands on books that are on the device: what is sent of them, and what is told.
@Suite(.timeLimit(.minutes(2)))
struct DriverCommandTests {
    private static let uuid = "6b29fc40-ca47-1067-b31d-00dd010662da"

    private func book(_ title: String, uuid: String = "") -> LibraryBook {
        var book = LibraryBook(
            filename: "\(title).epub", title: title, uuid: uuid, added: Date(timeIntervalSince1970: 0))
        book.authors = ["Ann Author"]
        book.publisher = "House"
        book.series = "S"
        book.seriesIndex = 2
        return book
    }

    @Test func `a book that is given twice goes out once`() async throws {
        let bed = try DriverBed()
        let seen = CollectedValues<Int>()
        try await bed.begin { bed, _ in
            if case .deleteBooks(let command)? = try await bed.command(.deleteBooks) {
                seen.append(command.books.count)
            }
            try await bed.finish(.deleteBooks)
        }
        let books = ["a", "b", "a"].map { BookReference(filename: "\($0).epub") }
        #expect(try await bed.session.delete(books) == CommandReport(count: 2))
        try bed.check()
        #expect(seen.values == [2])
    }

    @Test func `books that the application has something to say of are not counted as done`() async throws {
        let bed = try DriverBed()
        let messages = [
            StatusMessage("It is open.", about: "a.epub"), StatusMessage("Something else.", about: "status.xml"),
        ]
        try await bed.begin { bed, _ in try await bed.finish(.deleteBooks, .warnings, messages) }
        let report = try await bed.session.delete([
            BookReference(filename: "a.epub"), BookReference(filename: "b.epub"),
        ])
        #expect(report == CommandReport(count: 2, messages: messages, done: 1))
    }

    @Test func `names of collections go out trimmed, and a cover that is too large stays behind`() async throws {
        let bed = try DriverBed()
        let seen = CollectedValues<UpdatedBook>()
        try await bed.begin { bed, _ in
            if case .updateMetadata(let update)? = try await bed.command(.updateMetadata) {
                for book in update.books { seen.append(book) }
            }
            try await bed.finish(.updateMetadata)
        }
        var metadata = BookMetadata(title: "A", authors: ["Ann Author"], uuid: Self.uuid)
        metadata.collections = [" Evening\n", "", "  ", "Noon"]
        let old = book("a", uuid: Self.uuid)
        let updates = [5 << 20, 5 << 20 + 1].enumerated().map { number, size in
            var old = old
            old.filename = "\(number).epub"
            return UpdatedBook(metadata, of: old, cover: Data(count: size))
        }
        let report = try await bed.session.update(updates)
        try bed.check()
        #expect(seen.values.map(\.collections) == [["Evening", "Noon"], ["Evening", "Noon"]])
        #expect(seen.values.map { $0.cover == nil } == [false, true])
        #expect(report.messages.count == 1)
        #expect(report.done == 2)
    }

    @Test func `an application behind a slow storage has more time for its first report`() async throws {
        let bed = try DriverBed()
        try await bed.begin()
        let time = bed.time
        bed.provider.become { call, path in
            if call == "write", path.name == "delete_books.xml" { time.advance(by: 20) }
            return .well
        }
        #expect(try await bed.kind { try await bed.delete() } == .notAcknowledged)
        // The write itself, twice as long, and the usual limit.
        #expect(bed.time.elapsed > 75)
        #expect(bed.time.elapsed < 95)
    }

    @Test func `a command that is refused does not hold up the next one`() async throws {
        var options = DriverBed.options
        options.batchSize = 1
        let bed = try DriverBed(options)
        try await bed.begin { bed, _ in
            guard case .deleteBooks(let command)? = try await bed.command(.deleteBooks) else { return }
            let isRefused = command.books.first?.filename == "a.epub"
            try await bed.finish(
                .deleteBooks, isRefused ? .failure : .success, isRefused ? [StatusMessage("No.", about: "a.epub")] : [])
        }
        let parts = CollectedValues<Int>()
        let books = [BookReference(filename: "a.epub"), BookReference(filename: "b.epub")]
        let report = try await bed.session.delete(books, batch: { parts.append($0.done) })
        try bed.check()
        #expect(report == CommandReport(count: 2, messages: [StatusMessage("No.", about: "a.epub")], done: 1))
        #expect(parts.values == [0, 1])
    }

    @Test(arguments: [true, false])
    func `an update of single values holds them alone where the application takes that, else all values`(
        takesSingle: Bool
    ) async throws {
        let bed = try DriverBed(reader: JSONSnapshotReader())
        let seen = CollectedValues<UpdatedBook>()
        var attributes = ["snapshot": "library.sqlite"]
        if takesSingle { attributes["capabilities"] = ConnectedMessage.Capability.metadataItems }
        try await bed.begin(attributes) { bed, _ in
            let kind = takesSingle ? ReaderCommand.Kind.updateMetadataItems : .updateMetadata
            switch try await bed.command(kind) {
            case .updateMetadata(let update)?, .updateMetadataItems(let update)?:
                for book in update.books { seen.append(book) }
            default: return
            }
            try await bed.finish(kind)
        }
        try await bed.publish([book("a", uuid: Self.uuid)])
        var first = UpdatedBook(BookReference(uuid: Self.uuid), hasTitle: false, hasAuthor: false)
        first.series = "T"
        var second = UpdatedBook(BookReference(title: "B", uuid: Self.uuid), hasAuthor: false)
        second.seriesIndex = "3"
        #expect(try await bed.session.update([first, second]).messages == [])
        try bed.check()
        if takesSingle {
            #expect(seen.values.map(\.series) == ["T", nil])
            #expect(seen.values.map(\.publisher) == [nil, nil])
            return
        }
        let update = try #require(seen.values.first)
        #expect(seen.values.count == 1)
        #expect(
            update.reference == BookReference(author: "Ann Author", filename: "a.epub", title: "B", uuid: Self.uuid))
        #expect([update.series, update.seriesIndex, update.publisher, update.description] == ["T", "3", "House", ""])
    }

    @Test(arguments: [Data("[".utf8), nil])
    func `a list that cannot be read after a failure does not hold up commands, and the report says so`(list: Data?)
        async throws
    {
        let bed = try DriverBed(reader: JSONSnapshotReader())
        try await bed.begin(["snapshot": "library.sqlite"]) { bed, look in
            try await bed.finish(.deleteBooks, look < 4 ? .failure : .success)
        }
        if let list { try await bed.put(list, "library.sqlite") }
        #expect(try await bed.kind { try await bed.delete() } == .commandFailed(messages: []))
        var report = CommandReport()
        while report.count == 0 {
            do { report = try await bed.delete() } catch let error as DriverError {
                guard case .commandFailed = error.kind else { throw error }
            }
        }
        #expect(report.done == 1)
        #expect(report.messages.count == 1)
        #expect(report.messages.allSatisfy { $0.filename == nil })
    }

    @Test func `an application that stops answering is not asked for each of the other books`() async throws {
        let bed = try DriverBed()
        try await bed.begin([
            "capabilities": "\(ConnectedMessage.Capability.actions) \(ConnectedMessage.Capability.exporting)"
        ])
        let books = (0..<20).map { book("\($0)") }
        let folder = FileManager.default.temporaryDirectory
        let results = await bed.session.fetchForImport(books, into: folder)
        #expect(results.count == 20)
        #expect(bed.time.elapsed < 20)
    }
}
