import Foundation
import Publication
import Testing

@Suite struct LocatorTests {
    private let json: JSONValue = [
        "href": "c1.html", "type": "text/html", "title": "One",
        "locations": [
            "fragments": ["p1", "t=1.5"], "progression": 0.5, "position": 3, "totalProgression": 0.25,
            "cssSelector": "#p1 > em",
            "partialCfi": "/4/2", "domRange": ["start": ["cssSelector": "p", "textNodeIndex": 0]],
        ],
        "text": ["before": "b", "highlight": "h", "after": "a", "own": 1], "own": [2],
    ]

    @Test func `a locator survives reading and writing`() throws {
        let locator = try Locator(json: json)
        #expect(locator.json == json)
        #expect(locator.locations.cssSelector == "#p1 > em" && locator.locations.partialCFI == "/4/2")
        #expect(locator.locations.position == 3 && locator.text.highlight == "h")
        #expect(Set(locator.locations.otherLocations.keys) == ["cssSelector", "partialCfi", "domRange"])
        let bare: JSONValue = ["href": "a", "type": "x/y"]
        #expect(try Locator(json: bare).json == bare)
    }

    @Test(arguments: [[:], ["href": "a"], ["type": "x/y"], ["href": 1, "type": "x/y"], "a", [], nil] as [JSONValue])
    func `a locator must have an address and a type`(json: JSONValue) {
        let error = #expect(throws: CocoaError.self) { try Locator(json: json) }
        #expect(error?.code == .fileReadCorruptFile)
    }

    @Test(arguments: [-0.01, 1.01, "0.5", nil, true, []] as [JSONValue])
    func `numbers out of bounds are passed over when a locator is read`(wrong: JSONValue) throws {
        let locations: JSONValue = ["progression": wrong, "totalProgression": wrong, "position": wrong, "fragments": 7]
        let locator = try Locator(json: ["href": "a", "type": "x/y", "locations": locations, "text": wrong])
        #expect(locator == Locator(href: "a", type: "x/y"))
        #expect(
            try Locator(json: ["href": "a", "type": "x/y", "locations": ["position": 0]]).locations.position == nil)
    }

    @Test func `numbers are held in their bounds when a program sets them`() {
        var locations = Locator.Locations(progression: -1, position: 0, totalProgression: 7)
        #expect(locations.progression == 0 && locations.position == 1 && locations.totalProgression == 1)
        (locations.progression, locations.position, locations.totalProgression) = (1.5, -3, -.infinity)
        #expect(locations.progression == 1 && locations.position == 1 && locations.totalProgression == 0)
        locations.progression = .nan
        #expect(locations.progression == nil)
        locations.position = nil
        #expect(locations == Locator.Locations(totalProgression: 0))
    }

    @Test func `a copy differs in what was changed alone`() throws {
        let locator = try Locator(json: json)
        let copy = locator.copy {
            $0.title = nil
            $0.locations.progression = 1
        }
        #expect(copy.json["title"] == nil && copy.json["locations"]?["progression"] == 1 && copy.text == locator.text)
        #expect(locator.locations.progression == 0.5)
    }

    @Test(
        arguments: [
            ("t=12.5", 12.5, nil), ("t=10,20", 10, 20), ("t=npt:10,20.5", 10, 20.5), ("t=,20", 0, 20),
            ("t=1:02:03", 3723, nil),
            ("t=02:03.5,1:00:00", 123.5, 3600), ("xywh=0,0,1,1&t=3", 3, nil), ("#t=4", 4, nil), ("t=5%2C6", 5, 6),
            ("t=0", 0, nil),
        ] as [(String, Double, Double?)])
    func `a time is read from a fragment`(fragment: String, start: Double, end: Double?) {
        let time = Locator.Locations(fragments: ["id", fragment]).time
        #expect(time?.start == start && time?.end == end)
    }

    @Test(arguments: [
        "t=", "t=,", "t=20,10", "t=10,10", "t=1,2,3", "t=-1", "t=1e3", "t=inf", "t=smpte:0:00:01", "t=1:60",
        "t=1:2:3:4", "time=3", "t",
    ])
    func `what is no time is none`(fragment: String) {
        #expect(Locator.Locations(fragments: [fragment]).time == nil)
    }

    @Test func `a page, a rectangle and an element are read from fragments`() {
        let pdf = Locator.Locations(fragments: ["page=12", "viewrect=50,50,640,480"])
        #expect(pdf.page == 12 && pdf.region == nil && pdf.htmlID == nil && pdf.time == nil)
        #expect(Locator.Locations(fragments: ["page=0", "page=x", "page=-1"]).page == nil)
        let image = Locator.Locations(fragments: ["xywh=160,120,320,240"])
        #expect(
            image.region?.rectangle == CGRect(x: 160, y: 120, width: 320, height: 240)
                && image.region?.isPercent == false)
        #expect(Locator.Locations(fragments: ["xywh=percent:25,25,50,50"]).region?.isPercent == true)
        #expect(Locator.Locations(fragments: ["xywh=pixel:1,2,3,4"]).region?.rectangle.origin.y == 2)
        for wrong in [
            "xywh=1,2,3", "xywh=1,2,0,4", "xywh=-1,2,3,4", "xywh=a,b,c,d", "xywh=1,2,3,4,5", "xywh=nan,1,1,1",
        ] {
            #expect(Locator.Locations(fragments: [wrong]).region == nil)
        }
        #expect(Locator.Locations(fragments: ["t=1", "#caf%C3%A9%20noir"]).htmlID == "café noir")
        #expect(Locator.Locations(fragments: ["id=c1"]).htmlID == "c1")
        #expect(Locator.Locations(fragments: [":~:text=Yes", ":~:x", "epubcfi(/4/2)", ""]).htmlID == nil)
    }

    @Test func `a link of the contents leads to a place`() throws {
        let publication = Publication(
            manifest: Manifest(
                metadata: Metadata(title: "x"),
                readingOrder: [
                    Link(href: "c1.html", type: "text/html", title: "One"),
                    Link(href: "c2.html?v=1", type: "text/html"),
                ],
                resources: [Link(href: "untyped")]))
        #expect(
            publication.locator(from: Link(href: "c1.html#p%201", title: "Part"))
                == Locator(href: "c1.html", type: "text/html", title: "Part", locations: .init(fragments: ["p%201"])))
        #expect(
            publication.locator(from: Link(href: "/c1.html"))
                == Locator(href: "c1.html", type: "text/html", title: "One", locations: .init(progression: 0)))
        #expect(publication.locator(from: Link(href: "c1.html#"))?.locations.progression == 0)
        #expect(publication.locator(from: Link(href: "c2.html?v=1#a"))?.href == "c2.html?v=1")
        #expect(publication.locator(from: Link(href: "untyped"))?.type == "application/octet-stream")
        #expect(publication.locator(from: Link(href: "absent#p1", type: "text/html")) == nil)
    }
}
