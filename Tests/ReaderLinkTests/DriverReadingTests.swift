import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

import ReaderApplication
@testable import ReaderDriver
@testable import ReaderMessages

@Suite(.timeLimit(.minutes(2)))
struct DriverReadingTests {
    private static let exporting = [
        "capabilities": "\(ConnectedMessage.Capability.actions) \(ConnectedMessage.Capability.exporting)",
        "documents": "documents",
    ]

    private func book(_ filename: String, title: String = "A") -> LibraryBook {
        LibraryBook(filename: filename, title: title, added: Date(timeIntervalSince1970: 0))
    }

    /// An application that hands out books whose names have no “missing” in them.
    private let application: DriverBed.Script = { bed, _ in
        guard case .action(let action)? = try await bed.command(.action) else { return }
        let documents = try bed.folder.folder("documents")
        try await documents.create()
        let name = try #require(action.parameters[ReaderAction.exportName])
        try StagedName.checkDocument("0-" + name)
        let book = try #require(action.books.first)
        guard !book.filename.contains("missing") else {
            return try await bed.finish(.action, .warnings, [StatusMessage("It is not there.", about: book.filename)])
        }
        try await documents.publish(Data("book \(book.filename)".utf8), as: "0-" + name)
        try await bed.finish(.action)
    }

    @Test func `a book that the application hands out is read and removed`() async throws {
        let bed = try DriverBed()
        try await bed.begin(Self.exporting, application)
        let sink = DataSink(limit: 1000)
        try await bed.session.read(book("a.epub"), to: sink)
        try bed.check()
        #expect(sink.data == Data("book a.epub".utf8))
        #expect(try await bed.folder.folder("documents").files().isEmpty)
        #expect(
            try await bed.kind { try await bed.session.read(book("missing.epub"), to: sink) }
                == .commandFailed(messages: [StatusMessage("It is not there.", about: "missing.epub")]))
    }

    @Test func `an application that hands out nothing is not asked`() async throws {
        let bed = try DriverBed()
        try await bed.begin()
        #expect(
            try await bed.kind { try await bed.session.read(book("a.epub"), to: DataSink(limit: 10)) }
                == .incompatiblePeer)
    }

    @Test(arguments: ["../secret", "/secret", "a/../../secret", "", ".", "a\\b", "a\u{0}b"])
    func `no name leads out of the folder of books`(name: String) async throws {
        var options = DriverBed.options
        options.booksFolder = "Documents"
        let bed = try DriverBed(options)
        try await bed.begin()
        try await bed.put(Data("secret".utf8), "secret")
        #expect(try await bed.kind { try await bed.session.read(book(name), to: DataSink(limit: 10)) } == .pathRejected)
    }

    @Test func `a book is read straight from the folder of books, up to the limit`() async throws {
        var options = DriverBed.options
        options.booksFolder = "Documents"
        options.maxBookSize = 4
        let bed = try DriverBed(options)
        try await bed.begin()
        let folder = StagingFolder(provider: bed.provider, path: try ProviderPath("Documents/Author"))
        try await folder.create()
        try await folder.publish(Data("book".utf8), as: "a.epub")
        try await folder.publish(Data("larger".utf8), as: "b.epub")
        let sink = DataSink(limit: 100)
        try await bed.session.read(book("Author/a.epub"), to: sink)
        #expect(sink.data == Data("book".utf8))
        await #expect {
            try await bed.session.read(book("Author/b.epub"), to: DataSink(limit: 100))
        } throws: { ($0 as? CocoaError)?.code == .fileReadTooLarge }
    }

    @Test
    func `books for import come in their order, each under a name of its own, and one that fails stays in its place`()
        async throws
    {
        let bed = try DriverBed()
        try await bed.begin(Self.exporting, application)
        let folder = try TemporaryFolder()
        try Data().write(to: folder.url.appending(path: "a.epub"))
        let results = await bed.session.fetchForImport(
            [book("x/a.epub"), book("missing.epub"), book("y/A.epub")], into: folder.url)
        try bed.check()
        #expect(results.map { try? $0.get().lastPathComponent } == ["a 2.epub", nil, "A.epub"])
        #expect(try results.last.map { try Data(contentsOf: $0.get()) } == Data("book y/A.epub".utf8))
    }

    @Test(arguments: [
        ("a.epub", "a.epub"), ("Author/Title: sub.EPUB", "Title_ sub.epub"), ("../..", "A.epub"),
        (".hidden.epub", "hidden.epub"),
        ("-rf.epub", "_rf.epub"), ("a\u{202E}b\n.epub", "a_b.epub"), ("noextension", "noextension.epub"),
        ("", "A.epub"),
        ("a.long extension", "a.long extension.epub"), ("con\\evil.pdf", "evil.pdf"), ("con.pdf", "_con.pdf"),
    ])
    func `names for import are harmless`(filename: String, name: String) async {
        var names = SafeNames(in: FileManager.default.temporaryDirectory.appending(path: UUID().uuidString))
        #expect(await names.url(for: book(filename)).lastPathComponent == name)
    }

    @Test func `names for import are cut where they are too long`() async {
        var names = SafeNames(in: FileManager.default.temporaryDirectory)
        let long = String(repeating: "ä", count: 300)
        for _ in 0..<3 {
            let name = await names.url(for: book(long + ".epub")).lastPathComponent
            #expect(name.utf8.count <= 200)
            #expect(name.hasSuffix(".epub"))
        }
    }
}
