import Carrel
import Foundation
import Logging
import ProviderDoubles
import ReaderLibrary
import SampleBooks
import Testing

/// A driver and an application that meet on every kind of storage, by the same code.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ReaderLinkTests {
    @Test(arguments: TestStorage.all)
    func `books are managed through every kind of storage`(_ storage: TestStorage) async throws {
        try await storage.use { provider, folder in try await manageBooks(provider, in: folder) }
    }
}

// MARK: The life of some books

extension ReaderLinkTests {
    private static let first = "11111111-0000-4000-8000-000000000001"
    private static let second = "11111111-0000-4000-8000-000000000002"

    private func manageBooks(_ provider: any FileProvider, in folder: ProviderPath) async throws {
        try await temporarily { location in
            let staging = StagingFolder(provider: provider, path: try folder.appending("Library").appending("calibre"))
            let library = try await SQLiteBookLibrary.open(folder: location.appending(path: "library"))
            let application = try CalibreConnection(
                staging: staging, library: library, options: Self.applicationOptions)
            let driver = DriverSession(
                staging: staging, options: Self.driverOptions,
                context: DriverContext(snapshotReader: SQLiteSnapshotReader(), temporaryFolder: location))
            #expect(try await driver.probe() == .absent)
            try await application.enter()
            do {
                try await upload(driver, location)
                try await change(driver)
                try await fetch(driver, location)
                try await remove(driver)
            } catch {
                try await application.leave()
                throw error
            }
            try await application.leave()
            #expect(try await driver.probe() == .absent)
            // Nothing stays but the list of books.
            #expect(try await staging.files().map(\.name) == ["library.sqlite"])
            #expect(try await staging.folder("documents").files().isEmpty)
            try await library.close()
        }
    }

    private func upload(_ driver: DriverSession, _ location: URL) async throws {
        guard case .online(let info) = try await driver.probe() else {
            Issue.record("The application is not online.")
            return
        }
        #expect(info.application == "org.example.reader")
        let items = try [item("One & <only>", Self.first, location), item("Two", Self.second, location)]
        let added = try await driver.upload(items, policy: .protect)
        #expect(added.entries.map(\.outcome) == [.added, .added], "\(added)")
        #expect(try await driver.books().books.map(\.title).sorted() == ["One & <only>", "Two"])
        let again = try await driver.upload([item("Three", Self.second, location)], policy: .protect)
        #expect(again.entries.map(\.outcome) == [.skipped])
        let replaced = try await driver.upload([item("Three", Self.second, location)], policy: .replace)
        #expect(replaced.entries.map(\.outcome) == [.replaced], "\(replaced)")
        #expect(try await driver.books().books.map(\.title).sorted() == ["One & <only>", "Three"])
    }

    private func change(_ driver: DriverSession) async throws {
        let book = try #require(try await driver.books().books.first { $0.uuid == Self.first })
        var update = UpdatedBook(
            BookReference(author: "Cay", filename: book.filename, title: "Ein \"Buch\"", uuid: book.uuid))
        update.series = "Serie"
        update.seriesIndex = "0"
        update.description = "<p>a &amp; b</p>"
        update.collections = ["Fish & Chips", "Über"]
        update.cover = EncodedCover(picture: SampleBook.coverPicture())
        let report = try await driver.update([update])
        #expect(report.messages.isEmpty, "\(report)")
        let changed = try #require(try await driver.books().books.first { $0.uuid == Self.first })
        #expect(changed.title == "Ein \"Buch\"" && changed.series == "Serie" && changed.seriesIndex == 0)
        #expect(changed.description == "<p>a &amp; b</p>" && changed.coverHash?.count == 32)
        #expect(changed.collections.sorted() == ["Fish & Chips", "Über"])
        _ = try await driver.rebuildCollections([CollectedBook(changed.reference, collections: ["Rest"])])
        #expect(try await driver.books().books.first { $0.uuid == Self.first }?.collections == ["Rest"])
    }

    private func fetch(_ driver: DriverSession, _ location: URL) async throws {
        let books = try await driver.books().books.sorted { $0.uuid < $1.uuid }
        let folder = location.appending(path: "fetched")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let files = try await driver.fetchForImport(books, into: folder).map { try $0.get() }
        #expect(try Data(contentsOf: files[1]) == SampleEPUB(title: "Three", uuid: Self.second).data())
        let missing = LibraryBook(filename: "../../etc/passwd", title: "x", added: Date())
        let refused = await driver.fetchForImport([missing], into: folder)
        #expect {
            try refused[0].get()
        } throws: { error in
            guard case .commandFailed(let messages)? = (error as? DriverError)?.kind else { return false }
            return messages.map(\.text) == ["It is not in the library."]
        }
    }

    private func remove(_ driver: DriverSession) async throws {
        let books = try await driver.books().books
        let report = try await driver.delete(books.map(\.reference))
        #expect(report.messages.isEmpty, "\(report)")
        #expect(try await driver.books().books.isEmpty)
    }

    private func item(_ title: String, _ uuid: String, _ location: URL) throws -> UploadItem {
        let file = location.appending(path: "\(UInt64.random(in: 0 ... .max)).epub")
        try SampleEPUB(title: title, uuid: uuid).data().write(to: file)
        return UploadItem(file: file, metadata: BookMetadata(title: title, authors: ["Ada Reader"], uuid: uuid))
    }

    private static var applicationOptions: ApplicationOptions {
        var options = ApplicationOptions(application: "org.example.reader")
        options.pollInterval = ApplicationOptions.PollInterval(shortest: 0.05, longest: 0.2)
        return options
    }

    private static var driverOptions: DriverOptions {
        var options = DriverOptions()
        options.pollInterval = 0.05
        return options
    }

    private func temporarily(_ body: (URL) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        try await body(folder.url)
    }
}
