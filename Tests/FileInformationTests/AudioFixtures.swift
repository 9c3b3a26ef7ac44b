import Foundation

/// Audio files of silence, or of nothing: tags and what a parser wants around them.
enum Audio {
    // MARK: MPEG (ID3v2.3)

    static func mp3(frames: Int = 40, tag: Data = id3()) -> Data {
        // MPEG 1, layer III, 128 kbit/s, 44.1 kHz, stereo: 417 bytes for 1,152 samples.
        let frame = Data([0xFF, 0xFB, 0x90, 0x00]) + Data(count: 413)
        var data = tag
        data.reserveCapacity(tag.count + frames * frame.count)
        for _ in 0..<frames { data += frame }
        return data
    }

    static func id3(_ frames: Data = usualFrames, version: UInt8 = 3) -> Data {
        let size = (0..<4).map { UInt8(truncatingIfNeeded: frames.count >> (7 * (3 - $0))) & 0x7F }
        return Data("ID3".utf8) + [version, 0, 0] + size + frames
    }

    static let usualFrames = [
        ("TIT2", "Lamp"), ("TPE1", "Carrel"), ("TALB", "Desk"), ("TRCK", "3/12"), ("TYER", "2024"), ("TCON", "Speech"),
    ].reduce(Data()) { $0 + frame($1.0, $1.1) }

    static func frame(_ id: String, _ text: String) -> Data { frame(id, Data([0]) + Data(text.utf8)) }

    static func frame(_ id: String, _ content: Data, flags: [UInt8] = [0, 0]) -> Data {
        Data(id.utf8) + big(content.count, 4) + flags + content
    }

    // MARK: Vorbis comments

    private static let comments: Data = {
        let texts = [
            "TITLE=Lamp", "ARTIST=Carrel", "ARTIST=Desk", "TRACKNUMBER=3", "TRACKTOTAL=12", "DATE=2024-05-01",
            "GENRE=Speech",
        ]
        return texts.reduce(little(4, 4) + Data("test".utf8) + little(texts.count, 4)) {
            $0 + little($1.utf8.count, 4) + Data($1.utf8)
        }
    }()

    /// 44.1 kHz, stereo, 16 bits, 441,000 samples: ten seconds.
    static func flac(audio: Int = 4000) -> Data {
        let rates = 44_100 << 44 | 1 << 41 | 15 << 36 | 441_000
        let info = big(4096, 2) + big(4096, 2) + Data(count: 6) + big(rates, 8) + Data(count: 16)
        let first = Data("fLaC".utf8) + [0] + big(info.count, 3) + info
        let second = [0x84] + big(comments.count, 3) + comments
        return first + second + Data([0xFF, 0xF8]) + Data(count: audio)
    }

    /// 44.1 kHz, stereo, ten seconds by the last page.
    static func vorbis(audio: Int = 4000) -> Data {
        let identification =
            Data([1]) + Data("vorbis".utf8) + little(0, 4) + [2] + little(44_100, 4)
        let rest = little(0, 4) + little(128_000, 4) + little(0, 4) + [0xB8, 1]
        let comment = Data([3]) + Data("vorbis".utf8) + comments + [1]
        return ogg([identification + rest, comment, Data([5]) + Data("vorbis".utf8)], audio: audio, granule: 441_000)
    }

    /// 48 kHz, stereo, ten seconds by the last page.
    static func opus(audio: Int = 4000) -> Data {
        let head = Data("OpusHead".utf8) + [1, 2] + little(0, 2) + little(48_000, 4) + little(0, 2) + [0]
        return ogg([head, Data("OpusTags".utf8) + comments], audio: audio, granule: 480_000)
    }

    private static func ogg(_ packets: [Data], audio: Int, granule: Int) -> Data {
        var data = Data()
        var number = 0
        func page(_ packet: Data, granule: Int, flags: UInt8) {
            let laces = Data(repeating: 255, count: packet.count / 255) + [UInt8(packet.count % 255)]
            data += Data("OggS".utf8) + [0, flags] + little(granule, 8) + little(77, 4)
            data += little(number, 4) + Data(count: 4) + [UInt8(laces.count)]
            data += laces + packet
            number += 1
        }
        for packet in packets { page(packet, granule: 0, flags: number == 0 ? 2 : 0) }
        for start in stride(from: 0, to: audio, by: 60_000) {
            let isLast = start + 60_000 >= audio
            page(Data(count: min(60_000, audio - start)), granule: isLast ? granule : 0, flags: isLast ? 4 : 0)
        }
        return data
    }

    // MARK: MP4 (ISO/IEC 14496-12)

    /// Ten seconds, 44.1 kHz, stereo; the description in front of the audio data or behind.
    static func m4a(audio: Int = 4000, descriptionLast: Bool = false) -> Data {
        let brand = box("ftyp", Data("M4A ".utf8) + big(0, 4) + Data("M4A mp42isom".utf8))
        let media = box("mdat", Data(count: audio))
        return descriptionLast ? brand + media + moov : brand + moov + media
    }

    static func box(_ name: String, _ content: Data) -> Data { big(content.count + 8, 4) + Data(name.utf8) + content }

    private static let moov: Data = {
        let header = box("mvhd", Data(count: 12) + big(44_100, 4) + big(441_000, 4) + Data(count: 80))
        let mediaHeader = box("mdhd", Data(count: 12) + big(44_100, 4) + big(441_000, 4) + Data(count: 4))
        let handler = box("hdlr", Data(count: 8) + Data("soun".utf8) + Data(count: 13))
        let sound = big(2, 2) + big(16, 2) + Data(count: 4) + big(44_100 << 16, 4)
        let entry = box("mp4a", Data(count: 6) + big(1, 2) + Data(count: 8) + sound)
        let table = box("stbl", box("stsd", big(0, 4) + big(1, 4) + entry))
        let track = box("trak", box("mdia", mediaHeader + handler + box("minf", table)))
        let meta = box("meta", Data(count: 4) + box("hdlr", Data(count: 25)) + box("ilst", items))
        return box("moov", header + track + box("udta", meta))
    }()

    private static let items: Data = {
        func text(_ name: [UInt8], _ text: String) -> Data { item(name, 1, Data(text.utf8)) }
        func item(_ name: [UInt8], _ type: Int, _ value: Data) -> Data {
            let data = box("data", big(type, 4) + big(0, 4) + value)
            return big(data.count + 8, 4) + Data(name) + data
        }
        let mark: UInt8 = 0xA9
        var items = item(Array("trkn".utf8), 0, big(0, 2) + big(3, 2) + big(12, 2) + big(0, 2))
        for (name, value) in [("nam", "Lamp"), ("ART", "Carrel"), ("alb", "Desk"), ("day", "2024"), ("gen", "Speech")] {
            items += text([mark] + Array(name.utf8), value)
        }
        return items
    }()
}
