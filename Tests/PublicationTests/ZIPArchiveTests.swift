import FileProviderCore
import Foundation
import ProviderDoubles
import Publication
import SampleBooks
import Testing

private let chapter = String(
    repeating: "The lamp hung on a brass arm that could be drawn down to a single page. ", count: 300)

/// An archive of `data` over a reader that counts.
private func open(_ data: Data, cost: Capabilities.ReadCost = .request) async throws -> (
    archive: ZIPArchive, reader: CountingReader
) {
    let reader = try CountingReader(data, cost: cost)
    return (try await ZIPArchive.open(reader), reader)
}

private func text(_ archive: ZIPArchive, _ path: String) async throws -> String {
    let entry = try #require(archive.directory.entry(at: path), "there is no \(path)")
    return String(decoding: try await archive.read(entry), as: UTF8.self)
}

private func ending(_ change: (inout ZIPBuilder.Ending) -> Void) -> ZIPBuilder.Ending {
    var ending = ZIPBuilder.Ending()
    change(&ending)
    return ending
}

@Suite struct `Finding the directory` {
    /// Pitfall 29: the end is searched backwards; comments, bytes in front and behind, ZIP64 at each place.
    @Test(arguments: [
        ("plain", Data(), ZIPBuilder.Ending()),
        ("bytes in front of the archive", Data(repeating: 0x2A, count: 5_000), ZIPBuilder.Ending()),
        ("a comment", Data(), ending { $0.comment = Array("A note of the binder".utf8) }),
        ("a comment of full length", Data(), ending { $0.comment = [UInt8](repeating: 0x20, count: 65_535) }),
        (
            "the signature in the comment", Data(),
            ending { $0.comment = Array("PK\u{5}\u{6} is what ends it, PK\u{5}\u{6}".utf8) }
        ),
        (
            "an empty end record in the comment", Data(),
            ending { $0.comment = [0x50, 0x4B, 5, 6] + [UInt8](repeating: 0, count: 18) }
        ),
        ("bytes behind the archive", Data(), ending { $0.trailing = [UInt8](repeating: 0, count: 3_000) }),
        (
            "bytes behind a commented archive", Data(repeating: 1, count: 9),
            ending { ($0.comment, $0.trailing) = ([0x41], [0x0A]) }
        ),
        ("ZIP64", Data(), ending { $0.isZIP64 = true }),
        (
            "ZIP64 behind other bytes", Data(repeating: 7, count: 777),
            ending { ($0.isZIP64, $0.comment) = (true, [0x41, 0x42]) }
        ),
        (
            "ZIP64 with a comment of full length", Data(),
            ending { ($0.isZIP64, $0.comment) = (true, [UInt8](repeating: 9, count: 65_535)) }
        ),
    ])
    func `works with`(what: String, prefix: Data, end: ZIPBuilder.Ending) async throws {
        let data = try ZIPBuilder.data(prefix: prefix, ending: end) { zip in
            try zip.deflate("a.txt", chapter)
            try zip.store("b.bin", Data([1, 2, 3]))
        }
        let (archive, reader) = try await open(data)
        #expect(archive.directory.entries.map(\.path) == ["a.txt", "b.bin"])
        #expect(try await text(archive, "a.txt") == chapter)
        #expect(reader.sizeRequests == 0)
    }

    @Test func `an archive without entries is one`() async throws {
        let (archive, _) = try await open(try ZIPBuilder.data { _ in })
        #expect(archive.directory.entries.isEmpty)
    }

    @Test(arguments: [
        ("nothing", Data(), CocoaError.Code.fileReadCorruptFile),
        ("text", Data("There is no archive here.".utf8), .fileReadCorruptFile),
        ("a lonely signature", Data("PK\u{5}\u{6}".utf8), .fileReadCorruptFile),
        ("zeros", Data(count: 300_000), .fileReadCorruptFile),
    ])
    func `what is no archive is refused`(what: String, data: Data, code: CocoaError.Code) async throws {
        #expect(await fileError { _ = try await open(data) } == code)
    }

    /// Pitfall 29: split archives, and ends that lie.
    @Test(arguments: [
        (ending { $0.disk = 1 }, CocoaError.Code.featureUnsupported),
        (ending { $0.claimedEntries = 7 }, .fileReadCorruptFile),
        (ending { $0.claimedDirectorySize = 4_000_000_000 }, .fileReadCorruptFile),
        (ending { $0.claimedDirectorySize = 20 }, .fileReadCorruptFile),
    ])
    func `an end that makes no sense is refused`(end: ZIPBuilder.Ending, code: CocoaError.Code) async throws {
        let data = try ZIPBuilder.data(ending: end) { try $0.deflate("a.txt", chapter) }
        #expect(await fileError { _ = try await open(data) } == code)
    }

