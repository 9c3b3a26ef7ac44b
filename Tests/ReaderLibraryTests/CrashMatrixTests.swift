import FileProviderCore
import Foundation
import MemoryFileProvider
import ReaderLibrary
import Synchronization
import SampleBooks
import Testing

@testable import ReaderLink

/// Everything breaks everywhere: at every call of the storage, in every way, while the application carries out each command. Afterwards
/// the application is started anew, and everything has to be as if nothing had happened.
@Suite(.timeLimit(.minutes(10)))
struct CrashMatrixTests {
    /// A command, what is there before it, and what has to be there after it.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let command: ReaderCommand
        let staged: [SampleEPUB]
        /// Titles by uuid afterwards.
        let titles: [String: String]
        var collections: [String] = []
    }

    private static let old = SampleEPUB(title: "Old", uuid: "aaaaaaaa-0000-4000-8000-000000000001")
    private static let kept = SampleEPUB(title: "Kept", uuid: "aaaaaaaa-0000-4000-8000-000000000002")
    private static let new = SampleEPUB(title: "New", uuid: "aaaaaaaa-0000-4000-8000-000000000003")
    private static let newer = SampleEPUB(title: "Newer", uuid: old.uuid)

    private static func name(_ sample: SampleEPUB) -> String { (sample.uuid ?? "") + ".epub" }
    private static func uploaded(_ sample: SampleEPUB) -> UploadedBook { UploadedBook(filename: name(sample), collections: ["Shelf"]) }
    private static func reference(_ sample: SampleEPUB) -> BookReference { BookReference(title: sample.title, uuid: sample.uuid ?? "") }

    private static var retitled: UpdatedBook {
        var book = UpdatedBook(BookReference(author: "Ada Reader", title: "Renamed", uuid: old.uuid ?? ""))
        book.collections = ["Shelf"]
        return book
    }

    static let cases = [
        Case(
            testDescription: "an upload", command: .uploadBooks(UploadBooks(timestamp: 1, books: [uploaded(new), uploaded(old)])),
            staged: [new, old], titles: ["1": "Old", "2": "Kept", "3": "New"], collections: ["Shelf"]),
        Case(
            testDescription: "an upload that replaces",
            command: .uploadBooks(UploadBooks(timestamp: 1, overwrite: true, books: [uploaded(newer), uploaded(new)])),
            staged: [newer, new],
            titles: ["1": "Newer", "2": "Kept", "3": "New"], collections: ["Shelf"]),
        Case(
            testDescription: "a deletion", command: .deleteBooks(DeleteBooks(timestamp: 1, books: [reference(old), reference(new)])),
            staged: [],
            titles: ["2": "Kept"]),
        Case(
            testDescription: "a change", command: .updateMetadata(UpdateMetadata(timestamp: 1, books: [retitled])), staged: [],
            titles: ["1": "Renamed", "2": "Kept"], collections: ["Shelf"]),
        Case(
            testDescription: "new collections",
            command: .rebuildCollections(
                RebuildCollections(timestamp: 1, books: [CollectedBook(reference(old), collections: ["Shelf"])])), staged: [],
            titles: ["1": "Old", "2": "Kept"], collections: ["Shelf"]),
    ]

    @Test(arguments: cases, BreakingProvider.Break.allCases)
    func `a command is carried out once and wholly, wherever the storage breaks`(_ sample: Case, _ kind: BreakingProvider.Break)
        async throws
    {
        var place = 0
        while try await survives(sample, breaking: place, kind) { place += 1 }
        // A command whose every call was broken once has some.
        #expect(place > 8, "\(place)")
    }

    /// Runs the command with a storage that breaks at one call.
    /// - Returns: Whether it came to that call.
    private func survives(_ sample: Case, breaking place: Int, _ kind: BreakingProvider.Break) async throws -> Bool {
        let world = try await World(sample)
        let breaking = BreakingProvider(world.base)
        breaking.breakDown(at: place, kind)
        try await world.serve(over: breaking)
        let isBroken = breaking.isBroken
        // A process that died is started again; it finds a storage that works.
        if try await world.serve(over: world.base) { try await world.serve(over: world.base) }
        try await world.expectDone(sample, Comment(rawValue: "\(kind) at call \(place)"))
        return isBroken
    }
}

/// A staging folder in memory, a library on the disk with two books, and a command that waits.
private final class World: Sendable {
    let base = MemoryFileProvider()
    let fixture = LibraryFixture()
    private let path: ProviderPath

