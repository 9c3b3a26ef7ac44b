import Foundation

/// The bytes of a message as UTF-8 without a byte order mark, whatever their original encoding.
struct MessageBytes {
    /// Valid UTF-8.
    let utf8: [UInt8]
    /// Whether unpaired surrogates were replaced, which only occur in UTF-16.
    let hasReplacements: Bool

    /// Accepts at most `limit` bytes of UTF-8, with or without a byte order mark, or of UTF-16 with one. The encoding
    /// in an XML declaration is ignored.
    /// - Throws: ``MessageFailure``.
    init(_ data: Data, limit: Int, fileName: String) throws {
        guard data.count <= limit else {
            throw MessageFailure(.hostile, fileName: fileName, reason: "it has more than \(limit) bytes.")
        }
        let start = Array(data.prefix(2))
        switch start {
        case [0xFF, 0xFE], [0xFE, 0xFF]:
            (utf8, hasReplacements) = try Self.fromUTF16(
                data.dropFirst(2), isBigEndian: start[0] == 0xFE, fileName: fileName)
        case [0xFF], [0xFE]:
            throw Self.incomplete(fileName)
        default:
            let hasMark = data.starts(with: [0xEF, 0xBB, 0xBF])
            utf8 = [UInt8](data.dropFirst(hasMark ? 3 : 0))
            hasReplacements = false
            try Self.check(utf8, fileName)
        }
    }

    private static func incomplete(_ fileName: String) -> MessageFailure {
        MessageFailure(.incomplete, fileName: fileName, reason: "it ends too early.")
    }

    private static func check(_ bytes: [UInt8], _ fileName: String) throws {
        do {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            // The rest of the last character may still arrive.
            let isCut = error.kind == .truncatedScalar && error.byteOffsets.upperBound == bytes.count
            throw isCut
                ? incomplete(fileName)
                : MessageFailure(.malformed, fileName: fileName, reason: "its text is neither UTF-8 nor UTF-16.")
        }
    }

    private static func fromUTF16(_ data: Data, isBigEndian: Bool, fileName: String) throws -> ([UInt8], Bool) {
        guard data.count.isMultiple(of: 2) else { throw incomplete(fileName) }
        let units = data.withUnsafeBytes { bytes in
            (0..<bytes.count / 2).map { index in
                let unit = bytes.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)
                return isBigEndian ? UInt16(bigEndian: unit) : UInt16(littleEndian: unit)
            }
        }
        if let last = units.last, UTF16.isLeadSurrogate(last) { throw incomplete(fileName) }
        if let text = String(validating: units, as: UTF16.self) { return (Array(text.utf8), false) }
        return (Array(String(decoding: units, as: UTF16.self).utf8), true)
    }
}
