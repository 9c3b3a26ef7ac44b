import Foundation
import OPDS
import Publication
import Testing

@Suite struct `An authentication document` {
    @Test func `is written as it was read`() throws {
        let document = try AuthenticationDocument(data: SampleFeeds.authentication.data)
        #expect(document.json == SampleFeeds.authentication)
        #expect(try AuthenticationDocument(json: document.json) == document)
    }

    @Test func `names the ways to log in`() throws {
        let document = try AuthenticationDocument(json: SampleFeeds.authentication)
        #expect(document.title == "Public library")
        let basic = try #require(document.flow(AuthenticationDocument.Flow.basic))
        #expect(basic.labels == AuthenticationDocument.Labels(login: "Library card", password: "PIN"))
        let password = try #require(document.flow(AuthenticationDocument.Flow.oauthPassword))
        #expect(password.links.firstWithRel(CatalogRelation.authenticate)?.href == "https://example.org/token")
        #expect(document.flow(AuthenticationDocument.Flow.oauthImplicit) == nil)
    }

    @Test func `has absolute addresses if its own is known`() throws {
        let json: JSONValue = [
            "id": "auth", "authentication": [["type": "t", "links": [["href": "/token"]]]], "links": [["href": "?a"]],
        ]
        let document = try AuthenticationDocument(data: json.data, url: URL(string: "https://u:p@example.org/x/auth"))
        #expect(document.id == "https://example.org/x/auth")
        #expect(document.links.map(\.href) == ["https://example.org/x/auth?a"])
        #expect(document.authentication.first?.links.map(\.href) == ["https://example.org/token"])
    }

    @Test func `may lack everything but a list of ways`() throws {
        let document = try AuthenticationDocument(
            json: ["id": 7, "title": [], "links": "x", "authentication": [7, [:], ["type": "t", "labels": "x"]]])
        #expect(
            document
                == AuthenticationDocument(
                    id: "", title: "", authentication: [AuthenticationDocument.Flow(type: "t")]))
    }

    @Test func `is refused with a sentence if it is something else`() {
        for text in ["{}", #"{"authentication":{}}"#, "7", "<html>", ""] {
            let error = SampleFeeds.refusal { _ = try AuthenticationDocument(data: Data(text.utf8)) }
            #expect(error?.code == .fileReadCorruptFile)
            #expect(error?.localizedDescription.hasPrefix("The JSON document ") == true)
        }
        let large = Data(repeating: 0x20, count: AuthenticationDocument.largest + 1)
        #expect(SampleFeeds.refusal { _ = try AuthenticationDocument(data: large) }?.code == .fileReadTooLarge)
    }
}
