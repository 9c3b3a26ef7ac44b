import FileProviderCore
import Foundation
import Publication
import PublicationCache
import Shelf

/// The files of books: read straight from their storages, or through a cache on this machine.
struct BookFiles: Sendable {
    private let shelf: Shelf
    private let cache: ResourceCache?
    private let key: ShelfKey

    /// - Parameters:
    ///   - cache: Nil to keep nothing.
    ///   - key: The server's, so that servers that share a cache don't share what their users may read.
    /// - Throws: `CocoaError(.formatting)` for a cache in a folder that is watched for books.
    init(_ shelf: Shelf, cache: FileCache?, key: ShelfKey) throws {
        self.shelf = shelf
        self.key = key
        self.cache = cache.map { ResourceCache(folder: $0.folder, capacity: $0.capacity) }
        try cache?.check(shelf.givenSources)
    }

    /// Opens a book. The caller closes it.
    ///
    /// - Throws: As ``/Shelf/Shelf/open(_:)``.
    func open(_ book: ShelfBook) async throws -> Publication {
        guard let cache else { return try await shelf.open(book) }
        return try await shelf.open(book, through: { cached($0, source: book.source, cache) })
    }

    /// Opens a book's file. The caller closes it.
    ///
    /// - Throws: As ``/Shelf/Shelf/file(of:)``.
    func reader(of book: ShelfBook) async throws -> any FileReader {
        guard let cache else { return try await shelf.file(of: book) }
        return cached(try await shelf.storedFile(of: book), source: book.source, cache)
    }

    /// With the source, because locations have no users, and each user of a storage may have other files.
    private func cached(_ file: StoredFile, source: Int64, _ cache: ResourceCache) -> CachingFileReader {
        CachingFileReader(file.reader, cache: cache, scope: key.code("cached file", "\(source)\n\(file.location)"))
    }
}
