import Foundation
import ProviderDoubles
import SampleBooks
import Testing

import MediaTags

struct XiphTests {
    private static let texts = [
        "title=A Recording", "ARTIST=Ann", "ARTIST=Bob", "CHAPTER002=00:01:02.500", "CHAPTER002NAME=Two",
        "CHAPTER001=00:00:00.000",
        "CHAPTER001NAME=One", "CHAPTER001URL=http://host.example/",
    ]

    struct Sample: Sendable, CustomTestStringConvertible {
        let name: String
        let data: Data
        var testDescription: String { name }
    }

    static let samples = [
        Sample(name: "FLAC", data: SampleSound.flac(texts)), Sample(name: "Vorbis", data: SampleSound.vorbis(texts)),
        Sample(name: "Opus", data: SampleSound.opus(texts)),
    ]

    @Test(arguments: samples) func `comments have tags and chapters`(_ sample: Sample) async throws {
        let found = try await MediaDescription.read(CountingReader(sample.data))
        #expect(found.tags == ["TITLE": ["A Recording"], "ARTIST": ["Ann", "Bob"]])
        #expect(found.chapters == [MediaChapter(start: 0, title: "One"), MediaChapter(start: 62.5, title: "Two")])
        #expect(found.duration == 10)
    }

    @Test func `a picture in a block lies in the file, one in a comment is decoded`() async throws {
        let flac = SampleSound.flac([])
        guard case .range(let range) = try await MediaDescription.read(CountingReader(flac)).cover?.content else {
            Issue.record("no cover")
            return
        }
        #expect(flac[Int(range.lowerBound)..<Int(range.upperBound)] == SampleSound.picture)
        let text = "METADATA_BLOCK_PICTURE=" + SampleSound.flacPicture.base64EncodedString()
        // Longer than a page.
        let filling = "COMMENT=" + String(repeating: "x", count: 65_000)
        for data in [SampleSound.vorbis([filling, text]), SampleSound.opus([filling, text])] {
            let cover = try await MediaDescription.read(CountingReader(data)).cover
            #expect(cover?.content == .bytes(SampleSound.picture) && cover?.mediaType == "image/png")
        }
    }

    @Test func `cue sheets inside are chapters, with titles and without`() async throws {
        let sheet =
            "FILE \"a.flac\" WAVE\n TRACK 01 AUDIO\n  TITLE \"One\"\n  INDEX 01 00:00:00\n TRACK 02 AUDIO\n  INDEX 01 00:05:00\n"
        let text = try await MediaDescription.read(CountingReader(SampleSound.flac(["CUESHEET=" + sheet])))
        #expect(text.chapters == [MediaChapter(start: 0, title: "One"), MediaChapter(start: 5, title: "2")])
        func track(_ start: Int, _ number: Int) -> Data {
            let points = number == 170 ? 0 : 1
            let head = SampleSound.joined(
                SampleSound.big(start, 8), SampleSound.big(number, 1), Data(count: 26), SampleSound.big(points, 1))
            return points == 0
                ? head : SampleSound.joined(head, SampleSound.big(0, 8), SampleSound.big(1, 1), Data(count: 3))
        }
        let block = SampleSound.joined(
            Data(count: 395), SampleSound.big(3, 1), track(0, 1), track(88_200, 2), track(441_000, 170))
        let bare = try await MediaDescription.read(CountingReader(SampleSound.flac([], blocks: [(5, block)])))
        #expect(bare.chapters.map(\.start) == [0, 2])
    }
}

struct CueSheetTests {
    @Test func `a sheet names files, tracks and people`() {
        let sheet = CueSheet(
            """
            \u{FEFF}REM GENRE Speech
            PERFORMER "Ann Author"
            TITLE "A Book"
            FILE "CD 1\\a.wav" WAVE
              TRACK 01 AUDIO
                TITLE "One"
                PERFORMER "Somebody"
                INDEX 00 00:00:00
                INDEX 01 00:02:00
              TRACK 02 AUDIO
                TITLE Two
                INDEX 01 100:30:15
            FILE b.mp3 MP3
              TRACK 03 AUDIO
                INDEX 01 00:00:00
                INDEX 02 00:09:00
            FILE empty.mp3 MP3
            """)
        #expect(
            sheet.title == "A Book" && sheet.performer == "Ann Author"
                && sheet.files.map(\.name) == ["CD 1\\a.wav", "b.mp3"])
        #expect(
            sheet.files[0].chapters == [
                MediaChapter(start: 2, title: "One"), MediaChapter(start: 6_030.2, title: "Two"),
            ])
        #expect(sheet.files[1].chapters == [MediaChapter(start: 0, title: "3")])
    }

    @Test(arguments: [
        "", "FILE", "TRACK 01 AUDIO\nINDEX 01 00:00:00", "FILE a MP3\nTRACK 1 AUDIO\nINDEX 01 1:99:00", "\"\"\" \"",
    ])
    func `what makes no sense has no tracks`(text: String) { #expect(CueSheet(text).files.isEmpty) }
}

struct ChunkTests {
    @Test func `WAV and AIFF say how long they are`() async throws {
        let format = SampleSound.joined(
            SampleSound.little(1, 2), SampleSound.little(2, 2), SampleSound.little(44_100, 4),
            SampleSound.little(1_000, 4), Data(count: 4))
        let title = SampleSound.joined(
            Data("INFOINAM".utf8), SampleSound.little(5, 4), Data("Lamp\0".utf8), Data(count: 1))
        var chunks = Data("WAVE".utf8)
        for (name, content) in [("fmt ", format), ("data", Data(count: 2_500)), ("LIST", title)] {
            chunks += SampleSound.joined(Data(name.utf8), SampleSound.little(content.count, 4), content)
        }
        let wav = SampleSound.joined(Data("RIFF".utf8), SampleSound.little(chunks.count, 4), chunks)
        let found = try await MediaDescription.read(CountingReader(wav))
        #expect(found.duration == 2.5 && found.tags == ["TITLE": ["Lamp"]])
        // 44,100 as 80 bits: 0x400E AC44 0000 0000 0000.
        let common = SampleSound.joined(
            SampleSound.big(2, 2), SampleSound.big(88_200, 4), SampleSound.big(16, 2), Data([0x40, 0x0E, 0xAC, 0x44]),
            Data(count: 6))
        let aiff = SampleSound.joined(
            Data("FORM".utf8), Data(count: 4), Data("AIFFCOMM".utf8), SampleSound.big(18, 4), common)
        #expect(try await MediaDescription.read(CountingReader(aiff)).duration == 2)
    }
}
