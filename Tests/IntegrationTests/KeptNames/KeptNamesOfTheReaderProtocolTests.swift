import Carrel
import Foundation
import ReaderLibrary
import Testing

/// The names of calibre's protocol with reader applications: what goes over the wire is called as its description calls
/// it, and each name has the counterpart that the table in `Documentation/ReaderLink.md` gives.
@Suite struct KeptNamesOfTheReaderProtocolTests {
    private let coding = MessageCoding()

    private func text(_ command: ReaderCommand) throws -> String {
        String(decoding: try coding.data(for: command), as: UTF8.self)
    }

    @Test func `the names of files`() {
        #expect(ConnectedMessage.fileName == "connected.xml" && CommandStatus.fileName == "status.xml")
        let kinds: [ReaderCommand.Kind] = [.deleteBooks, .rebuildCollections, .updateMetadata, .uploadBooks]
        let files = ["delete_books.xml", "rebuild_collections.xml", "update_metadata.xml", "upload_books.xml"]
        #expect(kinds.map(\.fileName) == files && kinds.allSatisfy(\.isStandard))
        #expect(
            kinds.map(\.rootElement) == ["deletebooks", "rebuildcollections", "updatemetadata", "uploadbooks"])
    }

    @Test func `connected`() throws {
        let states: [ConnectedMessage.State] = [.online, .offline]
        #expect(states.map(\.rawValue) == ["online", "offline"])
        let message = ConnectedMessage(timestamp: 1_364_148_473, state: .online)
        let written = coding.data(for: message)
        #expect(written.starts(with: [0xEF, 0xBB, 0xBF]), "a byte order mark, as the description says")
        for name in ["<connection", "timestamp='1364148473.0'", "<state>online</state>"] {
            #expect(String(decoding: written, as: UTF8.self).replacing("\"", with: "'").contains(name), "\(name)")
        }
        #expect(try coding.connected(in: written).state == .online)
    }

    @Test func `status`() throws {
        let codes: [CommandStatus.Code] = [.inProgress, .success, .warnings, .failure]
        #expect(codes.map(\.rawValue) == [-1, 0, 1, 2])
        let status = CommandStatus(
            timestamp: 1, code: .inProgress, progress: 0.2, messages: [StatusMessage("A warning")])
        let written = coding.data(for: status)
        for name in ["<status", "code='-1'", "<progress>0.2", "<messages>", "<message>A warning</message>"] {
            #expect(String(decoding: written, as: UTF8.self).replacing("\"", with: "'").contains(name), "\(name)")
        }
        #expect(try coding.status(in: written).progress == 0.2)
    }

    @Test func `delete_books and rebuild_collections`() throws {
        let book = BookReference(author: "Ann", filename: "lamp.epub", title: "The Lamp", uuid: "u")
        let deleting = try text(.deleteBooks(DeleteBooks(timestamp: 1, books: [book])))
        for name in ["<deletebooks", "<manifest", "<book", "author=", "filename=", "title=", "uuid="] {
            #expect(deleting.contains(name), "\(name)")
        }
        let collected = CollectedBook(book, collections: ["Evening"])
        let rebuilding = try text(.rebuildCollections(RebuildCollections(timestamp: 1, books: [collected])))
        for name in ["<rebuildcollections", "<collections", "<collection>Evening</collection>"] {
            #expect(rebuilding.contains(name), "\(name)")
        }
    }

    @Test func `update_metadata`() throws {
        var book = UpdatedBook(BookReference(author: "Ann", filename: "lamp.epub", title: "The Lamp", uuid: "u"))
        (book.authorSort, book.titleSort) = ("Ann", "Lamp, The")
        (book.pubDate, book.publisher) = ("2020-01-02", "P")
        (book.series, book.seriesIndex) = ("S", "1.5")
        (book.description, book.collections, book.subjects) = ("<p>D</p>", ["C"], ["T"])
        book.cover = EncodedCover(picture: Data("picture".utf8))
        let written = try text(
            .updateMetadata(UpdateMetadata(timestamp: 1, cleanUpCollections: true, books: [book])))
        for name in [
            "<updatemetadata", "cleanupcollections=", "authorsort=", "pubdate=", "publisher=", "series=",
            "seriesindex=",
            "titlesort=", "<description", "<collection", "<subjects", "<subject", "<cover", "hash=", "encoding=",
        ] {
            #expect(written.contains(name), "\(name)")
        }
    }

    @Test func `upload_books`() throws {
        let book = UploadedBook(filename: "lamp.epub", coverHash: "c", collections: ["Evening"])
        let written = try text(.uploadBooks(UploadBooks(timestamp: 1, overwrite: true, books: [book])))
        for name in ["<uploadbooks", "overwrite=", "<manifest", "filename=", "coverhash=", "<collection"] {
            #expect(written.contains(name), "\(name)")
        }
    }

    /// The counterparts of the overlays' methods.
    @Test func `the methods of a device driver`() async throws {
        let staging = StagingFolder(provider: MemoryFileProvider(), path: try ProviderPath("staging"))
        try await staging.create()
        var options = DriverOptions()
        options.pollInterval = 0.001
        let session = DriverSession(
            staging: staging, options: options, context: DriverContext(snapshotReader: SQLiteSnapshotReader()))
        #expect(try await session.probe() == .absent)
        await #expect(throws: DriverError.self) { try await session.books() }
        await #expect(throws: DriverError.self) { try await session.upload([]) }
        await #expect(throws: DriverError.self) { try await session.delete([BookReference(filename: "a.epub")]) }
        await #expect(throws: DriverError.self) { try await session.sync(BookList()) }
        var list = BookList()
        list.put(LibraryBook(filename: "a.epub", title: "A", added: Date()))
        list.merge(UploadReport(entries: []))
        list.remove([BookReference(filename: "a.epub")])
        #expect(list.books.isEmpty)
        await session.connectionLost()
        await session.eject()
        #expect(DriverRegistry.standard.driver(for: "org.example.reader") is CalibreProtocolDriver)
    }

    @Test func `the configuration of drivers`() throws {
        let configuration = try DriverConfiguration(
            json: Data(#"{"development_mode": true, "development_app_id": "org.example.reader"}"#.utf8))
        #expect(configuration.developmentMode && configuration.developmentApplication == "org.example.reader")
    }
}
