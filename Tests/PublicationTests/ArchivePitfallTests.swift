import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

import Archives
import MediaTypes
@testable import Publication
import PublicationCache

private func options(_ change: (inout ZIPBuilder.Options) -> Void) -> ZIPBuilder.Options {
    var options = ZIPBuilder.Options()
    change(&options)
    return options
}

private func open(_ fill: (ZIPBuilder) throws -> Void) async throws -> ZIPArchive {
    try await ZIPArchive.open(try CountingReader(try ZIPBuilder.data(fill)))
}

private func content(_ archive: ZIPArchive, _ path: String, range: Range<Int64>? = nil) async throws -> Data {
    let entry: ArchiveEntry = try #require(archive.entry(at: path))
    return try await archive.read(entry, range: range)
}

private let text = String(repeating: "There was a second door behind the first, and it was warm. ", count: 100)

/// What ZIP archives are known to go wrong with; names and ends of archives have suites of their own.
@Suite struct `A ZIP archive` {
    /// Pitfall 18: ranges are half open and clamped; one byte can be read, and nothing behind the end is no error.
    @Test(arguments: [UInt16(0), 8])
    func `gives ranges, clamped`(method: UInt16) async throws {
        let archive = try await open { try $0.add("a", Data(text.utf8), options { $0.method = method }) }
        let length = Int64(text.utf8.count)
        #expect(try await content(archive, "a", range: 0..<1) == Data("T".utf8))
        #expect(try await content(archive, "a", range: length - 1..<length + 9) == Data(" ".utf8))
        #expect(try await content(archive, "a", range: length..<length + 9).isEmpty)
        #expect(try await content(archive, "a", range: 4..<4).isEmpty)
        #expect(try await content(archive, "a", range: -7..<5) == Data("There".utf8))
    }

    /// Pitfall 19: a size is a claim. One that is too large is an error at the end, and takes no memory before.
    @Test func `that claims a size it does not have is damaged there`() async throws {
        let archive = try await open { zip in
            try zip.add("large", Data(text.utf8), options { $0.claimedSize = 900_000 })
            try zip.add("small", Data(text.utf8), options { $0.claimedSize = 10 })
        }
        #expect(await fileError { _ = try await content(archive, "large") } == .fileReadCorruptFile)
        #expect(await fileError { _ = try await content(archive, "small") } == .fileReadCorruptFile)
        #expect(try await content(archive, "large", range: 0..<5) == Data("There".utf8))
    }

    /// Pitfall 28: the directory is believed. With bit 3 the local header has no sizes; its extra field is longer or
    /// shorter; and its name, method and sizes may be anything.
    @Test func `is read by its directory where local headers disagree`() async throws {
        var data = try ZIPBuilder.data { zip in
            try zip.add("streamed", Data(text.utf8), options { $0.hasDataDescriptor = true })
            try zip.add(
                "extra", Data(text.utf8),
                options { $0.localExtra = [0xFE, 0xCA, 0x90, 1] + [UInt8](repeating: 7, count: 400) })
            try zip.add("shorter", Data(text.utf8), options { $0.directoryExtra = [0xFE, 0xCA, 4, 0, 1, 2, 3, 4] })
            try zip.deflate("last", text)
        }
        let header = try await ZIPArchive.open(try CountingReader(data)).directory.entries[3].headerOffset
        let position = Int(header)
        // Method 99, other sizes, another checksum and another name.
        data[position + 8] = 99
        for index in 14..<26 { data[position + index] = 0xAB }
        data[position + 30] = UInt8(ascii: "X")
        let archive = try await ZIPArchive.open(try CountingReader(data))
        #expect(archive.entries.map(\.path) == ["streamed", "extra", "shorter", "last"])
        for entry in archive.entries {
            #expect(try await archive.read(entry, range: 6..<9) == Data("was".utf8))
            #expect(try await archive.read(entry) == Data(text.utf8))
        }
    }

