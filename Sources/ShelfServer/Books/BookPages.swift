import MediaTypes
import Shelf

/// The pages of books that consist of pictures.
enum BookPages {
    private static let comics: Set<String> = Set(
        [MediaType.cbz, .cbr, .cb7, .cbt, .divina].map(\.essence) + ["application/zip", "application/vnd.rar"])

    /// How many there are; nil for other books, and as long as that is unknown.
    static func count(of book: ShelfBook) -> Int? {
        guard comics.contains(book.mediaType.essence), let count = book.positionCount, count > 0 else { return nil }
        return count
    }
}
