import FileProviderCore
import Foundation

/// Ogg files (RFC 3533) with Vorbis, Opus, FLAC or Speex: tags in the second packet, the length on the last page.
struct OggParser: MediaParser {
    private static let maxPages = 4_096
    /// The longest page, so the last page begins within this distance from the end of the file.
    private static let maxPageLength: Int64 = 65_307

    private struct Page {
        let isFirst: Bool
        let serial: Int64
        /// Lengths of its parts of packets; after a part of 255 the same packet continues.
        let laces: ArraySlice<UInt8>
        let content: Range<Int64>
    }

    private var window: ByteWindow
    private(set) var description = MediaDescription()
    private var stream: OggStream?

    init(_ window: ByteWindow) {
        self.window = window
    }

    mutating func parse() async throws {
        var (position, packets) = (Int64(0), 0)
        var packet: [UInt8] = []
        for _ in 0..<Self.maxPages {
            guard let page = try await page(at: position) else { break }
            position = page.content.upperBound
            if page.isFirst, stream == nil {
                stream = OggStream(try await window.start(of: page.content, limit: 256), serial: page.serial)
                continue
            }
            guard let stream, page.serial == stream.serial else { continue }
            let content = try await window.bytes(page.content)
            var rest = content
            for lace in page.laces {
                packet += rest.prefix(Int(lace))
                rest = rest.dropFirst(Int(lace))
                guard packet.count <= VorbisComments.maxSize else { return }
                guard lace < 255 else { continue }
                packets += 1
                if take(packet, stream) || packets >= stream.headers { return }
                packet = []
            }
        }
    }

    private mutating func page(at offset: Int64) async throws -> Page? {
        guard window.size - offset >= 27 else { return nil }
        let head = try await window.bytes(offset..<offset + 27)
        guard head.starts(with: "OggS".utf8), let flags = head.big(5, 1), let serial = head.little(14, 4),
            let count = head.big(26, 1)
        else {
            throw MediaFault.malformed
        }
        let laces = try await window.bytes(offset + 27..<offset + 27 + count)
        let start = offset + 27 + count
        let length = laces.reduce(Int64(0)) { $0 + Int64($1) }
        return Page(isFirst: flags & 2 != 0, serial: serial, laces: laces, content: start..<start + length)
    }

    /// - Returns: Whether all needed packets were read.
    private mutating func take(_ packet: [UInt8], _ stream: OggStream) -> Bool {
        switch stream.codec {
        case .vorbis:
            guard packet.starts(with: [3] + Array("vorbis".utf8)) else { return false }
            VorbisComments.read(packet.dropFirst(7), into: &description)
        case .opus:
            guard packet.starts(with: "OpusTags".utf8) else { return false }
            VorbisComments.read(packet.dropFirst(8), into: &description)
        case .speex: VorbisComments.read(packet[...], into: &description)
        case .flac:
            // The blocks of a FLAC file, one in each packet.
            guard let kind = packet[...].big(0, 1) else { return true }
            if kind & 0x7F == 4 { VorbisComments.read(packet.dropFirst(4), into: &description) }
            if kind & 0x7F == 6, let picture = FLACPicture(packet.dropFirst(4))?.decoded { description.add(picture) }
            return kind & 0x80 != 0
        }
        return true
    }

    mutating func finish() async throws {
        guard let stream, window.reach == window.size, window.size > 0 else { return }
        let tail = max(0, window.size - Self.maxPageLength)..<window.size
        let bytes: ArraySlice<UInt8>
        do { bytes = try await window.bytes(tail) } catch is MediaFault { return }
        var end = bytes.endIndex
        // Finds the last page of this stream that ends a packet; on others the position is −1.
        while let start = bytes[..<end].lastIndex(of: UInt8(ascii: "O")) {
            end = start
            let page = bytes[start...]
            guard page.starts(with: "OggS".utf8), page.little(14, 4) == stream.serial, let position = page.little(6, 8),
                position > 0
            else {
                continue
            }
            description.duration = stream.seconds(at: position)
            return
        }
    }
}

/// The information in the first packet of a stream.
private struct OggStream {
    enum Codec {
        case vorbis, opus, flac, speex
    }

    let codec: Codec
    let serial: Int64
    /// The number of packets, after the first, that may have tags.
    let headers: Int
    private let rate: Int64
    /// Samples before the sound.
    private let skipped: Int64

    /// Nil for a stream of another kind.
    init?(_ packet: ArraySlice<UInt8>, serial: Int64) {
        self.serial = serial
        if packet.starts(with: [1] + Array("vorbis".utf8)) {
            (codec, headers, rate, skipped) = (.vorbis, 2, packet.little(12, 4) ?? 0, 0)
        } else if packet.starts(with: "OpusHead".utf8) {
            // Opus always counts in 48 kHz (RFC 7845, section 4).
            (codec, headers, rate, skipped) = (.opus, 1, 48_000, packet.little(10, 2) ?? 0)
        } else if packet.starts(with: [0x7F] + Array("FLAC".utf8)) {
            (codec, headers, rate, skipped) = (.flac, 64, StreamInformation(packet.dropFirst(17)).sampleRate, 0)
        } else if packet.starts(with: "Speex   ".utf8) {
            (codec, headers, rate, skipped) = (.speex, 1, packet.little(36, 4) ?? 0, 0)
        } else {
            return nil
        }
    }

    func seconds(at position: Int64) -> Double? {
        rate > 0 && position > skipped ? Double(position - skipped) / Double(rate) : nil
    }
}
