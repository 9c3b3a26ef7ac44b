import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import ReaderLibrary
import ReaderLink
import SampleBooks
import Testing

/// The driver's half of the crash matrix: at every call of its storage, in every way, something breaks, while the
/// application is well. Afterwards whoever drives does the same again, as a user does, and everything has to be as if
/// nothing had happened.
@Suite(.timeLimit(.minutes(10)))
struct DriverCrashTests {
    /// What the user does.
    enum Work: Sendable, CaseIterable {
        case upload, delete, update, updateItems, collect, read
    }

    @Test(arguments: Work.allCases, BreakingProvider.Break.allCases)
    func `what a driver does is done, and done once, wherever its storage breaks`(
        _ work: Work, _ kind: BreakingProvider.Break
    ) async throws {
        let device = try await Device()
        // Each call breaks in two of the four ways; with `CARREL_STRESS=1`, in all of them.
        let step = ProcessInfo.processInfo.environment["CARREL_STRESS"] != nil ? 1 : 2
        var (position, last) = (step == 1 || kind == .once || kind == .deathAfter ? 0 : 1, 0)
        while try await survives(work, on: device, breaking: position, kind) {
            last = position
            position += step
        }
        try await device.end()
        // A work whose every call was broken once has some.
        #expect(last > 6, "\(last)")
    }

    private func survives(_ work: Work, on device: Device, breaking location: Int, _ kind: BreakingProvider.Break)
        async throws -> Bool
    {
        let comment = "\(work), \(kind) at call \(location)"
        try await device.prepare()
        let breaking = BreakingProvider(device.base)
        breaking.breakDown(at: location, kind: kind)
        let first = device.session(over: breaking)
        let result = await Task { try await Self.perform(work, first, on: device) }.result
        await first.shutdown()
        let isBroken = breaking.isBroken
        // A try that fails may say anything; one that succeeds tells the truth.
        if case .success(true) = result {
            try await device.expectDone(work, comment)
        } else {
            if case .success = result { #expect(isBroken, "\(comment): not all of it was done") }
            try await device.expectWhole(work, comment)
        }
        try await device.again { _ = try await Self.perform(work, device.session(over: device.base), on: device) }
        try await device.expectDone(work, comment)
        if work == .read { try await device.removeDocuments() }
        return isBroken
    }

    /// - Returns: Whether the driver says that all of it was done.
    private static func perform(_ work: Work, _ driver: DriverSession, on device: Device) async throws -> Bool {
        let first = BookReference(title: "First", uuid: Device.uuids[0])
        switch work {
        case .upload:
            let items = [2, 3].map { number in
                UploadItem(
                    reader: DataReader(Device.data[number]),
                    metadata: BookMetadata(
                        title: Device.titles[number], authors: ["Ada Reader"], uuid: Device.uuids[number]))
            }
            return try await driver.upload(items, policy: .protect).entries.allSatisfy { $0.outcome == .added }
        case .delete: return isDone(try await driver.delete([first]))
        case .update:
            let previous = try await device.firstBook()
            var metadata = BookMetadata(previous)
            (metadata.title, metadata.description) = ("Changed", "New")
            return isDone(try await driver.update([UpdatedBook(metadata, of: previous)]))
        case .updateItems:
            var book = UpdatedBook(first, hasTitle: false, hasAuthor: false)
            book.description = "New"
            return isDone(try await driver.update([book]))
        case .collect:
            return isDone(try await driver.rebuildCollections([CollectedBook(first, collections: ["Shelf"])]))
        case .read:
            let results = await driver.fetchForImport([try await device.firstBook()], into: device.imports)
            for result in results {
                let file = try result.get()
                #expect(try Data(contentsOf: file) == Device.data[0])
            }
            return results.count == 1
        }
    }

    private static func isDone(_ report: CommandReport) -> Bool { report.count == 1 && report.done == 1 }
}

/// An application with a library of two books, and a staging folder in memory.
private final class Device: Sendable {
    static let titles = ["First", "Second", "Third", "Fourth"]
    static let uuids = (1...4).map { "bbbbbbbb-0000-4000-8000-00000000000\($0)" }
    private static let samples = zip(titles, uuids).map { SampleEPUB(title: $0, uuid: $1) }
    /// How each book is when nobody changed it.
    private static let asSent = samples.map { BookState($0) }
    static let data = asSent.map { $0.file ?? Data() }

    let base = MemoryFileProvider()
    let fixture = LibraryFixture()
    /// Where books are read to.
    let imports = FileManager.default.temporaryDirectory.appendingPathComponent("carrel-imports-\(UUID().uuidString)")
    private let library: SQLiteBookLibrary
    private let application: CalibreConnection
    private let folder: StagingFolder

