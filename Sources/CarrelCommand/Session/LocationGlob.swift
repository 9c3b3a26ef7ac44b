import Carrel
import Foundation

/// A shell's pattern in the last part of a location's path: `dav://host/books/*.epub`, `nas:books/[a-c]*`.
struct LocationGlob {
    /// The location of the folder to search, with the slash or colon at its end.
    let folder: String
    /// The pattern, in the syntax of ``TextMatch/Kind/glob``.
    let pattern: String

    /// Returns `nil` for a location without a pattern, and for a local path, which a shell expands.
    ///
    /// - Throws: As ``LocationText/init(_:)``.
    init?(_ text: String) throws {
        let isURL: Bool
        switch try LocationText(text) {
        case .url(let url):
            if url.isFileURL { return nil }
            isURL = true
        case .connection: isURL = false
        }
        guard let end = text.lastIndex(where: { $0 == "/" || !isURL && $0 == ":" }) else { return nil }
        var last = String(text[text.index(after: end)...])
        guard last.contains(where: { "*?[".contains($0) }) else { return nil }
        if isURL {
            // Percent-encoded characters are literal.
            for (code, character) in [("%2A", "*"), ("%3F", "?"), ("%5B", "["), ("%5C", "\\")] {
                last = last.replacingOccurrences(of: code, with: "\\" + character, options: .caseInsensitive)
            }
            guard let decoded = last.removingPercentEncoding else { return nil }
            last = decoded
        }
        (folder, pattern) = (String(text[...end]), last)
    }
}
