package import Foundation

/// Recognises formats by their first bytes. Each function takes the start of a file, as much as is available up to 16
/// KiB.
package enum Signatures {
    /// Recognises any of these formats.
    package static func any(_ head: Data) -> MediaType? {
        archive(head) ?? image(head) ?? soundOrVideo(head) ?? font(head)
    }

    /// Returns whether it begins as a ZIP archive does: with an entry, as the first part of a split one, or with the
    /// end of an empty one (APPNOTE.TXT, sections 4.3.7 and 8.5).
    package static func isZIP(_ head: Data) -> Bool {
        head.starts(with: "PK\u{3}\u{4}") || head.starts(with: "PK\u{5}\u{6}") || head.starts(with: "PK\u{7}\u{8}")
    }

    /// Returns whether it is a PDF document (ISO 32000-2, section 7.5.2). Ignores space and a byte order mark before
    /// the header.
    package static func isPDF(_ head: Data) -> Bool {
        let start = head.prefix(1024).drop { [0, 0x09, 0x0A, 0x0C, 0x0D, 0x20, 0xEF, 0xBB, 0xBF].contains($0) }
        return start.starts(with: "%PDF-".utf8)
    }

    /// Recognises archives and packed files other than ZIP.
    package static func archive(_ head: Data) -> MediaType? {
        if head.starts(with: "Rar!\u{1A}\u{7}\u{0}") || head.starts(with: "Rar!\u{1A}\u{7}\u{1}\u{0}") { return .rar }
        if head.starts(with: [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]) { return .sevenZip }
        // RFC 1952, section 2.3.1: deflate is the only method.
        if head.starts(with: [0x1F, 0x8B, 8]) { return .gz }
        if head.starts(with: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]) { return .xz }
        if head.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return .zstd }
        if isBzip2(head) { return .bzip2 }
        // POSIX ustar and GNU tar; archives from before 1988 have no signature.
        return head.has("ustar", at: 257) ? .tar : nil
    }

    private static func isBzip2(_ head: Data) -> Bool {
        guard head.starts(with: "BZh"), let level = head.byte(3),
            (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(level)
        else {
            return false
        }
        let block = head.dropFirst(4)
        return block.starts(with: [0x31, 0x41, 0x59, 0x26, 0x53, 0x59])
            || block.starts(with: [0x17, 0x72, 0x45, 0x38, 0x50, 0x90])
    }

    /// Recognises images made of pixels.
    package static func image(_ head: Data) -> MediaType? {
        if head.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
        if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if head.starts(with: "GIF87a") || head.starts(with: "GIF89a") { return .gif }
        if head.starts(with: "RIFF"), head.has("WEBP", at: 8) { return .webp }
        // TIFF 6.0, section 2, and BigTIFF.
        if head.starts(with: "II*\u{0}") || head.starts(with: "II+\u{0}") { return .tiff }
        if head.starts(with: "MM\u{0}*") || head.starts(with: "MM\u{0}+") { return .tiff }
        // ISO/IEC 18181-2: in a container, or the bare codestream.
        if head.starts(with: [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]) { return .jxl }
        if head.starts(with: [0xFF, 0x0A]), head.count >= 12 { return .jxl }
        if isBMP(head) { return .bmp }
        return MP4Brand.image(head)
    }

    /// Many texts begin with “BM”, so the reserved fields and the second header's size must be valid, too.
    private static func isBMP(_ head: Data) -> Bool {
        guard head.starts(with: "BM"), head.little(6, 4) == 0, let length = head.little(14, 4) else { return false }
        return [12, 16, 40, 52, 56, 64, 108, 124].contains(length)
    }

    /// Recognises fonts, as used by CSS and EPUB.
    package static func font(_ head: Data) -> MediaType? {
        if head.starts(with: "wOFF") { return .woff }
        if head.starts(with: "wOF2") { return .woff2 }
        if head.starts(with: "OTTO") { return .otf }
        if head.starts(with: "ttcf") { return .fontCollection }
        guard head.starts(with: [0, 1, 0, 0]) || head.starts(with: "true"), let tables = head.big(4, 2),
            (1...64).contains(tables)
        else {
            return nil
        }
        // OpenType, table directory: 16 times the largest power of two that does not exceed the number of tables.
        let power = 1 << (Int.bitWidth - 1 - tables.leadingZeroBitCount)
        return head.big(6, 2) == 16 * power ? .ttf : nil
    }
}

extension Data {
    package func byte(_ offset: Int) -> UInt8? { dropFirst(offset).first }

    /// Returns whether the letters of `text`, all ASCII, are at `offset`.
    package func has(_ text: StaticString, at offset: Int) -> Bool {
        dropFirst(offset).starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    package func starts(with text: StaticString) -> Bool { has(text, at: 0) }

    /// Returns an unsigned little-endian number of up to seven bytes.
    package func little(_ offset: Int, _ count: Int) -> Int? {
        let bytes = dropFirst(offset).prefix(count)
        return bytes.count == count ? bytes.reversed().reduce(0) { $0 << 8 | Int($1) } : nil
    }

    /// Returns an unsigned big-endian number of up to seven bytes.
    func big(_ offset: Int, _ count: Int) -> Int? {
        let bytes = dropFirst(offset).prefix(count)
        return bytes.count == count ? bytes.reduce(0) { $0 << 8 | Int($1) } : nil
    }
}
