import FileProviderCore
import Foundation

/// Makes file names from titles that are safe on any storage.
package enum SafeFileName {
    /// The most bytes of a name, including extension and number.
    package static let maxLength = 200

    /// Returns a name for a book, with `number` before the extension if it is 2 or more.
    ///
    /// - Parameter fileExtension: The extension without the dot, in ASCII letters and digits.
    package static func make(title: String, number: Int = 1, fileExtension: String) -> String {
        make(title, ending: (number > 1 ? " \(number)" : "") + ".\(fileExtension)")
    }

    /// Returns a name made of `text` and the unchanged `ending`.
    package static func make(_ text: String, ending: String) -> String {
        var stem = harmless(text, maxLength: maxLength - ending.utf8.count)
        if stem.isEmpty { stem = "Untitled" }
        // Shell commands would treat a name with a leading dash as an option.
        if stem.hasPrefix("-") { stem = "_" + stem.dropFirst() }
        // Windows treats these as devices, whatever the extension.
        if reserved.contains(stem.prefix(while: { $0 != "." }).uppercased()) { stem = "_" + stem }
        return stem + ending
    }

    /// Returns `text` as a part of a name: without characters that are special to a storage or invisible, cut to
    /// `maxLength` bytes.
    package static func harmless(_ text: String, maxLength: Int = SafeFileName.maxLength) -> String {
        cut(harmless(all: text), to: maxLength)
    }

    /// Whether `text` can be a file's extension.
    package static func isExtension(_ text: String) -> Bool {
        (1...10).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) }
    }

    /// Returns the form for comparing names on a storage that may ignore case or Unicode form.
    package static func folded(_ name: String) -> String { name.precomposedStringWithCanonicalMapping.lowercased() }

    private static let reserved: Set<String> =
        Set(["CON", "PRN", "AUX", "NUL"] + (0...9).flatMap { ["COM\($0)", "LPT\($0)"] })

    private static func harmless(all text: String) -> String {
        var result = String.UnicodeScalarView()
        // Limits the work for very long titles.
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
        // Private-use characters represent bytes that are not UTF-8 in paths; format characters are invisible or
        // reverse text.
        return switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    /// A leading dot hides a file; Windows drops trailing dots and spaces.
    private static func trimmed(_ text: String) -> String {
        text.trimmingCharacters(in: CharacterSet(charactersIn: ". "))
    }

    /// Returns as many whole characters as fit, or as many scalars if the first character alone is too long.
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
