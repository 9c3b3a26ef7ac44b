import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import SampleBooks
import Synchronization
import Testing

import Archives
import MediaTypes
import Publication
@testable import PublicationCache

/// A server that lists one file and, once a session is over, sends another.
private final class ExpiringStorage: ForwardingProvider {
    static let type = "Expiring"
    let underlying: any FileProvider = MemoryFileProvider()
    /// What reads bring in place of the file.
    let loginPage = Mutex<Data?>(nil)
    var debugDescription: String { Self.type }

    func open(path: ProviderPath) async throws -> any FileReader {
        RangedFileReader(path: path, cost: .request) { [self] part, _, sink in
            let page = loginPage.withLock { $0 }
            let bytes: Data
            if let page { bytes = page } else { bytes = try await underlying.contents(path: path) }
            let range = part.resolved(size: Int64(bytes.count))
            let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: Int64(bytes.count))
            try sink.begin(extent)
            if !range.isEmpty { try await sink.send(Data(bytes[Int(range.lowerBound)..<Int(range.upperBound)])) }
            return (
                extent,
                FileReaderAttributes(
                    size: extent.size, validator: page == nil ? "\"1\"" : nil,
                    redirectedTo: page == nil ? nil : URL(string: "https://nas.example/login"))
            )
        }
    }
}

@Suite struct `A login page in the way of a book` {
    private let room: CacheRoom
    private let storage = ExpiringStorage()
    private let bytes = Data.seeded(3 * Int(CacheHeader.usualBlock) + 5)

    init() async throws {
        room = try CacheRoom()
        try await storage.underlying.writeContents(path: ProviderPath("a.mp3"), contents: bytes)
    }

    private func fetcher(_ policy: CachingPolicy = CachingPolicy()) -> CachingFetcher {
        CachingFetcher(ProviderFetcher(storage, folder: .root), cache: room.cache(), scope: "book", policy: policy)
    }

    @Test func `does not take the place of what is kept offline`() async throws {
        #expect(try await fetcher().get("a.mp3").read() == bytes)
        storage.loginPage.withLock { $0 = Data("<html>login</html>".utf8) }
        let error = await #expect(throws: CocoaError.self) { try await fetcher().get("a.mp3").read() }
        let sentence = error?.sentence ?? ""
        #expect(
            sentence.contains("\(bytes.count)") && sentence.contains("18 bytes") && sentence.contains("/login"),
            "\(sentence)")
        // All of it is there still, for who asks no server.
        #expect(try await fetcher(CachingPolicy(.never)).get("a.mp3").read() == bytes)
    }

    @Test func `is not read as the book`() async throws {
        storage.loginPage.withLock { $0 = Data("<html>login</html>".utf8) }
        let resource = ProviderFetcher(storage, folder: .root).get("a.mp3")
        let error = await #expect(throws: CocoaError.self) { try await resource.read() }
        #expect(error?.underlying is UnexpectedFile)
    }

    @Test func `a new version takes the place of what is kept`() async throws {
        #expect(try await fetcher().get("a.mp3").read() == bytes)
        let other = Data.seeded(777)
        try await storage.underlying.writeContents(path: ProviderPath("a.mp3"), contents: other, overwrite: true)
        #expect(try await fetcher().get("a.mp3").read() == other)
    }
}
