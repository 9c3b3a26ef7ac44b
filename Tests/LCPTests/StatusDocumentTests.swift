import Foundation
import Publication
import Testing

@testable import LCP

/// A status document with every member of the specification.
private let complete = """
    {"id": "urn:carrel:licence:1", "status": "active", "message": "One device is registered.",
     "updated": {"license": "2026-01-31T08:30:00Z", "status": "2026-01-31T10:30:00.25+02:00"},
     "links": [
      {"rel": "license", "href": "https://books.example.org/1.lcpl",
       "type": "application/vnd.readium.lcp.license.v1.0+json", "profile": "http://readium.org/lcp/basic-profile"},
      {"rel": "register", "href": "https://books.example.org/1/register{?id,name}", "templated": true,
       "type": "application/vnd.readium.license.status.v1.0+json"},
      {"rel": "renew", "href": "https://books.example.org/1/renew", "type": "text/html"},
      {"rel": "renew", "href": "https://books.example.org/1/renew{?end,id,name}", "templated": true}],
     "potential_rights": {"end": "2026-07-01T00:00:00Z"},
     "events": [
      {"type": "register", "name": "Desk", "id": "d1", "timestamp": "2026-02-01T00:00:00Z"},
      {"type": "burnt", "timestamp": "2026-02-01T00:00:00Z"}],
     "x": [1.0]}
    """

@Suite struct StatusDocumentTests {
    private let json: JSONValue

    init() throws {
        json = try JSONValue(string: complete, maximumSize: 10_000)
    }

    private func changed(_ path: String, _ value: JSONValue?) throws -> StatusDocument {
        try StatusDocument(data: json.setting(path, to: value).data)
    }

    private func refusal(_ path: String, _ value: JSONValue?) -> String? {
        fault(json.setting(path, to: value).data)
    }

    /// Why `data` is refused; nil if it is a status document. An error of another kind fails the test.
    private func fault(_ data: Data) -> String? {
        do {
            _ = try StatusDocument(data: data)
            return nil
        } catch let problem as LCPProblem {
            #expect(problem.kind == .invalidStatus)
            #expect((problem.underlying as? CocoaError)?.code == .fileReadCorruptFile)
            #expect(problem.sentence.hasPrefix("The status document ") && problem.sentence.hasSuffix("."))
            return problem.sentence
        } catch {
            Issue.record(error)
            return "\(error)"
        }
    }

    @Test func `every member is read`() throws {
        let status = try StatusDocument(data: Data(complete.utf8))
        #expect(status.id == "urn:carrel:licence:1" && status.status == .active)
        #expect(status.message == "One device is registered.")
        #expect(status.licenseUpdated == Date(timeIntervalSince1970: 1_769_848_200))
        #expect(status.statusUpdated == Date(timeIntervalSince1970: 1_769_848_200.25))
        #expect(status.potentialEnd == Date(timeIntervalSince1970: 1_782_864_000))
        #expect(status.link("license")?.url()?.absoluteString == "https://books.example.org/1.lcpl")
        #expect(status.links("renew").map(\.templated) == [false, true] && status.link("return") == nil)
        #expect(status.events.map(\.type) == ["register", "burnt"])
        #expect(status.events.map(\.name) == ["Desk", Optional.none])
        #expect(status.events.map(\.id) == ["d1", Optional.none])
        #expect(status.events.allSatisfy { $0.date == Date(timeIntervalSince1970: 1_769_904_000) })
        #expect(status.data == Data(complete.utf8) && status.json == json)
    }

    @Test(arguments: StatusDocument.Status.allCases)
    func `the states are those of the specification`(_ state: StatusDocument.Status) throws {
        #expect(try changed("status", .string(state.rawValue)).status == state)
    }

    @Test(arguments: ["Active", "lent", " active", "activé"])
    func `another state is a fault`(_ state: String) {
        let sentence = "The status document is damaged: its member “status” has an unknown value, “\(state)”."
        #expect(refusal("status", .string(state)) == sentence)
    }

