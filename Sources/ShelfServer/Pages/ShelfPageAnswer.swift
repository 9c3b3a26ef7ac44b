import Foundation
import Shelf
import WebServer

/// Answers with the pages of a shelf, which work without JavaScript.
enum ShelfPageAnswer {
    /// Returns the answer for a path below the base. An address without a page has a page that says so.
    ///
    /// - Parameter path: Its decoded segments; none for the first page.
    /// - Returns: Nil for an asset that doesn't exist.
    /// - Throws: The shelf's errors.
    static func make(
        for request: ServerRequest, path: [String], _ context: ShelfContext
    ) async throws -> ServerResponse? {
        guard request.method == "GET" || request.method == "HEAD" else {
            return RefusalAnswer.wrongMethod(allowed: ["GET", "HEAD"])
        }
        if path.first == "assets" { return path.count == 2 ? ShelfAsset.make(for: request, name: path[1]) : nil }
        let answer = try await find(path, PageMaker(request: request, context: context))
        return answer ?? MessagePage.answer(404, for: request, context)
    }

    private static func find(_ path: [String], _ maker: PageMaker) async throws -> ServerResponse? {
        switch (path.first ?? "", path.count) {
        case ("", 0...1): return try await maker.home()
        case ("books", 1): return try await maker.books()
        case ("suggestions", 1): return try await maker.suggestions()
        case ("book", 2): return try await maker.book(path[1])
        case (let name, 1):
            guard let division = ShelfDivision(rawValue: name), ShelfDivision.lists.contains(division) else {
                return nil
            }
            return try await maker.list(division)
        default: return nil
        }
    }
}
