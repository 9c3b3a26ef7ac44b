import FileProviderCore
import Foundation
import LocalFileProvider
import MemoryFileProvider
import ProviderDoubles
import SampleBooks
import Testing

@testable import Archives
import MediaTypes
import Publication
import PublicationCache

/// What is told of an archive that was opened all the same.
@Suite struct `Of an archive it is told` {
    private func warnings(
        prefix: Data = Data(), ending: ZIPBuilder.Ending = .init(), _ names: [String]
    ) async throws -> [ContentWarning] {
        let data = try ZIPBuilder.data(prefix: prefix, ending: ending) { zip in
            for name in names { try zip.deflate(name, "x") }
        }
        return try await ZIPArchive.open(try CountingReader(data)).warnings
    }

    @Test func `that names which may lead out of it were left out`() async throws {
        let one = "“../x” in the archive is an unsafe or empty name; the entry was left out."
        #expect(
            try await warnings(["a", "../x"]) == [ContentWarning("unsafe-entry", severity: .moderate, message: one)])
        let many =
            "“//host/x” and 2 more in the archive are unsafe or empty names; the entries were left out."
        let expected = [ContentWarning("unsafe-entry", severity: .moderate, message: many)]
        #expect(try await warnings(["//host/x", "C:\\x", "a", "b/../../c"]) == expected)
    }

    @Test func `that names began with a slash`() async throws {
        let one = "“/a” in the archive begins with a slash; it was read as a name below the archive's root."
        #expect(try await warnings(["/a", "b"]) == [ContentWarning("rooted-entry", severity: .minor, message: one)])
        let many =
            "“/a” and 1 more in the archive begin with a slash; they were read as names below the archive's root."
        #expect(try await warnings(["/a", "\\b"]) == [ContentWarning("rooted-entry", severity: .minor, message: many)])
    }

    @Test func `that repeated files were left out, and nothing of folders and the root`() async throws {
        let one = "“a” is in the archive more than once; the first entry was used."
        #expect(
            try await warnings(["a", "b", "a"]) == [ContentWarning("repeated-entry", severity: .moderate, message: one)]
        )
        let many = "“a” and 1 more are in the archive more than once; the first entry of each name was used."
        #expect(
            try await warnings(["a", "b", "a", "b"]) == [
                ContentWarning("repeated-entry", severity: .moderate, message: many)
            ])
        #expect(try await warnings(["./", "a/", "a/b", "a/"]).isEmpty)
    }

    @Test func `that there are bytes in front of it and behind it`() async throws {
        var ending = ZIPBuilder.Ending()
        ending.comment = Array("a comment".utf8)
        #expect(try await warnings(ending: ending, ["a"]).isEmpty)
        ending.trailing = [0x0A]
        let expected = [
            ContentWarning(
                "bytes-before-archive", severity: .minor,
                message: "300 bytes in front of the archive are no part of it; they were ignored."),
            ContentWarning(
                "bytes-behind-archive", severity: .minor,
                message: "One byte behind the archive is no part of it; it was ignored."),
        ]
        #expect(try await warnings(prefix: Data(count: 300), ending: ending, ["a"]) == expected)
    }

    @Test func `that bytes are in front of it, too, where offsets count them`() async throws {
        // What is written first is taken out of the directory, so the next entry is the first one.
        let data = try ZIPBuilder.data { zip in
            try zip.store("b", Data("hidden".utf8))
            try zip.store("a", Data("x".utf8))
        }
        let header = ZIPRecord.directoryHeaderLength + 1
        let first = try #require(data.range(of: Data([0x50, 0x4B, 1, 2])))
        var end = Data(data.suffix(ZIPRecord.directoryEndLength))
        for (offset, value) in [(8, UInt8(1)), (10, 1), (12, UInt8(header))] { end[end.startIndex + offset] = value }
        let changed = data[..<first.lowerBound] + data[(first.lowerBound + header)...].dropLast(end.count) + end
        let archive = try await ZIPArchive.open(try CountingReader(Data(changed)))
        #expect(archive.entries.map(\.path) == ["a"] && archive.directory.prefixLength == 0)
        #expect(
            archive.warnings.map(\.message) == [
                "37 bytes in front of the archive are no part of it; they were ignored."
            ])
    }

    @Test func `all of it at no further request, and once however much there is`() async throws {
        func cost(_ spoil: Bool) async throws -> (Int, [ContentWarning]) {
            let data = try ZIPBuilder.data { zip in
                for index in 0..<3_000 { try zip.store(spoil ? "../\(index % 1_000)" : "\(index)", Data()) }
                for index in 0..<300 { try zip.store(spoil ? "same" : "same \(index)", Data()) }
            }
            let reader = try CountingReader(data)
            let warnings = try await ZIPArchive.open(reader).warnings
            return (reader.requests.count, warnings)
        }
        let (plain, none) = try await cost(false)
        let (spoilt, some) = try await cost(true)
        #expect(spoilt <= plain && none.isEmpty && some.map(\.tag) == ["unsafe-entry", "repeated-entry"])
        #expect(some[0].message.contains("“../0” and 2999 more") && some[1].message.contains("“same” and 298 more"))
    }

    @Test func `when it was put together without its directory, too`() async throws {
        let data = try ZIPBuilder.data { zip in for name in ["../x", "a", "b"] { try zip.deflate(name, "some text") } }
        let end = try #require(data.range(of: Data([0x50, 0x4B, 1, 2])))
        let archive = try await ZIPArchive.open(try CountingReader(Data(data[..<end.lowerBound])), salvaging: true)
        #expect(archive.warnings.map(\.tag) == ["repaired-archive", "unsafe-entry"])
    }

    @Test func `to who opens the book, without what controls the line`() async throws {
        let book = try await Shelf().open("b.cbz", [("1.png", "x"), ("../a\u{1B}[2J\u{2028}\u{202E}b", "x")])
        let problem = "in the archive is an unsafe or empty name; the entry was left out."
        let message = "“../a\u{FFFD}[2J\u{FFFD}\u{FFFD}b” \(problem)"
        #expect(book.warnings == [ContentWarning("unsafe-entry", severity: .moderate, message: message)])
    }

    @Test func `that links in an unpacked book were left out`() async throws {
        let folder = try TemporaryFolder()
        try Data("x".utf8).write(to: folder.url.appending(path: "1.png"))
        try FileManager.default.createSymbolicLink(
            at: folder.url.appending(path: "2.png"), withDestinationURL: URL(filePath: "/etc/passwd"))
        let provider = try LocalFileProvider(root: folder.url)
        let archive = try await FolderArchive.open(provider, path: .root)
        let message = "“/2.png” is a link or a device, not a file; it was left out."
        #expect(archive.warnings == [ContentWarning("special-entry", severity: .moderate, message: message)])
        #expect(archive.entries.map(\.path) == ["1.png"])
    }

    #if Formats
        @Test func `the same where it is no ZIP archive`() async throws {
            typealias File = PackedBuilder.File
            let files = [
                File("./", Data(), type: S_IFDIR), File("a", "1"), File("../out", "x"), File("a", "2"),
                File("f", Data(), type: S_IFDIR),
                File("f", Data(), type: S_IFDIR), File("link", Data(), type: S_IFLNK),
            ]
            let archive = try await PackedArchive.open(try CountingReader(PackedBuilder.data(.tar, files)))
            let expected = [
                ContentWarning(
                    "unsafe-entry", severity: .moderate,
                    message:
                        "“../out” in the archive is an unsafe or empty name; the entry was left out."
                ),
                ContentWarning(
                    "repeated-entry", severity: .moderate,
                    message: "“a” is in the archive more than once; the first entry was used."),
                ContentWarning(
                    "special-entry", severity: .moderate,
                    message: "“link” is a link or a device, not a file; it was left out."),
            ]
            #expect(archive.warnings == expected)
            #expect(
                try await PackedArchive.open(try CountingReader(PackedBuilder.data(.sevenZip, [File("a", "1")])))
                    .warnings.isEmpty)
        }
    #endif
}
