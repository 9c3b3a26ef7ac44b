public import Foundation

extension SampleSound {
    /// Silence: frames of 1,152 samples at 44.1 kHz and 128 kbit/s, 417 bytes each, with `tag` in front.
    public static func mp3(_ tag: Data = Data(), frames: Int = 40) -> Data {
        let frame = joined(Data([0xFF, 0xFB, 0x90, 0x00]), zeros(413))
        return (0..<frames).reduce(into: tag) { data, _ in data.append(frame) }
    }

    /// A tag of ID3 with `frames`.
    public static func id3(_ frames: Data..., version: Int = 3, flags: Int = 0) -> Data {
        let content = frames.reduce(into: Data()) { $0.append($1) }
        return joined(text("ID3"), big(version, 1), big(0, 1), big(flags, 1), synchsafe(content.count), content)
    }

    /// Four bytes of seven bits.
    public static func synchsafe(_ value: Int) -> Data {
        Data((0..<4).map { UInt8(truncatingIfNeeded: value >> (7 * (3 - $0))) & 0x7F })
    }

    /// A frame with bytes; the size in the way of `version`.
    public static func frame(_ id: String, _ content: Data, version: Int = 3, flags: Int = 0) -> Data {
        if version == 2 { return joined(text(id), big(content.count, 3), content) }
        return joined(text(id), version == 4 ? synchsafe(content.count) : big(content.count, 4), big(flags, 2), content)
    }

    /// A frame with a text in UTF-8.
    public static func frame(_ id: String, text value: String, version: Int = 3) -> Data {
        frame(id, joined(Data([3]), text(value)), version: version)
    }

    /// A frame `CHAP`.
    public static func chapterFrame(_ id: String, chapter: Chapter, version: Int = 3) -> Data {
        let times = joined(big(Int(chapter.start * 1_000), 4), zeros(4), Data(repeating: 0xFF, count: 8))
        let title = frame("TIT2", text: chapter.title, version: version)
        return frame("CHAP", joined(text(id), zeros(1), times, title), version: version)
    }

    /// A frame `CTOC`.
    public static func contentsFrame(
        _ id: String, children: [String], title: String? = nil, isTop: Bool, version: Int = 3
    ) -> Data {
        var content = joined(text(id), zeros(1), big(isTop ? 3 : 1, 1), big(children.count, 1))
        for child in children { content += joined(text(child), zeros(1)) }
        if let title { content += frame("TIT2", text: title, version: version) }
        return frame("CTOC", content, version: version)
    }

    /// A frame with ``picture`` as the front cover.
    public static func pictureFrame(version: Int = 3, flags: Int = 0) -> Data {
        frame("APIC", joined(zeros(1), text("image/png"), Data([0, 3, 0]), picture), version: version, flags: flags)
    }
}
