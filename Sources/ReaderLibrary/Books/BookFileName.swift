import ReaderLink

/// Makes file names for books from author and title, safe on every storage and never from a peer.
enum BookFileName {
    /// The most bytes of the author's name.
    private static let maxAuthorLength = 80

    /// Returns `Author - Title.epub`, or `Author - Title (2).epub` for a `number` above 1.
    static func make(authors: [String], title: String, number: Int) -> String {
        let author = authors.first.map { SafeFileName.harmless($0, maxLength: maxAuthorLength) } ?? ""
        let parts = [author, SafeFileName.harmless(title)].filter { !$0.isEmpty }
        return SafeFileName.make(parts.joined(separator: " - "), ending: (number > 1 ? " (\(number))" : "") + ".epub")
    }
}
