import FileProviderCore
import Foundation
import Publication
import PublicationCache
import Shelf

/// The files of books: read straight from their storages, or through a cache on this machine.
struct BookFiles: Sendable {
    private let shelf: Shelf
    private let cache: ResourceCache?

    /// - Parameter cache: Nil to keep nothing.
    /// - Throws: `CocoaError(.formatting)` for a cache in a folder that is watched for books.
    init(_ shelf: Shelf, cache: FileCache?) throws {
        self.shelf = shelf
        self.cache = cache.map { ResourceCache(folder: $0.folder, capacity: $0.capacity) }
        try cache?.check(shelf.givenSources)
    }

    /// Opens a book. The caller closes it.
    ///
    /// - Throws: As ``/Shelf/Shelf/open(_:)``.
    func open(_ book: ShelfBook) async throws -> Publication {
        guard let cache else { return try await shelf.open(book) }
        return try await shelf.open(
            book, through: { CachingFileReader($0.reader, cache: cache, scope: $0.location) })
    }

    /// Opens a book's file. The caller closes it.
    ///
    /// - Throws: As ``/Shelf/Shelf/file(of:)``.
    func reader(of book: ShelfBook) async throws -> any FileReader {
        guard let cache else { return try await shelf.file(of: book) }
        let file = try await shelf.storedFile(of: book)
        return CachingFileReader(file.reader, cache: cache, scope: file.location)
    }
}
