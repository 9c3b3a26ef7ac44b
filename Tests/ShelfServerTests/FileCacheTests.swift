import FileProviderCore
import Foundation
import LocalFileProvider
import MemoryFileProvider
import ProviderDoubles
import PublicationCache
import SampleBooks
import Shelf
import Testing
import WebServer

@testable import ShelfServer

/// A storage in memory that counts the bytes that are read of its files, and goes away.
private final class CountedStorage: ForwardingProvider {
    static let type = "Counted"
    let memory = MemoryFileProvider(MemoryConfiguration(name: "counted"))
    let bytes = LockedValue<Int64>(0)
    let isAway = LockedValue(false)

    var underlying: any FileProvider { memory }

    func open(path: ProviderPath) async throws -> any FileReader {
        CountedFile(try await memory.open(path: path), of: self)
    }

    /// The bytes read while `body` runs.
    func read(during body: () async throws -> Void) async throws -> Int64 {
        let before = bytes.value
        try await body()
        return bytes.value - before
    }
}

private final class CountedFile: FileReader {
    private let base: any FileReader
    private let storage: CountedStorage

    init(_ base: any FileReader, of storage: CountedStorage) {
        self.base = base
        self.storage = storage
    }

    var path: ProviderPath { base.path }
    var cost: Capabilities.ReadCost { base.cost }

    func attributes() async throws -> FileReaderAttributes {
        try check()
        return try await base.attributes()
    }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        try check()
        let extent = try await base.stream(part, into: sink)
        storage.bytes.update { $0 += extent.count }
        return extent
    }

    func close() async { await base.close() }

    private func check() throws {
        guard storage.isAway.value else { return }
        throw FileError.make(URLError.Code.networkConnectionLost, url: nil, sentence: "The connection was lost.")
    }
}