    /// Pitfall 34: the count of entries and the size of the directory are bounded.
    @Test func `limits on entries and bytes hold`() async throws {
        let data = try ZIPBuilder.data { zip in for index in 0..<40 { try zip.store("\(index)", Data()) } }
        var few = ArchiveLimits()
        few.entries = 39
        var short = ArchiveLimits()
        short.directoryBytes = 1_000
        for limits in [few, short] {
            #expect(
                await fileError { _ = try await ZIPArchive.open(try CountingReader(data), limits: limits) }
                    == .fileReadTooLarge)
        }
    }

    @Test func `more entries than the usual record can count are read without ZIP64 as well`() async throws {
        let data = try ZIPBuilder.data { zip in for index in 0..<65_540 { try zip.store("\(index)", Data()) } }
        let (archive, _) = try await open(data)
        #expect(archive.directory.entries.count == 65_540)
    }
}

@Suite struct `Names of entries` {
    /// Pitfall 31: bit 11, code page 437, backslashes.
    @Test(arguments: [
        (Array("plain.txt".utf8), false, "plain.txt"),
        (Array("größe.txt".utf8), true, "größe.txt"),
        (Array("größe.txt".utf8), false, "größe.txt"),
        ([0x81, 0x62, 0x65, 0x72, 0x2E, 0xE1], false, "über.ß"),
        (Array("a\\b\\c.txt".utf8), true, "a/b/c.txt"),
        (Array("./a/./b".utf8), true, "a/b"),
        (Array(".//up".utf8), true, "up"),
        (Array("./\\.//up".utf8), true, "up"),
        (Array(".hidden/..two".utf8), true, ".hidden/..two"),
        (Array("100%.txt".utf8), true, "100%.txt"),
        (Array("/etc/passwd".utf8), true, "etc/passwd"),
        (Array("\\a\\b".utf8), true, "a/b"),
        (Array("/\u{301}etc".utf8), true, "\u{301}etc"),
    ])
    func `are read as`(bytes: [UInt8], isUTF8: Bool, expected: String) async throws {
        let (archive, _) = try await open(try archiveOfOne(bytes) { $0.isUTF8 = isUTF8 })
        #expect(archive.directory.entries.map(\.path) == [expected])
    }

    @Test(arguments: [
        "../secret", "a/../../secret", "//etc/passwd", "/../etc/passwd", "/C:/x", "/..", "/.", "..\\secret",
        "\\\\server\\share",
        "C:\\boot.ini", "c:/x", "..", "", "a\0b", "/",
        "a/..",
        "../\u{301}x", "//\u{301}etc", "./C:/x", ".//C:\\x", ".//", "././",
    ])
    func `that lead elsewhere are left out`(name: String) async throws {
        let (archive, _) = try await open(try archiveOfOne(Array(name.utf8)) { _ in })
        #expect(archive.directory.entries.isEmpty)
        #expect(archive.directory.leftOut == 1)
    }

    /// Pitfall 31: Info-ZIP's Unicode path.
    @Test func `come from Info-ZIP's Unicode field where it belongs to the name`() async throws {
        let raw: [UInt8] = [0x81, 0x2E, 0x74]
        for (checksum, expected) in [(Deflate.checksum(Data(raw)), "灯.t"), (0, "ü.t")] {
            let field = [1] + withUnsafeBytes(of: checksum.littleEndian) { Array($0) } + Array("灯.t".utf8)
            let data = try archiveOfOne(raw) { options in
                options.isUTF8 = false
                options.directoryExtra = [0x55, 0x54, 1, 0, 0, 0x75, 0x70, UInt8(field.count), 0] + field
            }
            #expect(try await open(data).archive.directory.entries.map(\.path) == [expected])
        }
    }

    @Test func `are found exactly first, then by Unicode normalisation`() async throws {
        let (composed, decomposed) = ("caf\u{E9}.txt", "cafe\u{301}.txt")
        let both = try ZIPBuilder.data { zip in
            try zip.deflate(composed, "one")
            try zip.deflate(decomposed, "two")
        }
        let (archive, _) = try await open(both)
        #expect(archive.directory.entries.count == 2)
        #expect(try await text(archive, composed) == "one")
        #expect(try await text(archive, decomposed) == "two")
        let (single, _) = try await open(try ZIPBuilder.data { try $0.deflate(decomposed, "two") })
        #expect(try await text(single, composed) == "two")
    }

    /// Pitfall 30: duplicates, and names that differ in case.
    @Test func `that come twice mean the first`() async throws {
        let data = try ZIPBuilder.data { zip in
            try zip.deflate("a", "first")
            try zip.deflate("a", "second")
            try zip.deflate("A", "other case")
        }
        let (archive, _) = try await open(data)
        #expect(archive.directory.entries.map(\.path) == ["a", "A"])
        #expect(try await text(archive, "a") == "first")
    }

    @Test func `of folders end with a slash`() async throws {
        let (archive, _) = try await open(try ZIPBuilder.data { try $0.store("folder/", Data()) })
        #expect(archive.directory.entries.map(\.isDirectory) == [true])
    }

    private func archiveOfOne(_ name: [UInt8], _ change: (inout ZIPBuilder.Options) -> Void) throws -> Data {
        try ZIPBuilder.data { zip in
            var options = ZIPBuilder.Options()
            options.nameBytes = name
            change(&options)
            try zip.add("", Data("content".utf8), options)
        }
    }
}
