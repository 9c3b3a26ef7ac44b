import Foundation
import Shelf
import WebServer

/// The version of a book's file, as the last listing of its storage has it.
struct BookVersion: Hashable, Sendable {
    /// Size, time and tag in one line.
    let text: String
    /// Whether two versions of the same text have the same bytes, as far as the storage tells.
    let isKnown: Bool

    init(_ book: ShelfBook) {
        let size = book.fileSize.map { String($0) } ?? ""
        let modified = book.fileModified.map { String($0.timeIntervalSince1970) } ?? ""
        text = "\(size) \(modified) \(book.fileTag ?? "")"
        isKnown = book.fileTag != nil || book.fileModified != nil && book.fileSize != nil
    }

    /// The tag of something that is made of the file; nil if its version isn't known.
    func tag(_ book: ShelfBook, _ form: String...) -> EntityTag? {
        isKnown ? EntityTag(ofParts: ["book", String(book.id), text] + form) : nil
    }
}
