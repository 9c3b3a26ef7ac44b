import FileProviderCore
import Foundation
import ReaderLibrary
import ReaderLink
import SampleBooks
import Testing

/// Which errors are the book's fault, and which end the command or are waited out.
@Suite(.timeLimit(.minutes(1))) struct StorageErrorTests {
    private let fixture = LibraryFixture()

    private struct Odd: LocalizedError {
        var errorDescription: String? { "The storage has no idea." }
    }

    /// What the document's storage says for good, and a word of the sentence that the user gets.
    private static let lasting: [(error: any Error, word: String)] = [
        (FileError.make(.fileReadNoSuchFile, path: "book.epub"), "not in the document staging folder"),
        (FileError.make(.fileReadNoPermission, path: "book.epub"), "permission"),
        (FileError.make(.featureUnsupported, path: "book.epub", sentence: "Not here."), "Not here."),
        (FileError.make(errno: EIO, path: .root, writing: false), "could not be read"),
        (FileError.make(errno: EISDIR, path: .root, writing: false), "folder"),
        (FileError.make(.userAuthenticationRequired, url: nil, sentence: "Log in."), "Log in."),
        (FileError.make(.secureConnectionFailed, url: nil, sentence: "No trust."), "No trust."),
        (FileError.changedWhileReading(.root), "send it again"),
        (FileError.make(.fileReadCorruptFile, path: "book.epub"), "send it again"),
        (Odd(), "The storage has no idea."),
    ]

    /// What may pass.
    private static let passing: [any Error] = [
        URLError(.timedOut), URLError(.networkConnectionLost),
        FileError.make(errno: ETIMEDOUT, path: .root, writing: false),
    ]

    private func add(to library: SQLiteBookLibrary, _ error: any Error, at moment: HookedProvider.Moment) async throws
        -> StepResult
    {
        let document = try await fixture.stage(try SampleEPUB().data(), as: "book.epub")
        let storage = HookedProvider(fixture.staging) { if $0 == moment { throw error } }
        let broken = StagedDocument(provider: storage, path: document.path, size: document.size)
        return try await library.add(
            UploadedBook(filename: "book.epub"), from: broken, overwrite: false, step: fixture.step())
    }

    @Test(arguments: lasting.indices, [HookedProvider.Moment.opening, .reading])
    func `a document that cannot be had for good is refused alone`(index: Int, moment: HookedProvider.Moment)
        async throws
    {
        let (error, word) = Self.lasting[index]
        let library = try await fixture.open()
        let result = try await add(to: library, error, at: moment)
        #expect(!result.isApplied && result.warnings.count == 1)
        #expect(result.warnings[0].contains("book.epub") && result.warnings[0].contains(word), "\(result.warnings)")
        #expect(try fixture.names(in: "Incoming").isEmpty)
        #expect(try await fixture.add(to: library) == .applied())
    }

    @Test(arguments: passing.indices, [HookedProvider.Moment.opening, .reading])
    func `a storage that fails for a while is an error that may be tried again`(
        index: Int, moment: HookedProvider.Moment
    ) async throws {
        let library = try await fixture.open()
        await #expect { try await add(to: library, Self.passing[index], at: moment) } throws: { $0.isTransient }
        #expect(try fixture.names(in: "Incoming").isEmpty)
        #expect(try await fixture.add(to: library) == .applied())
    }

    @Test func `what the library's own disk says is no fault of the book`() async throws {
        let library = try await fixture.open()
        try FileManager.default.removeItem(at: fixture.folder.appendingPathComponent("Incoming"))
        await #expect(throws: CocoaError.self) { try await fixture.add(to: library) }
    }
}
