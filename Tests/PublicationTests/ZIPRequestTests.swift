import FileProviderCore
import Foundation
import Publication
import SampleBooks
import Testing

private let chapter = String(repeating: "The lamp hung on a brass arm that could be drawn down to a single page. ", count: 300)

private func noise(_ count: Int) -> Data {
    var numbers = SeededNumbers(seed: 5)
    return numbers.bytes(count)
}

@Suite struct `What reading asks for` {
    /// 101 MB in miniature: the same directory, smaller images.
    private static let book: Data = {
        (try? ZIPBuilder.data { zip in
            var numbers = SeededNumbers(seed: 9)
            try zip.store("mimetype", Data("application/epub+zip".utf8))
            try zip.deflate("META-INF/container.xml", String(chapter.prefix(300)))
            for index in 0..<60 { try zip.add("EPUB/chapter-\(index).xhtml", numbers.bytes(22_800)) }
            for index in 0..<200 { try zip.store("EPUB/images/image-\(index).jpg", numbers.bytes(50_000)) }
        }) ?? Data()
    }()

    private func opened() async throws -> (ZIPArchive, CountingReader) {
        let reader = try CountingReader(Self.book)
        return (try await ZIPArchive.open(reader), reader)
    }

    @Test func `the directory of a large book takes one request of 64 KiB`() async throws {
        let (archive, reader) = try await opened()
        #expect(archive.directory.entries.count == 262)
        #expect(reader.requests.map(\.count) == [65_536])
        #expect(reader.sizeRequests == 0)
    }

    @Test func `a longer directory takes one more`() async throws {
        let data = try ZIPBuilder.data { zip in
            for index in 0..<8_000 { try zip.store("EPUB/a/rather/long/folder/name/chapter-\(index).xhtml", Data([1])) }
        }
        let reader = try CountingReader(data)
        let archive = try await ZIPArchive.open(reader)
        #expect(archive.directory.entries.count == 8_000)
        #expect(reader.requests.count == 2)
    }

    @Test func `a small book is read whole, with one request`() async throws {
        let reader = try CountingReader(try SampleBook.small())
        let archive = try await ZIPArchive.open(reader)
        for entry in archive.directory.entries { _ = try await archive.read(entry) }
        #expect(reader.requests.count == 1)
    }

    @Test func `a small entry takes one request for header and data together, and the next time none`() async throws {
        let (archive, reader) = try await opened()
        let entry = try #require(archive.directory.entry(at: "EPUB/chapter-30.xhtml"))
        _ = try await archive.read(entry)
        #expect(reader.requests.count == 2)
        #expect(reader.bytes - 65_536 <= entry.compressedSize + 128 + 30 + 21)
        _ = try await archive.read(entry)
        _ = try await archive.read(entry, range: 5..<10)
        #expect(reader.requests.count == 2)
    }

    @Test func `a large stored entry takes one request, and a part of it later only its bytes`() async throws {
        let data = try ZIPBuilder.data { zip in
            try zip.store("video", noise(5 << 20))
            try zip.store("filler", noise(100_000))
        }
        let reader = try CountingReader(data)
        let archive = try await ZIPArchive.open(reader)
        let entry = try #require(archive.directory.entry(at: "video"))
        #expect(try await archive.read(entry, range: 0..<200_000) == noise(5 << 20).prefix(200_000))
        #expect(reader.requests.count == 2)
        _ = try await archive.read(entry, range: 4 << 20..<(4 << 20) + 102_400)
        #expect(reader.requests.count == 3)
        #expect(reader.requests[2].count == 102_400)
        _ = try await archive.read(entry)
        #expect(reader.requests.count == 4)
    }

    @Test func `the start of a large deflated entry does not cost all of it`() async throws {
        let data = try ZIPBuilder.data { zip in
            try zip.add("large", noise(2 << 20))
            try zip.store("filler", noise(100_000))
        }
        let reader = try CountingReader(data)
        let archive = try await ZIPArchive.open(reader)
        let entry = try #require(archive.directory.entry(at: "large"))
        #expect(try await archive.read(entry, range: 0..<4_096) == noise(2 << 20).prefix(4_096))
        #expect(reader.bytes - 65_536 <= 8_192 + 1_024)
    }

    @Test func `entries that are prefetched together come in one request`() async throws {
        let (archive, reader) = try await opened()
        let entries = ["mimetype", "META-INF/container.xml", "EPUB/chapter-0.xhtml"].compactMap { archive.directory.entry(at: $0) }
        try await archive.prefetch(entries)
        #expect(reader.requests.count == 2)
        for entry in entries { _ = try await archive.read(entry) }
        #expect(reader.requests.count == 2)
    }

    @Test func `many readers of one entry share one request`() async throws {
        let reader = try CountingReader(Self.book, pause: .milliseconds(30))
        let archive = try await ZIPArchive.open(reader)
        let entry = try #require(archive.directory.entry(at: "EPUB/chapter-7.xhtml"))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await archive.read(entry).count } }
            for try await count in group { #expect(count == 22_800) }
        }
        #expect(reader.requests.count == 2)
    }

    @Test func `entries are read at once without mixing them up`() async throws {
        let (archive, _) = try await opened()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for entry in archive.directory.entries { group.addTask { _ = try await archive.read(entry) } }
            try await group.waitForAll()
        }
    }
}
