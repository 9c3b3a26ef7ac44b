import Foundation
import SampleBooks
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

@Suite struct SignatureTests {
    private static func bytes(_ text: String, _ rest: [UInt8] = []) -> Data {
        Data(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } + rest)
    }

    private static func box(_ brands: String, _ rest: String = "") -> Data {
        bytes("\u{0}\u{0}\u{0}\(Character(Unicode.Scalar(UInt8(8 + brands.utf8.count))))ftyp\(brands)\(rest)")
    }

    /// A frame of MPEG 1 layer III at 128 kbit/s and 44.1 kHz takes 417 bytes, one of AAC what it says.
    private static let mp3 = Data([0xFF, 0xFB, 0x90, 0x00]) + Data(count: 413) + Data([0xFF, 0xFB, 0x90, 0x00])
    private static let aac =
        Data([0xFF, 0xF1, 0x50, 0x80, 0x01, 0x60, 0xFC]) + Data(count: 4)
        + Data([0xFF, 0xF1, 0x50, 0x80, 0x01, 0x60, 0xFC])
    private static let tar = Data(count: 257) + Data("ustar\u{0}00".utf8) + Data(count: 300)
    private static let bmp = bytes("BM", [0x46, 0, 0, 0, 0, 0, 0, 0, 0x36, 0, 0, 0, 0x28, 0, 0, 0])
    private static let png = bytes("\u{89}PNG\u{D}\u{A}\u{1A}\u{A}", [0, 0, 0, 13])
    private static let ogg = bytes("OggS", Array(repeating: 0, count: 24))

    static let samples: [(Data, MediaType)] = [
        (png, .png), (bytes("\u{FF}\u{D8}\u{FF}\u{E0}\u{0}\u{10}JFIF"), .jpeg), (bytes("GIF89a"), .gif),
        (bytes("RIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8 "), .webp), (bytes("II*\u{0}\u{8}"), .tiff), (bytes("MM\u{0}*"), .tiff),
        (bmp, .bmp),
        (bytes("\u{0}\u{0}\u{0}\u{C}JXL \u{D}\u{A}\u{87}\u{A}"), .jxl),
        (bytes("\u{FF}\u{A}", Array(repeating: 9, count: 20)), .jxl),
        (box("avif\u{0}\u{0}\u{0}\u{0}mif1"), .avif), (box("mif1\u{0}\u{0}\u{0}\u{0}avif"), .avif),
        (box("heic\u{0}\u{0}\u{0}\u{0}mif1"), .heic),
        (box("mif1\u{0}\u{0}\u{0}\u{0}miaf"), .heif),
        (mp3, .mp3), (bytes("ID3\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}\u{a}"), .mp3),
        (bytes("ID3\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}\u{2}xxfLaC"), .flac),
        (aac, .aac), (bytes("fLaC"), .flac), (ogg + bytes("OpusHead"), .opus), (ogg + bytes("\u{1}vorbis"), .ogg),
        (ogg + bytes("\u{80}theora"), .ogv), (bytes("RIFF\u{1}\u{2}\u{3}\u{4}WAVEfmt "), .wav),
        (bytes("RIFF\u{1}\u{2}\u{3}\u{4}AVI LIST"), .avi),
        (bytes("FORM\u{1}\u{2}\u{3}\u{4}AIFC"), .aiff), (box("M4A \u{0}\u{0}\u{0}\u{0}isom"), .mp4Audio),
        (box("M4B \u{0}\u{0}\u{0}\u{0}"), .mp4Audio),
        (box("isom\u{0}\u{0}\u{0}\u{0}mp41", "....moov..hdlr..soun"), .mp4Audio),
        (box("isom\u{0}\u{0}\u{0}\u{0}mp41", "..vide..soun"), .mp4Video),
        (box("mp42\u{0}\u{0}\u{0}\u{0}"), .mp4Video), (box("qt  \u{0}\u{0}\u{0}\u{0}"), .quickTime),
        (bytes("\u{1A}\u{45}\u{DF}\u{A3}\u{93}\u{42}\u{82}\u{84}webm....V_VP9..A_OPUS"), .webmVideo),
        (bytes("\u{1A}\u{45}\u{DF}\u{A3}\u{93}\u{42}\u{82}\u{84}webm....A_OPUS"), .webmAudio),
        (bytes("\u{1A}\u{45}\u{DF}\u{A3}\u{93}\u{42}\u{82}\u{88}matroska"), .matroska),
        (bytes("MThd\u{0}\u{0}\u{0}\u{6}"), .midi),
        (bytes("\u{0}\u{0}\u{1}\u{BA}"), .mpeg),
        (bytes("Rar!\u{1A}\u{7}\u{1}\u{0}"), .rar), (bytes("7z\u{BC}\u{AF}\u{27}\u{1C}"), .sevenZip),
        (bytes("\u{1F}\u{8B}\u{8}"), .gz),
        (bytes("BZh91AY&SY"), .bzip2), (bytes("\u{FD}7zXZ\u{0}"), .xz), (bytes("\u{28}\u{B5}\u{2F}\u{FD}"), .zstd),
        (tar, .tar),
        (bytes("OTTO"), .otf), (bytes("\u{0}\u{1}\u{0}\u{0}\u{0}\u{A}\u{0}\u{80}"), .ttf),
        (bytes("ttcf"), .fontCollection),
        (bytes("wOFF"), .woff),
        (bytes("wOF2"), .woff2), (bytes("<svg xmlns='http://www.w3.org/2000/svg'><path/></svg>"), .svg),
        (bytes("<ncx xmlns='http://www.daisy.org/z3986/2005/ncx/'/>"), .ncx),
        (bytes("<smil xmlns='http://www.w3.org/ns/SMIL'/>"), .smil),
    ]

    @Test(arguments: samples)
    func `bytes without a name are shown for what they are`(_ data: Data, _ expected: MediaType) async throws {
        #expect(try await MediaType.of(bytes: { data }) == expected)
    }

    @Test(arguments: samples)
    func `without these sniffers the proposal's answers are left`(_ data: Data, _ expected: MediaType) async throws {
        let found = try await MediaType.of(bytes: { data }, sniffers: MediaType.standardSniffers)
        #expect(found == (expected == .svg || expected == .ncx || expected == .smil ? .xml : nil))
    }

    @Test(arguments: samples.map(\.0))
    func `no start of a file makes it trap`(_ data: Data) {
        for length in 0...min(data.count, 64) {
            // A slice, whose indices do not begin with zero.
            let slice = (Data([1]) + data).dropFirst().prefix(length)
            #expect(Signatures.any(slice) == Signatures.any(Data(slice)))
            #expect(Signatures.isPDF(slice) == Signatures.isPDF(Data(slice)))
            #expect(Signatures.isZIP(slice) == Signatures.isZIP(Data(slice)))
        }
    }

    @Test func `what only begins alike has no signature`() {
        for text in [
            "BM is not a bitmap, this is a text", "ID3 tags", "RIFF of mine is no sound", "true is not false, he said",
            "FORM letters",
            "BZh",
        ] {
            #expect(Signatures.any(Data(text.utf8)) == nil, "\(text)")
        }
        #expect(
            Signatures.any(Data([0xFF, 0xFB, 0x90, 0x00]) + Data(count: 600)) == nil,
            "a frame that no other one follows")
    }

    @Test func `an archive inside another file is not the file`() async throws {
        let book = try SampleBook.small()
        #expect(try await MediaType.of(bytes: { Self.tar + book }) == .tar)
        #expect(try await MediaType.of(bytes: { Self.png + book }) == .png)
        #expect(try await MediaType.of(bytes: { Data("%PDF-1.7\n".utf8) + book }) == .pdf)
        #expect(
            try await MediaType.of(bytes: { Data("#!/bin/sh\n".utf8) + book }) == .epub, "a program that unpacks itself"
        )
    }
}
