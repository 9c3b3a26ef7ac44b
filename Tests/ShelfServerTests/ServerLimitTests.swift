import FileInformation
import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Publication
import SampleBooks
import Shelf
import Testing
import WebServer

@testable import ShelfServer

/// A storage in memory whose reads wait for as long as a test holds them.
private final class HeldStorage: ForwardingProvider {
    private struct State: Sendable {
        var isHeld = false
        var running = 0
        /// Since they are held.
        var begun = 0
        var mostAtOnce = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    static let type = "Held"
    let memory = MemoryFileProvider(MemoryConfiguration(name: "held"))
    private let state = LockedValue(State())

    var underlying: any FileProvider { memory }
    var running: Int { state.value.running }
    var begun: Int { state.value.begun }
    var mostAtOnce: Int { state.value.mostAtOnce }

    func open(path: ProviderPath) async throws -> any FileReader {
        HeldFile(try await memory.open(path: path), of: self)
    }

    func hold() { state.update { ($0.isHeld, $0.begun, $0.mostAtOnce) = (true, 0, 0) } }

    func release() {
        let waiting = state.update { state in
            state.isHeld = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for reader in waiting { reader.resume() }
    }

    func read<Value>(_ body: () async throws -> Value) async throws -> Value {
        await withCheckedContinuation { (reader: CheckedContinuation<Void, Never>) in
            let goesOn = state.update { state in
                state.running += 1
                state.begun += 1
                state.mostAtOnce = max(state.mostAtOnce, state.running)
                if state.isHeld { state.waiting.append(reader) }
                return !state.isHeld
            }
            if goesOn { reader.resume() }
        }
        defer { state.update { $0.running -= 1 } }
        return try await body()
    }
}

private final class HeldFile: FileReader {
    private let base: any FileReader
    private let storage: HeldStorage

    init(_ base: any FileReader, of storage: HeldStorage) {
        self.base = base
        self.storage = storage
    }

    var path: ProviderPath { base.path }
    var cost: Capabilities.ReadCost { base.cost }
    func attributes() async throws -> FileReaderAttributes { try await base.attributes() }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        try await storage.read { try await base.stream(part, into: sink) }
    }

    func close() async { await base.close() }
}

/// A storage in memory whose address is a secret. It fails when a test tells it to.
private final class SecretStorage: ForwardingProvider {
    static let type = "Secret"
    static let secrets = ["hunter2", "reader", "nas.example", "private", "Loft", "Emma", ".epub"]
    let memory = MemoryFileProvider(MemoryConfiguration(name: "secret"))
    let fails = LockedValue(false)

    var underlying: any FileProvider { memory }

    func url(of path: ProviderPath) -> URL {
        URL(string: "https://reader:hunter2@nas.example/private/" + path.percentEncoded)!
    }

    func pass<Value: Sendable>(
        _ call: String, _ path: ProviderPath, _ body: () async throws -> Value
    ) async throws -> Value {
        guard fails.value else { return try await body() }
        throw FileError.make(
            URLError.Code.cannotConnectToHost, url: url(of: path),
            sentence: "“\(url(of: path))” of the Loft can't be reached as reader with hunter2.")
    }
}

@Suite struct ServerLimitTests {
    private static let pages = 6

    /// A comic whose pages are longer than what readers keep in memory, and need no scaling.
    private static func comic() throws -> Data {
        // The header of a JPEG of 90 × 120 pixels.
        let header = Data([0xFF, 0xD8, 0xFF, 0xC0, 0, 0x11, 8, 0, 120, 0, 90])
        return try ZIPBuilder.data { zip in
            for number in 1...pages {
                try zip.store("\(number).jpg", header + Data(repeating: UInt8(number), count: 600_000))
            }
        }
    }

    // MARK: Pictures

