import Foundation
import OPDS
import Publication
import Shelf
import WebServer

/// Answers with the catalogue of a shelf: OPDS 1.2 and 2.0 feeds of the same books.
enum FeedAnswer {
    /// Returns the answer for a path below `opds/`, or `nil` if there is nothing.
    ///
    /// - Parameter path: The decoded segments behind `opds/`. The root of a version may end with an empty one.
    /// - Throws: The shelf's errors.
    static func make(
        for request: ServerRequest, path: [String], _ context: ShelfContext
    ) async throws -> ServerResponse? {
        guard request.method == "GET" || request.method == "HEAD" else {
            return RefusalAnswer.wrongMethod(allowed: ["GET", "HEAD"])
        }
        let answer = try await find(path, request, context)
        return request.method == "HEAD" ? answer?.withoutBody : answer
    }

    private static func find(
        _ path: [String], _ request: ServerRequest, _ context: ShelfContext
    ) async throws -> ServerResponse? {
        guard let name = path.first, !name.isEmpty else { return entrance(request, context) }
        if path == ["authentication.json"] { return LoginDocument.answer(for: request, context) }
        guard let version = FeedVersion(rawValue: name) else { return nil }
        let maker = FeedMaker(request: request, context: context, version: version)
        let rest = path.dropFirst()
        guard let document = rest.first, !document.isEmpty else { return rest.count < 2 ? try await maker.root() : nil }
        if document == "book" { return rest.count == 2 ? try await maker.book(path[2]) : nil }
        guard rest.count == 1 else { return nil }
        switch document {
        case "new": return try await maker.newBooks()
        case "books": return try await maker.books()
        case "reading": return try await maker.reading()
        case "search.xml": return maker.searchDescription()
        default:
            guard let division = ShelfDivision(rawValue: document), ShelfDivision.lists.contains(division) else {
                return nil
            }
            return try await maker.list(division)
        }
    }

    /// Leads to the version that a reader asks for. Readers that name none expect OPDS 1.2.
    private static func entrance(_ request: ServerRequest, _ context: ShelfContext) -> ServerResponse {
        let accepted = request.headers.filter { $0.name.lowercased() == "accept" }.map { $0.value.lowercased() }
        let isJSON = accepted.contains { $0.contains("application/opds+json") }
        let version: FeedVersion = isJSON ? .json : .atom
        var answer = ServerResponse(status: 307, headers: ContentPolicy.service())
        answer.set("Location", FeedAddresses(context, version).root)
        answer.set("Vary", "Accept")
        answer.set("Cache-Control", "private, no-cache")
        return answer
    }
}