    /// Pitfall 29: ZIP64 numbers are taken where the usual ones are saturated, and nowhere else.
    @Test func `takes ZIP64 numbers only where the usual ones are saturated`() async throws {
        let wrong: [UInt8] = [1, 0, 24, 0] + [UInt8](repeating: 0x77, count: 24)
        let archive = try await open { zip in
            try zip.add("usual", Data(text.utf8), options { $0.directoryExtra = wrong })
            try zip.add("64", Data(text.utf8), options { ($0.isZIP64, $0.hasDataDescriptor) = (true, true) })
            try zip.add(
                "cut", Data(text.utf8),
                options { ($0.claimedSize, $0.directoryExtra) = (.max, [1, 0, 4, 0, 0, 0, 0, 0]) })
        }
        for name in ["usual", "64"] { #expect(try await content(archive, name) == Data(text.utf8)) }
        #expect(await fileError { _ = try await content(archive, "cut") } == .fileReadCorruptFile)
    }

    /// Pitfall 29: parts of split archives are refused, also when damage would be looked past.
    @Test func `that is split is refused however it is opened`() async throws {
        var ending = ZIPBuilder.Ending()
        ending.disk = 3
        let data = try ZIPBuilder.data(ending: ending) { try $0.deflate("a", text) }
        for salvaging in [false, true] {
            let reader = try CountingReader(data)
            #expect(
                await fileError { _ = try await ZIPArchive.open(reader, salvaging: salvaging) } == .featureUnsupported)
        }
    }

    /// Pitfall 30: of one name the first entry counts; names that differ in case are two, and in normalisation as well.
    @Test func `with names that clash gives each of them its own`() async throws {
        let names = ["a.txt", "A.txt", "caf\u{E9}", "cafe\u{301}", "a.txt", "caf\u{E9}", "cafe\u{301}"]
        let archive = try await open { zip in
            for (index, name) in names.enumerated() { try zip.deflate(name, "\(index)") }
        }
        #expect(archive.entries.map { Array($0.path.utf8) } == names.prefix(4).map { Array($0.utf8) })
        for (index, name) in names.prefix(4).enumerated() {
            #expect(try await content(archive, name) == Data("\(index)".utf8))
        }
        #expect(archive.directory.leftOut == 3)
    }

    /// Pitfall 31: names in code page 437, in UTF-8 with and without its bit, in Info-ZIP's field, and with
    /// backslashes.
    @Test func `has names in each way of writing them`() async throws {
        let raw: [UInt8] = [0x81]
        let field = [1] + withUnsafeBytes(of: Deflate.checksum(Data(raw)).littleEndian) { Array($0) } + Array("灯".utf8)
        let archive = try await open { zip in
            try zip.add("", Data("437".utf8), options { ($0.nameBytes, $0.isUTF8) = ([0x9C, 0xE1], false) })
            try zip.add("größe", Data("bit".utf8), options { $0.isUTF8 = true })
            try zip.add("Größe", Data("no bit".utf8), options { $0.isUTF8 = false })
            try zip.add("b\\c", Data("slash".utf8))
            try zip.add(
                "", Data("field".utf8),
                options {
                    ($0.nameBytes, $0.isUTF8, $0.directoryExtra) = (
                        raw, false, [0x75, 0x70, UInt8(field.count), 0] + field
                    )
                })
        }
        #expect(archive.entries.map(\.path) == ["£ß", "größe", "Größe", "b/c", "灯"])
    }

    /// Pitfall 32: what is encrypted or packed in an unknown way fails alone, in the case that fits.
    @Test func `refuses encrypted and unknown entries one by one`() async throws {
        let archive = try await open { zip in
            try zip.add("encrypted", Data("x".utf8), options { $0.isEncrypted = true })
            for method in [1, 9, 12, 14, 93, 95, 98, 99] as [UInt16] {
                try zip.add("method \(method)", Data("x".utf8), options { $0.method = method })
            }
            try zip.deflate("good", "y")
        }
        let fetcher = ArchiveFetcher(archive)
        #expect(await failure(fetcher.get("encrypted")) == .forbidden)
        for entry in archive.entries where entry.path.hasPrefix("method") {
            #expect(await fileError { _ = try await archive.read(entry) } == .featureUnsupported)
            #expect(await failure(fetcher.get(HREF.encode(entry.path))) == .other)
        }
        #expect(try await fetcher.get("good").readAsString() == "y")
    }

