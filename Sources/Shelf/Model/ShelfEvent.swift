public import FileProviderCore
import Publication

/// A change of a shelf, reported once it is stored.
public enum ShelfEvent: Hashable, Sendable {
    /// A book was added.
    case added(ShelfBook)
    /// The file of a book changed, and was read again.
    case changed(ShelfBook)
    /// The file of a book has another path now.
    case moved(ShelfBook, from: ProviderPath)
    /// A book left the shelf.
    case removed(id: Int64, path: ProviderPath)
    /// A file isn't shown as a book.
    case refused(RefusedFile)
    /// A file or folder couldn't be read; the shelf tries again.
    case postponed(path: ProviderPath, sentence: String)
    /// A source can't be listed or watched; its books stay.
    case interrupted(location: String, sentence: String)
    /// A source can be listed and watched again.
    case resumed(location: String)
    /// The listing of a source lacks so many of its books that they stay for now.
    case withheld(location: String, count: Int)
}

extension ShelfEvent: CustomStringConvertible {
    /// The event on one line of at most 2,000 characters, without characters that control a terminal.
    public var description: String { LogText.shown(text { $0.string }, limit: 2_000) }

    /// Returns the event in words. Paths and titles in it are unchanged, with every character that they have.
    ///
    /// - Parameter shown: Returns a path as people know it.
    package func text(_ shown: (ProviderPath) -> String) -> String {
        switch self {
        case .added(let book): "added \(shown(book.path)): \(book.titleAndAuthors)"
        case .changed(let book): "changed \(shown(book.path)): \(book.titleAndAuthors)"
        case .moved(let book, let from): "moved \(shown(from)) -> \(shown(book.path))"
        case .removed(_, let path): "removed \(shown(path))"
        case .refused(let file): "refused \(shown(file.path)): \(file.sentence)"
        case .postponed(let path, let sentence): "postponed \(shown(path)): \(sentence)"
        case .interrupted(let location, let sentence): "interrupted \(location): \(sentence)"
        case .resumed(let location): "resumed \(location)"
        case .withheld(let location, let count): "withheld \(location): \(count) books are missing and stay for now"
        }
    }
}

extension ShelfBook {
    fileprivate var titleAndAuthors: String {
        let authors = metadata.authors.map(\.name.string).joined(separator: ", ")
        return metadata.title.string + (authors.isEmpty ? "" : " by \(authors)")
    }
}

/// The result of a scan.
public struct ScanReport: Hashable, Sendable {
    /// The number of files that were listed.
    public var listed = 0
    /// The number of files that were opened.
    public var read = 0
    /// The number of new books.
    public var added = 0
    /// The number of books whose files changed.
    public var changed = 0
    /// The number of books whose files moved.
    public var moved = 0
    /// The number of books that left the shelf.
    public var removed = 0
    /// The number of files that were read and aren't shown as books.
    public var refused = 0
    /// The number of files and folders that couldn't be read.
    public var postponed = 0
    /// The number of books that stay although the listing lacks them.
    public var withheld = 0
    /// Whether every folder was listed and every file read.
    public var isComplete = false

    /// Creates the report of a scan that has seen nothing yet.
    public init() {}
}
