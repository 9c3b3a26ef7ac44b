import Foundation

/// Text about books as the library keeps it: in one Unicode form, without what ends a string early, and never without
/// end.
enum BookText {
    /// Bytes of a line, such as a title.
    static let maxLineLength = 64 << 10
    /// Bytes of a description.
    static let maxDescriptionLength = 1 << 20
    /// Entries of a list, such as the authors.
    static let maxListLength = 1_000

    /// A line in NFC, without white space around it, cut at ``maxLineLength``.
    static func clean(_ text: String) -> String {
        let line = text.replacing("\0", with: "").trimmingCharacters(in: .whitespacesAndNewlines)
            .precomposedStringWithCanonicalMapping
        return prefix(line, bytes: maxLineLength)
    }

    /// A line that is not empty, or nil.
    static func nonEmpty(_ text: String?) -> String? { text.map(clean).flatMap { $0.isEmpty ? nil : $0 } }

    /// Lines that are neither empty nor there already, in order.
    static func list(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        var lines: [String] = []
        for line in texts.lazy.map(clean) where !line.isEmpty && seen.insert(line).inserted {
            lines.append(line)
            if lines.count == maxListLength { break }
        }
        return lines
    }

    /// A description as it came; nil for one that is empty.
    /// - Returns: `isTooLong` when it goes over ``maxDescriptionLength``, and then no text.
    static func description(_ text: String) -> (text: String?, isTooLong: Bool) {
        let text = text.replacing("\0", with: "")
        if text.utf8.count > maxDescriptionLength { return (nil, true) }
        return (text.allSatisfy(\.isWhitespace) ? nil : text, false)
    }

    /// As many whole characters as fit into `bytes`.
    static func prefix(_ text: String, bytes: Int) -> String {
        if text.utf8.count <= bytes { return text }
        var result = text[...]
        while result.utf8.count > bytes {
            // At least one character too many for every 4 bytes that a large one has, so that long texts take few
            // rounds.
            result = result.dropLast(max(1, (result.utf8.count - bytes) / 64))
        }
        return String(result)
    }
}
