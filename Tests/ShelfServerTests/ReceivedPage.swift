import Foundation
import Testing
import WebServer

@testable import ShelfServer

/// A page as a browser receives it.
struct ReceivedPage {
    let answer: ServerResponse
    let html: String

    /// The titles of the books in its grids, escaped as they were sent.
    var titles: [String] { html.matches(of: /<span class="title"[^>]*>([^<]*)</).map { String($0.1) } }

    /// The addresses of its links, styles and scripts.
    var links: [String] { html.matches(of: /href="([^"]*)"/).map { String($0.1).replacing("&amp;", with: "&") } }

    /// The text of its heading.
    var heading: String { html.firstMatch(of: /<h1[^>]*>([^<]*)</).map { String($0.1) } ?? "" }

    /// The section whose heading has the id `id`; an empty page if there is none.
    func section(_ id: String) -> ReceivedPage {
        let start = html.firstRange(of: "aria-labelledby=\"\(id)\"")?.upperBound ?? html.endIndex
        let rest = html[start...]
        let end = rest.firstRange(of: "</section>")?.lowerBound ?? html.endIndex
        return ReceivedPage(answer: answer, html: String(rest[..<end]))
    }

    /// The address of the first link whose content contains `text`.
    func link(_ text: String) -> String? {
        for match in html.matches(of: /<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/.dotMatchesNewlines())
        where match.2.contains(text) {
            return String(match.1).replacing("&amp;", with: "&")
        }
        return nil
    }
}

extension FeedShelf {
    /// The page at `address`.
    func page(
        _ address: String, status: Int = 200, location: SourceLocation = #_sourceLocation
    ) async throws -> ReceivedPage {
        let answer = await answer(address)
        #expect(answer.status == status, "\(address)", sourceLocation: location)
        #expect(answer.header("Content-Type") == "text/html; charset=utf-8", "\(address)", sourceLocation: location)
        return ReceivedPage(answer: answer, html: String(decoding: try await answer.feedBytes(), as: UTF8.self))
    }
}
