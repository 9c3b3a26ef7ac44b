import FileProviderCore
import Foundation
import ProviderDoubles
import Publication
import SampleBooks
import Testing

private let chapter = String(
    repeating: "The lamp hung on a brass arm that could be drawn down to a single page. ", count: 300)

private func noise(_ count: Int) -> Data {
    var numbers = SeededNumbers(seed: 5)
    return numbers.bytes(count)
}

@Suite struct `What reading asks for` {
    private static let contents: [(path: String, data: Data)] = {
        var numbers = SeededNumbers(seed: 9)
        return [
            ("mimetype", Data("application/epub+zip".utf8)), ("META-INF/container.xml", Data(chapter.prefix(300).utf8)),
        ]
            + (0..<60).map { ("EPUB/chapter-\($0).xhtml", numbers.bytes(22_800)) }
            + (0..<200).map { ("EPUB/images/image-\($0).jpg", numbers.bytes(50_000)) }
    }()

    /// 101 MB in miniature: the same directory, smaller images.
    private static let book: Data = {
        (try? ZIPBuilder.data { zip in
            for (path, data) in contents {
                if path.hasSuffix(".jpg") || path == "mimetype" {
                    try zip.store(path, data)
                } else {
                    try zip.add(path, data)
                }
            }
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

    /// An audiobook: one stored entry of 10 MiB, and another one behind it.
    private func audiobook(_ cost: Capabilities.ReadCost = .request) async throws -> (
        ZIPArchive, ZIPEntry, CountingReader, Data
    ) {
        let content = noise(10 << 20)
        let data = try ZIPBuilder.data { zip in
            try zip.store("audio.mp3", content)
            try zip.store("filler", noise(100_000))
        }
        let reader = try CountingReader(data, cost: cost)
        let archive = try await ZIPArchive.open(reader)
        return (archive, try #require(archive.directory.entry(at: "audio.mp3")), reader, content)
    }

    @Test func `a large stored entry that is read in small pieces is asked for in larger and larger ones`() async throws
    {
        let (archive, entry, reader, content) = try await audiobook()
        for start in stride(from: 0, to: content.count, by: 64 << 10) {
            let piece = try await archive.read(entry, range: Int64(start)..<Int64(start + 64 << 10))
            #expect(piece == content[start..<start + 64 << 10])
        }
        #expect(reader.requests.count <= 18, "for 160 pieces")
        #expect(reader.bytes <= 65_536 + 10 << 20 + 1_024, "nothing twice, nothing behind the entry")
    }

    @Test func `two readers of one entry in small pieces are told apart`() async throws {
        let (archive, entry, reader, content) = try await audiobook()
        for start in stride(from: 0, to: 5 << 20, by: 64 << 10) {
            for start in [start, start + 5 << 20] {
                let piece = try await archive.read(entry, range: Int64(start)..<Int64(start + 64 << 10))
                #expect(piece == content[start..<start + 64 << 10])
            }
        }
        #expect(reader.requests.count <= 26)
    }

    @Test func `pieces here and there cost their bytes, a block each at least`() async throws {
        let (archive, entry, reader, content) = try await audiobook()
        for start in stride(from: 9 << 20, to: 0, by: -300_000) {
            let piece = try await archive.read(entry, range: Int64(start)..<Int64(start + 10_000))
            #expect(piece == content[start..<start + 10_000])
        }
        #expect(reader.requests.dropFirst(3).allSatisfy { $0.count == 10_000 })
    }

    @Test func `where ranges cost nothing, nothing is read ahead`() async throws {
        let (archive, entry, reader, _) = try await audiobook(.local)
        for start in stride(from: Int64(0), to: 1 << 20, by: 64 << 10) {
            _ = try await archive.read(entry, range: start..<start + 64 << 10)
        }
        #expect(reader.bytes <= 65_536 + 1 << 20 + 4_096)
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
        let again = try CountingReader(data)
        let second = try await ZIPArchive.open(again)
        #expect(try await second.read(entry, range: 0..<700_000) == noise(2 << 20).prefix(700_000))
        #expect(again.requests.count == 2, "header and data come together")
    }

    @Test func `entries that are prefetched together come in one request`() async throws {
        let (archive, reader) = try await opened()
        let entries = ["mimetype", "META-INF/container.xml", "EPUB/chapter-0.xhtml"].compactMap {
            archive.directory.entry(at: $0)
        }
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
        let read = try await withThrowingTaskGroup(of: (String, Data).self) { group in
            for entry in archive.directory.entries { group.addTask { (entry.path, try await archive.read(entry)) } }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(read.count == Self.contents.count)
        for (path, data) in Self.contents { #expect(read[path] == data, "\(path)") }
    }
}
