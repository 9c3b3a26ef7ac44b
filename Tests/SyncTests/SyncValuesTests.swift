import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Testing

@testable import Sync

@Suite struct SyncValuesTests {
    private let moment = Date(timeIntervalSince1970: 1_795_401_910)  // 2026-11-23 02:45:10 UTC

    @Test func `a conflict copy says when and from where`() throws {
        let name = try ConflictName.make(for: ProviderPath("/a/notes.txt"), label: "nas", date: moment, maxLength: 255)
        #expect(name.string == "/a/notes (conflict 2026-11-23 02.45.10 nas).txt")
        let second = try ConflictName.make(
            for: ProviderPath("/.hidden"), label: "", date: moment, maxLength: 255, number: 2)
        #expect(second.string == "/.hidden (conflict 2026-11-23 02.45.10 2)")
    }

    @Test(arguments: [60, 100, 255])
    func `a long name is shortened by whole characters`(maxLength: Int) throws {
        let path = try ProviderPath("/" + String(repeating: "ü", count: 120) + ".epub")
        let name = try ConflictName.make(for: path, label: "nas", date: moment, maxLength: maxLength)
        #expect(name.nameBytes.count <= maxLength && name.nameBytes.count > maxLength - 8 || maxLength == 255)
        #expect(
            String(validating: name.nameBytes, as: UTF8.self)?.hasSuffix(" (conflict 2026-11-23 02.45.10 nas).epub")
                == true)
    }

    @Test func `a slow line takes small pieces, and makes up for those that came at once`() async throws {
        let passed = LockedValue(Duration.zero)
        let begin = ContinuousClock.now
        let throttle = Throttle(BandwidthTimetable(limit: 64 << 10)) { begin + passed.value }
        #expect(throttle.maxAtOnce == 16 << 10 && !throttle.isClosed)
        let source = TappedSource(DataSource(Data(count: 1 << 20)), SyncTap(throttle: throttle))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 1)
        defer { buffer.deallocate() }
        let bytes = try source.bytes(from: 0)
        guard case .bytes(16384) = try bytes.read(into: buffer) else { throw CocoaError(.fileReadUnknown) }
        // A quarter of a second, less the tenth that may pass at once.
        passed.update { $0 = .milliseconds(149) }
        #expect(throttle.isClosed)
        guard case .wait = try bytes.read(into: buffer) else { throw CocoaError(.fileReadUnknown) }
        passed.update { $0 = .milliseconds(151) }
        #expect(!throttle.isClosed)
        guard case .bytes(16384) = try bytes.read(into: buffer) else { throw CocoaError(.fileReadUnknown) }
        #expect(Throttle(try BandwidthTimetable("off")).maxAtOnce == .max)
    }

    @Test func `who waits for a slow line goes on when its time has come`() async throws {
        let throttle = Throttle(BandwidthTimetable(limit: 64 << 10))
        let start = ContinuousClock.now
        #expect(throttle.take(16 << 10))
        await withCheckedContinuation { continuation in throttle.whenReady { continuation.resume() } }
        #expect(!throttle.isClosed && ContinuousClock.now - start > .milliseconds(100))
    }

    @Test func `who is asked to allow removals is told what they would cost`() throws {
        let folders = Sides(
            SyncFolder(ProviderLocation(provider: SyncBed.memory("one"), path: .root), label: "one"),
            SyncFolder(ProviderLocation(provider: SyncBed.memory("two"), path: .root), label: "two"))
        let stop = RemovalStop.emptySide(.source, held: 3)
        #expect(
            stop.error(folders).sentence.contains(
                "If “\(folders.destination.name)” is to lose them, too, allow all to be removed"))
        #expect(stop.error(folders, losesAll: false).sentence.contains("would lose nothing"))
        #expect(stop.error(folders).removalStop?.description == "The source has none of 3 items.")
        #expect(stop.error(folders).code == .fileWriteNoPermission && stop.error(folders).underlying == nil)
        #expect(stop.error(folders).userInfo[NSFilePathErrorKey] as? String == "/")
    }

    @Test func `what is left out on purpose hides nothing that cannot be held`() throws {
        var look = FolderSyncReport()
        let path = try ProviderPath("a")
        for _ in 0..<2500 { look.skip(FolderSyncReport.Item(.source, path, "a link", isLeftOut: true)) }
        for _ in 0..<1500 { look.skip(FolderSyncReport.Item(.source, path, "too long")) }
        for _ in 0..<1200 { look.fail(FolderSyncReport.Item(.source, path, FileError.changedWhileReading(path))) }
        var report = FolderSyncReport()
        report.beginPass(look)
        report.beginPass(look)
        report.skip(FolderSyncReport.Item(.source, path, "too long"))
        #expect(report.leftOut == 2500 && report.unheld == 1501 && report.failures == 1200)
        #expect(report.skipped.count == 2000 && report.failed.count == 1000)
    }

    @Test(arguments: [
        ("- *.tmp", "a/b.tmp", true), ("- *.tmp", "b.tmp/c", false), ("- /a/*.c", "a/x.c", true),
        ("- /a/*.c", "a/b/x.c", false),
        ("- a/**", "a", false), ("- a/**", "a/b/c", true), ("- */cache/**", "x/cache/z", true),
        ("- */cache/**", "x/y/cache/z", false),
        ("- **/cache", "cache", true), ("- **/cache", "x/y/cache", true), ("- a/**/z", "a/z", true),
        ("- a/**/z", "a/b/c/z", true),
        ("- a/**/z", "a/b/c", false), ("- /a", "x/a", false), ("- /a", "a", true), ("- x/[ab]?", "x/b1", true),
        ("- x/**/**/y", "x/y", true), ("- ?.txt", "é.txt", true), ("- [éö].txt", "o\u{308}.txt", true),
        ("- ?.txt", "éö.txt", false),
    ])
    func `a pattern takes names one by one, and two stars any number of them`(
        rule: String, path: String, isLeftOut: Bool
    ) throws {
        #expect(try SyncFilter([rule]).includes(ProviderPath(path), isFolder: false) == !isLeftOut)
    }

    @Test(arguments: ["- [ab", "- a\\", "- x/[a/b]", "- []", "- [!]", "- [[:alpha:]", "- a\\/"])
    func `a pattern that is not whole is refused`(rule: String) {
        #expect { try SyncFilter([rule]) } throws: { $0.sentence.contains("“\(rule)” has ") }
    }

    @Test(arguments: [
        ("- \\[ab", "[ab"), ("- []a]", "]"), ("- [!]]", "x"), ("- [[:alpha:]]", "x"), ("- a\\\\", "a\\"),
        ("- [\\]]", "]"), ("- x]", "x]"),
    ])
    func `brackets and backslashes that are whole are taken`(rule: String, name: String) throws {
        #expect(try !SyncFilter([rule]).includes(ProviderPath("/" + name), isFolder: false))
    }

    @Test(arguments: [
        ("ftp", "/a", "/a/b", false), ("davs", "/a", "/a", false), ("sftp", "/a", "/a/b", true),
        ("sftp", "/~/a", "/~/a", false),
    ])
    func `two users of one server have folders of their own`(scheme: String, one: String, other: String, overlaps: Bool)
        throws
    {
        func folder(_ path: String, _ user: String?) throws -> SyncFolder {
            let url = try #require(URL(string: "\(scheme)://nas.example"))
            let location = ProviderLocation(provider: NamedStorage(url), path: try ProviderPath(path))
            return SyncFolder(location, label: "", user: user)
        }
        #expect(try folder(one, "alice").overlaps(folder(other, "bob")) == overlaps)
        #expect(try folder(one, "alice").overlaps(folder(other, "alice")))
        #expect(try folder(one, nil).overlaps(folder(other, "alice")))
    }

    @Test func `a label keeps what a name may hold`() {
        let folder = SyncFolder(
            ProviderLocation(provider: SyncBed.memory("x"), path: .root),
            label: "a/b\u{1B}:c" + String(repeating: "d", count: 99))
        #expect(folder.label == "abc" + String(repeating: "d", count: 37))
    }

    @Test func `a timetable holds until its next entry, over midnight too`() throws {
        let timetable = try BandwidthTimetable("08:00,512K 18:30,10M 23:00,off")
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        func limit(_ time: String) throws -> Int64? {
            timetable.limit(at: try Date("2026-11-23T\(time):00Z", strategy: .iso8601), calendar: calendar)
        }
        #expect(try limit("08:00") == 512 << 10)
        #expect(try limit("18:29") == 512 << 10)
        #expect(try limit("18:30") == 10 << 20)
        #expect(try limit("23:30") == nil)
        #expect(try limit("03:00") == nil)
        #expect(try BandwidthTimetable("2M").limit(at: moment) == 2 << 20)
        for text in ["", "8,1M", "08:00", "25:00,1M", "08:00,0", "08:00,1X", "08:00,1M,2M", "9999999999G"] {
            #expect(throws: CocoaError.self, "\(text)") { try BandwidthTimetable(text) }
        }
    }

    @Test func `keys sort as a tree does`() throws {
        let paths = try ["/a", "/a/b", "/a/b/c", "/a b", "/a.txt", "/a0"].map { try ProviderPath($0) }
        let sorted = paths.shuffled().sorted { SyncKey.data($0).lexicographicallyPrecedes(SyncKey.data($1)) }
        #expect(sorted == paths)
        for path in paths { #expect(try SyncKey.path(SyncKey.data(path)) == path) }
    }

    /// What each side holds against what was agreed on: the whole table of two-way sync and of a mirror.
    @Test(arguments: [
        ("same", "same", "nothing", "nothing"), ("new", "same", "transfer(destination)", "transfer(destination)"),
        ("same", "new", "transfer(source)", "transfer(destination, keeps)"),
        ("gone", "same", "remove(destination)", "remove(destination)"),
        ("same", "gone", "remove(source)", "transfer(destination)"),
        ("gone", "new", "transfer(source)", "remove(destination, keeps)"),
        ("new", "gone", "transfer(destination)", "transfer(destination)"), ("gone", "gone", "forget", "forget"),
        ("new", "other", "conflict(destination)", "transfer(destination, keeps)"),
        ("folder", "same", "remove(destination)", "remove(destination)"),
        ("same", "folder", "remove(source)", "remove(destination, keeps)"),
        ("folder", "new", "conflict(destination)", "remove(destination, keeps)"),
        ("new", "folder", "conflict(source)", "remove(destination, keeps)"),
    ])
    func `every pair of changes has its answer`(source: String, destination: String, twoWay: String, mirror: String)
        throws
    {
        let before = SyncItem(type: .regular, size: 1, time: 1)
        func look(_ text: String) -> SyncDifference.Look {
            switch text {
            case "same": .unchanged
            case "gone": .gone
            case "new": .found(SyncItem(type: .regular, size: 2, time: 2))
            case "other": .found(SyncItem(type: .regular, size: 3, time: 3))
            default: .found(SyncItem(type: .directory))
            }
        }
        let difference = SyncDifference(
            path: try ProviderPath("a"), agreed: AgreedItem(items: .init(before, before)),
            looks: .init(look(source), look(destination)))
        for (direction, expected) in [(SyncOptions.Direction.twoWay, twoWay), (.mirror, mirror)] {
            let capabilities = Capabilities([.writing: .native], readCost: .local, timePrecision: 1)
            let rules = SyncRules(
                direction: direction, deletes: true, comparesContent: false, isFirst: false,
                capabilities: .init(capabilities, capabilities), hasLinks: .init(false, false))
            #expect(rules.decide(difference).text == expected)
        }
    }
}

extension SyncRules.Decision {
    fileprivate var text: String {
        switch self {
        case .transfer(let side, let keeps): "transfer(\(side)\(keeps ? ", keeps" : ""))"
        case .remove(let side, let keeps): "remove(\(side)\(keeps ? ", keeps" : ""))"
        case .conflict(let side): "conflict(\(side))"
        default: "\(self)"
        }
    }
}

/// A storage at a URL that nobody asks for anything.
private final class NamedStorage: ForwardingProvider {
    static let type = "Named"
    let underlying: any FileProvider = MemoryFileProvider(MemoryConfiguration(name: "named"))
    private let base: URL

    init(_ base: URL) {
        self.base = base
    }

    func url(of path: ProviderPath) -> URL { base.appending(path: path.string) }
}