    @Test(.timeLimit(.minutes(2)))
    func `no more pictures of a source are read at once than allowed, and others of it wait`() async throws {
        let storage = HeldStorage()
        let comic = try Self.comic()
        try await storage.writeContents(path: try ProviderPath("slow.cbz"), contents: comic, overwrite: true)
        let bench = try await ServerBench(
            .everyone, books: ["quick.cbz": comic], others: [ShelfSource(provider: storage)]
        ) { $0.concurrentPictures = 2 }
        let (slow, quick) = (try #require(try await bench.book("slow")), try #require(try await bench.book("quick")))
        // Opens the book before its pages are held.
        #expect(await bench.ask("/book/\(slow.id)/pages/0").status == 200)
        storage.hold()
        let answers = Task {
            await withTaskGroup(of: Int.self) { group in
                for number in 1..<Self.pages {
                    group.addTask { await bench.ask("/book/\(slow.id)/pages/\(number)").status }
                }
                return await group.reduce(into: [Int]()) { $0.append($1) }
            }
        }
        try await eventually { storage.running == 2 }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(storage.running == 2 && storage.begun == 2)
        // Pictures of another source don't wait.
        #expect(await bench.ask("/book/\(quick.id)/pages/1").status == 200)
        storage.release()
        #expect(await answers.value == Array(repeating: 200, count: Self.pages - 1))
        #expect(storage.mostAtOnce == 2 && storage.begun >= Self.pages - 1)
        try await bench.close()
    }

    @Test(.timeLimit(.minutes(2)))
    func `no more pictures of all sources are scaled at once than allowed`() async throws {
        let turns = PictureTurns(2)
        let (running, most) = (LockedValue(0), LockedValue(0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<9 {
                group.addTask {
                    try await turns.read(of: Int64(number % 3)) {
                        try await turns.scaling.take {
                            let now = running.update { count in
                                count += 1
                                return count
                            }
                            most.update { $0 = max($0, now) }
                            for _ in 0..<50 { await Task.yield() }
                            running.update { $0 -= 1 }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(running.value == 0 && most.value == 2)
    }

    @Test(.timeLimit(.minutes(2)))
    func `pictures in memory are limited, however many sources they are of`() async throws {
        let (turns, held, running) = (PictureTurns(1), Turns(), LockedValue(0))
        try await held.begin()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<9 {
                group.addTask {
                    try await turns.read(of: Int64(number)) {
                        running.update { $0 += 1 }
                        try await held.begin()
                        held.end()
                    }
                }
            }
            try await eventually { running.value == 4 }
            for _ in 0..<1_000 { await Task.yield() }
            let count = running.value
            #expect(count == 4)
            held.end()
            try await group.waitForAll()
        }
        #expect(running.value == 9)
    }

    @Test func `a page is as wide as asked for, and never wider than the limit`() async throws {
        let comic = try ZIPBuilder.data { try $0.store("1.png", SampleBook.coverPicture()) }
        let bench = try await ServerBench(.everyone, books: ["comic.cbz": comic]) { $0.maxPageWidth = 40 }
        let id = try #require(try await bench.book("comic")).id
        func page(_ query: String) async throws -> (tag: String?, data: Data) {
            let answer = await bench.ask("/book/\(id)/pages/0" + query)
            #expect(answer.status == 200, "\(query)")
            return (answer.header("ETag"), try await answer.bytes())
        }
        let widest = try await page("?width=40")
        #expect(widest.tag != nil)
        for query in ["", "?width=", "?width=x", "?width=41", "?width=4000", "?width=9223372036854775807"] {
            let other = try await page(query)
            #expect(other.tag == widest.tag && other.data == widest.data, "\(query)")
        }
        let narrower = try await page("?width=30")
        #expect(narrower.tag != widest.tag)
        #if Formats
            for (picture, width) in [(widest.data, 40), (narrower.data, 30)] {
                let header = try await Thumbnail.header(of: picture)
                #expect(header.mediaType == "image/jpeg" && (width - 1...width).contains(header.width))
            }
        #endif
        try await bench.close()
    }

    // MARK: Health

    /// The members of the answer's object, and what it says.
    private func health(_ bench: ServerBench) async throws -> (status: Int, json: JSONValue, text: String) {
        let answer = await bench.ask("/health", remote: "192.0.2.1")
        let data = try await answer.bytes()
        return (answer.status, try JSONValue(data: data, maximumSize: 1 << 16), String(decoding: data, as: UTF8.self))
    }

    @Test func `a source that fails makes the shelf degraded, and the answer says nothing about it`() async throws {
        let storage = SecretStorage()
        try await storage.memory.writeContents(
            path: try ProviderPath("emma.epub"), contents: try SampleEPUB(title: "Emma").data(), overwrite: true)
        let source = ShelfSource(provider: storage, name: "Loft")
        let lamp = try SampleEPUB(title: "Lamp", uuid: nil).data()
        let bench = try await ServerBench(books: ["lamp.epub": lamp], others: [source])
        let well = try await health(bench)
        #expect(well.status == 200 && well.json["status"] == "ok" && well.json["books"] == 2)

        storage.fails.update { $0 = true }
        let report = try await bench.shelf.scan()
        #expect(!report.isComplete)
        let ill = try await health(bench)
        #expect(ill.status == 200 && ill.json["status"] == "degraded" && ill.json["books"] == 2)
        #expect(ill.json.objectValue.map { $0.keys.sorted() } == ["books", "pending", "sources", "status"])
        let sources = ill.json["sources"]?.arrayValue ?? []
        #expect(sources.compactMap { $0["state"]?.stringValue } == ["ok", "interrupted"])
        for source in sources {
            let members = source.objectValue.map { $0.keys.sorted() }
            #expect(members == ["pending", "scanned", "state", "unlisted", "withheld"])
        }
        let metrics = String(decoding: try await bench.ask("/metrics").bytes(), as: UTF8.self)
        for secret in SecretStorage.secrets {
            #expect(!ill.text.contains(secret) && !metrics.contains(secret), "\(secret)")
        }

        storage.fails.update { $0 = false }
        _ = try await bench.shelf.scan()
        #expect(try await health(bench).json["status"] == "ok")
        try await bench.close()
    }

    @Test func `a book of a source that fails is refused without a word about the source`() async throws {
        let storage = SecretStorage()
        try await storage.memory.writeContents(
            path: try ProviderPath("emma.epub"), contents: try SampleEPUB(title: "Emma").data(), overwrite: true)
        let bench = try await ServerBench(.everyone, others: [ShelfSource(provider: storage, name: "Loft")])
        let id = try #require(try await bench.book("Emma")).id
        storage.fails.update { $0 = true }
        let answer = await bench.ask("/book/\(id)/file/book")
        #expect(answer.status == 502)
        let text = String(decoding: try await answer.bytes(), as: UTF8.self)
        for secret in SecretStorage.secrets { #expect(!text.contains(secret), "\(secret)") }
        try await bench.close()
    }

    @Test func `a shelf whose database fails is unavailable`() async throws {
        let bench = try await ServerBench()
        try await bench.shelf.close()
        let state = try await health(bench)
        #expect(state.status == 503 && state.json == ["status": "unavailable"])
        try await bench.people.close()
    }
}
