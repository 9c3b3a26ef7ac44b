import FileProviderCore
import Foundation
import Testing

import ReaderApplication
@testable import ReaderDriver
@testable import ReaderMessages

/// Which book an uploaded one takes the place of, and what is believed of what the application says.
@Suite(.timeLimit(.minutes(2)))
struct UploadResultTests {
    private static let one = "6b29fc40-ca47-1067-b31d-00dd010662da"
    private static let two = "7c29fc40-ca47-1067-b31d-00dd010662da"

    private func book(_ title: String, uuid: String = "", size: Int64 = 4) -> LibraryBook {
        var book = LibraryBook(
            filename: "\(title).epub", title: title, uuid: uuid, size: size, added: Date(timeIntervalSince1970: 0))
        book.authors = ["Ann Author"]
        return book
    }

    private func item(_ title: String, uuid: String = "", format: String = "epub") -> UploadItem {
        UploadItem(
            reader: DataReader(Data("book".utf8)),
            metadata: BookMetadata(title: title, authors: ["Ann Author"], uuid: uuid),
            fileExtension: format)
    }

    /// An application that answers so to its first upload and takes the others, and whose list is then `list`.
    private func application(
        _ code: CommandStatus.Code = .success, _ text: String? = nil, about named: Bool = true,
        list: [LibraryBook]? = nil,
        into seen: CollectedValues<UploadBooks>
    ) -> DriverBed.Script {
        { bed, _ in
            guard case .uploadBooks(let upload)? = try await bed.command(.uploadBooks) else {
                return try await bed.finish(.updateMetadata)
            }
            let isFirst = seen.values.isEmpty
            seen.append(upload)
            let messages = text.map { [StatusMessage($0, about: named ? upload.books.first?.filename : nil)] } ?? []
            if let list { try await bed.put(JSONEncoder().encode(list), "library.sqlite") }
            try await bed.finish(.uploadBooks, isFirst ? code : .success, isFirst ? messages : [])
        }
    }

    private func bed(_ list: [LibraryBook]?, _ script: @escaping DriverBed.Script) async throws -> DriverBed {
        var options = DriverBed.options
        options.batchSize = 2
        let bed = try DriverBed(options, reader: JSONSnapshotReader())
        try await bed.begin(
            list == nil ? ["documents": "documents"] : ["snapshot": "library.sqlite", "documents": "documents"], script)
        if let list { try await bed.put(JSONEncoder().encode(list), "library.sqlite") }
        return bed
    }

    // MARK: Which book

    @Test func `two books with different uuids are two, whatever their titles`() {
        let there = BookList([book("a", uuid: Self.one)])
        let plan = UploadPlan(
            [
                BookMetadata(title: "a", authors: ["Ann Author"], uuid: Self.two),
                BookMetadata(title: "a", authors: ["Ann Author"], uuid: "isbn:1"),
            ],
            list: there, policy: .replace)
        #expect(plan.actions == [.send(replacing: nil), .send(replacing: there.books[0])])
    }

    @Test(arguments: ["", "isbn:1"])
    func `a book that takes the place of another is staged by that one's uuid`(uuid: String) async throws {
        let seen = CollectedValues<UploadBooks>()
        let bed = try await bed([book("a", uuid: Self.one)], application(into: seen))
        let report = try await bed.session.upload([item("a", uuid: uuid)], policy: .replace)
        try bed.check()
        #expect(seen.values.flatMap(\.books).map(\.filename) == [Self.one + ".epub"])
        #expect(report.entries.map(\.outcome) == [.replaced])
        #expect(report.entries.map(\.book?.uuid) == [Self.one])
    }

    // MARK: What is not sent

