import ReaderLink

/// The names of books' files: from author and title, harmless on every storage, and never a peer's.
enum BookFileName {
    /// Bytes of the author's name in it.
    private static let maxAuthorLength = 80

    /// `Author - Title.epub`, and for a `number` above 1 `Author - Title (2).epub`.
    static func make(authors: [String], title: String, number: Int) -> String {
        let author = authors.first.map { SafeFileName.harmless($0, maxLength: maxAuthorLength) } ?? ""
        let parts = [author, SafeFileName.harmless(title)].filter { !$0.isEmpty }
        return SafeFileName.make(parts.joined(separator: " - "), ending: (number > 1 ? " (\(number))" : "") + ".epub")
    }
}