    /// Pitfall 33: a checksum is that of the whole entry: a part is given without.
    @Test(arguments: [UInt16(0), 8])
    func `checks the checksum of whole entries`(method: UInt16) async throws {
        let archive = try await open { zip in
            try zip.add("a", Data(text.utf8), options { ($0.method, $0.claimedChecksum) = (method, 1) })
        }
        #expect(await fileError { _ = try await content(archive, "a") } == .fileReadCorruptFile)
        #expect(try await content(archive, "a", range: 0..<5) == Data("There".utf8))
    }

    /// Writers that only flush what they pack leave out the final block.
    @Test(arguments: [0, 3, 65_536, 400_000])
    func `whose deflate data has no final block is read, as far as size and checksum are right`(count: Int) async throws
    {
        var numbers = SeededNumbers(seed: 7)
        let bytes = Data(numbers.bytes(count))
        func open(_ change: (inout ZIPBuilder.Options) -> Void = { _ in }) async throws -> ZIPArchive {
            let data = try ZIPBuilder.data { zip in
                var unended = options { $0.lacksFinalBlock = true }
                change(&unended)
                try zip.add("a", bytes, unended)
                try zip.deflate("b", text)
            }
            return try await ZIPArchive.open(try CountingReader(data))
        }
        let archive = try await open()
        #expect(try await content(archive, "a") == bytes)
        #expect(try await content(archive, "b") == Data(text.utf8))
        guard count > 0 else { return }
        #expect(try await content(archive, "a", range: 1..<3) == bytes[1..<3])
        for change: (inout ZIPBuilder.Options) -> Void in [
            { $0.claimedChecksum = 1 }, { $0.claimedSize = UInt32(count) + 1 }, { $0.claimedSize = UInt32(count) - 1 },
        ] {
            let wrong = try await open(change)
            #expect(await fileError { _ = try await content(wrong, "a") } == .fileReadCorruptFile)
        }
    }

    /// Pitfall 34: bombs. Entries that share their data, or lie in each other, are refused but for one.
    @Test func `whose entries overlap gives each byte to one of them`() async throws {
        let inner = try ZIPBuilder.data { try $0.store("kernel", Data(text.utf8)) }
        let data = try ZIPBuilder.data { zip in
            try zip.store("outer", inner)
            // The local header inside the first entry's data, 35 bytes behind its start.
            try zip.add("inside", Data(), options { $0.claimedOffset = 35 })
            try zip.add("same", Data(), options { $0.claimedOffset = 0 })
        }
        let archive = try await ZIPArchive.open(try CountingReader(data))
        var failures = 0
        for entry in archive.entries
        where await fileError({ _ = try await archive.read(entry) }) == .fileReadCorruptFile { failures += 1 }
        #expect(failures >= 2)
    }

    /// Pitfall 34: an archive in an archive, or one that unpacks to itself, is a file like others: nothing is unpacked
    /// unasked.
    @Test func `in an archive is a file like others`() async throws {
        var data = try ZIPBuilder.data { try $0.deflate("a", text) }
        for depth in 0..<6 {
            let inner = data
            data = try ZIPBuilder.data { try $0.store("\(depth).zip", inner) }
        }
        let archive = try await ZIPArchive.open(try CountingReader(data))
        #expect(archive.entries.map(\.path) == ["5.zip"])
        #expect(archive.directory.prefixLength == 0)
    }

    @Test func `refuses an entry of another archive, and passes it over where it is only a hint`() async throws {
        let small = try await open { try $0.store("a", Data("small".utf8)) }
        let large = try await open { zip in
            try zip.store("b", Data("other".utf8))
            try zip.deflate("c", text)
        }
        for entry in large.entries {
            #expect(await fileError { _ = try await small.read(entry) } == .fileReadNoSuchFile)
        }
        try await small.prefetch(large.entries + small.entries)
        #expect(try await content(small, "a") == Data("small".utf8))
    }

    @Test func `has entries without bytes, in each way of writing them`() async throws {
        let archive = try await open { zip in
            try zip.store("stored", Data())
            try zip.deflate("deflated", "")
            try zip.add("streamed", Data(), options { $0.hasDataDescriptor = true })
            try zip.add("wrong", Data(), options { ($0.method, $0.claimedChecksum) = (0, 5) })
        }
        for name in ["stored", "deflated", "streamed"] { #expect(try await content(archive, name).isEmpty) }
        #expect(await fileError { _ = try await content(archive, "wrong") } == .fileReadCorruptFile)
    }
}