    @Test
    func
        `a format that the application does not take is not sent, also where the same book comes in one that it takes`()
        async throws
    {
        let seen = CollectedValues<UploadBooks>()
        let bed = try await bed(nil, application(into: seen))
        let report = try await bed.session.upload([item("a", uuid: Self.one), item("a", uuid: Self.one, format: "PDF")])
        try bed.check()
        #expect(seen.values.flatMap(\.books).map(\.filename) == [Self.one + ".epub"])
        #expect(
            report.entries.map(\.outcome) == [.added, .rejected("The reader application does not accept “PDF” files.")])
    }

    @Test func `a cover that is there already is not sent`() async throws {
        var (new, same) = (item("a", uuid: Self.one), item("a", uuid: Self.one))
        for (hash, old) in [("new", "old"), ("same", "same")] {
            var there = book("a", uuid: Self.one)
            there.coverHash = old
            new.cover = Data("picture".utf8)
            new.metadata.coverHash = hash
            let bed = try DriverBed()
            let batches = await bed.session.updateBatches([(index: 0, book: there)], items: [new])
            #expect(batches.flatMap(\.self).map { $0.update.cover != nil } == [hash != old])
        }
        same.metadata.description = String(repeating: "x", count: 20 << 20)
        let bed = try DriverBed()
        let updated = (0..<2).map { (index: $0, book: book("\($0)")) }
        #expect(await bed.session.updateBatches(updated, items: [same, same]).count == 2)
    }

    // MARK: What is believed

    @Test func `a batch that is refused is one of rejected books, and the next one goes on`() async throws {
        let seen = CollectedValues<UploadBooks>()
        let bed = try await bed(nil, application(.failure, "It is broken.", into: seen))
        let report = try await bed.session.upload([item("a"), item("b"), item("c")])
        try bed.check()
        #expect(
            report.entries.map(\.outcome) == [
                .rejected("It is broken."), .rejected("The application refused it without a reason."), .added,
            ])
        #expect(try await bed.folder.folder("documents").files().count <= 1)
    }

    @Test func `a refusal without a book is the reason for all`() async throws {
        let seen = CollectedValues<UploadBooks>()
        let bed = try await bed(nil, application(.failure, "No memory.", about: false, into: seen))
        let report = try await bed.session.upload([item("a"), item("b")])
        #expect(report.entries.map(\.outcome) == [.rejected("No memory."), .rejected("No memory.")])
    }

    @Test(arguments: [(Int64(4), false), (5, true)])
    func `a book that was refused is believed to be there only if its file became another`(size: Int64, isTaken: Bool)
        async throws
    {
        let seen = CollectedValues<UploadBooks>()
        var now = book("a", uuid: Self.one, size: size)
        now.isRead = true
        let bed = try await bed(
            [book("a", uuid: Self.one)], application(.warnings, "It has no cover.", list: [now], into: seen))
        let report = try await bed.session.upload([item("a", uuid: Self.one)], policy: .replace)
        try bed.check()
        #expect(report.entries.map(\.outcome) == [isTaken ? .replaced : .rejected("It has no cover.")])
        #expect(report.entries.map(\.warnings) == [isTaken ? ["It has no cover."] : []])
    }

    @Test func `without a list before, what is there now proves nothing`() async throws {
        let seen = CollectedValues<UploadBooks>()
        let now = book("a", uuid: Self.one)
        let bed = try await bed([], application(.warnings, "It is in the library.", list: [now], into: seen))
        try await bed.put(Data("[".utf8), "library.sqlite")
        let report = try await bed.session.upload([item("a", uuid: Self.one)])
        try bed.check()
        #expect(report.entries.map(\.outcome) == [.rejected("It is in the library.")])
        #expect(report.warnings.count == 1)
    }

    @Test func `a book that is not in the new list comes with a warning`() async throws {
        let seen = CollectedValues<UploadBooks>()
        let bed = try await bed([], application(.warnings, "Something is wrong.", about: false, list: [], into: seen))
        let report = try await bed.session.upload([item("a", uuid: Self.one)])
        try bed.check()
        #expect(report.entries.map(\.outcome) == [.added])
        #expect(report.entries.map(\.warnings.count) == [1])
    }
}
