import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import SampleBooks
import Testing

@testable import Archives
import MediaTypes
import Publication
import PublicationCache

/// A folder that goes when the test ends.
private final class ScratchFolder {
    let url = FileManager.default.temporaryDirectory.appending(
        path: "checkpoints-\(UUID().uuidString)", directoryHint: .isDirectory)

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted() }

    func add(_ name: String, bytes: Int = 1, age: TimeInterval = 0) throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let file = url.appending(path: name)
        try Data(count: bytes).write(to: file)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: file.path)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}

private let location = Int64(20 << 20)
private let wanted = location..<location + 4_096
private let expected = mixedContent[Int(wanted.lowerBound)..<Int(wanted.upperBound)]

@Suite struct `Checkpoints in files` {
    @Test func `serve the next opening, in another process even`() async throws {
        let folder = ScratchFolder()
        let (archive, entry, _) = try await openMixed(store: FileCheckpointStore(folder: folder.url))
        #expect(try await archive.read(entry, range: wanted) == expected)
        await archive.close()
        let file = folder.url.appending(path: try #require(folder.names.first)).path
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        let (again, same, reader) = try await openMixed(store: FileCheckpointStore(folder: folder.url))
        #expect(try await again.read(same, range: wanted) == expected)
        #expect(reader.requests.count == 3 && reader.bytes <= 65_536 + 1_153_434)
    }

    /// The promise of the size that it is made for: 180 MB. In the first opening all in front of the place is unpacked
    /// once.
    @Test func `make 4 KiB at 90 % of a deflated PDF of 180 MB cost two requests and 1.1 MiB`() async throws {
        let folder = ScratchFolder()
        let part = SampleBook.largePDFPart
        let data = try ZIPBuilder.data { try SampleBook.withLargePDF($0) }
        for isIndexed in [false, true] {
            let reader = try CountingReader(data)
            let archive = try await ZIPArchive.open(reader, checkpoints: FileCheckpointStore(folder: folder.url))
            let entry = try #require(archive.directory.entry(at: SampleBook.largePDF))
            #expect(entry.uncompressedSize == 180_000_000)
            let (requests, bytes) = (reader.requests.count, reader.bytes)
            let start = entry.uncompressedSize * 9 / 10 + 1_234_567
            let expected = (part + part)[(Int(start) % part.count)...].prefix(4_096)
            #expect(try await archive.read(entry, range: start..<start + 4_096) == expected)
            if isIndexed {
                #expect(reader.requests.count - requests <= 2)
                #expect(reader.bytes - bytes <= 1_153_434)
            } else {
                #expect(reader.bytes - bytes > entry.compressedSize * 8 / 10, "the way there was not known")
            }
            await archive.close()
        }
    }

    @Test(arguments: ["flipped", "cut", "empty", "longer", "of another format", "enormous"])
    func `that are damaged are removed, and the entry is read from its start`(how: String) async throws {
        let folder = ScratchFolder()
        let store = FileCheckpointStore(folder: folder.url)
        let (archive, entry, _) = try await openMixed(store: store)
        _ = try await archive.read(entry, range: wanted)
        await archive.close()
        let file = folder.url.appending(path: try #require(folder.names.first))
        let good = try Data(contentsOf: file)
        var bad = good
        switch how {
        case "flipped": bad[bad.count / 2] ^= 4
        case "cut": bad = bad.prefix(bad.count - 40_000)
        case "empty": bad = Data()
        case "longer": bad += [0]
        case "of another format": bad[7] = 1
        default: bad = Data(count: (20 << 20) + 1)
        }
        try bad.write(to: file)
        let (again, same, reader) = try await openMixed(store: store)
        #expect(try await again.read(same, range: wanted) == expected)
        #expect(reader.bytes > same.compressedSize / 2)
        await again.close()
        // Of the same places; the times at which the pieces come decide to the byte where they are.
        #expect(try Data(contentsOf: file) != bad)
        let (third, entryAgain, thirdReader) = try await openMixed(store: store)
        #expect(try await third.read(entryAgain, range: wanted) == expected)
        #expect(thirdReader.bytes <= 65_536 + 1_153_434)
    }

    @Test func `go when there are too many, those used longest ago first, and nothing else goes`() async throws {
        let folder = ScratchFolder()
        let store = FileCheckpointStore(folder: folder.url, capacity: 3_500)
        try folder.add("letter.txt", bytes: 9_000, age: 1_000_000)
        try folder.add(".old.carrel-part", age: 1_000_000)
        try folder.add(".new.carrel-part")
        for (index, key) in ["a", "b", "c"].enumerated() {
            try folder.add("\(key).checkpoints", bytes: 1_000, age: Double(100 - index))
        }
        #expect(await store.load("a")?.count == 1_000, "which makes it the one used last")
        await store.save(Data(count: 1_000), for: "d")
        #expect(folder.names == [".new.carrel-part", "a.checkpoints", "c.checkpoints", "d.checkpoints", "letter.txt"])
        await store.save(Data(count: 4_000), for: "e")
        #expect(await store.load("e") == nil)
        await store.remove("a")
        #expect(await store.load("a") == nil && folder.names.contains("c.checkpoints"))
    }

    @Test func `may be changed by many at once`() async throws {
        let folder = ScratchFolder()
        let store = FileCheckpointStore(folder: folder.url, capacity: 10_000)
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<40 {
                group.addTask {
                    await store.save(Data(count: 1_000), for: "key-\(index)")
                    if index % 4 == 0 { await store.remove("key-\(index)") }
                }
            }
        }
        #expect((1...10).contains(folder.names.count))
    }

    @Test(arguments: ["", "../a", "a/b", "a.b", "ä", String(repeating: "a", count: 200)])
    func `have names that lead nowhere else`(key: String) async throws {
        let folder = ScratchFolder()
        let store = FileCheckpointStore(folder: folder.url.appending(path: "inner"))
        await store.save(Data(count: 10), for: key)
        #expect(await store.load(key) == nil && folder.names.isEmpty)
    }

    @Test func `serve publications that are opened with them`() async throws {
        let book = EPUBFixture(
            items: #"<item id="c1" href="c1.xhtml" media-type="application/xhtml+xml"/><item id="p" href="p.pdf"/>"#)
        let provider = MemoryFileProvider()
        let path = try ProviderPath("book.epub")
        let data = try ZIPBuilder.data { zip in
            try zip.store("mimetype", Data("application/epub+zip".utf8))
            for (name, text) in book.allFiles { try zip.deflate(name, text) }
            try zip.deflate("OEBPS/c1.xhtml", "<html xmlns=\"http://www.w3.org/1999/xhtml\"/>")
            try zip.add("OEBPS/p.pdf", mixedContent)
        }
        _ = try await provider.writeContents(path: path, contents: data)
        let store = MemoryCheckpoints()
        var options = OpeningOptions()
        options.checkpoints = store
        for _ in 0..<2 {
            let publication = try await Publication.open(path: path, of: provider, options: options)
            #expect(try await publication.get("OEBPS/p.pdf").read(wanted) == expected)
            await publication.close()
            #expect(store.data.count == 1)
        }
        #expect(store.saves <= 2, "the second opening has nothing to add")
    }

    @Test func `that cannot be written or read change nothing else`() async throws {
        let folder = ScratchFolder()
        try folder.add("taken")
        let (archive, entry, _) = try await openMixed(
            store: FileCheckpointStore(folder: folder.url.appending(path: "taken/inner")))
        #expect(try await archive.read(entry, range: wanted) == expected)
        await archive.close()
    }
}

@Suite struct `What is kept of an entry` {
    /// The index of the mixed archive's large entry, and its key.
    private static func index() async throws -> (index: CheckpointIndex, key: String, entry: ZIPEntry) {
        let store = MemoryCheckpoints()
        let (archive, entry, _) = try await openMixed(store: store)
        _ = try await archive.read(entry, range: entry.uncompressedSize - 10..<entry.uncompressedSize)
        await archive.close()
        let (key, data) = try #require(store.data.first)
        return (try #require(CheckpointIndex(data, key: key, entry: entry)), key, entry)
    }

    @Test func `survives writing and reading, and is no other entry's`() async throws {
        let (index, key, entry) = try await Self.index()
        #expect(index.points.count >= 24 && index.points.count <= 40)
        let data = index.encoded(key: key, entry: entry)
        #expect(CheckpointIndex(data, key: key, entry: entry) == index)
        #expect(CheckpointIndex(data, key: key + "0", entry: entry) == nil)
        let (other, _, _) = try await openMixed()
        #expect(CheckpointIndex(data, key: key, entry: try #require(other.directory.entry(at: "small.txt"))) == nil)
    }

    @Test func `is refused after any change of a byte`() async throws {
        let (index, key, entry) = try await Self.index()
        var few = CheckpointIndex()
        few.append(try #require(index.points.first))
        let data = few.encoded(key: key, entry: entry)
        for offset in stride(from: 0, to: data.count, by: 7) {
            var bad = data
            bad[offset] ^= 0x10
            #expect(CheckpointIndex(bad, key: key, entry: entry) == nil)
            #expect(CheckpointIndex(data.prefix(offset), key: key, entry: entry) == nil)
        }
    }

    @Test func `makes no sense in another order or behind the end, and is refused`() async throws {
        let (index, key, entry) = try await Self.index()
        func refuses(_ points: [Checkpoint]) -> Bool {
            var bad = CheckpointIndex()
            for point in points { bad.append(point) }
            return CheckpointIndex(bad.encoded(key: key, entry: entry), key: key, entry: entry) == nil
        }
        let point = try #require(index.points.first)
        #expect(!refuses(index.points))
        #expect(refuses(index.points.reversed()))
        #expect(refuses([point, point]))
        #expect(refuses([point.with(compressed: entry.compressedSize)]))
        #expect(refuses([point.with(uncompressed: entry.uncompressedSize)]))
        #expect(refuses([point.with(bits: 8)]))
        #expect(refuses([point.with(bits: 2, pending: 4)]))
    }

    @Test func `is not used for a file that has changed`() async throws {
        let store = MemoryCheckpoints()
        let (archive, entry, _) = try await openMixed(store: store)
        _ = try await archive.read(entry, range: wanted)
        await archive.close()
        var changed = mixedContent
        changed[3_000_000] ^= 1
        let other = try ZIPBuilder.data { try $0.add("large.pdf", changed) }
        let (next, nextEntry, reader) = try await openMixed(other, store: store)
        #expect(try await next.read(nextEntry, range: wanted) == expected)
        #expect(reader.bytes > nextEntry.compressedSize / 2)
        await next.close()
        #expect(store.data.count == 2)
    }

    @Test func `has a key that tells versions, files and entries apart`() async throws {
        let (archive, entry, _) = try await openMixed()
        let small = try #require(archive.directory.entry(at: "small.txt"))
        let keys = [
            (entry, 100, "\"a\"", 1), (small, 100, "\"a\"", 1), (entry, 101, "\"a\"", 1), (entry, 100, "\"b\"", 1),
            (entry, 100, nil, 1),
            (entry, 100, "\"a\"", 2),
        ].map { entry, size, validator, sum in
            CheckpointKey.make(
                for: entry, in: FileReaderAttributes(size: size, validator: validator), directoryChecksum: sum)
        }
        #expect(Set(keys).count == keys.count)
        #expect(keys.allSatisfy { $0.utf8.count <= 128 })
    }

    /// What the store gave has the right checksum and leads into the middle of something: reading falls back to the
    /// start.
    @Test func `leads nowhere, and is forgotten`() async throws {
        let (index, key, entry) = try await Self.index()
        var wrong = CheckpointIndex()
        for point in index.points { wrong.append(point.with(compressed: point.compressed + 5)) }
        let store = MemoryCheckpoints()
        store.data = [key: wrong.encoded(key: key, entry: entry)]
        let (archive, same, _) = try await openMixed(store: store)
        #expect(try await archive.read(same, range: wanted) == expected)
        #expect(
            try await archive.read(same, range: wanted.lowerBound - 9 << 20..<wanted.lowerBound)
                == mixedContent[(11 << 20)..<(20 << 20)])
        await archive.close()
        #expect(store.data.isEmpty && store.removals == 1)
    }

    /// Both have the same name, sizes, claimed checksum and directory, so the store knows them by one key: one has
    /// other letters in the places of some, which packs to the same length.
    @Test func `of another file that has the same key gives none of its bytes`() async throws {
        var numbers = SeededNumbers(seed: 12)
        let lines = (0..<128).map { _ in Data((0..<64).map { _ in 0x60 + UInt8(numbers.next() % 16) }) }
        var content = Data()
        for _ in 0..<24_000 { content += lines[Int(numbers.next() % 128)] + numbers.bytes(60) }
        let other = Data(content.map { (0x60..<0x70).contains($0) ? $0 ^ 1 : $0 })
        let archives = try [content, other].map { content in
            try ZIPBuilder.data { zip in
                var options = ZIPBuilder.Options()
                options.claimedChecksum = 7
                options.hasFixedCodes = true
                try zip.add("large.pdf", content, options)
            }
        }
        try #require(archives[0].count == archives[1].count)
        let store = MemoryCheckpoints()
        let (first, entry, _) = try await openMixed(archives[0], store: store)
        let end = entry.uncompressedSize
        _ = try await first.read(entry, range: end - 10..<end)
        let location = try #require(first.checkpoints.last(upTo: end, of: entry)).uncompressed
        await first.close()
        #expect(store.data.count == 1)
        let (second, same, _) = try await openMixed(archives[1], store: store)
        let part = try await second.read(same, range: location..<location + 4_096)
        #expect(part == other[Int(location)..<Int(location) + 4_096])
        await second.close()
        // It had been found by the same key.
        #expect(store.removals == 1)
    }

    /// Pitfall 33: only reading the whole entry finds that it is not what it should be; what was kept until then goes.
    @Test func `goes when the whole entry turns out to be damaged`() async throws {
        let data = try ZIPBuilder.data { zip in
            var options = ZIPBuilder.Options()
            options.claimedChecksum = 1
            try zip.add("large.pdf", mixedContent, options)
        }
        let store = MemoryCheckpoints()
        let (archive, entry, _) = try await openMixed(data, store: store)
        #expect(try await archive.read(entry, range: wanted) == expected)
        #expect(archive.checkpoints.last(upTo: location, of: entry) != nil)
        let sink = ReluctantSink()
        await #expect(throws: CocoaError.self) { try await archive.stream(entry, into: sink) }
        #expect(archive.checkpoints.last(upTo: location, of: entry) == nil)
        #expect(try await archive.read(entry, range: wanted) == expected)
        await archive.close()
        #expect(store.data.isEmpty)
    }

    @Test func `takes no more than 16 MiB for all entries together`() async throws {
        let (archive, entry, _) = try await openMixed()
        var numbers = SeededNumbers(seed: 3)
        let window = numbers.bytes(32 << 10)
        for index in 1...2_000 {
            let offset = Int64(index) << 20
            archive.checkpoints.add(
                Checkpoint(compressed: offset, uncompressed: offset, pendingBits: 0, pending: 0, window: window),
                of: entry)
        }
        var count = 0
        var offset = Int64.max
        while let point = archive.checkpoints.last(upTo: offset, of: entry) {
            count += 1
            offset = point.uncompressed - 1
        }
        #expect((250...512).contains(count), "evenly thinned out, and no more than needed")
        #expect(try #require(archive.checkpoints.last(upTo: 1_000 << 20, of: entry)).uncompressed >= 992 << 20)
    }
}

extension Checkpoint {
    fileprivate func with(
        compressed: Int64? = nil, uncompressed: Int64? = nil, bits: UInt8? = nil, pending: UInt8? = nil
    ) -> Checkpoint {
        Checkpoint(
            compressed: compressed ?? self.compressed, uncompressed: uncompressed ?? self.uncompressed,
            pendingBits: bits ?? pendingBits,
            pending: pending ?? self.pending, window: window)
    }
}
