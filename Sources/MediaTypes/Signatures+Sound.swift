package import Foundation

extension Signatures {
    /// Recognises sound and video.
    package static func soundOrVideo(_ head: Data) -> MediaType? {
        if head.starts(with: "fLaC") { return .flac }
        if head.starts(with: "OggS") { return ogg(head) }
        if head.starts(with: "MThd"), head.big(4, 4) == 6 { return .midi }
        if head.starts(with: "RIFF") || head.starts(with: "RF64") {
            return head.has("WAVE", at: 8) ? .wav : head.has("AVI ", at: 8) ? .avi : nil
        }
        if head.starts(with: "FORM"), head.has("AIFF", at: 8) || head.has("AIFC", at: 8) { return .aiff }
        if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return matroska(head) }
        // ISO/IEC 11172-1 and 13818-1: a pack header, or the sequence header of bare video.
        if head.starts(with: [0, 0, 1, 0xBA]) || head.starts(with: [0, 0, 1, 0xB3]) { return .mpeg }
        return MP4Brand.soundOrVideo(head) ?? MPEGFrames.mediaType(head)
    }

    /// The first page of each stream holds the codec's own header (RFC 3533, section 4; RFC 7845, section 5.1).
    private static func ogg(_ head: Data) -> MediaType {
        let pages = head.prefix(4096)
        if pages.range(of: Data("\u{80}theora".unicodeScalars.map { UInt8($0.value) })) != nil { return .ogv }
        return pages.has("OpusHead", at: 28) ? .opus : .ogg
    }

    /// The document type is in EBML's header, codecs are in the tracks that follow (RFC 8794, section 11.2.6; RFC 9559,
    /// section 21).
    private static func matroska(_ head: Data) -> MediaType? {
        let hasVideo = head.range(of: Data("V_".utf8)) != nil
        let isSound = !hasVideo && head.range(of: Data("A_".utf8)) != nil
        if head.prefix(64).range(of: Data("webm".utf8)) != nil { return isSound ? .webmAudio : .webmVideo }
        if head.prefix(64).range(of: Data("matroska".utf8)) != nil { return isSound ? .matroskaAudio : .matroska }
        return nil
    }
}

/// The brands of an ISO base media file (ISO/IEC 14496-12, section 4.3), which distinguish formats in this container.
enum MP4Brand {
    static func image(_ head: Data) -> MediaType? {
        let brands = brands(of: head)
        if brands.contains("avif") || brands.contains("avis") { return .avif }
        // ISO/IEC 23008-12, annex B.
        if !brands.isDisjoint(with: ["heic", "heix", "heim", "heis", "hevc", "hevx"]) { return .heic }
        return brands.isDisjoint(with: ["mif1", "msf1", "heif"]) ? nil : .heif
    }

    static func soundOrVideo(_ head: Data) -> MediaType? {
        guard head.has("ftyp", at: 4) else { return nil }
        switch String(decoding: head.dropFirst(8).prefix(4), as: UTF8.self) {
        case "M4A ", "M4B ", "M4P ", "F4A ", "F4B ": return .mp4Audio
        case "qt  ": return .quickTime
        case "isom", "iso2", "iso3", "iso4", "iso5", "iso6", "avc1", "mp41", "mp42", "mp71", "M4V ", "M4VH", "M4VP",
            "MSNV", "dash", "f4v ":
            return isSoundOnly(head) ? .mp4Audio : .mp4Video
        default: return nil
        }
    }

    /// Returns whether there are tracks, all of them sound; false if the tracks are further back.
    private static func isSoundOnly(_ head: Data) -> Bool {
        head.range(of: Data("soun".utf8)) != nil && head.range(of: Data("vide".utf8)) == nil
    }

    /// Returns the major brand and the compatible ones; none if this is not such a file.
    private static func brands(of head: Data) -> Set<String> {
        guard head.has("ftyp", at: 4), let length = head.big(0, 4), length >= 16 else { return [] }
        let box = head.prefix(min(length, 256))
        return stride(from: 8, to: box.count - 3, by: 4).reduce(into: []) { brands, offset in
            // The four bytes after the major brand are its version.
            if offset != 12 { brands.insert(String(decoding: box.dropFirst(offset).prefix(4), as: UTF8.self)) }
        }
    }
}

/// MPEG audio, whose files consist of frames: a frame counts only if another one follows where it must.
enum MPEGFrames {
    static func mediaType(_ head: Data) -> MediaType? {
        if isID3(head) { return head.dropFirst(id3Length(head)).starts(with: "fLaC") ? .flac : .mp3 }
        if let length = adtsLength(head, at: 0) {
            return length >= head.count || adtsLength(head, at: length) != nil ? .aac : nil
        }
        guard let length = layer3Length(head, at: 0) else { return nil }
        return length >= head.count || layer3Length(head, at: length) != nil ? .mp3 : nil
    }

    /// ID3v2.4, section 3.1: no byte of the version is 0xFF, none of the size has its highest bit set.
    private static func isID3(_ head: Data) -> Bool {
        guard head.starts(with: "ID3"), head.count >= 10, let major = head.byte(3), let minor = head.byte(4) else {
            return false
        }
        return major != 0xFF && minor != 0xFF && head.dropFirst(6).prefix(4).allSatisfy { $0 < 0x80 }
    }

    private static func id3Length(_ head: Data) -> Int {
        10 + head.dropFirst(6).prefix(4).reduce(0) { $0 << 7 | Int($1) }
    }

    /// Returns the length in bytes of the AAC frame at `offset` (ISO/IEC 13818-7, section 6.2); nil if there is none.
    private static func adtsLength(_ head: Data, at offset: Int) -> Int? {
        guard let sync = head.big(offset, 2), sync & 0xFFF6 == 0xFFF0, let fields = head.big(offset + 2, 4) else {
            return nil
        }
        let rate = (fields >> 26) & 0xF
        let length = (fields >> 5) & 0x1FFF
        return rate < 13 && length >= 7 ? length : nil
    }

    /// Kilobits per second by the index in the header, MPEG 1 and MPEG 2 (ISO/IEC 11172-3, section 2.4.2.3; 13818-3,
    /// section 2.4.2.3).
    private static let rates1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    private static let rates2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]

    /// Returns the length in bytes of the layer III frame at `offset`; nil if there is none.
    private static func layer3Length(_ head: Data, at offset: Int) -> Int? {
        guard let header = head.big(offset, 4), header >> 21 == 0x7FF, (header >> 17) & 3 == 1 else { return nil }
        let (version, rate, frequency) = ((header >> 19) & 3, (header >> 12) & 0xF, (header >> 10) & 3)
        guard version != 1, rate != 0, rate != 15, frequency != 3 else { return nil }
        let samples = [44_100, 48_000, 32_000][frequency] >> (version == 3 ? 0 : version == 2 ? 1 : 2)
        let bits = (version == 3 ? rates1 : rates2)[rate] * 1000
        return (version == 3 ? 144 : 72) * bits / samples + ((header >> 9) & 1)
    }
}
