import FileProviderCore
import Foundation
import Publication
import PublicationServer
import Shelf
import WebServer

/// Answers with a book's reading page and everything below it, for the reader whom the address names.
enum ReadingAnswer {
    /// Returns `nil` for an address that this server didn't make, or not with the present password of its reader.
    ///
    /// - Parameters:
    ///   - segment: As ``ShelfKey/readingSegment(book:user:)`` makes it.
    ///   - rest: What follows its slash, percent-encoded as it was sent; `nil` without a slash.
    /// - Throws: Errors of the shelf, and of opening the book.
    static func make(
        for request: ServerRequest, segment: String, rest: String?, _ context: ShelfContext
    ) async throws -> ServerResponse? {
        guard let numbers = ShelfKey.numbers(inReadingSegment: segment),
            let reader = try await reader(numbers.user, context),
            context.key.isReadingCode(numbers.code, book: numbers.book, user: reader),
            let book = try await context.shelf.book(numbers.book)
        else { return nil }
        let base = context.base + "read/" + segment + "/"
        guard let rest else { return moved(to: base) }
        let lease = try await context.books.lease(book)
        let home = (title: context.title, address: context.base + BookAddress.page(of: book))
        let places = BookPlaces(places: context.places(of: reader), book: book.id)
        let (allowsScripts, logger) = (context.settings.allowsScripts, context.logger)
        // The identity is a part of entity tags, which have to change with the file.
        let identity = "\(book.id) \(BookVersion(book).text)"
        let mounted = await context.books.mounted(lease, at: base) { publication in
            MountedPublication(
                publication: publication, identity: identity, base: base, allowsScripts: allowsScripts,
                logger: logger, places: places, home: home)
        }
        var answer = await mounted.respond(to: request, rest: rest, origin: context.origin)
        if answer.status >= 500 { await context.books.discard(lease) }
        if case .stream(let count, let send) = answer.body {
            answer.body = .stream(
                count: count,
                send: { sink in
                    // The publication stays open as long as the answer may be sent.
                    defer { withExtendedLifetime(lease) {} }
                    try await send(sink)
                })
        }
        return answer
    }

    /// The reader of a server without logins has no account.
    private static func reader(_ id: Int64, _ context: ShelfContext) async throws -> User? {
        if context.settings.isOpen { return id == User.everyone.id ? .everyone : nil }
        return id == User.everyone.id ? nil : try await context.people.user(id)
    }

    private static func moved(to path: String) -> ServerResponse {
        var answer = ServerResponse(status: 308, headers: ContentPolicy.service())
        answer.set("Location", path)
        answer.set("Cache-Control", "no-store")
        return answer
    }
}

/// The place of one reader in one book, for the reading page.
struct BookPlaces: ReadingPlaces {
    let places: ReaderPlaces
    let book: Int64

    func place() async throws -> Data? { try await places.place(in: book)?.locator }

    /// Keeps the place unless the one before is newer. Pages send a place again, with its old time, after a request failed.
    func keep(_ locator: Data) async throws {
        let json = try JSONValue(data: locator, maximumSize: PeopleStore.longestLocator)
        let progression = try Locator(json: json).locations.totalProgression
        let time = json["modified"]?.stringValue.flatMap(Date.init(manifestText:)) ?? places.people.now()
        let place = KeptPlace(locator: locator, totalProgression: progression, modified: time)
        try await places.people.keep(place, of: places.user, in: book)
    }
}
