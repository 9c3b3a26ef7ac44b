import FileProviderCore
import Foundation
import ProviderDoubles
import Publication
import SampleBooks
import Testing

private let chapter = String(
    repeating: "The lamp hung on a brass arm that could be drawn down to a single page. ", count: 300)

/// An archive with one entry called `x`, made as `change` says.
private func archive(
    of content: Data = Data(chapter.utf8), cost: Capabilities.ReadCost = .request, limits: ArchiveLimits = .standard,
    _ change: (inout ZIPBuilder.Options) -> Void
) async throws -> (archive: ZIPArchive, entry: ZIPEntry, reader: CountingReader) {
    let data = try ZIPBuilder.data { zip in
        var options = ZIPBuilder.Options()
        change(&options)
        try zip.add("x", content, options)
        try zip.store("y", Data(repeating: 1, count: 100))
    }
    let reader = try CountingReader(data, cost: cost)
    let archive = try await ZIPArchive.open(reader, limits: limits)
    return (archive, try #require(archive.directory.entry(at: "x")), reader)
}

private func noise(_ count: Int) -> Data {
    var numbers = SeededNumbers(seed: 5)
    return numbers.bytes(count)
}

@Suite struct `Reading entries` {
    private static let kinds: [(String, @Sendable (inout ZIPBuilder.Options) -> Void)] = [
        ("deflated", { _ in }),
        ("stored", { $0.method = 0 }),
        ("with a data descriptor", { $0.hasDataDescriptor = true }),
        ("with sizes in the ZIP64 field", { $0.isZIP64 = true }),
        (
            "with a longer local extra field",
            { $0.localExtra = [0x34, 0x12, 60, 0] + [UInt8](repeating: 7, count: 60) }
        ),
        (
            "with a far longer local extra field",
            { $0.localExtra = [0x34, 0x12, 0x70, 0x17] + [UInt8](repeating: 7, count: 6_000) }
        ),
        (
            "with a longer extra field in the directory",
            { $0.directoryExtra = [0x34, 0x12, 200, 0] + [UInt8](repeating: 7, count: 200) }
        ),
    ]

    @Test(arguments: kinds.indices, [40, 21_600, 400_000])
    func `gives the same bytes whole, in parts and to a slow sink`(kind: Int, size: Int) async throws {
        let content = size == 21_600 ? Data(chapter.utf8) : noise(size)
        let (archive, entry, _) = try await archive(of: content, Self.kinds[kind].1)
        #expect(try await archive.read(entry) == content)
        for range in [
            0..<1, 0..<content.count, 7..<20, content.count - 3..<content.count,
            content.count / 2..<content.count / 2 + 9,
        ] {
            let part = try await archive.read(entry, range: Int64(range.lowerBound)..<Int64(range.upperBound))
            #expect(part == content[range], "\(Self.kinds[kind].0), \(range)")
        }
        let sink = ReluctantSink()
        try await archive.stream(entry, into: sink)
        #expect(sink.data == content && sink.begun == 1)
        #expect(sink.waits > 0 || size < 65_536, "after the last piece nobody has to wait")
    }

    @Test(arguments: kinds.indices)
    func `a part that is asked for first is right as well`(kind: Int) async throws {
        let content = noise(400_000)
        for range in [0..<300_000, 100_000..<100_009, 150_000..<390_000, 399_999..<400_000] {
            let (archive, entry, _) = try await archive(of: content, Self.kinds[kind].1)
            let part = try await archive.read(entry, range: Int64(range.lowerBound)..<Int64(range.upperBound))
            #expect(part == content[range], "\(Self.kinds[kind].0), \(range)")
        }
    }

    @Test func `ranges are clamped, and an empty one costs nothing`() async throws {
        let (archive, entry, reader) = try await archive { _ in }
        let size = entry.uncompressedSize
        for range in [size..<size + 10, 5..<5, -9 ..< -2, Int64.max - 1..<Int64.max] {
            #expect(try await archive.read(entry, range: range).isEmpty)
        }
        #expect(reader.requests.count == 1)
        #expect(try await archive.read(entry, range: -5..<size + 5).count == chapter.utf8.count)
    }

    @Test func `empty entries are read, stored or deflated`() async throws {
        for method: UInt16 in [0, 8] {
            let (archive, entry, _) = try await archive(of: Data()) { $0.method = method }
            #expect(try await archive.read(entry).isEmpty)
        }
    }

    private typealias Fault = (
        what: String, code: CocoaError.Code, change: @Sendable (inout ZIPBuilder.Options) -> Void
    )

    private static let faults: [Fault] = [
        ("encrypted", .fileReadNoPermission, { $0.isEncrypted = true }),
        ("packed with LZMA", .featureUnsupported, { $0.method = 14 }),
        ("smaller than claimed", .fileReadCorruptFile, { $0.claimedSize = 30_000 }),
        ("larger than claimed", .fileReadCorruptFile, { $0.claimedSize = 20_000 }),
        ("of another checksum", .fileReadCorruptFile, { $0.claimedChecksum = 1 }),
        ("stored, of another checksum", .fileReadCorruptFile, { ($0.method, $0.claimedChecksum) = (0, 1) }),
        ("stored with two sizes", .fileReadCorruptFile, { ($0.method, $0.claimedSize) = (0, 21) }),
        ("cut off in its compressed data", .fileReadCorruptFile, { $0.claimedCompressedSize = 50 }),
        ("reaching into the next entry", .fileReadCorruptFile, { $0.claimedCompressedSize = 500 }),
        ("larger than the file", .fileReadCorruptFile, { $0.claimedCompressedSize = 4_000_000_000 }),
        ("placed nowhere", .fileReadCorruptFile, { $0.claimedOffset = 4_000_000_000 }),
        ("placed in the middle of something", .fileReadCorruptFile, { $0.claimedOffset = 3 }),
        ("on another disk", .fileReadCorruptFile, { $0.claimedDisk = 2 }),
        ("claiming to be enormous", .fileReadTooLarge, { $0.claimedSize = 4_000_000_000 }),
        ("claiming to grow 5,000 times", .fileReadTooLarge, { $0.claimedSize = 2_000_000 }),
    ]

    @Test(arguments: faults.indices)
    func `an entry that is wrong fails alone`(index: Int) async throws {
        let fault = Self.faults[index]
        let (archive, entry, _) = try await archive(fault.change)
        #expect(await fileError { _ = try await archive.read(entry) } == fault.code, "\(fault.what)")
        let other = try #require(archive.directory.entry(at: "y"))
        #expect(try await archive.read(other).count == 100)
    }

    @Test func `a small page of one repeated line is no bomb, a large one is`() async throws {
        let page = Data(String(repeating: "<p> </p>\n", count: 37_500).utf8)
        let (good, entry, _) = try await archive(of: page) { _ in }
        #expect(entry.uncompressedSize > 300 * entry.compressedSize)
        #expect(try await good.read(entry) == page)
        let (bad, bomb, reader) = try await archive(of: Data(count: 20 << 20)) { _ in }
        #expect(await fileError { _ = try await bad.read(bomb) } == .fileReadTooLarge)
        #expect(reader.requests.count == 1, "nothing of it was read")
        var limits = ArchiveLimits()
        limits.maxRatio = 1_100
        let (willing, large, _) = try await archive(of: Data(count: 20 << 20), limits: limits) { _ in }
        #expect(try await willing.read(large).count == 20 << 20)
    }

    @Test func `of many names for one piece of data only the first is read`() async throws {
        let data = try ZIPBuilder.data { zip in
            try zip.deflate("a", chapter)
            for index in 0..<20 {
                var options = ZIPBuilder.Options()
                options.claimedOffset = 0
                try zip.add("\(index)", Data(), options)
            }
        }
        let archive = try await ZIPArchive.open(try CountingReader(data))
        var failures = 0
        for entry in archive.directory.entries
        where await fileError({ _ = try await archive.read(entry) }) == .fileReadCorruptFile {
            failures += 1
        }
        #expect(failures == 20)
    }

    @Test(arguments: [CountingReader.Fault.lost(from: 1), .short])
    func `a reader that fails is no damage of the entry`(fault: CountingReader.Fault) async throws {
        let data = try ZIPBuilder.data { zip in
            try zip.store("large", noise(300_000))
            try zip.store("filler", noise(200_000))
        }
        let archive = try await ZIPArchive.open(try CountingReader(data, fault: fault))
        #expect(archive.directory.entries.count == 2)
        for entry in archive.directory.entries {
            #expect(await fileError { _ = try await archive.read(entry) } != .fileReadCorruptFile)
            #expect(await fileError { _ = try await archive.read(entry, range: 0..<100) } != nil)
        }
    }

    @Test func `cancelling ends a read at once`() async throws {
        let data = try ZIPBuilder.data { zip in
            try zip.store("large", noise(300_000))
            try zip.store("filler", noise(200_000))
        }
        let reader = try CountingReader(data, pause: .seconds(300))
        let slow = try await ZIPArchive.open(reader)
        let entry = try #require(slow.directory.entry(at: "large"))
        let start = ContinuousClock.now
        let task = Task { try await slow.read(entry, range: 0..<1_000) }
        try await eventually { reader.requests.count == 2 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(ContinuousClock.now - start < .seconds(120))
    }
}

@Suite struct `Archives nobody made with care` {
    @Test(.enabled(if: !BookCorpus.books.isEmpty, "the corpus is not here"), arguments: BookCorpus.books)
    func `every entry of a real book is read and has its checksum`(book: URL) async throws {
        let reader = try CountingReader(try Data(contentsOf: book))
        let archive = try await ZIPArchive.open(reader)
        #expect(reader.requests.count == 1)
        #expect(archive.directory.entries.first?.path == "mimetype")
        for entry in archive.directory.entries where !entry.isDirectory {
            #expect(try await Int64(archive.read(entry).count) == entry.uncompressedSize)
        }
    }

    @Test func `thousands of damaged archives neither crash nor hang`() async throws {
        let whole = try ZIPBuilder.data { zip in
            try zip.deflate("a.txt", chapter)
            try zip.store("folder/b.bin", noise(300))
            var options = ZIPBuilder.Options()
            options.isZIP64 = true
            options.hasDataDescriptor = true
            try zip.add("c", Data(chapter.utf8), options)
        }
        var numbers = SeededNumbers(seed: 11)
        var readable = 0
        for round in 0..<4_000 {
            var data = whole
            for _ in 0...(round % 4) {
                // Two in three hits go where the records are.
                let index =
                    numbers.next() % 3 == 0
                    ? Int(numbers.next() % UInt64(data.count)) : data.count - 1 - Int(numbers.next() % 260)
                data[index] = [0, 0xFF, UInt8(truncatingIfNeeded: numbers.next())][Int(numbers.next() % 3)]
            }
            if round % 7 == 0 { data = data.prefix(Int(numbers.next() % UInt64(data.count))) }
            guard let archive = try? await ZIPArchive.open(try CountingReader(Data(data))) else { continue }
            for entry in archive.directory.entries.prefix(20) {
                if let bytes = try? await archive.read(entry) {
                    readable += 1
                    #expect(bytes.count <= 100_000)
                }
                _ = try? await archive.read(entry, range: 10..<500)
            }
        }
        #expect(readable > 500)
    }
}