    @Test(arguments: [
        "potential_rights", "potential_rights.end", "events", "events.0.name", "events.0.id", "links.1", "x",
    ])
    func `what is optional may be missing`(_ path: String) throws {
        _ = try changed(path, Optional.none)
        if path != "links.1" { _ = try changed(path, JSONValue.null) }
    }

    @Test func `a document without events and potential rights has none`() throws {
        let status = try StatusDocument(
            data: json.setting("events", to: Optional.none).setting("potential_rights", to: Optional.none).data)
        #expect(status.events.isEmpty && status.potentialEnd == nil)
        #expect(try changed("message", "").message.isEmpty)
    }

    @Test(arguments: ["id", "status", "message", "updated", "updated.license", "updated.status", "links"])
    func `what is required is named if it is missing or null`(_ path: String) {
        let sentence = "The status document is damaged: its member “\(path)” is missing."
        #expect(refusal(path, Optional.none) == sentence)
        #expect(refusal(path, JSONValue.null) == sentence)
    }

    @Test func `what is required of links and events is named with its place`() {
        #expect(refusal("links.0", Optional.none)?.contains("“links” has no link “license”") == true)
        #expect(refusal("links.1.href", Optional.none)?.contains("“links[1].href” is missing") == true)
        #expect(refusal("events.1.type", Optional.none)?.contains("“events[1].type” is missing") == true)
        #expect(refusal("events.1.timestamp", Optional.none)?.contains("“events[1].timestamp” is missing") == true)
    }

    /// Values in JSON that are wrong for a member.
    @Test(arguments: [
        ("id", #"["", 1, []]"#), ("status", #"["", 1, true]"#), ("message", "[1, []]"), ("updated", #"["", 1, []]"#),
        ("updated.license", #"["", "2026-01-31", 1]"#), ("updated.status", #"["", 1]"#), ("links", #"["", 1]"#),
        ("links.0", #"["", 1]"#), ("links.0.rel", #"["", 1, [], {}]"#), ("links.0.href", #"["", 1]"#),
        ("potential_rights", #"["", 1, []]"#), ("potential_rights.end", #"["", "soon", 1]"#),
        ("events", #"["", 1, {}]"#), ("events.0", #"["", 1, []]"#), ("events.0.type", #"["", 1]"#),
        ("events.0.name", "[1]"), ("events.0.id", "[1]"), ("events.0.timestamp", #"["", 1]"#),
    ])
    func `a member of the wrong kind is named`(_ path: String, _ list: String) throws {
        let name = path.replacing(".0", with: "[0]")
        let values = try #require(JSONValue(string: list, maximumSize: 1000).arrayValue)
        for value in values {
            let sentence = try #require(refusal(path, value), "\(value)")
            #expect(sentence.contains("its member “\(name)” "), "\(sentence)")
        }
    }

    @Test func `links may be listed by relation`() throws {
        let links: JSONValue = ["license": ["href": "https://a/1.lcpl"], "renew": [["href": "https://a/renew"]]]
        #expect(try changed("links", links).links.map(\.rel) == [["license"], ["renew"]])
    }

    @Test func `too much of anything is refused`() throws {
        let event: JSONValue = ["type": "renew", "timestamp": "2026-01-31T08:30:00Z"]
        let most = Array(repeating: event, count: StatusDocument.largestEventCount)
        #expect(try changed("events", .array(most)).events.count == 10_000)
        #expect(refusal("events", .array(most + [event]))?.contains("at most 10000") == true)
        // Too large, before any event is read.
        #expect(refusal("events", .array(Array(repeating: event, count: 100_000)))?.contains("at most 1048576") == true)
        let link: JSONValue = ["rel": "license", "href": "https://a/b"]
        #expect(refusal("links", .array(Array(repeating: link, count: 201)))?.contains("at most 200") == true)
    }

    @Test func `every prefix of a status document is refused`() {
        let bytes = Data(complete.utf8)
        for count in 0..<bytes.count { #expect(fault(bytes.prefix(count)) != nil, "\(count)") }
    }

    @Test(arguments: ["null", "[]", "1", "{}", #"{"id": "1", "id": "1"}"#, "<html></html>"])
    func `other documents are refused`(_ text: String) throws {
        _ = try #require(fault(Data(text.utf8)))
    }
}
