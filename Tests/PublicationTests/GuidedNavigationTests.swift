import Foundation
import Publication
import Testing

@Suite struct GuidedNavigationTests {
    private let json: JSONValue = [
        "links": [["href": "next.json", "rel": "next", "type": "application/guided-navigation+json"]],
        "guided": [
            [
                "id": "s1", "role": ["chapter"], "textref": "c1.html#s1",
                "children": [
                    ["audioref": "c1.mp3#t=0,4.5", "textref": "c1.html#p1", "own": 1],
                    [
                        "imgref": "1.jpg#xywh=0,0,10,10", "text": ["plain": "A lamp", "language": "en"],
                        "description": ["text": "Dark"],
                    ],
                    ["videoref": "v.webm", "text": "Hello"],
                    ["text": ["ssml": "<speak>Hi</speak>"], "role": ["aside", "note"]],
                ],
            ]
        ],
        "own": true,
    ]

    @Test func `a document survives reading and writing`() throws {
        let document = try GuidedNavigationDocument(data: json.data)
        #expect(document.json == json)
        let step = try #require(document.guided.first)
        #expect(step.role == ["chapter"] && step.children.count == 4 && step.children[0].audioref == "c1.mp3#t=0,4.5")
        #expect(step.children[1].text == GuidedNavigationText(plain: "A lamp", language: "en"))
        #expect(step.children[2].text == "Hello")
        #expect(document.links.first?.mediaType == GuidedNavigationDocument.mediaType)
    }

    @Test func `steps that present nothing are passed over`() throws {
        let document = try GuidedNavigationDocument(
            json: [
                "guided": [
                    7, [:], ["role": ["chapter"]], ["text": ""], ["children": [["id": "x"]]], ["text": ["plain": ""]],
                    ["textref": "a"],
                ]
            ])
        #expect(document.guided == [GuidedNavigationObject(textref: "a")])
        #expect(GuidedNavigationObject(role: ["x"]).isEmpty)
    }

    @Test(arguments: [[:], ["guided": 1], [], nil, "guided"] as [JSONValue])
    func `a document must have steps`(json: JSONValue) {
        let error = #expect(throws: CocoaError.self) { try GuidedNavigationDocument(json: json) }
        #expect(error?.code == .fileReadCorruptFile)
    }

    @Test func `a document is read up to a size and a depth`() throws {
        let size = json.data.count
        #expect(throws: CocoaError.self) { try GuidedNavigationDocument(data: json.data, maximumSize: size - 1) }
        let deep = String(repeating: #"{"children":["#, count: 40) + String(repeating: "]}", count: 40)
        #expect(throws: CocoaError.self) { try GuidedNavigationDocument(data: Data(#"{"guided":[\#(deep)]}"#.utf8)) }
    }
}
