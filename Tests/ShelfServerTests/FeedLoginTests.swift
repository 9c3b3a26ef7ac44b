import Foundation
import OPDS
import Publication
import Testing
import WebServer

@testable import ShelfServer

@Suite struct `The way to log in to a catalogue` {
    @Test func `is a document that names it`() async throws {
        let shelf = try await FeedShelf { _ in }
        let answer = await shelf.answer("/opds/authentication.json")
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == "application/opds-authentication+json")
        let document = try AuthenticationDocument(data: try await answer.feedBytes())
        #expect(document.id == FeedShelf.origin + "/opds/authentication.json")
        #expect(document.flow(AuthenticationDocument.Flow.basic)?.labels?.password == "Password")
        #expect(!document.title.isEmpty)
        let roots = FeedVersion.allCases.map { FeedShelf.origin + $0.root }
        #expect(document.links.filterByRel("start").map(\.href) == roots)
    }
}
