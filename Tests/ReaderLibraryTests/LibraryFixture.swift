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

    deinit {
        // What is left in a temporary folder harms nobody.
        try? FileManager.default.removeItem(at: folder)
    }

    /// Opens the library; the one opened before has to be let go.
    func open(_ change: (inout SQLiteBookLibrary.Options) -> Void = { _ in }) async throws -> SQLiteBookLibrary {
        var options = SQLiteBookLibrary.Options()
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
        _ sample: SampleEPUB = SampleEPUB(), to library: SQLiteBookLibrary, as name: String = "book.epub", overwrite: Bool = false,
        _ change: (inout UploadedBook) -> Void = { _ in }
    ) async throws -> StepResult {
        var upload = UploadedBook(filename: name)
        change(&upload)
        let document = try await stage(try sample.data(), as: name)
        return try await library.add(upload, from: document, overwrite: overwrite, step: step())
    }

    /// The names in one of the library's folders.
    func names(in place: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(place).path).sorted()
    }

    /// Puts a file where a process that was killed may have left one.
    func leave(_ data: Data, at path: String) throws { try data.write(to: folder.appendingPathComponent(path)) }
}
