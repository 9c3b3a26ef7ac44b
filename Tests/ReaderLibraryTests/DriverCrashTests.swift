import FileProviderCore
import Foundation
import MemoryFileProvider
import ReaderLibrary
import ReaderLink
import SampleBooks
import Testing

/// The driver's half of the crash matrix: at every call of its storage, in every way, something breaks, while the application is well.
/// Afterwards whoever drives does the same again, as a user does, and everything has to be as if nothing had happened.
@Suite(.timeLimit(.minutes(10)))
struct DriverCrashTests {
    /// What the user does.
    enum Work: Sendable, CaseIterable {
        case upload, delete, update, collect
    }

    @Test(arguments: Work.allCases, BreakingProvider.Break.allCases)
    func `what a driver does is done, and done once, wherever its storage breaks`(_ work: Work, _ kind: BreakingProvider.Break) async throws
    {
        let device = try await Device()
        var place = 0
        while try await survives(work, on: device, breaking: place, kind) { place += 1 }
        try await device.end()
        #expect(place > 8, "\(place)")
    }

    private func survives(_ work: Work, on device: Device, breaking place: Int, _ kind: BreakingProvider.Break) async throws -> Bool {
        let comment: Comment = "\(work), \(kind) at call \(place)"
        try await device.prepare()
        let breaking = BreakingProvider(device.base)
        breaking.breakDown(at: place, kind)
        let first = device.session(over: breaking)
        // Whether this try succeeds, or says why it does not, is all the same here.
        _ = try? await Self.perform(work, first)
        await first.shutdown()
        let isBroken = breaking.isBroken
        try await device.whenItRests()
        try await device.expectWhole(comment)
        try await device.again { try await Self.perform(work, device.session(over: device.base)) }
        try await device.whenItRests()
        try await device.expectWhole(comment)
        try await device.expectDone(work, comment)
        return isBroken
    }

    private static func perform(_ work: Work, _ driver: DriverSession) async throws {
        let first = BookReference(title: "First", uuid: Device.uuids[0])
        switch work {
        case .upload:
            let items = [2, 3].map { number in
                UploadItem(
                    reader: DataReader(Device.data[number]),
                    metadata: BookMetadata(title: Device.titles[number], authors: ["Ada Reader"], uuid: Device.uuids[number]))
            }
            _ = try await driver.upload(items, policy: .protect)
        case .delete: _ = try await driver.delete([first])
        case .update:
            var book = UpdatedBook(BookReference(author: "Ada Reader", title: "Changed", uuid: Device.uuids[0]))
            book.description = "New"
            _ = try await driver.update([book])
        case .collect: _ = try await driver.rebuildCollections([CollectedBook(first, collections: ["Shelf"])])
        }
    }
}

/// An application with a library of two books, and a staging folder in memory.
private final class Device: Sendable {
    static let titles = ["First", "Second", "Third", "Fourth"]
    static let uuids = (1...4).map { "bbbbbbbb-0000-4000-8000-00000000000\($0)" }
    static let data = zip(titles, uuids).map { pair in
        // What is made here is the same each time, and sound.
        (try? SampleEPUB(title: pair.0, uuid: pair.1).data()) ?? Data()
    }

    let base = MemoryFileProvider()
    let fixture = LibraryFixture()
    private let library: SQLiteBookLibrary
    private let application: CalibreConnection
    private let folder: StagingFolder

    init() async throws {
        library = try await fixture.open()
        folder = StagingFolder(provider: base, path: try ProviderPath("calibre"))
        var options = ApplicationOptions(application: "org.example.reader")
        options.pollInterval = ApplicationOptions.PollInterval(shortest: 0.005, longest: 0.01)
        options.statusPause = 0.01
        options.statusTaken = 0.05
        // The driver's clock is fast: reports come often enough for it, and no sign of life is promised for soon.
        options.statusInterval = 0.1
        options.heartbeat = 60
        application = try CalibreConnection(staging: folder, library: library, options: options)
        try await application.enter()
    }

    func end() async throws {
        try await application.leave()
        try await library.close()
    }

    /// The first two books are there as they were, and no others.
    func prepare() async throws {
        let step = { self.fixture.step() }
        let identity = step().command
        for uuid in Self.uuids { _ = try await library.delete(BookReference(uuid: uuid), step: step()) }
        for number in 0..<2 {
            let document = try await fixture.stage(Self.data[number], as: "\(number).epub")
            let result = try await library.add(UploadedBook(filename: "\(number).epub"), from: document, overwrite: false, step: step())
            try #require(result.isApplied)
        }
        try await library.end(identity)
        // The list that drivers see, as if a command had changed the books.
        let list = try await library.snapshot()
        try await folder.publish(try Data(contentsOf: list), as: "library.sqlite")
        try FileManager.default.removeItem(at: list)
    }

    func session(over provider: any FileProvider) -> DriverSession {
        var options = DriverOptions()
        options.pollInterval = 0.2
        return DriverSession(
            staging: StagingFolder(provider: provider, path: folder.path), options: options,
            context: DriverContext(snapshotReader: SQLiteSnapshotReader(), time: HurriedTime()))
    }

    /// Tries until it succeeds; what a driver that died left behind may be in the way for a while.
    func again(_ body: () async throws -> Void) async throws {
        var tries = 0
        while true {
            do { return try await body() } catch let error as DriverError where tries < 20 {
                tries += 1
                switch error.kind {
                case .busy, .stalled, .notAcknowledged, .offline, .notConnected: continue
                default: throw error
                }
            }
        }
    }

    /// Waits until no command is there.
    func whenItRests() async throws {
        let end = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < end {
            let names = Set(try await folder.files().map(\.name))
            let isIdle = try await library.unfinished().isEmpty
            if isIdle, names.isDisjoint(with: ReaderCommand.Kind.allCases.map(\.fileName)) { return }
            try await Task.sleep(for: .milliseconds(2))
        }
        Issue.record("A command stays.")
    }

    /// Each book is there once, and its file with it.
    func expectWhole(_ comment: Comment) async throws {
        let books = try await library.books()
        #expect(Set(books.map(\.uuid)).count == books.count, comment)
        #expect(try fixture.names(in: "Books") == books.map(\.filename).sorted(), comment)
    }

    func expectDone(_ work: DriverCrashTests.Work, _ comment: Comment) async throws {
        let books = try await library.books()
        let titles = books.map(\.title).sorted()
        switch work {
        case .upload: #expect(titles == Self.titles.sorted(), comment)
        case .delete: #expect(titles == ["Second"], comment)
        case .update: #expect(titles == ["Changed", "Second"], comment)
        case .collect: #expect(books.first { $0.title == "First" }?.collections == ["Shelf"], comment)
        }
        // The report to a driver that died, where nothing was left to be sent: the next command takes it away.
        let names = Set(try await folder.files().map(\.name)).subtracting([CommandStatus.fileName])
        #expect(names == [Connected.fileName, "library.sqlite"], comment)
        #expect(try await folder.folder("documents").files().isEmpty, comment)
    }
}

/// A clock that runs thirty times as fast.
private struct HurriedTime: TimeSource {
    private let system = SystemTime()
    var wallClock: Double { system.wallClock }
    var elapsed: Double { system.elapsed * 30 }
    func sleep(seconds: Double) async throws { try await system.sleep(seconds: seconds / 30) }
}
