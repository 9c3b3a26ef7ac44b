import FileProviderCore
import Foundation
import Logging
import Shelf
import WebServer

/// Finds the books that KOReader's documents are.
///
/// The digest of a file is computed when the file is acquired from this server, or first asked for, and kept for that
/// version of the file.
struct KOReaderDocuments: Sendable {
    /// How many books without a digest are read when an unknown document is asked for.
    private static let mostReads = 8
    private static let mostPlaces = 200

    let context: ShelfContext

    init(_ context: ShelfContext) { self.context = context }

    // MARK: Digests

    /// Returns the digest of a book's file.
    ///
    /// - Throws: Errors of the storage.
    func digest(of book: ShelfBook) async throws -> String {
        let version = BookVersion(book)
        if version.isKnown, let known = try await context.people.document(of: book.id, version: version.text) {
            return known
        }
        let reader = try await context.shelf.file(of: book)
        let digest: String
        do { digest = try await DocumentDigest.binary(reader) } catch {
            await reader.close()
            throw error
        }
        await reader.close()
        try await context.people.keepDocument(digest, of: book.id, version: version.text)
        return digest
    }

    /// Returns the answer with a book's file so that the file's digest is known once it is sent.
    func noting(_ book: ShelfBook, in answer: ServerResponse) async -> ServerResponse {
        guard answer.status == 200 || answer.status == 206 else { return answer }
        var answer = answer
        switch answer.body {
        // The answer to HEAD.
        case .none: break
        case .data: await note(book)
        case .stream(let count, let send):
            answer.body = .stream(
                count: count,
                send: { sink in
                    try await send(sink)
                    await note(book)
                })
        }
        return answer
    }

    private func note(_ book: ShelfBook) async {
        do { _ = try await digest(of: book) } catch {
            context.logger?.debug(
                "KOReader's digest of a file could not be computed.",
                metadata: ["error": "\(LogText.shown(error.sentence))"])
        }
    }

    // MARK: Books

    /// Returns the book that a document is; nil if none is known to be it.
    ///
    /// By its digest, each book is found that was acquired from this server, and each that the person read on a page.
    /// By its name, those that the person read and the 500 newest are found, unless several of them have it: volumes of
    /// series often have the same names in different folders.
    ///
    /// - Throws: Errors of the shelf.
    func book(_ document: String, of user: User) async throws -> ShelfBook? {
        guard DocumentDigest.isDigest(document) else { return nil }
        for id in try await context.people.books(ofDocument: document) {
            if let book = try await context.shelf.book(id) { return book }
        }
        let read = try await booksWithPlaces(of: user)
        let named = try await books(named: document, among: read)
        if let book = named.first { return named.count == 1 ? book : nil }
        return try await unread(among: read, document)
    }

    /// Whether no other book that could be found by its name has the name of `book`.
    ///
    /// - Parameter document: The digest of a name of `book`.
    /// - Throws: Errors of the shelf.
    func isOnly(_ book: ShelfBook, named document: String, of user: User) async throws -> Bool {
        try await books(named: document, among: booksWithPlaces(of: user)).allSatisfy { $0.id == book.id }
    }

    /// Returns those of `read` and of the newest books whose names have the digest `document`, each once.
    private func books(named document: String, among read: [ShelfBook]) async throws -> [ShelfBook] {
        let query = ShelfQuery(sort: .added, isDescending: true, limit: ShelfQuery.maxLimit)
        let newest = try await context.shelf.books(query).books
        let named = (read + newest).filter { DocumentDigest.names(of: $0).contains(document) }
        return Array(Dictionary(named.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first }).values)
    }

    /// Returns the books that the person has a place in, the latest first.
    private func booksWithPlaces(of user: User) async throws -> [ShelfBook] {
        try await context.places(of: user).recent(limit: Self.mostPlaces).map(\.book)
    }

    /// Computes digests that are not known yet, until one is the document's.
    private func unread(among books: [ShelfBook], _ document: String) async throws -> ShelfBook? {
        var reads = 0
        for book in books where reads < Self.mostReads {
            let version = BookVersion(book)
            if try await context.people.document(of: book.id, version: version.text) != nil { continue }
            reads += 1
            do {
                if try await digest(of: book) == document { return book }
            } catch {
                // The storage of another book may answer.
                if error.isCancellation { throw error }
            }
        }
        return nil
    }
}
