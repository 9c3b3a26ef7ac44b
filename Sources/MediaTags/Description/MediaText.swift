import Foundation

/// Text in the encodings that tags use.
enum MediaText {
    /// Without space and control characters at either end.
    static func trimmed(_ text: String) -> String { text.trimmingCharacters(in: ends) }

    private static let ends = CharacterSet.whitespacesAndNewlines.union(.controlCharacters)

    /// UTF-16 after a byte order mark, else UTF-8, else Latin-1.
    static func guessed(_ bytes: some Collection<UInt8>) -> String {
        if bytes.starts(with: bigEndianMark) || bytes.starts(with: littleEndianMark) { return utf16(bytes) }
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : Array(bytes)
        return String(validating: bytes, as: UTF8.self) ?? latin1(bytes)
    }

    /// Each byte is the character of that number.
    static func latin1(_ bytes: some Collection<UInt8>) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// Decodes by the byte order mark; without one as big-endian, unless `isLittle` is true.
    static func utf16(_ bytes: some Collection<UInt8>, isLittle: Bool = false) -> String {
        let isMarkedBig = bytes.starts(with: bigEndianMark)
        let isMarkedLittle = bytes.starts(with: littleEndianMark)
        let isLittle = isMarkedLittle || (isLittle && !isMarkedBig)
        let bytes = Array(bytes.dropFirst(isMarkedBig || isMarkedLittle ? 2 : 0))
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { index -> UInt16 in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isLittle ? second << 8 | first : first << 8 | second
        }
        return String(decoding: units, as: UTF16.self)
    }

    static let bigEndianMark: [UInt8] = [0xFE, 0xFF]
    static let littleEndianMark: [UInt8] = [0xFF, 0xFE]

    /// Returns the name of a box or chunk, its bytes decoded as Latin-1; shorter if there are fewer bytes.
    static func fourCharacters(_ bytes: some Collection<UInt8>) -> String { latin1(bytes.prefix(4)) }
}
