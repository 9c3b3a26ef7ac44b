import Archives
import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

@Suite struct ZIPAppenderTests {
    private let date = Date(timeIntervalSince1970: 1_767_225_600)
    private let name = "META-INF/license.lcpl"

    private static func ending(_ change: (inout ZIPBuilder.Ending) -> Void) -> ZIPBuilder.Ending {
        var ending = ZIPBuilder.Ending()
        change(&ending)
        return ending
    }

    /// Two entries, and what `more` adds behind them.
    private func archive(
        prefix: Data = Data(), ending: ZIPBuilder.Ending = ZIPBuilder.Ending(),
        _ more: (ZIPBuilder) throws -> Void = { _ in }
    ) throws -> Data {
        try ZIPBuilder.data(prefix: prefix, ending: ending) { zip in
            try zip.store("mimetype", Data("application/epub+zip".utf8))
            try zip.deflate("a.txt", "Call me Ishmael.")
            try more(zip)
        }
    }

    private func addition(_ content: String, to archive: Data) async throws -> ZIPAddition {
        let appender = try await ZIPAppender(try CountingReader(archive))
        return try await appender.adding(Data(content.utf8), at: name, date: date)
    }

    private func bytes(_ addition: ZIPAddition) async throws -> Data {
        let length = try #require(addition.length)
        let all = try await addition.bytes(from: 0).bytes(upTo: Int(length) + 1)
        #expect(Int64(all.count) == length)
        return all
    }

    private func content(of data: Data) async throws -> [String: String] {
        let archive = try await ZIPArchive.open(try CountingReader(data))
        var found: [String: String] = [:]
        for entry in archive.directory.entries {
            found[entry.path] = String(decoding: try await archive.read(entry), as: UTF8.self)
        }
        #expect(archive.directory.leftOut == 0)
        return found
    }

    private static let cases: [(String, Data, ZIPBuilder.Ending)] = [
        ("plain", Data(), ZIPBuilder.Ending()),
        ("bytes in front of the archive", Data(repeating: 0x2A, count: 5_000), ZIPBuilder.Ending()),
        ("a comment", Data(), ending { $0.comment = Array("A note of the binder".utf8) }),
        ("bytes behind the archive", Data(), ending { $0.trailing = [UInt8](repeating: 0, count: 3_000) }),
        ("ZIP64", Data(), ending { $0.isZIP64 = true }),
        (
            "ZIP64 behind other bytes", Data(repeating: 7, count: 777),
            ending { ($0.isZIP64, $0.comment) = (true, Array("AB".utf8)) }
        ),
    ]

