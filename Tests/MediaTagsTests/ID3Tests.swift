import Foundation
import ProviderDoubles
import SampleBooks
import Testing

import MediaTags

struct ID3Tests {
    private func read(_ data: Data) async throws -> MediaDescription {
        try await MediaDescription.read(CountingReader(data))
    }

    @Test(arguments: [3, 4]) func `texts, chapters and pictures are found`(version: Int) async throws {
        let tag = SampleSound.id3(
            SampleSound.frame("TIT2", text: "A Recording", version: version),
            SampleSound.frame("TPE1", text: "Ann\0Bob", version: version),
            SampleSound.frame("TXXX", Data([3]) + Data("narrator\0Ned".utf8), version: version),
            SampleSound.pictureFrame(version: version),
            SampleSound.chapterFrame("b", chapter: (61.5, "Two"), version: version),
            SampleSound.chapterFrame("a", chapter: (0, "One"), version: version), Data(count: 100), version: version)
        let data = SampleSound.mp3(tag)
        let found = try await read(data)
        #expect(found.tags == ["TITLE": ["A Recording"], "ARTIST": ["Ann", "Bob"], "NARRATOR": ["Ned"]])
        #expect(found.chapters == [MediaChapter(start: 0, title: "One"), MediaChapter(start: 61.5, title: "Two")])
        guard case .range(let range) = found.cover?.content else { Issue.record("no cover"); return }
        #expect(
            data[Int(range.lowerBound)..<Int(range.upperBound)] == SampleSound.picture
                && found.cover?.isFrontCover == true)
    }

    @Test func `a table of contents has the order and the parts`() async throws {
        let tag = SampleSound.id3(
            SampleSound.contentsFrame("toc", children: ["part", "c", "loop"], isTop: true),
            SampleSound.contentsFrame("part", children: ["b", "a", "toc"], title: "Part", isTop: false),
            SampleSound.contentsFrame("loop", children: ["loop", "part"], title: "Loop", isTop: false),
            SampleSound.chapterFrame("a", chapter: (0, "A")), SampleSound.chapterFrame("b", chapter: (1, "B")),
            SampleSound.chapterFrame("c", chapter: (2, "C")))
        let chapters = try await read(SampleSound.mp3(tag)).chapters
        #expect(
            chapters.map(\.title) == ["Part", "C"] && chapters[0].children.map(\.title) == ["B", "A"]
                && chapters[0].start == 1)
    }

    @Test func `version 2.2 and text in UTF-16 and Latin-1 are read`() async throws {
        let utf16: [UInt8] = [1, 0xFF, 0xFE, 0x5A, 0, 0xF6, 0]
        let tag = SampleSound.id3(
            SampleSound.frame("TT2", Data(utf16), version: 2),
            SampleSound.frame("TP1", Data([0, 0x5A, 0xF6]), version: 2), version: 2)
        #expect(try await read(SampleSound.mp3(tag)).tags == ["TITLE": ["Zö"], "ARTIST": ["Zö"]])
    }

    @Test func `values in UTF-16 without a mark have the byte order of the first one`() async throws {
        func little(_ text: String) -> Data {
            text.utf16.reduce(into: Data()) { $0 += [UInt8($1 & 0xFF), UInt8($1 >> 8)] }
        }
        let zero = Data([0, 0])
        let artists = SampleSound.joined(
            Data([1, 0xFF, 0xFE]), little("Änn"), zero, little("Bob"), zero, Data([0xFE, 0xFF, 0, 0x43]))
        let named = SampleSound.joined(Data([1, 0xFF, 0xFE]), little("Narrator"), zero, little("Ned"))
        let tag = SampleSound.id3(SampleSound.frame("TPE1", artists), SampleSound.frame("TXXX", named))
        #expect(try await read(SampleSound.mp3(tag)).tags == ["ARTIST": ["Änn", "Bob", "C"], "NARRATOR": ["Ned"]])
    }

    @Test(arguments: [
        ("2024", "0105", "2024-05-01"), ("2024", "3112", "2024-12-31"), ("2024", "", "2024"), ("2024", "0000", "2024"),
        ("2024", "1313", "2024"), ("2024", "1e05", "2024"), ("around 2024", "0105", "around 2024"),
    ])
    func `a year and a day of old tags are one date`(year: String, day: String, date: String) async throws {
        let tag = SampleSound.id3(SampleSound.frame("TDAT", text: day), SampleSound.frame("TYER", text: year))
        #expect(try await read(SampleSound.mp3(tag)).tags == ["DATE": [date]])
    }

    @Test func `comments of FLAC count before a tag in front of it`() async throws {
        let tag = SampleSound.id3(SampleSound.frame("TIT2", text: "Tag"), SampleSound.frame("TALB", text: "Album"))
        let found = try await read(SampleSound.joined(tag, SampleSound.flac(["TITLE=Comment"])))
        #expect(found.tags == ["TITLE": ["Comment"], "ALBUM": ["Album"]] && found.duration == 10)
    }

    @Test func `zeros that keep a tag from looking like sound are taken out`() async throws {
        let content = Data([0]) + Data("image/png".utf8) + [0, 3, 0, 0xFF, 0, 0xE0, 0xFF, 0, 0]
        let plain = Data([0]) + Data("image/png".utf8) + [0, 3, 0, 0xFF, 0xE0, 0xFF, 0]
        // In version 2.3 sizes count without the zeros, in 2.4 with them.
        let three = SampleSound.frame("APIC", plain).prefix(10) + content
        let four = SampleSound.frame("APIC", content, version: 4, flags: 2)
        for tag in [SampleSound.id3(Data(three), flags: 0x80), SampleSound.id3(four, version: 4, flags: 0x80)] {
            #expect(try await read(SampleSound.mp3(tag)).cover?.content == .bytes(Data([0xFF, 0xE0, 0xFF, 0])))
        }
    }

    @Test(arguments: [200, 300]) func `sizes that should have seven bits in a byte may have eight`(count: Int)
        async throws
    {
        let long = String(repeating: "x", count: count)
        let frames =
            SampleSound.frame("TIT2", text: long, version: 3) + SampleSound.frame("TPE1", text: "Ann", version: 4)
        let tag = SampleSound.id3(frames, version: 4)
        #expect(try await read(SampleSound.mp3(tag)).tags == ["TITLE": [long], "ARTIST": ["Ann"]])
    }

    @Test func `the length is that of the frames, or what the first one says`() async throws {
        let constant = try #require(try await read(SampleSound.mp3(frames: 400)).duration)
        #expect(abs(constant - 400 * 1_152 / 44_100) < 0.1)
        var varying = SampleSound.mp3(SampleSound.id3(SampleSound.frame("TIT2", text: "x")), frames: 40)
        let start = varying.count - 40 * 417 + 4 + 32
        varying.replaceSubrange(
            start..<start + 12, with: Data("Xing".utf8) + SampleSound.big(1, 4) + SampleSound.big(44_100, 4))
        #expect(try await read(varying).duration == 1_152)
    }

    @Test func `the oldest tag counts where there is no other`() async throws {
        func field(_ text: String, _ length: Int) -> Data {
            SampleSound.joined(Data(text.utf8), Data(count: length - text.utf8.count))
        }
        let fields = SampleSound.joined(
            field("A Recording", 30), field("Ann", 30), field("", 30), field("1999", 4), field("", 29))
        let old = SampleSound.joined(Data("TAG".utf8), fields, SampleSound.big(7, 1), SampleSound.big(0, 1))
        let found = try await read(SampleSound.joined(SampleSound.mp3(), old))
        #expect(found.tags == ["TITLE": ["A Recording"], "ARTIST": ["Ann"], "DATE": ["1999"], "TRACKNUMBER": ["7"]])
        let newer = SampleSound.id3(SampleSound.frame("TIT2", text: "x"))
        #expect(try await read(SampleSound.joined(SampleSound.mp3(newer), old)).tags == ["TITLE": ["x"]])
    }

    @Test func `frames of AAC tell how long the file is`() async throws {
        // 44.1 kHz, 64 bytes with the header, one block of 1,024 samples.
        let frame = SampleSound.joined(Data([0xFF, 0xF1, 0x50, 0x80, 0x08, 0x1F, 0xFC]), Data(count: 57))
        let data = (0..<1_000).reduce(into: Data()) { data, _ in data.append(frame) }
        let duration = try #require(try await read(data).duration)
        #expect(abs(duration - 1_000 * 1_024 / 44_100) < 0.01)
    }

    @Test func `pictures are not read`() async throws {
        let large = SampleSound.frame("APIC", Data([0]) + Data("image/png".utf8) + [0, 3, 0] + Data(count: 3_000_000))
        let data = SampleSound.mp3(SampleSound.id3(large, SampleSound.frame("TIT2", text: "x")), frames: 1_000)
        let reader = try CountingReader(data)
        let found = try await MediaDescription.read(reader)
        #expect(found.tags["TITLE"] == ["x"] && found.duration != nil && reader.trips <= 3 && reader.bytes <= 100_000)
    }
}