@Suite struct FileCacheTests {
    private let storage = CountedStorage()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func comic(_ filler: Int = 300_000) throws -> Data {
        try ZIPBuilder.data { zip in
            try zip.store("1.png", SampleBook.coverPicture())
            try zip.store("2.jpg", Data((0..<filler).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 256) }))
        }
    }

    private func write(_ name: String, _ data: Data) async throws {
        try await storage.writeContents(path: try ProviderPath(name), contents: data, overwrite: true)
    }

    /// A server of the storage's books.
    private func bench(capacity: Int64 = 64 << 20) async throws -> ServerBench {
        let cache = FileCache(folder: folder.url, capacity: capacity)
        return try await ServerBench(.everyone, others: [ShelfSource(provider: storage)]) { $0.cachesFiles = cache }
    }

    private func address(_ bench: ServerBench, _ title: String = "comic") async throws -> String {
        let book = try #require(try await bench.book(title))
        return "/book/\(book.id)/"
    }

    @Test func `a file is read from its storage once, for downloads, their parts and pages`() async throws {
        let data = try Self.comic()
        try await write("comic.cbz", data)
        let bench = try await bench()
        let address = try await address(bench)
        let whole = await bench.ask(address + "file/comic.cbz")
        #expect(try await whole.bytes() == data)
        let tag = try #require(whole.header("ETag"))
        let later = try await storage.read {
            let part = await bench.ask(address + "file/comic.cbz", [("Range", "bytes=9-200008"), ("If-Range", tag)])
            #expect(part.status == 206)
            let read = try await part.bytes()
            #expect(read == data[9..<200_009])
            let short = await bench.ask(address + "file/comic.cbz", [("Range", "bytes=-9")])
            let end = try await short.bytes()
            #expect(end == data.suffix(9))
            #expect(await bench.ask(address + "pages/0?width=40").status == 200)
        }
        #expect(later == 0)
        try await bench.close()
    }

    @Test func `without a cache, each download reads the storage`() async throws {
        let data = try Self.comic()
        try await write("comic.cbz", data)
        let bench = try await ServerBench(.everyone, others: [ShelfSource(provider: storage)])
        let address = try await address(bench)
        for _ in 0..<2 {
            let read = try await storage.read {
                let bytes = try await bench.ask(address + "file/comic.cbz").bytes()
                #expect(bytes == data)
            }
            #expect(read >= Int64(data.count))
        }
        try await bench.close()
    }

    @Test func `without a cache, a part of a file is read without the rest`() async throws {
        let data = try Self.comic()
        try await write("comic.cbz", data)
        let bench = try await ServerBench(.everyone, others: [ShelfSource(provider: storage)])
        let address = try await address(bench)
        func read() async throws -> Int64 {
            try await storage.read {
                let part = await bench.ask(address + "file/comic.cbz", [("Range", "bytes=150000-150099")])
                #expect(part.status == 206)
                let bytes = try await part.bytes()
                #expect(bytes == data[150_000..<150_100])
            }
        }
        // The first request also reads the parts of KOReader's digest, 1 KiB each.
        let first = try await read()
        #expect(first <= 100 + Int64(DocumentDigest.offsets.count) * DocumentDigest.length)
        #expect(try await read() == 100)
        try await bench.close()
    }

    @Test func `a changed file is not sent from the cache, whether or not the shelf saw the change`() async throws {
        let data = try Self.comic()
        try await write("comic.cbz", data)
        let bench = try await bench()
        let address = try await address(bench)
        #expect(try await bench.ask(address + "file/comic.cbz").bytes() == data)
        // The same length, and another content.
        var changed = data
        let middle = changed.startIndex + 150_000
        changed[middle] ^= 0xFF
        try await write("comic.cbz", changed)
        #expect(try await bench.ask(address + "file/comic.cbz").bytes() == changed)
        _ = try await bench.shelf.scan()
        #expect(try await bench.ask(address + "file/comic.cbz").bytes() == changed)
        try await bench.close()
    }

    @Test func `nothing is sent from the cache while the storage is away`() async throws {
        try await write("comic.cbz", try Self.comic())
        let bench = try await bench()
        let target = try await address(bench) + "file/comic.cbz"
        _ = try await bench.ask(target).bytes()
        storage.isAway.update { $0 = true }
        #expect(await bench.ask(target).status == 502)
        storage.isAway.update { $0 = false }
        #expect(await bench.ask(target).status == 200)
        try await bench.close()
    }

    @Test func `files of two users of a storage are kept apart, though they have one address`() async throws {
        let other = CountedStorage()
        let own = try Self.comic()
        var foreign = own
        foreign[foreign.startIndex + 150_000] ^= 0xFF
        let path = try ProviderPath("books/comic.cbz")
        for (storage, data) in [(storage, own), (other, foreign)] {
            try await storage.memory.createFolderWithParents(path: try ProviderPath("books"))
            try await storage.memory.writeContents(path: path, contents: data, overwrite: true)
        }
        #expect(storage.url(of: path) == other.url(of: path))
        let tags = (
            try await storage.memory.attributesOfItem(path: path).entryTag,
            try await other.memory.attributesOfItem(path: path).entryTag
        )
        #expect(tags.0 == tags.1)
        let cache = FileCache(folder: folder.url, capacity: 64 << 20)
        let sources = [ShelfSource(provider: storage), ShelfSource(provider: other, root: try ProviderPath("books"))]
        let bench = try await ServerBench(.everyone, others: sources) { $0.cachesFiles = cache }
        let books = try await bench.shelf.books().books.sorted { $0.source < $1.source }
        #expect(books.count == 2)
        for (book, data) in zip(books, [own, foreign]) {
            let bytes = try await bench.ask("/book/\(book.id)/file/comic.cbz").bytes()
            #expect(bytes == data)
        }
        try await bench.close()
    }

    @Test func `the cache is used by the next server`() async throws {
        let data = try Self.comic()
        try await write("comic.cbz", data)
        let bench = try await bench()
        let target = try await address(bench) + "file/comic.cbz"
        _ = try await bench.ask(target).bytes()
        let next = try ShelfServer(
            shelf: bench.shelf, people: bench.people, configuration: bench.server.configuration)
        let request = ServerRequest(target: target, headers: [("Host", "127.0.0.1:8080")])
        let read = try await storage.read {
            let bytes = try await next.respond(to: request).bytes()
            #expect(bytes == data)
        }
        #expect(read == 0)
        try await bench.close()
    }

    @Test func `the cache stays within its limit, and what was not read for longest leaves`() async throws {
        let capacity: Int64 = 1 << 20
        let data = try Self.comic()
        for name in ["a", "b", "c", "d"] { try await write(name + ".cbz", data) }
        let bench = try await bench(capacity: capacity)
        for name in ["a", "b", "c", "d"] {
            let target = try await address(bench, name) + "file/x.cbz"
            #expect(try await bench.ask(target).bytes() == data)
            let used = try await ResourceCache(folder: folder.url, capacity: capacity).usedBytes()
            #expect(used > 0 && used <= capacity)
        }
        let (last, first) = (try await address(bench, "d"), try await address(bench, "a"))
        #expect(try await storage.read { _ = try await bench.ask(last + "file/x.cbz").bytes() } == 0)
        let read = try await storage.read { _ = try await bench.ask(first + "file/x.cbz").bytes() }
        #expect(read == Int64(data.count))
        try await bench.close()
    }

    private func configuration(_ cache: FileCache) -> ShelfServerConfiguration {
        var configuration = ShelfServerConfiguration(key: ServerBench.key)
        configuration.cachesFiles = cache
        return configuration
    }

    @Test func `a cache in a folder that is watched for books is refused`() async throws {
        let bench = try await ServerBench(
            .everyone, others: [ShelfSource(provider: try LocalFileProvider(root: folder.url))])
        let configuration = configuration(FileCache(folder: folder.url.appending(path: "cache")))
        #expect {
            try ShelfServer(shelf: bench.shelf, people: bench.people, configuration: configuration)
        } throws: { ($0 as? CocoaError)?.code == .formatting && $0.localizedDescription.hasPrefix("cachesFiles: ") }
        try await bench.close()
    }

    @Test func `a cache that is too small is refused`() {
        let configuration = configuration(FileCache(folder: folder.url, capacity: 1_000))
        #expect { try configuration.validate() } throws: { $0.localizedDescription.hasPrefix("cachesFiles: ") }
    }
}
