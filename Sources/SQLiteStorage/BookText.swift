import Foundation

/// Normalizes text about books for a database: one Unicode form, no NUL, and limited lengths.
package enum BookText {
    /// The most bytes of a line, such as a title.
    package static let maxLineLength = 64 << 10
    /// The most bytes of a description.
    package static let maxDescriptionLength = 1 << 20
    /// The most entries of a list, such as the authors.
    package static let maxListLength = 1_000

    /// Returns a line in NFC, without surrounding white space, cut at ``maxLineLength``.
    package static func clean(_ text: String) -> String {
        let line = text.replacing("\0", with: "").trimmingCharacters(in: .whitespacesAndNewlines)
            .precomposedStringWithCanonicalMapping
        return prefix(line, bytes: maxLineLength)
    }

    /// Returns a cleaned line, or `nil` if it is empty.
    package static func nonEmpty(_ text: String?) -> String? { text.map(clean).flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns cleaned lines in order, without empty ones and duplicates.
    package static func list(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        var lines: [String] = []
        for line in texts.lazy.map(clean) where !line.isEmpty && seen.insert(line).inserted {
            lines.append(line)
            if lines.count == maxListLength { break }
        }
        return lines
    }

    /// Returns an unchanged description, or `nil` if it is empty.
    /// - Returns: `isTooLong` if it exceeds ``maxDescriptionLength``, and then no text.
    package static func description(_ text: String) -> (text: String?, isTooLong: Bool) {
        let text = text.replacing("\0", with: "")
        if text.utf8.count > maxDescriptionLength { return (nil, true) }
        return (text.allSatisfy(\.isWhitespace) ? nil : text, false)
    }

    /// Returns as many whole characters as fit into `bytes`.
    package static func prefix(_ text: String, bytes: Int) -> String {
        if text.utf8.count <= bytes { return text }
        var result = text[...]
        while result.utf8.count > bytes {
            // Removes several characters per round, so that long texts need few rounds.
            result = result.dropLast(max(1, (result.utf8.count - bytes) / 64))
        }
        return String(result)
    }
}
