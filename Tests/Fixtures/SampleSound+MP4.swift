public import Foundation

extension SampleSound {
    /// What an MP4 file is made of.
    public struct MP4: Sendable {
        /// Where its chapters are.
        public enum Chapters: Sendable {
            /// Nowhere.
            case none
            /// In a list of that version, which Nero introduced.
            case list(version: Int)
            /// In a text track whose samples lie so many bytes apart.
            case track(gap: Int64)
        }

        /// Seconds of all of it.
        public var duration = 600
        /// Where the chapters are.
        public var chapters = Chapters.list(version: 1)
        /// The chapters.
        public var list: [Chapter] = [(0, "Opening"), (60, "Zwölf"), (300.5, "End")]
        /// Seconds before the track of chapters begins.
        public var pause = 0
        /// Whether the description follows the sound.
        public var isMovieLast = false
        /// Whether offsets have eight bytes.
        public var hasLongOffsets = false
        /// Bytes of sound.
        public var sound: Int64 = 2_000
        /// Bytes of the tables of each track of sound.
        public var tables: Int64 = 100
        /// How many tracks of sound there are.
        public var soundTracks = 1
        /// The cover.
        public var cover: SparseData?
        /// The texts by item name.
        public var items: [(name: String, text: String)] = [
            ("©nam", "A Recording"), ("©ART", "Ann Author"), ("©alb", "An Album"), ("©nrt", "Ned Narrator"),
        ]

        /// A recording of ten minutes with three chapters.
        public init() {}
    }

    /// A box of ISO/IEC 14496-12.
    public static func box(_ name: String, _ parts: [SparseData]) -> SparseData {
        let content = SparseData.joined(parts)
        let type = Data(name.unicodeScalars.map { UInt8($0.value) })
        let size = Int(content.count) + 8
        let header = size < 1 << 32 ? joined(big(size, 4), type) : joined(big(1, 4), type, big(size + 8, 8))
        return SparseData.joined([SparseData(header), content])
    }

    /// A box of bytes.
    public static func box(_ name: String, _ parts: Data...) -> SparseData { box(name, parts.map { SparseData($0) }) }
}

extension SampleSound.MP4 {
    private typealias Sound = SampleSound
    private static let scale = 1_000

    /// The file.
    public var bytes: SparseData {
        let brand = Sound.box("ftyp", Sound.text("M4B "), Sound.zeros(4), Sound.text("M4B isom"))
        let media = media
        let header: Int64 = media.count + 8 < 1 << 32 ? 8 : 16
        let data = Sound.box("mdat", [media])
        if isMovieLast { return .joined([brand, data, movie(mediaAt: brand.count + header)]) }
        let length = movie(mediaAt: 0).count
        return .joined([brand, movie(mediaAt: brand.count + length + header), data])
    }

    private var titles: [Data] { list.map { Sound.joined(Sound.big($0.title.utf8.count, 2), Sound.text($0.title)) } }

    private var media: SparseData {
        var media = SparseData(hole: sound)
        guard case .track(let gap) = chapters else { return media }
        for title in titles {
            media.append(title)
            media.append(SparseData(hole: gap))
        }
        return media
    }

    private func movie(mediaAt offset: Int64) -> SparseData {
        var parts = [Sound.box("mvhd", Sound.zeros(12), time, Sound.zeros(80))]
        for number in 1...soundTracks {
            let tables = [Sound.box("stsd", Sound.zeros(8)), Sound.box("stsz", [SparseData(hole: tables)])]
            parts.append(track(number, "soun", tables))
        }
        if case .track(let gap) = chapters { parts.append(track(99, "text", titleTables(mediaAt: offset, gap: gap))) }
        parts.append(Sound.box("udta", [meta, chapterList]))
        return Sound.box("moov", parts)
    }

    private var time: Data { Sound.joined(Sound.big(Self.scale, 4), Sound.big(duration * Self.scale, 4)) }

    private func track(_ id: Int, _ handler: String, _ tables: [SparseData]) -> SparseData {
        let header = Sound.box("tkhd", Sound.zeros(12), Sound.big(id, 4), Sound.zeros(68))
        var names = SparseData()
        if handler == "soun", case .track = chapters {
            names = Sound.box("tref", [Sound.box("chap", Sound.big(99, 4))])
        }
        if handler == "text", pause > 0 {
            let entries = Sound.joined(Sound.big(pause * Self.scale, 4), Sound.big(-1, 4), Sound.big(1 << 16, 4))
            names = Sound.box("edts", [Sound.box("elst", Sound.zeros(4), Sound.big(1, 4), entries)])
        }
        let length = Sound.box("mdhd", Sound.zeros(12), time, Sound.zeros(4))
        let kind = Sound.box("hdlr", Sound.zeros(8), Sound.text(handler), Sound.zeros(13))
        let media = Sound.box("mdia", [length, kind, Sound.box("minf", [Sound.box("stbl", tables)])])
        return Sound.box("trak", [header, names, media])
    }

    private func titleTables(mediaAt offset: Int64, gap: Int64) -> [SparseData] {
        let starts = list.map { Int($0.start * Double(Self.scale)) } + [duration * Self.scale]
        var (times, sizes, offsets) = (Data(), Data(), Data())
        var location = offset + sound
        for (index, title) in titles.enumerated() {
            times += Sound.joined(Sound.big(1, 4), Sound.big(starts[index + 1] - starts[index], 4))
            sizes += Sound.big(title.count, 4)
            offsets += Sound.big(Int(location), hasLongOffsets ? 8 : 4)
            location += Int64(title.count) + gap
        }
        let count = Sound.joined(Sound.zeros(4), Sound.big(list.count, 4))
        let one = Sound.big(1, 4)
        return [
            Sound.box("stts", count, times), Sound.box("stsc", Sound.zeros(4), one, one, one, one),
            Sound.box("stsz", Sound.zeros(4), count, sizes),
            Sound.box(hasLongOffsets ? "co64" : "stco", count, offsets),
        ]
    }

    private var meta: SparseData {
        var list: [SparseData] = []
        if let cover {
            list.append(
                Sound.box(
                    "covr", [Sound.box("data", [SparseData(Sound.joined(Sound.big(13, 4), Sound.zeros(4))), cover])]))
        }
        for (name, text) in items {
            list.append(Sound.box(name, [Sound.box("data", Sound.big(1, 4), Sound.zeros(4), Sound.text(text))]))
        }
        return Sound.box(
            "meta", [SparseData(Sound.zeros(4)), Sound.box("hdlr", Sound.zeros(25)), Sound.box("ilst", list)])
    }

    private var chapterList: SparseData {
        guard case .list(let version) = chapters else { return SparseData() }
        var content = Sound.joined(Sound.big(version, 1), Sound.zeros(version == 0 ? 3 : 7), Sound.big(list.count, 1))
        for (start, title) in list {
            content += Sound.joined(
                Sound.big(Int(start * 10_000_000), 8), Sound.big(title.utf8.count, 1), Sound.text(title))
        }
        return Sound.box("chpl", content)
    }
}
