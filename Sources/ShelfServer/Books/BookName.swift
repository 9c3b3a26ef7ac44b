import FileProviderCore
import Foundation
import MediaTypes
import Publication
import Shelf

/// File names of books, made of authors and titles, for any system.
enum BookName {
    /// The most characters of a title and of an author.
    private static let longest = 80

    /// Returns `Author - Title.epub`. Without a title it is the name of the book's file, with its extension.
    static func file(of book: ShelfBook) -> String {
        let title = harmless(book.metadata.title.string)
        let author = harmless(book.metadata.authors.first?.name.string ?? "")
        let words = [author, title].filter { !$0.isEmpty }.joined(separator: " - ")
        let name = title.isEmpty ? harmless(stem(of: book.path.name)) : words
        return (name.isEmpty ? "Book \(book.id)" : name) + "." + ending(of: book)
    }

    /// The file's own extension if it is a plain one; readers go by it. Otherwise that of the media type.
    private static func ending(of book: ShelfBook) -> String {
        let name = book.path.name
        if let dot = name.lastIndex(of: "."), dot != name.startIndex {
            let ending = name[name.index(after: dot)...].lowercased()
            let isPlain = ending.utf8.allSatisfy { PercentEncoding.isAlphanumeric($0) }
            if isPlain, (1...8).contains(ending.count) { return ending }
        }
        return book.mediaType.fileExtension ?? MediaType.known(book.mediaType)?.fileExtension ?? "bin"
    }

    private static func stem(of name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return String(name[..<dot])
    }

    /// Without characters that a system forbids in names, or that could lead a person astray, and without dots and
    /// spaces at both ends.
    private static func harmless(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "/", "\\", ":", "*", "?", "\"", "<", ">", "|": result += " "
            default: if !isHidden(scalar) { result.unicodeScalars.append(scalar) } else { result += " " }
            }
        }
        let words = result.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return String(words.prefix(longest)).trimmingCharacters(in: CharacterSet(charactersIn: ". "))
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
        default: false
        }
    }

    // MARK: Header fields

    /// The value of `Content-Disposition` that saves a file as `name` (RFC 6266; RFC 8187, section 3.2).
    static func disposition(_ name: String) -> String {
        let plain = String(
            decoding: name.unicodeScalars.map { scalar -> UInt8 in
                let isPlain = (0x20..<0x7F).contains(scalar.value) && !["\"", "\\", "%"].contains(scalar)
                return isPlain ? UInt8(scalar.value) : UInt8(ascii: "_")
            }, as: UTF8.self)
        return "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(PercentEncoding.encoded(Array(name.utf8)))"
    }
}
