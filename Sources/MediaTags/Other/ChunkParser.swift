import FileProviderCore
import Foundation

/// WAV (RIFF, RF64) and AIFF files: a list of chunks. The sound is skipped.
struct ChunkParser: MediaParser {
    private static let maxChunks = 1_000

    private var window: ByteWindow
    private(set) var description = MediaDescription()
    private let isLittle: Bool
    private var bytesPerSecond: Int64 = 0
    private var soundBytes: Int64?

    /// - Parameter isLittle: Whether sizes are little-endian, as in RIFF.
    init(_ window: ByteWindow, isLittle: Bool) {
        self.window = window
        self.isLittle = isLittle
    }

    mutating func parse() async throws {
        var position: Int64 = 12
        for _ in 0..<Self.maxChunks where window.size - position >= 8 {
            let head = try await window.bytes(position..<position + 8)
            guard let size = isLittle ? head.little(4, 4) : head.big(4, 4) else { return }
            let start = position + 8
            let content = start..<min(start + size, window.size)
            try await take(MediaText.fourCharacters(head), content)
            // Each chunk begins at an even offset.
            position = start + size + size % 2
        }
    }

    private mutating func take(_ name: String, _ content: Range<Int64>) async throws {
        switch name {
        case "fmt ": bytesPerSecond = try await window.start(of: content, limit: 16).little(8, 4) ?? 0
        case "data": soundBytes = Int64(content.count)
        case "COMM":
            let bytes = try await window.start(of: content, limit: 18)
            guard let frames = bytes.big(2, 4), let rate = Self.extended(bytes.dropFirst(8)), rate > 0, frames > 0
            else { return }
            description.duration = Double(frames) / rate
        case "LIST": try await takeList(content)
        case "NAME", "AUTH", "ANNO":
            let names = ["NAME": "TITLE", "AUTH": "ARTIST", "ANNO": "COMMENT"]
            description.add(
                names[name] ?? name,
                MediaText.guessed(try await window.start(of: content, limit: MediaDescription.maxTextLength)))
        case "id3 ", "ID3 ":
            guard let header = ID3Header(try await window.start(of: content, limit: Int(ID3Header.length))) else {
                return
            }
            var tag = try await MPEGParser.tag(header, in: window, at: content.lowerBound).description
            tag.duration = nil
            description.merge(tag)
        default: break
        }
    }

    private mutating func takeList(_ content: Range<Int64>) async throws {
        let bytes = try await window.start(of: content, limit: MediaDescription.maxTextLength)
        guard bytes.starts(with: "INFO".utf8) else { return }
        var rest = bytes.dropFirst(4)
        while let size = rest.little(4, 4) {
            let text = rest.dropFirst(8).prefix(Int(size))
            if let name = Self.names[MediaText.fourCharacters(rest)] {
                description.add(name, MediaText.guessed(text.prefix { $0 != 0 }))
            }
            rest = rest.dropFirst(8 + Int(size + size % 2))
        }
    }

    private static let names = [
        "INAM": "TITLE", "IART": "ARTIST", "IPRD": "ALBUM", "ICRD": "DATE", "IGNR": "GENRE", "ICMT": "COMMENT",
        "ICOP": "COPYRIGHT",
        "ITRK": "TRACKNUMBER",
    ]

    /// A number in the ten bytes of IEEE 754's extended precision, as sample rates are in AIFF.
    private static func extended(_ bytes: ArraySlice<UInt8>) -> Double? {
        guard let exponent = bytes.big(0, 2), let high = bytes.big(2, 4) else { return nil }
        let power = Int(exponent & 0x7FFF) - 16_383 - 31
        guard (-40...40).contains(power) else { return nil }
        return Double(sign: .plus, exponent: power, significand: Double(high))
    }

    mutating func finish() async throws {
        guard description.duration == nil, let soundBytes, soundBytes > 0, bytesPerSecond > 0 else { return }
        description.duration = Double(soundBytes) / Double(bytesPerSecond)
    }
}
