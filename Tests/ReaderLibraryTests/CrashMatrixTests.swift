import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import ReaderLibrary
import Synchronization
import SampleBooks
import Testing

@testable import ReaderApplication
import ReaderDriver
import ReaderMessages

/// Everything breaks everywhere: at every call of the storage, in each way, while the application carries out each
/// command. Afterwards the application is started anew, and everything has to be as if nothing had happened.
@Suite(.timeLimit(.minutes(10)))
struct CrashMatrixTests {
    /// A command, what is there before it, and what has to be there after it.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let command: ReaderCommand
        var staged: [SampleEPUB] = []
        /// The books afterwards, by uuid.
        let books: [BookState]
        var code = CommandStatus.Code.success
        /// The books that lie in the document staging folder afterwards, in their order.
        var handedOut: [SampleEPUB] = []
    }

    private static let old = SampleEPUB(title: "Old", uuid: "aaaaaaaa-0000-4000-8000-000000000001")
    private static let kept = SampleEPUB(title: "Kept", uuid: "aaaaaaaa-0000-4000-8000-000000000002")
    private static let new = SampleEPUB(title: "New", uuid: "aaaaaaaa-0000-4000-8000-000000000003")
    private static let newer = SampleEPUB(title: "Newer", uuid: old.uuid)

    fileprivate static func name(_ sample: SampleEPUB) -> String { (sample.uuid ?? "") + ".epub" }
    private static func uploaded(_ sample: SampleEPUB) -> UploadedBook {
        UploadedBook(filename: name(sample), collections: ["Shelf"])
    }
    private static func reference(_ sample: SampleEPUB) -> BookReference {
        BookReference(title: sample.title, uuid: sample.uuid ?? "")
    }

    private static var retitled: UpdatedBook {
        var book = UpdatedBook(BookReference(author: "Ada Reader", title: "Renamed", uuid: old.uuid ?? ""))
        book.collections = ["Shelf"]
        return book
    }

    private static var described: UpdatedBook {
        var book = UpdatedBook(BookReference(uuid: old.uuid ?? ""), hasTitle: false, hasAuthor: false)
        book.description = "Told anew"
        return book
    }

    static let cases = [
        Case(
            testDescription: "an upload",
            command: .uploadBooks(UploadBooks(timestamp: 1, books: [uploaded(new), uploaded(old)])),
            staged: [new, old], books: [BookState(old), BookState(kept), BookState(new, collections: ["Shelf"])],
            // The old one is there already.
            code: .warnings),
        Case(
            testDescription: "an upload that replaces",
            command: .uploadBooks(UploadBooks(timestamp: 1, overwrite: true, books: [uploaded(newer), uploaded(new)])),
            staged: [newer, new],
            books: [BookState(newer, collections: ["Shelf"]), BookState(kept), BookState(new, collections: ["Shelf"])]),
        Case(
            testDescription: "a deletion",
            command: .deleteBooks(DeleteBooks(timestamp: 1, books: [reference(old), reference(new)])),
            books: [BookState(kept)],
            // The new one is not there.
            code: .warnings),
        Case(
            testDescription: "a change", command: .updateMetadata(UpdateMetadata(timestamp: 1, books: [retitled])),
            books: [BookState(old, title: "Renamed", collections: ["Shelf"]), BookState(kept)]),
        Case(
            testDescription: "a change of one value",
            command: .updateMetadataItems(UpdateMetadata(timestamp: 1, books: [described])),
            books: [BookState(old, description: "Told anew"), BookState(kept)]),
        Case(
            testDescription: "new collections",
            command: .rebuildCollections(
                RebuildCollections(timestamp: 1, books: [CollectedBook(reference(old), collections: ["Shelf"])])),
            books: [BookState(old, collections: ["Shelf"]), BookState(kept)]),
        Case(
            testDescription: "books handed out",
            command: .action(
                ReaderAction(
                    timestamp: 1, type: ReaderAction.exportBooks, books: [reference(kept), reference(old)],
                    parameters: [ReaderAction.exportName: "out.epub"])),
            books: [BookState(old), BookState(kept)], handedOut: [kept, old]),
    ]

    @Test(arguments: cases, BreakingProvider.Break.allCases)
    func `a command is carried out once and wholly, wherever the storage breaks`(
        _ sample: Case, _ kind: BreakingProvider.Break
    )
        async throws
    {
        let before = LibraryFixture()
        let library = try await before.open()
        for book in [Self.old, Self.kept] {
            #expect(try await before.add(book, to: library, as: Self.name(book)).isApplied)
        }
        try await library.close()
        var (position, last) = (Self.step == 1 || kind == .once || kind == .deathAfter ? 0 : 1, 0)
        while try await survives(sample, from: before, breaking: position, kind) {
            last = position
            position += Self.step
        }
        // A command whose every call was broken once has some.
        #expect(last > 8, "\(last)")
    }

    /// Each call breaks in half of the ways, and the one after it in the others; with `CARREL_STRESS=1` in all of them.
    private static let step =
        ProcessInfo.processInfo.environment["CARREL_STRESS"] != nil ? 1 : 2

    /// Runs the command with a storage that breaks at one call.
    /// - Returns: Whether it came to that call.
    private func survives(
        _ sample: Case, from before: LibraryFixture, breaking location: Int, _ kind: BreakingProvider.Break
    ) async throws -> Bool {
        let world = try await World(sample, library: before)
        let breaking = BreakingProvider(world.base)
        breaking.breakDown(at: location, kind: kind)
        try await world.serve(over: breaking)
        let isBroken = breaking.isBroken
        // A process that died is started again; it finds a storage that works.
        if try await world.serve(over: world.base) { try await world.serve(over: world.base) }
        try await world.expectDone(sample, Comment(rawValue: "\(kind) at call \(location)"))
        return isBroken
    }
}

