import Foundation
import ProviderDoubles
import SampleBooks
import Testing

import MediaTags

/// Files that are cut short, changed, or made to cost much.
struct HostileSoundTests {
    static let samples =
        XiphTests.samples.map(\.data) + [
            SampleSound.mp3(
                SampleSound.id3(SampleSound.chapterFrame("a", chapter: (0, "One")), SampleSound.pictureFrame()),
                frames: 2),
            SampleSound.MP4().bytes.data,
            {
                var file = SampleSound.MP4()
                (file.chapters, file.cover) = (.track(gap: 3), SparseData(SampleSound.picture))
                return file.bytes.data
            }(),
        ]

    @Test(arguments: samples) func `a file that ends anywhere is described as far as it goes`(data: Data) async throws {
        for count in stride(from: 0, to: min(data.count, 4_000), by: 7) {
            let found = try await MediaDescription.read(CountingReader(data.prefix(count)))
            #expect(found.chapters.allSatisfy { $0.start >= 0 })
        }
    }

    @Test(arguments: samples) func `changed bytes neither crash nor cost much`(data: Data) async throws {
        var random = SeededNumbers(seed: 7)
        for _ in 0..<300 {
            var changed = data
            for _ in 0..<4 {
                changed[Int.random(in: 0..<min(changed.count, 3_000), using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            let reader = try CountingReader(changed)
            let found = try await MediaDescription.read(reader)
            #expect(found.chapters.count <= MediaDescription.maxChapters && reader.trips <= 140)
            if let track = found.chapterTrack { _ = try await track.chapters(from: reader) }
        }
    }

    @Test func `counts and sizes without bytes behind them are no reason to take memory`() async throws {
        let all = Data(repeating: 0xFF, count: 4)
        let table = SampleSound.box("stbl", [SampleSound.box("stsz", Data(count: 4), SampleSound.big(1, 4), all)])
        let track = SampleSound.box("trak", [SampleSound.box("mdia", [SampleSound.box("minf", [table])])])
        let files = [
            SparseData.joined([SampleSound.box("ftyp", Data(count: 8)), SampleSound.box("moov", [track])]),
            SparseData(SampleSound.joined(Data("fLaC".utf8), Data([0x84, 0xFF, 0xFF, 0xFF]), all, all)),
            SparseData(
                SampleSound.joined(Data("ID3".utf8), Data([4, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F]), Data("CHAP".utf8), all)),
        ]
        for file in files {
            let reader = try CountingReader(file)
            let found = try await MediaDescription.read(reader)
            #expect(found.chapters.isEmpty && found.tags.isEmpty && reader.bytes <= 100_000)
        }
    }

    @Test func `small boxes without end are left alone`() async throws {
        var content = Data()
        for _ in 0..<30_000 { content += SampleSound.joined(SampleSound.big(8, 4), Data("free".utf8)) }
        let reader = try CountingReader(SparseData(content))
        #expect(try await MediaDescription.read(reader) == MediaDescription())
        #expect(reader.bytes < 1 << 20)
    }

    @Test func `nothing is read beyond what is allowed`() async throws {
        var file = SampleSound.MP4()
        (file.isMovieLast, file.sound) = (true, 1 << 20)
        let reader = try CountingReader(file.bytes)
        #expect(try await MediaDescription.read(reader, reach: 64 << 10).tags.isEmpty)
        #expect(reader.requests.allSatisfy { $0.upperBound <= 64 << 10 })
    }
}
