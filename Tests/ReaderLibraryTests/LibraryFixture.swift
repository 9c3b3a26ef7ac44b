import FileProviderCore
import Foundation
import LocalFileProvider
import MemoryFileProvider
import ReaderLibrary
import ReaderLink
import SampleBooks
import Synchronization

/// A clock that shows what it is told.
final class TestTime: TimeSource {
    private let now = Mutex(1_000_000.0)

    var wallClock: Double { now.withLock { $0 } }
    var elapsed: Double { wallClock }

    func advance(by seconds: Double) { now.withLock { $0 += seconds } }
    func sleep(seconds: Double) async throws { advance(by: seconds) }
}

/// A library in a temporary folder, and a staging folder in memory.
final class LibraryFixture: Sendable {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("carrel-library-\(UUID().uuidString)")
    let staging = MemoryFileProvider()
    let time = TestTime()
    let reports = Mutex<[String]>([])
    private let number = Mutex(0)

    init() {}

    /// With a library that is as that of `other`, which is closed.
    init(copyOf other: LibraryFixture) throws { try FileManager.default.copyItem(at: other.folder, to: folder) }

    deinit {
        // What is left in a temporary folder harms nobody.
        try? FileManager.default.removeItem(at: folder)
    }

    /// Opens the library; the one opened before has to be let go.
    func open(_ change: (inout LibraryOptions) -> Void = { _ in }) async throws -> SQLiteBookLibrary {
        var options = LibraryOptions()
        options.time = time
        options.report = { [self] sentence in reports.withLock { $0.append(sentence) } }
        change(&options)
        return try await SQLiteBookLibrary.open(folder: folder, options: options)
    }

    /// A step that was not done yet.
    func step() -> CommandStep {
        let number = number.withLock { number in
            number += 1
            return number
        }
        return CommandStep(CommandIdentity(kind: .uploadBooks, digest: "digest", timestamp: nil), number: number)
    }

    /// Puts `data` into the staging folder.
    func stage(_ data: Data, as name: String) async throws -> StagedDocument {
        let path = try ProviderPath(name)
        try await staging.writeContents(path: path, contents: data, overwrite: true)
        return StagedDocument(provider: staging, path: path, size: Int64(data.count))
    }

    /// Stages a book and has it added.
    @discardableResult
    func add(
        _ sample: SampleEPUB = SampleEPUB(), to library: SQLiteBookLibrary, as name: String = "book.epub",
        overwrite: Bool = false,
        _ change: (inout UploadedBook) -> Void = { _ in }
    ) async throws -> StepResult {
        var upload = UploadedBook(filename: name)
        change(&upload)
        let document = try await stage(try sample.data(), as: name)
        return try await library.add(upload, from: document, overwrite: overwrite, step: step())
    }

    /// The names in one of the library's folders.
    func names(in location: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(location).path).sorted()
    }

    /// The books of `library` with the bytes of their files, by uuid.
    func states(of library: SQLiteBookLibrary) async throws -> [BookState] {
        try await library.books().map { book in
            // A file that is missing is no state that any test expects.
            BookState(book, file: try? Data(contentsOf: folder.appendingPathComponent("Books/\(book.filename)")))
        }.sorted { $0.uuid < $1.uuid }
    }

    /// The books in the list that `folder` shows to drivers; nil where there is none.
    func listed(in folder: StagingFolder) async throws -> [LibraryBook]? {
        guard let data = try await folder.read("library.sqlite", limit: 1 << 24) else { return nil }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            "carrel-list-\(UUID().uuidString).sqlite")
        try data.write(to: file)
        // What is left in a temporary folder harms nobody.
        defer { try? FileManager.default.removeItem(at: file) }
        return try await SQLiteSnapshotReader().books(in: file)
    }

    /// Puts a file where a process that was killed may have left one.
    func leave(_ data: Data, at path: String) throws { try data.write(to: folder.appendingPathComponent(path)) }
}

/// What commands change of a book, and its file.
struct BookState: Hashable, Sendable {
    let uuid: String
    let title: String
    let description: String?
    let collections: [String]
    let file: Data?

    init(_ book: LibraryBook, file: Data?) {
        uuid = BookUUID.canonical(book.uuid)
        (title, description, collections) = (book.title, book.description, book.collections)
        self.file = file
    }

    /// A book as it is when it came from this file, but for what is given.
    init(_ sample: SampleEPUB, title: String? = nil, description: String? = nil, collections: [String] = []) {
        uuid = sample.uuid ?? ""
        self.title = title ?? sample.title
        self.description = description ?? sample.description
        self.collections = collections
        // Samples are the same each time, and sound.
        file = try? sample.data()
    }
}
