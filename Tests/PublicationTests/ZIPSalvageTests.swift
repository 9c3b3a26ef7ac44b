import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

@testable import Archives
import MediaTypes
import Publication
import PublicationCache

private let chapter = String(repeating: "Nobody had wound the clock since the ferry stopped. ", count: 200)

private func noise(_ count: Int, seed: UInt64 = 5) -> Data {
    var numbers = SeededNumbers(seed: seed)
    return numbers.bytes(count)
}

private func options(_ change: (inout ZIPBuilder.Options) -> Void) -> ZIPBuilder.Options {
    var options = ZIPBuilder.Options()
    change(&options)
    return options
}

private func salvage(
    _ data: Data, limits: ArchiveLimits = .standard
) async throws -> (archive: ZIPArchive, reader: CountingReader) {
    let reader = try CountingReader(data)
    return (try await ZIPArchive.open(reader, limits: limits, salvaging: true), reader)
}

/// Where the directory of an archive without a comment starts.
private func directoryStart(_ data: Data) -> Int {
    data.suffix(22).withUnsafeBytes { Int($0.u32(16)) }
}

@Suite struct `Salvaging an archive` {
    /// Entries of each kind: stored and deflated, with sizes in front of the data and behind it.
    private func sample() throws -> Data {
        try ZIPBuilder.data { zip in
            try zip.store("mimetype", Data("application/epub+zip".utf8))
            try zip.deflate("a.xhtml", chapter)
            try zip.add("streamed.xhtml", Data(chapter.utf8), options { $0.hasDataDescriptor = true })
            try zip.add("streamed.bin", noise(3_000), options { ($0.hasDataDescriptor, $0.method) = (true, 0) })
            try zip.store("empty", Data())
            try zip.add("empty streamed", Data(), options { $0.hasDataDescriptor = true })
            try zip.store("last.bin", noise(5_000))
        }
    }

    private let names = [
        "mimetype", "a.xhtml", "streamed.xhtml", "streamed.bin", "empty", "empty streamed", "last.bin",
    ]

    @Test func `looks where numbers end without running over them`() async throws {
        let reader = CachedFileReader(try CountingReader(noise(100)))
        var window = SalvageWindow(reader: reader, size: .max, budget: .max)
        let bytes = try? await window.bytes(from: Int64.max - 10, atLeast: 100)
        #expect(bytes == nil)
        var ahead = ReadAhead(cost: .request, capacity: 4 << 20)
        let (first, second) = (Int64.max - 100..<Int64.max - 60, Int64.max - 60..<Int64.max - 20)
        let asked = [ahead.extend(first, to: .max, isHeld: false), ahead.extend(second, to: .max, isHeld: false)]
        #expect(asked == [first, second.lowerBound..<Int64.max])
    }

