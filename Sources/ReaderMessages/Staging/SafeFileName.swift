import FileProviderCore
import Foundation

/// Names of files made of titles: harmless on any storage, whatever is in the title.
package enum SafeFileName {
    /// Bytes of a whole name, extension and number included.
    package static let maxLength = 200

    /// A name for a book, with `number` before the extension where it is 2 or more.
    ///
    /// - Parameter fileExtension: Without the dot, made of ASCII letters and digits.
    package static func make(title: String, number: Int = 1, fileExtension: String) -> String {
        make(title, ending: (number > 1 ? " \(number)" : "") + ".\(fileExtension)")
    }

    /// A name of `text` and, as it is, `ending`.
    package static func make(_ text: String, ending: String) -> String {
        var stem = harmless(text, maxLength: maxLength - ending.utf8.count)
        if stem.isEmpty { stem = "Untitled" }
        // Programs at a shell take a name with a dash in front for an option.
        if stem.hasPrefix("-") { stem = "_" + stem.dropFirst() }
        // Windows takes these for devices, whatever the extension.
        if reserved.contains(stem.prefix(while: { $0 != "." }).uppercased()) { stem = "_" + stem }
        return stem + ending
    }

    /// `text` as a part of a name: without what means something to a storage or cannot be seen, and cut to so many
    /// bytes.
    package static func harmless(_ text: String, maxLength: Int = SafeFileName.maxLength) -> String {
        cut(harmless(all: text), to: maxLength)
    }

    /// Whether `text` can be a file's extension.
    package static func isExtension(_ text: String) -> Bool {
        (1...10).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) }
    }

    /// How two names are compared where the storage may ignore case or the form of Unicode.
    package static func folded(_ name: String) -> String { name.precomposedStringWithCanonicalMapping.lowercased() }

    private static let reserved: Set<String> =
        Set(["CON", "PRN", "AUX", "NUL"] + (0...9).flatMap { ["COM\($0)", "LPT\($0)"] })

    private static func harmless(all text: String) -> String {
        var result = String.UnicodeScalarView()
        // A title of megabytes is not worth more work than a name holds.
        for scalar in String(text.unicodeScalars.prefix(1000)).precomposedStringWithCanonicalMapping.unicodeScalars {
            if scalar.properties.isWhitespace {
                if result.last != " " { result.append(" ") }
            } else {
                result.append(isHarmless(scalar) ? scalar : "_")
            }
        }
        return trimmed(String(result))
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        if "/\\:*?\"<>|".unicodeScalars.contains(scalar) { return false }
        // Private use stands for bytes that are not UTF-8 in paths; format characters hide in names or turn them
        // around.
        return switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    /// A dot in front hides a file, one at the end is lost on Windows, and so are spaces.
    private static func trimmed(_ text: String) -> String {
        text.trimmingCharacters(in: CharacterSet(charactersIn: ". "))
    }

    /// As many whole characters as fit; of a character that alone is longer, as many scalars.
    private static func cut(_ text: String, to bytes: Int) -> String {
        var result = ""
        var count = 0
        for character in text {
            count += character.utf8.count
            if count > bytes { break }
            result.append(character)
        }
        guard result.isEmpty, !text.isEmpty else { return trimmed(result) }
        var scalars = String.UnicodeScalarView()
        count = 0
        for scalar in text.unicodeScalars {
            count += UTF8.width(scalar)
            if count > bytes { break }
            scalars.append(scalar)
        }
        return trimmed(String(scalars))
    }
}
