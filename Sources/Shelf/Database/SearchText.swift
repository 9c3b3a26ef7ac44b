import Foundation
import Publication

/// Makes words for the search table, and conditions for it.
enum SearchText {
    /// The most words of a question that count.
    private static let maxWords = 32

    /// Returns `text` as the search table keeps it: folded, and with characters of scripts that have no spaces
    /// between words as words.
    static func indexed(_ text: String, _ folding: inout FoldedKey) -> String {
        folding.key(separated(text))
    }

    /// Returns the condition that finds all words of `text`, each at the start of a word at least.
    ///
    /// - Returns: `nil` if there is no word in it.
    static func condition(_ text: String) -> String? {
        var folding = FoldedKey()
        var terms: [String] = []
        for word in text.split(whereSeparator: \.isWhitespace).prefix(maxWords) {
            // A double quotation mark or NUL would end the term.
            let folded = folding.key(separated(String(word.prefix(200))))
                .replacing("\"", with: " ").replacing("\0", with: " ")
            guard folded.unicodeScalars.contains(where: isPartOfWord) else { continue }
            terms.append("\"\(folded)\" *")
        }
        return terms.isEmpty ? nil : terms.joined(separator: " AND ")
    }

    private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .privateUse:
            true
        default: false
        }
    }

    /// Replaces what is between `<` and `>` by a space.
    static func withoutTags(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "<")) else { return text }
        var result = String.UnicodeScalarView()
        var isInTag = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<":
                isInTag = true
                result.append(" ")
            case ">" where isInTag: isInTag = false
            default: if !isInTag { result.append(scalar) }
            }
        }
        return String(result)
    }

    /// Puts spaces around each character of Chinese and Japanese, so that any of them can begin a word.
    private static func separated(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isWordByItself) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard isWordByItself(scalar) else {
                result.append(scalar)
                continue
            }
            result.append(" ")
            result.append(scalar)
            result.append(" ")
        }
        return String(result)
    }

    private static func isWordByItself(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x3041...0x3096, 0x30A1...0x30FA, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