    @Test func `without its directory gives all entries, and says so once`() async throws {
        let whole = try sample()
        let data = whole.prefix(directoryStart(whole))
        #expect(
            await fileError { _ = try await ZIPArchive.open(try CountingReader(Data(data))) } == .fileReadCorruptFile)
        let (archive, _) = try await salvage(Data(data))
        #expect(archive.entries.map(\.path) == names)
        #expect(archive.repairs.count == 1)
        #expect(archive.repairs[0].contains("7 complete entries were found without it."))
        let good = try await ZIPArchive.open(try CountingReader(whole))
        #expect(good.repairs.isEmpty)
        for entry in good.entries {
            let found = try #require(archive.entry(at: entry.path))
            #expect(found == entry)
            #expect(try await archive.read(found) == good.read(entry))
            #expect(try await archive.read(found, range: 3..<40) == good.read(entry, range: 3..<40))
        }
    }

    @Test func `cut off anywhere gives the entries that are complete`() async throws {
        let whole = try sample()
        let good = try await ZIPArchive.open(try CountingReader(whole))
        // An entry is there once the next header, or the directory, starts; one with known sizes as soon as its data
        // is.
        let starts = good.directory.entries.map { Int($0.headerOffset) } + [directoryStart(whole)]
        var seen: Set<Int> = []
        for length in stride(from: 30, to: whole.count - 1, by: 37) {
            let reader = try CountingReader(whole.prefix(length))
            let complete = starts.dropFirst().count { $0 <= length }
            guard let archive = try? await ZIPArchive.open(reader, salvaging: true) else {
                #expect(complete == 0, "\(length)")
                continue
            }
            seen.insert(archive.entries.count)
            #expect(archive.entries.map(\.path) == Array(names.prefix(archive.entries.count)))
            #expect(archive.entries.count >= complete)
            for entry in archive.entries { #expect(try await Int64(archive.read(entry).count) == entry.length) }
        }
        #expect(seen.count == names.count)
    }

    @Test func `with a directory that was written over works as well`() async throws {
        var data = try sample()
        let start = directoryStart(data)
        for index in start + 50..<start + 90 { data[index] = 0xEE }
        let (archive, _) = try await salvage(data)
        #expect(archive.entries.map(\.path) == names)
        #expect(archive.repairs.count == 1)
    }

    @Test func `takes descriptors of each form`() async throws {
        for (is64, isSigned) in [(false, false), (true, true), (true, false)] {
            var data = Data()
            for (index, content) in [noise(500), noise(70_000, seed: 8)].enumerated() {
                data.append(
                    contentsOf: [0x50, 0x4B, 3, 4, 45, 0, 8, 0, 0, 0] + [UInt8](repeating: 0, count: 16) + [1, 0, 0, 0])
                data.append(UInt8(ascii: "a") + UInt8(index))
                data += content
                func add(_ value: some FixedWidthInteger) {
                    withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
                }
                if isSigned { add(ZIPRecord.dataDescriptor) }
                add(Deflate.checksum(content))
                for _ in 0..<2 { if is64 { add(UInt64(content.count)) } else { add(UInt32(content.count)) } }
            }
            // The directory begins, and is cut off.
            data.append(contentsOf: [0x50, 0x4B, 1, 2, 20, 3])
            let (archive, _) = try await salvage(data)
            #expect(archive.entries.map(\.length) == [500, 70_000], "64 bits: \(is64), signature: \(isSigned)")
            for entry in archive.entries { #expect(try await archive.read(entry).count == Int(entry.length)) }
        }
    }

    /// Pitfall 34: nested archives. What lies in a stored archive stays in it, also while its own end is looked for.
    @Test func `does not take what is in an archive that lies in it`() async throws {
        let inner = try sample()
        let whole = try ZIPBuilder.data { zip in
            try zip.add("inner.zip", inner, options { ($0.hasDataDescriptor, $0.method) = (true, 0) })
            try zip.store("known.zip", inner)
            try zip.deflate("a", chapter)
        }
        // A long way behind the inner archive's end, so that the end is not taken for the outer one's.
        let data = whole.prefix(directoryStart(whole)) + Data(count: 200_000)
        let (archive, _) = try await salvage(data)
        #expect(archive.entries.map(\.path) == ["inner.zip", "known.zip", "a"])
        #expect(try await archive.read(archive.entries[0]) == inner)
    }

    @Test func `lets later entries replace earlier ones`() async throws {
        let whole = try ZIPBuilder.data { zip in
            try zip.deflate("a", "old")
            try zip.deflate("b", "b")
            try zip.deflate("a", "new")
            try zip.deflate("../out", "x")
        }
        let (archive, _) = try await salvage(whole.prefix(directoryStart(whole)))
        #expect(archive.entries.map(\.path) == ["b", "a"])
        #expect(try await archive.read(archive.entries[1]) == Data("new".utf8))
        #expect(archive.directory.leftOut == 1)
    }

    @Test func `goes on behind an entry whose size is wrong`() async throws {
        var data = try ZIPBuilder.data { zip in
            try zip.store("wrong", noise(400))
            try zip.store("right", noise(2_000))
            try zip.store("last", Data("end".utf8))
        }
        data = data.prefix(directoryStart(data))
        // The compressed size of the first entry becomes 1,000 bytes.
        (data[18], data[19]) = (0xE8, 0x03)
        let (archive, _) = try await salvage(data)
        #expect(archive.entries.map(\.path) == ["right", "last"])
    }

    @Test func `keeps what cannot be read as it is: that fails alone`() async throws {
        let whole = try ZIPBuilder.data { zip in
            try zip.add("locked", Data("x".utf8), options { $0.isEncrypted = true })
            try zip.add("strange", Data("x".utf8), options { $0.method = 14 })
            try zip.deflate("plain", "x")
        }
        let (archive, _) = try await salvage(whole.prefix(directoryStart(whole)))
        var codes: [CocoaError.Code?] = []
        for entry in archive.entries { codes.append(await fileError { _ = try await archive.read(entry) }) }
        #expect(codes == [.fileReadNoPermission, .featureUnsupported, nil])
    }

    @Test(arguments: [
        ("nothing", Data()), ("text", Data(String(repeating: "PK is not enough. ", count: 9_000).utf8)),
        ("zeros", Data(count: 300_000)),
        ("a header far behind the start", Data(count: 20_000) + Data([0x50, 0x4B, 3, 4]) + Data(count: 400_000)),
    ])
    func `is not tried for what is no archive`(what: String, data: Data) async throws {
        let reader = try CountingReader(data)
        #expect(await fileError { _ = try await ZIPArchive.open(reader, salvaging: true) } == .fileReadCorruptFile)
        #expect(reader.bytes <= 2 * ZIPArchive.tailLength + ZIPSalvage.headLength + 70_000)
    }

    /// Pitfall 29: parts of split archives are refused, the first one by its mark.
    @Test func `refuses the first part of a split archive`() async throws {
        let data = Data([0x50, 0x4B, 7, 8]) + (try sample()).prefix(3_000)
        #expect(await fileError { _ = try await salvage(data) } == .featureUnsupported)
    }

    @Test func `costs the headers where sizes are known, and never more than its limit`() async throws {
        let whole = try ZIPBuilder.data { zip in
            for index in 0..<8 { try zip.store("\(index).mp3", noise(400_000, seed: UInt64(index))) }
        }
        let data = whole.prefix(directoryStart(whole))
        let (archive, reader) = try await salvage(data)
        #expect(archive.entries.count == 8)
        // Two looks at the end, the start, and 16 KiB for each header.
        let most: Int64 = 450_000
        #expect(reader.bytes < most)
        var limits = ArchiveLimits()
        limits.salvage = 64 << 10
        #expect(await fileError { _ = try await salvage(data, limits: limits) } == .fileReadCorruptFile)
        limits.salvage = 0
        #expect(await fileError { _ = try await salvage(data, limits: limits) } == .fileReadCorruptFile)
        limits = ArchiveLimits()
        limits.entries = 7
        #expect(await fileError { _ = try await salvage(data, limits: limits) } == .fileReadTooLarge)
    }

    @Test func `of thousands of damaged archives neither crashes nor hangs`() async throws {
        let whole = try sample()
        let start = directoryStart(whole)
        var numbers = SeededNumbers(seed: 23)
        var found = 0
        for round in 0..<2_000 {
            var data = whole.prefix(start - Int(numbers.next() % 300))
            for _ in 0...(round % 5) {
                data[Int(numbers.next() % UInt64(data.count))] =
                    [0, 0xFF, UInt8(truncatingIfNeeded: numbers.next())][Int(numbers.next() % 3)]
            }
            guard let archive = try? await salvage(Data(data)).archive else { continue }
            for entry in archive.entries {
                found += 1
                _ = try? await archive.read(entry)
                _ = try? await archive.read(entry, range: 10..<500)
            }
        }
        #expect(found > 5_000)
    }

    @Test func `a book that was cut off opens, with a warning`() async throws {
        let whole = try SampleBook.small(.epub3)
        let shelf = try await MemoryShelf([
            "/cut.epub": whole.prefix(directoryStart(whole) + 10), "/cut.bin": whole.prefix(directoryStart(whole)),
        ])
        for name in ["/cut.epub", "/cut.bin"] {
            let book = try await Publication.open(path: ProviderPath(name), of: shelf.provider)
            #expect(book.mediaType == .epub)
            #expect(book.warnings.map(\.tag).contains("repaired-archive"))
            for link in book.manifest.readingOrder { #expect(try await book.get(link).read().count > 0) }
        }
        #expect(try await MediaType.sniff(path: ProviderPath("/cut.bin"), of: shelf.provider)?.mediaType == .epub)
    }
}
