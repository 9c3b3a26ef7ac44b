public import FileProviderCore
import Foundation
import MediaTypes
public import Publication

// MARK: Asking

extension Shelf {
    /// Returns a page of the books that match `query`, and the number of all that match.
    ///
    /// - Throws: Errors of the shelf's folder.
    public func books(_ query: ShelfQuery = ShelfQuery()) async throws -> ShelfPage { try await database.books(query) }

    /// Returns the book with the number `id`. If it left the shelf while a copy of its file stayed, returns the copy, which
    /// has another number.
    ///
    /// - Returns: `nil` if neither is on the shelf.
    /// - Throws: Errors of the shelf's folder.
    public func book(_ id: Int64) async throws -> ShelfBook? { try await database.book(id) }

    /// Returns the books with the numbers `ids`, as ``book(_:)`` does, by these numbers.
    ///
    /// - Throws: Errors of the shelf's folder.
    package func books(numbered ids: [Int64]) async throws -> [Int64: ShelfBook] {
        try await database.books(numbered: ids)
    }

    /// Returns the numbers of books that left the shelf and for which ``book(_:)`` returns one of `books`, each with the
    /// number of that one. A book's places under these numbers are its own, too.
    ///
    /// - Throws: Errors of the shelf's folder.
    package func predecessors(of books: [Int64]) async throws -> [Int64: Int64] {
        try await database.predecessors(of: books)
    }

    /// Returns the values of a facet among the books that match `query`, in the order of their names, each with the
    /// number of books.
    ///
    /// - Parameter query: Its order and its part don't matter.
    /// - Throws: Errors of the shelf's folder.
    public func facets(
        _ facet: ShelfFacet, in query: ShelfQuery = ShelfQuery(), limit: Int = 500, offset: Int = 0
    ) async throws -> [FacetValue] {
        try await database.facets(facet, in: query, limit: limit, offset: offset)
    }

    /// Returns the first values of several facets among the books that match `query`, in the order of their names, each
    /// with the number of books. The books are looked for once.
    ///
    /// - Parameters:
    ///   - query: Its order and its part don't matter.
    ///   - limit: The most values of each facet.
    /// - Throws: Errors of the shelf's folder.
    public func facets(
        _ facets: [ShelfFacet], in query: ShelfQuery = ShelfQuery(), limit: Int = 500
    ) async throws -> [ShelfFacet: [FacetValue]] {
        try await database.facets(facets, in: query, limit: limit)
    }

    /// Returns files that aren't shown as books, each with a sentence, in the order of their sources and paths.
    ///
    /// - Parameter source: The number of a source; `nil` for all of them.
    /// - Throws: Errors of the shelf's folder.
    public func refused(source: Int64? = nil, limit: Int = 500, offset: Int = 0) async throws -> [RefusedFile] {
        try await database.refused(source: source, limit: limit, offset: offset)
    }

    /// Returns the numbers of what is on the shelf.
    ///
    /// - Throws: Errors of the shelf's folder.
    public func counts() async throws -> ShelfCounts { try await database.counts() }
}

// MARK: Reading

extension Shelf {
    /// Opens a book where its file is now. The caller closes it.
    ///
    /// - Throws: As ``/Publication/Publication/open(path:of:options:)``; `CocoaError(.fileReadNoSuchFile)` for a book
    ///   that left the shelf, or whose source isn't given.
    public func open(_ book: ShelfBook) async throws -> Publication { try await open(book, through: { $0.reader }) }

    /// Opens a book as ``open(_:)`` does, and reads its file through another reader.
    ///
    /// - Parameter reading: Returns the reader to use.
    package func open(
        _ book: ShelfBook, through reading: @escaping @Sendable (StoredFile) -> any FileReader
    ) async throws -> Publication {
        let (source, book) = try await place(of: book)
        let location = source.location(of: book.path)
        var options = openingOptions
        options.mediaTypes.insert(book.mediaType.string, at: 0)
        options.reading = { reading(StoredFile(reader: $0, location: location)) }
        return try await Publication.open(path: book.path, of: source.provider, options: options)
    }

    /// Opens the file of a book where it is now, for reading by ranges. The caller closes it.
    ///
    /// - Throws: Errors of the storage; `CocoaError(.fileReadNoSuchFile)` for a book that left the shelf, or whose source
    ///   isn't given.
    public func file(of book: ShelfBook) async throws -> any FileReader { try await storedFile(of: book).reader }

    /// Opens the file of a book as ``file(of:)`` does, and says where it is.
    package func storedFile(of book: ShelfBook) async throws -> StoredFile {
        let (source, book) = try await place(of: book)
        return StoredFile(
            reader: try await source.provider.open(path: book.path), location: source.location(of: book.path))
    }

    private func place(of book: ShelfBook) async throws -> (ShelfSource, ShelfBook) {
        guard let current = try await database.book(book.id),
            let source = sources.first(where: { $0.id == current.source })?.source
        else {
            throw FileError.make(
                .fileReadNoSuchFile, path: book.path, sentence: "The book at “\(book.path)” is no longer on the shelf.")
        }
        return (source, current)
    }
}

/// The file of a book in its storage.
package struct StoredFile: Sendable {
    /// Reads the file in the storage.
    package let reader: any FileReader
    /// The file's URL without user, password and query.
    package let location: String
}

extension ShelfSource {
    fileprivate func location(of path: ProviderPath) -> String { provider.url(of: path).withoutSecrets.absoluteString }
}
