import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

import MediaTags

struct MP4Tests {
    private let expected = [
        MediaChapter(start: 0, title: "Opening"), MediaChapter(start: 60, title: "Zwölf"),
        MediaChapter(start: 300.5, title: "End"),
    ]

    @Test(arguments: [0, 1]) func `chapters of a list have starts and titles`(version: Int) async throws {
        var file = SampleSound.MP4()
        file.chapters = .list(version: version)
        for isLast in [false, true] {
            file.isMovieLast = isLast
            let found = try await MediaDescription.read(CountingReader(file.bytes))
            #expect(found.chapters == expected && found.duration == 600)
            #expect(found.tags["TITLE"] == ["A Recording"] && found.tags["ARTIST"] == ["Ann Author"])
            #expect(found.tags["ALBUM"] == ["An Album"] && found.tags["NARRATOR"] == ["Ned Narrator"])
        }
    }

    @Test(arguments: [(false, false), (false, true), (true, false), (true, true)])
    func `chapters of a text track have starts and titles`(isLast: Bool, hasLongOffsets: Bool) async throws {
        var file = SampleSound.MP4()
        file.chapters = .track(gap: 0)
        (file.isMovieLast, file.hasLongOffsets) = (isLast, hasLongOffsets)
        #expect(try await MediaDescription.read(CountingReader(file.bytes)).chapters == expected)
    }

    /// The product's promise: six requests and 1 MiB, wherever the description is and however large its tables are.
    @Test(arguments: [false, true], [0, 1]) func `half a gigabyte costs six requests and a megabyte`(
        isLast: Bool, version: Int
    )
        async throws
    {
        var file = SampleSound.MP4()
        (file.isMovieLast, file.chapters) = (isLast, .list(version: version))
        file.list = (0..<100).map {
            (Double($0) * 360, "Chapter \($0 + 1), in which something happens that takes many words")
        }
        (file.duration, file.sound, file.tables, file.soundTracks) = (36_000, 500_000_000, 12_000_000, 2)
        file.cover = SparseData(hole: 2_000_000)
        let reader = try CountingReader(file.bytes)
        let found = try await MediaDescription.read(reader)
        #expect(found.chapters.count == 100 && found.chapters.last?.start == 35_640 && found.duration == 36_000)
        #expect(found.tags["NARRATOR"] == ["Ned Narrator"])
        guard case .range(let cover) = found.cover?.content else { Issue.record("no cover"); return }
        #expect(cover.count == 2_000_000)
        #expect(reader.trips <= 6, "\(reader.requests)")
        #expect(reader.bytes <= 1 << 20, "\(reader.bytes)")
        #expect(!reader.requests.contains { $0.clamped(to: cover).count > 64 << 10 })
    }

    @Test func `titles that lie apart are read when they are asked for`() async throws {
        var file = SampleSound.MP4()
        file.list = (0..<100).map { (Double($0), "Title \($0)") }
        // In groups of ten that are near each other.
        for (gap, requests) in [(Int64(4_096), 1), (1 << 20, 100)] {
            file.chapters = .track(gap: gap)
            let reader = try CountingReader(file.bytes)
            let found = try await MediaDescription.read(reader)
            let before = reader.requests.count
            if requests == 1 {
                #expect(found.chapters.count == 100 && found.chapterTrack == nil)
                continue
            }
            let track = try #require(found.chapterTrack)
            #expect(found.chapters.isEmpty && track.count == 100 && before <= 6)
            #expect(try await track.chapters(from: reader).map(\.title) == file.list.map(\.title))
            #expect(reader.requests.count - before == requests)
        }
        let near = try CountingReader(file.bytes, cost: .local)
        #expect(try await MediaDescription.read(near).chapters.count == 100)
    }

    @Test func `a text track may have more chapters than a list has room for`() async throws {
        var file = SampleSound.MP4()
        file.list = (0..<300).map { (Double($0), "\($0)") }
        file.chapters = .track(gap: 0)
        let track = file.bytes
        #expect(try await MediaDescription.read(CountingReader(track)).chapters.count == 300)
    }

    @Test func `a pause before the first chapter counts`() async throws {
        var file = SampleSound.MP4()
        (file.chapters, file.pause) = (.track(gap: 0), 5)
        #expect(try await MediaDescription.read(CountingReader(file.bytes)).chapters.map(\.start) == [5, 65, 305.5])
    }

    @Test func `a picture is told by its bytes and said to lie where it does`() async throws {
        var file = SampleSound.MP4()
        file.cover = SparseData(SampleSound.picture)
        let reader = try CountingReader(file.bytes)
        let cover = try #require(try await MediaDescription.read(reader).cover)
        guard case .range(let range) = cover.content else { Issue.record("no range"); return }
        #expect(try await reader.read(range) == SampleSound.picture)
        // Tagged as JPEG, which it is not.
        #expect(cover.mediaType == "image/png")
    }

    @Test func `items with names of their own, numbers and pairs are tags`() async throws {
        let free = [
            SampleSound.box("mean", Data(count: 4) + Data("com.apple.iTunes".utf8)),
            SampleSound.box("name", Data(count: 4) + Data("Series".utf8)),
        ]
        let value = SampleSound.box("data", SampleSound.big(1, 4), Data(count: 4), Data("Saga".utf8))
        let track = SampleSound.box(
            "data", Data(count: 8), SampleSound.big(3, 4), SampleSound.big(12, 2), Data(count: 2))
        let items = SampleSound.box(
            "ilst", [SampleSound.box("----", free + [value]), SampleSound.box("trkn", [track])])
        let meta = SampleSound.box("meta", [SparseData(Data(count: 4)), items])
        let file = SparseData.joined([
            SampleSound.box("ftyp", Data("M4A ".utf8)), SampleSound.box("moov", [SampleSound.box("udta", [meta])]),
        ])
        let found = try await MediaDescription.read(CountingReader(file))
        #expect(found.tags == ["SERIES": ["Saga"], "TRACKNUMBER": ["3/12"]])
    }
}