/// A staging folder in memory, a library on the disk with two books, and a command that waits.
private final class World: Sendable {
    let base = MemoryFileProvider()
    let fixture: LibraryFixture
    private let path: ProviderPath

    /// - Parameter library: With a library that is closed, and stays as it is.
    init(_ sample: CrashMatrixTests.Case, library: LibraryFixture) async throws {
        fixture = try LibraryFixture(copyOf: library)
        path = try ProviderPath("calibre")
        let folder = StagingFolder(provider: base, path: path)
        try await folder.folder("documents").create()
        for book in sample.staged {
            try await folder.folder("documents").publish(try book.data(), as: CrashMatrixTests.name(book))
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
                try await eventually { breaking.isDead }
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
            folder: folder, documents: StagedDocuments(folder: try folder.folder(options.documents)), library: library,
            options: options,
            time: time, timestamps: RisingTimestamps(time: time),
            control: ProcessingControl(time: time, looksForCancelling: true),
            report: { _ in })
        // As a connection does after what fails.
        let persistence = Persistence(time: time)
        try await persistence.run { try await processor.recover(files: folder.files()) }
        var inbox = CommandInbox(folder: folder, found: [], options: options, time: time)
        guard let command = try await persistence.run({ try await inbox.next(among: folder.files()) }) else {
            return false
        }
        _ = try await persistence.run { try await processor.run(command) }
        return true
    }

    func expectDone(_ sample: CrashMatrixTests.Case, _ comment: Comment) async throws {
        let folder = StagingFolder(provider: base, path: path)
        let library = try await fixture.open()
        let books = try await library.books()
        #expect(try await fixture.states(of: library) == sample.books, comment)
        // Every file belongs to a book, and every book has its file.
        #expect(try fixture.names(in: "Books") == books.map(\.filename).sorted(), comment)
        #expect(try fixture.names(in: "Incoming") == [], comment)
        #expect(try await library.unfinished().isEmpty, comment)
        // Where nothing was changed there may be no list.
        let listed = try await fixture.listed(in: folder) ?? (sample.handedOut.isEmpty ? [] : books)
        #expect(listed == books, comment)
        try await library.close()
        #expect(
            try await Set(folder.files().map(\.name)).subtracting(["library.sqlite"]) == [CommandStatus.fileName],
            comment)
        try await expectHandedOut(sample.handedOut, in: folder.folder("documents"), comment: comment)
        let status = try await folder.read(CommandStatus.fileName, limit: 1 << 20).map {
            try MessageCoding().status(in: $0)
        }
        #expect(status?.code == sample.code && status?.command == sample.command.kind.fileName, comment)
    }

    private func expectHandedOut(_ samples: [SampleEPUB], in documents: StagingFolder, comment: Comment) async throws {
        let names = samples.indices.map { "\($0)-out.epub" }
        #expect(try await documents.files().map(\.name).sorted() == names, comment)
        for (name, sample) in zip(names, samples) {
            #expect(try await documents.read(name, limit: 1 << 20) == sample.data(), comment)
        }
    }
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
