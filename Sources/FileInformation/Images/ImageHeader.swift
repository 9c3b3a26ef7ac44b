import FileProviderCore
import Foundation
import Publication

/// The header of an image, read by ranges, without any library.
struct ImageHeader: Sendable {
    enum Format: String, Sendable {
        case jpeg = "image/jpeg"
        case png = "image/png"
        case webp = "image/webp"
        case gif = "image/gif"
    }

    var format: Format
    /// The width in pixels, before applying the orientation.
    var width: Int
    /// The height in pixels, before applying the orientation.
    var height: Int
    /// The EXIF data as in a JPEG file: `Exif`, two zeros, and a TIFF structure.
    var exif: Data?
    /// Texts in the order of the file, by the names of PNG's keywords.
    var texts: [(key: String, text: String)] = []

    /// The size of the first read, which nearly always suffices.
    static let firstRead: Int64 = 64 << 10

    /// Reads the header of the image in `reader`, whatever the file is called.
    ///
    /// - Throws: `CocoaError(.featureUnsupported)` for an unknown format, `.fileReadCorruptFile`; the reader's errors.
    /// - Complexity: One range of 64 KiB; further ones of a few KiB if an image has more than that before its pixels.
    init(_ reader: any FileReader) async throws {
        let pieces = HeaderPieces(reader)
        let start = try await pieces.bytes(0, 16)
        if start.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = try await Self.jpeg(pieces)
        } else if start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = try await Self.png(pieces)
        } else if start.starts(with: "RIFF".utf8), start.dropFirst(8).starts(with: "WEBP".utf8) {
            self = try await Self.webp(pieces)
        } else if start.starts(with: "GIF8".utf8), start.count >= 10 {
            self.init(format: .gif, width: start.littleEndian(6, 2), height: start.littleEndian(8, 2))
        } else if start.isEmpty {
            throw reader.damaged("it is empty")
        } else {
            throw FileError.make(
                .featureUnsupported, path: reader.path,
                sentence: "“\(reader.path)” is not an image in a supported format.")
        }
        guard width > 0, height > 0 else { throw reader.damaged("it has no pixels") }
    }

    init(format: Format, width: Int, height: Int, exif: Data? = nil) {
        self.format = format
        self.width = width
        self.height = height
        self.exif = exif
    }
}

/// Small pieces of a file, most of which are in the first range.
struct HeaderPieces: Sendable {
    let reader: any FileReader
    private let cached: CachedFileReader

    init(_ reader: any FileReader) {
        self.reader = reader
        cached = CachedFileReader(reader)
    }

    /// Returns up to `count` bytes from `offset` on; fewer at the end of the file.
    func bytes(_ offset: Int64, _ count: Int) async throws -> [UInt8] {
        if offset == 0 { try await cached.prefetch([0..<ImageHeader.firstRead]) }
        return Array(try await cached.read([offset..<offset + Int64(count)])[0])
    }

    /// Returns exactly `count` bytes from `offset` on.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if the file ends before.
    func required(_ offset: Int64, count: Int) async throws -> [UInt8] {
        let bytes = try await bytes(offset, count)
        guard bytes.count == count else { throw reader.damaged("it ends in the middle of its header") }
        return bytes
    }
}

extension [UInt8] {
    /// Returns the big-endian number in `count` bytes at `offset`; the caller checks the bounds.
    func bigEndian(_ offset: Int, _ count: Int) -> Int { self[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) } }

    /// Returns the little-endian number in `count` bytes at `offset`; the caller checks the bounds.
    func littleEndian(_ offset: Int, _ count: Int) -> Int {
        self[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
