import Foundation

/// Texts in the form for comparison.
enum TextFolding {
    /// UTF-8 bytes. Composing takes quadratic time in a run of marks, and only an attacker uses longer names.
    private static let maxComposedLength = 4096

    /// Returns the text as scalars, composed (NFC), without the differences that `options` ignores.
    static func scalars(of text: String, _ options: String.CompareOptions) -> [UInt32] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            let upper = options.contains(.caseInsensitive) ? UInt8(ascii: "A")...UInt8(ascii: "Z") : nil
            return text.utf8.map { UInt32(upper?.contains($0) == true ? $0 | 0x20 : $0) }
        }
        var folded = options.isEmpty ? text : text.folding(options: options, locale: nil)
        if folded.utf8.count <= maxComposedLength { folded = folded.precomposedStringWithCanonicalMapping }
        return folded.unicodeScalars.map(\.value)
    }
}
