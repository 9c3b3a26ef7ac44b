import Foundation

/// Several authors in one text, which drivers join with `, `: not to be taken apart again where a name has a comma of
/// its own.
enum AuthorNames {
    /// The authors in `text`. Commas part them only where `sort` has as many names.
    static func split(_ text: String, sort: String?) -> [String] {
        for separator in [" & ", ";"] where text.contains(separator) {
            return BookText.list(text.components(separatedBy: separator))
        }
        let parts = BookText.list(text.components(separatedBy: ", "))
        let sorted = (sort ?? "").components(separatedBy: " & ")
        return parts.count > 1 && sorted.count == parts.count ? parts : BookText.list([text])
    }

    /// Whether `text` is a list of just these authors, however it is joined.
    static func isList(_ text: String, of authors: [String]) -> Bool {
        let text = BookText.clean(text)
        return [", ", " & ", "; ", ";"].contains { authors.joined(separator: $0) == text }
    }
}
