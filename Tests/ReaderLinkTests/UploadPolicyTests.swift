import FileProviderCore
import Foundation
import Synchronization
import Testing

import ReaderApplication
@testable import ReaderDriver
@testable import ReaderMessages

@Suite(.timeLimit(.minutes(2)))
struct UploadPolicyTests {
    private func book(_ title: String, uuid: String = "") -> LibraryBook {
        var book = LibraryBook(
            filename: "\(title).epub", title: title, uuid: uuid, added: Date(timeIntervalSince1970: 0))
        book.authors = ["Ann Author"]
        return book
    }

    private func item(_ title: String, uuid: String = "", bytes: String = "book") -> UploadItem {
        UploadItem(
            reader: DataReader(Data(bytes.utf8)),
            metadata: BookMetadata(title: title, authors: ["Ann Author"], uuid: uuid))
    }

    // MARK: What is decided

    @Test(arguments: ExistingBookPolicy.allCases)
    func `a book that is there is found by uuid, else by exact title and authors`(policy: ExistingBookPolicy) {
        let there = [book("one", uuid: "aa"), book("two")]
        let plan = UploadPlan(
            [
                BookMetadata(title: "renamed", uuid: "urn:uuid:AA"),
                BookMetadata(title: "two", authors: ["Ann Author"], uuid: "bb"),
                BookMetadata(title: "two", authors: ["Ann", "Author"]),
                BookMetadata(title: "Two", authors: ["Ann Author"]),
            ], list: BookList(there), policy: policy)
        let known = there.map { book -> UploadPlan.Action in
            switch policy {
            case .protect: .skip(book)
            case .update: .update(book)
            case .replace: .send(replacing: book)
            }
        }
        #expect(plan.actions == known + [.send(replacing: nil), .send(replacing: nil)])
    }

    @Test func `of a book that is given twice the later one is taken`() {
        let plan = UploadPlan(
            [
                BookMetadata(title: "a", uuid: "aa"), BookMetadata(title: "b", uuid: "AA"), BookMetadata(title: "c"),
                BookMetadata(title: "c"),
            ],
            list: BookList(), policy: .protect)
        #expect(plan.actions == [.repeated, .send(replacing: nil), .repeated, .send(replacing: nil)])
        #expect(plan.settled.map(\.index) == [0, 2])
    }

    @Test(arguments: [
        ("6B29FC40-CA47-1067-B31D-00DD010662DA", "EPUB", "6b29fc40-ca47-1067-b31d-00dd010662da.epub"),
        ("urn:uuid:6b29fc40-ca47-1067-b31d-00dd010662da", "pdf", "6b29fc40-ca47-1067-b31d-00dd010662da.pdf"),
        ("6b29fc40-ca47-1067-b31d-00dd010662da", "tmp", "6b29fc40-ca47-1067-b31d-00dd010662da.epub"),
        ("6b29fc40-ca47-1067-b31d-00dd010662da", "../x", "6b29fc40-ca47-1067-b31d-00dd010662da.epub"),
    ])
    func `a document is staged by the uuid of its book`(uuid: String, end: String, name: String) {
        #expect(UploadPlan.stagedName(uuid: uuid, fileExtension: end) == name)
    }

    @Test(arguments: ["", "../../etc/passwd", "6b29fc40", "6b29fc40-ca47-1067-b31d-00dd010662da/..", "status.xml"])
    func `what is no uuid gives no name`(uuid: String) throws {
        let name = UploadPlan.stagedName(uuid: uuid, fileExtension: "epub")
        #expect(UUID(uuidString: String(name.dropLast(5))) != nil)
        try StagedName.checkDocument(name)
    }

    // MARK: What happens

    private static let one = "6b29fc40-ca47-1067-b31d-00dd010662da"

    /// An application that takes what is staged, and says of books that it was told to refuse that they are broken.
    private func application(refusing refused: String? = nil, _ seen: CollectedValues<UploadBooks>) -> DriverBed.Script
    {
        { bed, _ in
            guard case .uploadBooks(let upload)? = try await bed.command(.uploadBooks) else {
                return try await bed.finish(.updateMetadata)
            }
            seen.append(upload)
            let documents = try bed.folder.folder("documents")
            var messages: [StatusMessage] = []
            for book in upload.books {
                let data = try #require(try await documents.read(book.filename, limit: 1000))
                if String(decoding: data, as: UTF8.self) == refused {
                    messages.append(StatusMessage("It is broken.", about: book.filename))
                }
                try await documents.remove(book.filename)
            }
            try await bed.finish(.uploadBooks, messages.isEmpty ? .success : .warnings, messages)
        }
    }