    init() async throws {
        try FileManager.default.createDirectory(at: imports, withIntermediateDirectories: true)
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
        // Its first list is not to come after those of `prepare`.
        try await expectNothing("at first") { try await fixture.listed(in: folder) == nil ? ["There is no list."] : [] }
    }

    func end() async throws {
        // Nothing is there under its name before it is whole.
        for file in try FileManager.default.contentsOfDirectory(at: imports, includingPropertiesForKeys: nil) {
            #expect(try Data(contentsOf: file) == Self.data[0], "\(file.lastPathComponent)")
        }
        try FileManager.default.removeItem(at: imports)
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
            let result = try await library.add(
                UploadedBook(filename: "\(number).epub"), from: document, overwrite: false, step: step())
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

    /// The first book as the library has it.
    func firstBook() async throws -> LibraryBook {
        try #require(try await library.book(BookReference(uuid: Self.uuids[0])))
    }

    /// Each book is there as it was or as it is to be, whole and once.
    func expectWhole(_ work: DriverCrashTests.Work, _ comment: String) async throws {
        try await expectNothing(comment) { try await wrongs { Self.before($0) == $1 || Self.after(work, $0) == $1 } }
    }

    /// Each book is there as it is to be, and nothing is left over.
    func expectDone(_ work: DriverCrashTests.Work, _ comment: String) async throws {
        try await expectNothing(comment) {
            let wrongs = try await wrongs { Self.after(work, $0) == $1 } + leftovers(after: work)
            guard wrongs.isEmpty else { return wrongs }
            return try await fixture.listed(in: folder) == library.books()
                ? [] : ["The list that drivers see is another."]
        }
    }

    /// Removes the documents that nobody takes back any more.
    func removeDocuments() async throws {
        let documents = try folder.folder("documents")
        for file in try await documents.files() { try await documents.remove(file.name) }
    }

    private static func before(_ number: Int) -> BookState? { number < 2 ? asSent[number] : nil }

    private static func after(_ work: DriverCrashTests.Work, _ number: Int) -> BookState? {
        switch (work, number) {
        case (.upload, _): asSent[number]
        case (.delete, 0): nil
        case (.update, 0): BookState(samples[0], title: "Changed", description: "New")
        case (.updateItems, 0): BookState(samples[0], description: "New")
        case (.collect, 0): BookState(samples[0], collections: ["Shelf"])
        default: before(number)
        }
    }

    /// Waits until `wrongs` finds nothing: the application may be at work where nobody sees it, with a command that it
    /// has read and the driver took back.
    private func expectNothing(_ comment: String, _ wrongs: () async throws -> [String]) async throws {
        var found: [String] = []
        do {
            try await eventually { () async throws -> Bool in
                found = try await wrongs()
                return found.isEmpty
            }
        } catch is DidNotHappen {}
        for wrong in found { Issue.record("\(comment): \(wrong)") }
    }

    /// What speaks against a device at rest, with the books that it should have.
    private func wrongs(_ isRight: (_ number: Int, BookState?) -> Bool) async throws -> [String] {
        var wrongs: [String] = []
        let names = Set(try await folder.files().map(\.name))
        let isIdle = try await library.unfinished().isEmpty
        if !isIdle || !names.isDisjoint(with: ReaderCommand.Kind.allCases.map(\.fileName)) {
            wrongs.append("A command stays.")
        }
        let states = try await fixture.states(of: library)
        for (number, uuid) in Self.uuids.enumerated() {
            let found = states.filter { $0.uuid == uuid }
            if found.count > 1 || !isRight(number, found.first) { wrongs.append("Book \(number): \(found)") }
        }
        if states.contains(where: { !Self.uuids.contains($0.uuid) }) {
            wrongs.append("Strange books: \(states.map(\.title))")
        }
        let (files, books) = (try fixture.names(in: "Books"), try await library.books().map(\.filename).sorted())
        if files != books { wrongs.append("The files \(files) of the books \(books)") }
        return wrongs
    }

    private func leftovers(after work: DriverCrashTests.Work) async throws -> [String] {
        // The report to a driver that died, where nothing was left to be sent: the next command takes it away.
        let names = Set(try await folder.files().map(\.name)).subtracting([CommandStatus.fileName])
        var wrongs =
            names == [ConnectedMessage.fileName, "library.sqlite"] ? [] : ["The folder holds \(names.sorted())."]
        // A book that was handed out to a driver that died stays until it is old.
        let documents = try await folder.folder("documents").files().map(\.name)
        if work != .read, !documents.isEmpty { wrongs.append("The documents \(documents) stay.") }
        return wrongs
    }
}

/// A clock that runs thirty times as fast.
private struct HurriedTime: TimeSource {
    private let system = SystemTime()
    var wallClock: Double { system.wallClock }
    var elapsed: Double { system.elapsed * 30 }
    func sleep(seconds: Double) async throws { try await system.sleep(seconds: seconds / 30) }
}