    init(_ sample: CrashMatrixTests.Case) async throws {
        path = try ProviderPath("calibre")
        let library = try await fixture.open()
        for book in CrashMatrixTests.before { try await fixture.add(book, to: library, as: CrashMatrixTests.stagedName(book)) }
        try await library.close()
        let folder = StagingFolder(provider: base, path: path)
        try await folder.folder("documents").create()
        for book in sample.staged {
            try await folder.folder("documents").publish(try book.data(), as: CrashMatrixTests.stagedName(book))
        }
        try await folder.publish(MessageCoding().data(for: sample.command), as: sample.command.kind.fileName)
    }

    /// An application that carries out what is there, until it is done or its storage is dead.
    /// - Returns: Whether it carried out a command.
    @discardableResult
    func serve(over provider: any FileProvider) async throws -> Bool {
        let library = try await fixture.open()
        let folder = StagingFolder(provider: provider, path: path)
        let work = Task { try await World.carryOut(folder, library) }
        if let breaking = provider as? BreakingProvider {
            let watch = Task {
                while !breaking.isDead, !Task.isCancelled { try await Task.sleep(for: .milliseconds(1)) }
                // Nothing works any more; the tries go on for ever, as they should.
                work.cancel()
            }
            let result = await work.result
            watch.cancel()
            try await library.close()
            if case .failure(let error) = result, !breaking.isBroken { throw error }
            return true
        }
        let found = try await work.value
        try await library.close()
        return found
    }

    private static func carryOut(_ folder: StagingFolder, _ library: any BookLibrary) async throws -> Bool {
        var options = ApplicationOptions(application: "org.example.reader")
        // Statuses in between would make the number of calls a matter of luck.
        options.statusPause = 3_600
        options.statusTaken = 0
        let time = LeapingTime()
        let processor = CommandProcessor(
            folder: folder, documents: StagedDocuments(folder: try folder.folder(options.documents)), library: library, options: options,
            time: time, timestamps: RisingTimestamps(time: time), control: ProcessingControl(time: time, looksForCancelling: true),
            report: { _ in })
        // As a connection does after what fails.
        let persistence = Persistence(time: time)
        try await persistence.run { try await processor.recover(files: folder.files()) }
        var inbox = CommandInbox(folder: folder, found: [], options: options, time: time)
        guard let command = try await persistence.run({ try await inbox.next(among: folder.files()) }) else { return false }
        _ = try await persistence.run { try await processor.run(command) }
        return true
    }

    func expectDone(_ sample: CrashMatrixTests.Case, _ comment: Comment) async throws {
        let library = try await fixture.open()
        let books = try await library.books()
        let titles = Dictionary(books.map { (String($0.uuid.suffix(1)), $0.title) }, uniquingKeysWith: { "\($0), \($1)" })
        #expect(titles == sample.titles, comment)
        #expect(Set(books.flatMap(\.collections)) == Set(sample.collections), comment)
        // Every file belongs to a book, and every book has its file.
        #expect(try fixture.names(in: "Books") == books.map(\.filename).sorted(), comment)
        #expect(try fixture.names(in: "Incoming") == [], comment)
        #expect(try await library.unfinished().isEmpty, comment)
        try await library.close()
        let folder = StagingFolder(provider: base, path: path)
        #expect(try await Set(folder.files().map(\.name)) == ["library.sqlite", CommandStatus.fileName], comment)
        #expect(try await folder.folder("documents").files().isEmpty, comment)
        let status = try await folder.read(CommandStatus.fileName, limit: 1 << 20).map { try MessageCoding().status(in: $0) }
        #expect(status?.isFinal == true && status?.code != .failure, comment)
    }
}

extension CrashMatrixTests {
    static var before: [SampleEPUB] { [old, kept] }
    static func stagedName(_ sample: SampleEPUB) -> String { name(sample) }
}

/// A clock that leaps over every wait.
final class LeapingTime: TimeSource {
    private let now = Mutex(1_000_000.0)

    var wallClock: Double { now.withLock { $0 } }
    var elapsed: Double { wallClock }

    func sleep(seconds: Double) async throws {
        try Task.checkCancellation()
        // Nobody waits an hour for the next beat.
        if seconds >= 3_600 { return try await Task.sleep(for: .seconds(3_600)) }
        now.withLock { $0 += seconds }
        await Task.yield()
    }
}
