import Foundation

/// The names of books' files: from author and title, harmless on every storage, and never a peer's.
enum BookFileName {
    /// Bytes of a name with everything.
    static let longest = 200
    private static let longestAuthor = 80

    /// `Author - Title.epub`, and for a `number` above 1 `Author - Title (2).epub`.
    static func make(authors: [String], title: String, number: Int) -> String {
        let ending = (number > 1 ? " (\(number))" : "") + ".epub"
        let author = authors.first.map { BookText.prefix(harmless($0), bytes: longestAuthor) } ?? ""
        let parts = [author, harmless(title)].filter { !$0.isEmpty }
        let name = BookText.prefix(parts.joined(separator: " - "), bytes: longest - ending.utf8.count)
        let trimmed = trimmed(name)
        return (trimmed.isEmpty ? "Book" : trimmed) + ending
    }

    /// Without separators of folders, characters with a meaning to some storage, and characters that cannot be seen.
    private static func harmless(_ text: String) -> String {
        let scalars = text.precomposedStringWithCanonicalMapping.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: "_"
            case .spaceSeparator: " "
            default: "/\\:*?\"<>|".unicodeScalars.contains(scalar) ? "_" : scalar
            }
        }
        let words = String(String.UnicodeScalarView(scalars)).split(separator: " ")
        return trimmed(words.joined(separator: " "))
    }

    /// A dot in front hides a file, and some storages drop dots and spaces at the end.
    private static func trimmed(_ text: String) -> String { text.trimmingCharacters(in: CharacterSet(charactersIn: ". ")) }
}