    @Test(arguments: cases)
    func `an entry is added to`(what: String, prefix: Data, ending: ZIPBuilder.Ending) async throws {
        let old = try archive(prefix: prefix, ending: ending)
        let addition = try await addition("licence", to: old)
        let new = try await bytes(addition)
        #expect(
            try await content(of: new) == [
                "mimetype": "application/epub+zip", "a.txt": "Call me Ishmael.", name: "licence",
            ])
        // The old bytes are all accounted for: those that are kept, and those that are replaced.
        #expect(new.prefix(Int(addition.keptLength)) + addition.replaced == old)
        #expect(new.suffix(ending.comment.count) == Data(ending.comment))
    }

    @Test(.enabled(if: ZIPJudge.isAvailable, "Python is not installed"), arguments: cases)
    func `another program reads`(what: String, prefix: Data, ending: ZIPBuilder.Ending) async throws {
        let new = try await bytes(addition("licence", to: archive(prefix: prefix, ending: ending)))
        #expect(
            try ZIPJudge.report(on: new) == [
                "comment \(String(decoding: ending.comment, as: UTF8.self))", "mimetype 0 application/epub+zip",
                "a.txt 8 Call me Ishmael.", "\(name) 0 licence",
            ])
    }

    @Test func `an entry that is the last is replaced, and the file does not grow`() async throws {
        let once = try await bytes(addition("licence 1", to: archive()))
        let twice = try await bytes(addition("licence 2", to: once))
        #expect(twice.count == once.count && twice != once)
        #expect(try await content(of: twice)[name] == "licence 2")
        #expect(twice.range(of: Data("licence 1".utf8)) == nil)
        #expect(try await bytes(addition("licence 1", to: twice)) == once)
    }

    @Test func `all records of a name go, and entries behind it stay`() async throws {
        let old = try archive { zip in
            try zip.store(name, Data("licence 1".utf8))
            try zip.store(name, Data("licence 2".utf8))
            try zip.store("b.txt", Data("Some years ago".utf8))
        }
        let new = try await bytes(addition("licence 3", to: old))
        #expect(
            try await content(of: new) == [
                "mimetype": "application/epub+zip", "a.txt": "Call me Ishmael.", "b.txt": "Some years ago",
                name: "licence 3",
            ])
    }

    @Test func `a record that claims to begin inside another entry takes no bytes from it`() async throws {
        let text = String(repeating: "The sea, the sea. ", count: 50)
        let old = try archive { zip in
            try zip.store("b.txt", Data(text.utf8))
            var options = ZIPBuilder.Options()
            (options.method, options.claimedOffset) = (0, 400)
            try zip.add(name, Data("licence 1".utf8), options)
        }
        let addition = try await addition("licence 2", to: old)
        let new = try await bytes(addition)
        #expect(addition.keptLength > Int64(text.utf8.count))
        #expect(try await content(of: new)["b.txt"] == text)
    }

    @Test func `an archive without entries gets its first`() async throws {
        let new = try await bytes(addition("licence", to: try ZIPBuilder.data { _ in }))
        #expect(try await content(of: new) == [name: "licence"])
    }

    @Test func `more entries than the usual record counts need ZIP64`() async throws {
        let old = try ZIPBuilder.data { zip in for index in 0..<65_534 { try zip.store("\(index)", Data()) } }
        let full = try await bytes(addition("licence", to: old))
        #expect(full.range(of: Data([0x50, 0x4B, 6, 6])) != nil)
        let archive = try await ZIPArchive.open(try CountingReader(full))
        #expect(archive.directory.entries.count == 65_535)
    }

    /// The hole is between the last entry and the directory, and all offsets count it.
    @Test func `an offset over 4 GiB needs ZIP64`() async throws {
        let hole: Int64 = 5 << 30
        let plain = try archive(ending: Self.ending { $0.isZIP64 = true })
        let start = try #require(plain.range(of: Data([0x50, 0x4B, 1, 2]))?.lowerBound)
        let end = try #require(plain.range(of: Data([0x50, 0x4B, 6, 6]))?.lowerBound)
        var rest = Data(plain[start...])
        let offset = UInt64(start) + UInt64(hole)
        let field = end - start + 48
        withUnsafeBytes(of: offset.littleEndian) { rest.replaceSubrange(field..<field + 8, with: $0) }
        let parts = [SparseData(plain.prefix(start)), SparseData(hole: hole)]
        let appender = try await ZIPAppender(try CountingReader(SparseData.joined(parts + [SparseData(rest)])))
        let addition = try await appender.adding(Data("licence".utf8), at: name, date: date)
        #expect(addition.keptLength == Int64(offset))
        let tail = try await addition.bytes(from: addition.keptLength).bytes(upTo: 1 << 20)
        let archive = try await ZIPArchive.open(try CountingReader(SparseData.joined(parts + [SparseData(tail)])))
        for (path, text) in [("a.txt", "Call me Ishmael."), (name, "licence")] {
            let entry = try #require(archive.directory.entry(at: path))
            #expect(try await archive.read(entry) == Data(text.utf8), "\(path)")
        }
    }

    @Test func `any start gives the same bytes`() async throws {
        let addition = try await addition("licence", to: archive())
        let all = try await bytes(addition)
        for offset in 0...all.count {
            let rest = try await addition.bytes(from: Int64(offset)).bytes(upTo: all.count)
            #expect(rest == all.dropFirst(offset), "\(offset)")
        }
    }

    @Test func `one request finds the directory, and the archive is not held`() async throws {
        let old = try archive { try $0.store("b.bin", Data.patterned(3 << 20)) }
        let reader = try CountingReader(old)
        let addition = try await ZIPAppender(reader).adding(Data("licence".utf8), at: name, date: date)
        #expect(reader.requests.count == 1 && reader.bytes == ZIPArchive.tailLength)
        #expect(addition.replaced.count < 1_000)
    }

    @Test func `what is no archive is refused`() async throws {
        await #expect {
            _ = try await ZIPAppender(try CountingReader(Data("There is no archive here.".utf8)))
        } throws: {
            ($0 as? CocoaError)?.code == .fileReadCorruptFile
        }
    }
}
