import FileProviderCore
import Foundation

/// Names for books in a local folder: harmless, not too long, and each its own.
struct SafeNames: Sendable {
    /// Bytes of a name with its extension.
    private static let longest = 200

    private let folder: URL
    private var given: Set<String> = []

    init(in folder: URL) { self.folder = folder }

    /// Where the file of `book` goes.
    mutating func url(for book: LibraryBook) async -> URL {
        let (stem, end) = Self.parts(of: book)
        var number = 1
        while true {
            let mark = number == 1 ? "" : " \(number)"
            let name = Self.cut(stem, to: Self.longest - end.utf8.count - mark.utf8.count) + mark + end
            let url = folder.appending(path: name)
            let isFree = await Self.isFree(url)
            // Folders that don't tell cases apart exist.
            if isFree, given.insert(name.lowercased()).inserted { return url }
            number += 1
        }
    }

    private static func isFree(_ url: URL) async -> Bool {
        // Looking throws nothing, so neither does `run`; a name that is taken all the same is refused when it is written.
        (try? await BlockingThreads.shared.run { !FileManager.default.fileExists(atPath: url.path) }) ?? true
    }

    /// A harmless stem and extension from the last part of the book's file name, else from its title.
    static func parts(of book: LibraryBook) -> (stem: String, end: String) {
        let last = book.filename.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
        let file = last as NSString
        let end = file.pathExtension.lowercased()
        let isPlain =
            !end.isEmpty && end.utf8.count <= 8 && end.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
        let stem = [isPlain ? file.deletingPathExtension : last, book.title].lazy.map(harmless).first { !$0.isEmpty } ?? "book"
        return (stem, isPlain ? "." + end : ".epub")
    }

    /// `text` without characters that a file system, a shell or a terminal may take for something else.
    private static func harmless(_ text: String) -> String {
        let replaced = String(
            String.UnicodeScalarView(
                text.precomposedStringWithCanonicalMapping.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: "_"
                    default: "/\\:*?\"<>|".unicodeScalars.contains(scalar) ? "_" : scalar
                    }
                }))
        let trimmed = replaced.trimmingCharacters(in: CharacterSet(charactersIn: ". "))
        return trimmed.hasPrefix("-") ? "_" + trimmed.dropFirst() : trimmed
    }

    private static func cut(_ text: String, to bytes: Int) -> String {
        var left = bytes
        // By scalars: one character may be longer than any name.
        let cut = text.unicodeScalars.prefix { scalar in
            left -= UTF8.width(scalar)
            return left >= 0
        }
        return cut.isEmpty ? "book" : String(cut)
    }
}
