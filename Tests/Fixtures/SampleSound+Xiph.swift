public import Foundation

extension SampleSound {
    /// Vorbis comments.
    public static func comments(_ texts: [String]) -> Data {
        let head = joined(little(4, 4), text("test"), little(texts.count, 4))
        return texts.reduce(into: head) { $0.append(joined(little($1.utf8.count, 4), text($1))) }
    }

    /// What stands in front of ``picture`` in FLAC, and the picture, as the front cover.
    public static var flacPicture: Data {
        joined(big(3, 4), big(9, 4), text("image/png"), zeros(20), big(picture.count, 4), picture)
    }

    /// FLAC of ten seconds at 44.1 kHz, with further blocks, ``picture`` and comments.
    public static func flac(_ texts: [String], blocks: [(kind: Int, content: Data)] = []) -> Data {
        let rates = 44_100 << 44 | 1 << 41 | 15 << 36 | 441_000
        let information = joined(zeros(10), big(rates, 8), zeros(16))
        let all =
            [(kind: 0, content: information)] + blocks + [
                (kind: 6, content: flacPicture), (kind: 4, content: comments(texts)),
            ]
        var data = text("fLaC")
        for (index, block) in all.enumerated() {
            let kind = block.kind + (index == all.count - 1 ? 0x80 : 0)
            data += joined(big(kind, 1), big(block.content.count, 3), block.content)
        }
        return data + zeros(2_000)
    }

    /// Ogg Vorbis of ten seconds at 44.1 kHz.
    public static func vorbis(_ texts: [String]) -> Data {
        let head = joined(
            big(1, 1), text("vorbis"), zeros(4), big(2, 1), little(44_100, 4), zeros(12), Data([0xB8, 1]))
        return ogg([head, joined(big(3, 1), text("vorbis"), comments(texts), big(1, 1))], position: 441_000)
    }

    /// Opus of ten seconds, in front of which 312 samples are skipped.
    public static func opus(_ texts: [String]) -> Data {
        let head = joined(text("OpusHead"), Data([1, 2]), little(312, 2), little(44_100, 4), zeros(3))
        return ogg([head, joined(text("OpusTags"), comments(texts))], position: 480_312)
    }

    /// Packets, each on pages of its own, and a last page of sound at `position`.
    private static func ogg(_ packets: [Data], position: Int) -> Data {
        var data = Data()
        var number = 0
        func page(_ laces: Data, _ content: Data, position: Int, flags: Int) {
            data += joined(
                text("OggS"), zeros(1), big(flags, 1), little(position, 8), little(77, 4), little(number, 4), zeros(4))
            data += joined(big(laces.count, 1), laces, content)
            number += 1
        }
        let maxOnPage = 255 * 255
        for packet in packets {
            for start in stride(from: 0, through: packet.count, by: maxOnPage) {
                let part = packet.dropFirst(start).prefix(maxOnPage)
                let isEnd = part.count < maxOnPage
                var laces = Data(repeating: 255, count: part.count / 255)
                if isEnd { laces += big(part.count % 255, 1) }
                page(laces, Data(part), position: isEnd ? 0 : -1, flags: number == 0 ? 2 : start > 0 ? 1 : 0)
            }
        }
        page(big(200, 1), zeros(200), position: position, flags: 4)
        return data
    }
}
