import Foundation
import SQLiteStorage

/// Splits several authors in one text, which drivers join with `, `, although names may contain commas.
enum AuthorNames {
    /// Returns the authors in `text`. Commas separate them only if `sort` has as many names.
    static func split(_ text: String, sort: String?) -> [String] {
        for separator in [" & ", ";"] where text.contains(separator) {
            return BookText.list(text.components(separatedBy: separator))
        }
        let parts = BookText.list(text.components(separatedBy: ", "))
        let sorted = (sort ?? "").components(separatedBy: " & ")
        return parts.count > 1 && sorted.count == parts.count ? parts : BookText.list([text])
    }

    /// Whether `text` lists exactly these authors, with any separator.
    static func isList(_ text: String, of authors: [String]) -> Bool {
        let text = BookText.clean(text)
        return [", ", " & ", "; ", ";"].contains { authors.joined(separator: $0) == text }
    }
}