    @Test func `books go over in batches, whole, and nothing stays behind`() async throws {
        var options = DriverBed.options
        options.batchSize = 2
        let bed = try DriverBed(options)
        let seen = CollectedValues<UploadBooks>()
        try await bed.begin(["documents": "documents"], application(refusing: "broken", seen))
        let batches = CollectedValues<[Int]>()
        let items = [item("a", uuid: Self.one), item("b", bytes: "broken"), item("c")]
        let report = try await bed.session.upload(
            items, policy: .replace, batch: { batches.append($0.entries.map(\.index)) })
        try bed.check()
        #expect(report.entries.map(\.outcome) == [.added, .rejected("It is broken."), .added])
        #expect(report.entries[0].book?.filename == Self.one + ".epub")
        #expect(batches.values == [[0, 1], [2]])
        #expect(seen.values.map(\.books.count) == [2, 1])
        #expect(seen.values.allSatisfy { $0.overwrite })
        #expect(try await bed.names() == [])
        #expect(try await bed.folder.folder("documents").files().isEmpty)
    }

    @Test(arguments: ExistingBookPolicy.allCases)
    func `the policy decides what is sent for a book that is there`(policy: ExistingBookPolicy) async throws {
        let bed = try DriverBed(reader: JSONSnapshotReader())
        let seen = CollectedValues<UploadBooks>()
        try await bed.begin(["snapshot": "library.sqlite", "documents": "documents"], application(seen))
        try await bed.put(JSONEncoder().encode([book("a", uuid: Self.one)]), "library.sqlite")
        let report = try await bed.session.upload([item("a", uuid: Self.one)], policy: policy)
        try bed.check()
        let outcome: [ExistingBookPolicy: UploadReport.Outcome] = [
            .protect: .skipped, .update: .updated, .replace: .replaced,
        ]
        #expect(report.entries.map(\.outcome) == [outcome[policy]])
        #expect(seen.values.map(\.overwrite) == (policy == .replace ? [true] : []))
        #expect(try await bed.names() == ["library.sqlite"])
    }

    @Test func `a file that cannot be opened is one book that is rejected`() async throws {
        let bed = try DriverBed()
        let seen = CollectedValues<UploadBooks>()
        try await bed.begin(["documents": "documents"], application(seen))
        let missing = UploadItem(file: URL(filePath: "/nowhere/a.epub"), metadata: BookMetadata(title: "a"))
        let report = try await bed.session.upload([missing, item("b")])
        try bed.check()
        guard case .rejected = report.entries[0].outcome else {
            Issue.record("It was sent.")
            return
        }
        #expect(report.entries[1].outcome == .added)
        #expect(seen.values.map(\.books.count) == [1])
        // Nothing at all to send is nothing at all to say.
        _ = try await bed.session.upload([missing])
        #expect(seen.values.count == 1)
    }

    @Test(arguments: ["write", "list"])
    func `a storage that fails on the way leaves no command and no documents`(call: String) async throws {
        let bed = try DriverBed()
        try await bed.begin(["documents": "documents"])
        let count = Mutex(0)
        bed.provider.become { name, _ in
            let number = count.withLock { count in
                if name == call { count += 1 }
                return count
            }
            return name == call && number >= (call == "write" ? 3 : 1) ? .failing : .well
        }
        await #expect(throws: URLError(.networkConnectionLost)) {
            try await bed.session.upload([item("a"), item("b"), item("c")])
        }
        bed.provider.become { _, _ in .well }
        #expect(try await bed.names() == [])
        #expect(try await bed.folder.folder("documents").files().isEmpty)
    }

    @Test func `documents that could not be removed go before the next upload`() async throws {
        let bed = try DriverBed()
        let seen = CollectedValues<UploadBooks>()
        try await bed.begin(["documents": "documents"], application(seen))
        bed.provider.become { name, path in
            (name == "write" && path.name == ReaderCommand.Kind.uploadBooks.fileName) || name == "remove"
                ? .failing : .well
        }
        await #expect(throws: URLError(.networkConnectionLost)) { try await bed.session.upload([item("a")]) }
        bed.provider.become { _, _ in .well }
        #expect(try await bed.folder.folder("documents").files().count == 1)
        _ = try await bed.session.upload([item("b")])
        try bed.check()
        #expect(try await bed.folder.folder("documents").files().isEmpty)
    }

    @Test func `an application that takes no notice loses the documents, too`() async throws {
        let bed = try DriverBed()
        try await bed.begin(["documents": "documents"])
        #expect(try await bed.kind { try await bed.session.upload([item("a"), item("b")]) } == .notAcknowledged)
        #expect(try await bed.names() == [])
        #expect(try await bed.folder.folder("documents").files().isEmpty)
    }

    @Test func `what does not fit is not begun`() async throws {
        let bed = try DriverBed(capacity: 2_000)
        try await bed.begin(["documents": "documents"])
        let large = item("a", bytes: String(repeating: "x", count: 5_000))
        #expect(try await bed.kind { try await bed.session.upload([large]) } == .noSpace)
        #expect(try await bed.names() == [])
    }
}
