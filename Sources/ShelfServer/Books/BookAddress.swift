import FileProviderCore
import Foundation
import MediaTypes
import Publication
import Shelf

/// Addresses of a book's files, relative to the server's base.
enum BookAddress {
    /// The page about the book: `book/12`.
    static func page(of book: ShelfBook) -> String { "book/\(book.id)" }

    /// The book's file: `book/12/file/Title.epub`. The name is percent-encoded.
    static func file(of book: ShelfBook) -> String {
        "book/\(book.id)/file/\(PercentEncoding.encoded(Array(BookName.file(of: book).utf8)))"
    }

    /// The book's cover; nil if it is known to have none.
    ///
    /// - Parameter size: The largest side in pixels: one of the shelf's `coverDimensions`, 240 or 800.
    static func cover(of book: ShelfBook, size: Int) -> String? {
        if case .none = book.coverState { return nil }
        // The tag makes another address of another picture, so that browsers may keep each.
        let version = book.coverTag.map { "&v=" + PercentEncoding.encoded(Array($0.utf8)) } ?? ""
        return "book/\(book.id)/cover?size=\(size)\(version)"
    }

    /// The template of the book's pages as pictures (OPDS-PSE 1.1), and how many there are; nil for a book that doesn't
    /// consist of pictures.
    static func pages(of book: ShelfBook) -> (template: String, count: Int)? {
        guard let count = BookPages.count(of: book) else { return nil }
        return ("book/\(book.id)/pages/{pageNumber}?width={maxWidth}", count)
    }

    /// The reading page of the book for a person: `read/12-3-…/`. A client that has the address can read the book, until the
    /// person's password changes.
    static func reading(_ book: ShelfBook, _ context: ShelfContext) -> String {
        "read/\(context.key.readingSegment(book: book.id, user: context.reader))/"
    }
}
