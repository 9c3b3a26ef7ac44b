import Foundation

extension ImageHeader {
    /// The most parts before the pixels; no honest file has more.
    private static let maxParts = 256
    /// The longest EXIF data that are read: the size of a JPEG segment.
    private static let maxExifLength = 65_533
    private static let exifStart = Data("Exif\0\0".utf8)

    // MARK: JPEG (ITU-T T.81, annex B)

    static func jpeg(_ pieces: HeaderPieces) async throws -> ImageHeader {
        var exif: Data?
        var offset: Int64 = 2
        for _ in 0..<maxParts {
            let head = try await pieces.required(offset, count: 4)
            guard head[0] == 0xFF else {
                throw pieces.reader.damaged("there is no JPEG segment at offset \(offset)")
            }
            if head[1] == 0xFF {
                offset += 1  // A fill byte.
                continue
            }
            let length = head.bigEndian(2, 2)
            switch head[1] {
            case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(head[1]):
                let frame = try await pieces.required(offset + 4, count: 5)
                return ImageHeader(
                    format: .jpeg, width: frame.bigEndian(3, 2), height: frame.bigEndian(1, 2), exif: exif)
            case 0xE1 where exif == nil && length > 8:
                let start = try await pieces.bytes(offset + 4, 6)
                if start.elementsEqual(exifStart) {
                    exif = Data(try await pieces.required(offset + 4, count: length - 2))
                }
            case 0xD9, 0xDA: throw pieces.reader.damaged("it has no frame header")
            default: break
            }
            guard length >= 2 else {
                throw pieces.reader.damaged("the segment at offset \(offset) has an invalid length")
            }
            offset += 2 + Int64(length)
        }
        throw pieces.reader.damaged("it has more than \(maxParts) segments before its pixels")
    }

    // MARK: PNG (third edition, section 5)

    static func png(_ pieces: HeaderPieces) async throws -> ImageHeader {
        let first = try await pieces.required(8, count: 25)
        guard first[4..<8].elementsEqual("IHDR".utf8) else {
            throw pieces.reader.damaged("it does not start with IHDR")
        }
        var header = ImageHeader(format: .png, width: first.bigEndian(8, 4), height: first.bigEndian(12, 4))
        var offset: Int64 = 33
        // Doesn't search behind the pixels: they may be megabytes in small chunks.
        for _ in 0..<maxParts {
            let head = try await pieces.bytes(offset, 8)
            guard head.count == 8, !head[4...].elementsEqual("IDAT".utf8), !head[4...].elementsEqual("IEND".utf8) else {
                break
            }
            let length = head.bigEndian(0, 4)
            if head[4...].elementsEqual("eXIf".utf8), length <= maxExifLength {
                header.exif = exifStart + Data(try await pieces.required(offset + 8, count: length))
            } else if head[4...].elementsEqual("tEXt".utf8), length <= 8192 {
                header.addText(try await pieces.required(offset + 8, count: length))
            }
            offset += 12 + Int64(length)
        }
        return header
    }

    /// Reads a keyword, a zero and a text, both in Latin-1.
    private mutating func addText(_ chunk: [UInt8]) {
        let parts = chunk.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return }
        let texts = parts.map { part in String(String.UnicodeScalarView(part.map { Unicode.Scalar($0) })) }
        self.texts.append((texts[0], texts[1]))
    }

    // MARK: WebP (RFC 9649, section 2)

    static func webp(_ pieces: HeaderPieces) async throws -> ImageHeader {
        let first = try await pieces.required(12, count: 18)
        var header = ImageHeader(format: .webp, width: 0, height: 0)
        switch String(decoding: first[0..<4], as: UTF8.self) {
        case "VP8X": (header.width, header.height) = (first.littleEndian(12, 3) + 1, first.littleEndian(15, 3) + 1)
        case "VP8L":
            let bits = first.littleEndian(9, 4)
            (header.width, header.height) = (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
        case "VP8 ":
            let frame = try await pieces.required(26, count: 4)
            (header.width, header.height) = (frame.littleEndian(0, 2) & 0x3FFF, frame.littleEndian(2, 2) & 0x3FFF)
        default: throw pieces.reader.damaged("its first chunk is not one of WebP")
        }
        // Only the extended form has EXIF data, and announces them.
        if first.starts(with: "VP8X".utf8), first[8] & 0x08 != 0 { header.exif = try await webpExif(pieces) }
        return header
    }

    private static func webpExif(_ pieces: HeaderPieces) async throws -> Data? {
        var offset: Int64 = 12
        // An animation has a part for each frame; doesn't search for its EXIF data behind so many.
        for _ in 0..<16 {
            let head = try await pieces.bytes(offset, 8)
            guard head.count == 8 else { return nil }
            let length = head.littleEndian(4, 4)
            if head.starts(with: "EXIF".utf8), length <= maxExifLength {
                let data = Data(try await pieces.required(offset + 8, count: length))
                return data.starts(with: exifStart) ? data : exifStart + data
            }
            offset += 8 + Int64(length) + Int64(length & 1)
        }
        return nil
    }
}
