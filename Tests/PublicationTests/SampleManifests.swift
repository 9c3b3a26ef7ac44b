import Foundation
import Publication

/// Manifests made for tests. In each, lists of one are written as the element alone, as manifests are here.
enum SampleManifests {
    /// Every member that the schemas name.
    static let full: JSONValue = [
        "@context": ["https://readium.org/webpub-manifest/context.jsonld", "https://example.org/context.jsonld"],
        "metadata": metadata,
        "links": [
            ["href": "https://example.org/book/manifest.json", "rel": "self", "type": "application/webpub+json"]
        ],
        "readingOrder": [link, ["href": "c2.html", "type": "text/html", "properties": properties]],
        "resources": [["href": "style.css", "type": "text/css", "size": 1000]],
        "toc": [["href": "c1.html", "title": "One", "children": [["href": "c1.html#a", "title": "A"]]]],
        "pageList": [["href": "c1.html#p1", "title": "1"]], "landmarks": [["href": "c1.html", "rel": "bodymatter"]],
        "loa": [["href": "a.mp3"]], "loi": [["href": "i.png"]], "lot": [["href": "t.html"]],
        "lov": [["href": "v.webm"]],
        "images": [["href": "cover.jpg", "type": "image/jpeg"]],
        "group": ["metadata": ["title": "G"], "links": [["href": "g.html"]], "inner": [["href": "h.html"]]],
    ]

    static let metadata: JSONValue = [
        "@type": "http://schema.org/Book",
        "conformsTo": ["https://readium.org/webpub-manifest/profiles/epub", "https://example.org/profile"],
        "title": ["en": "T", "fr": "U"], "subtitle": "S", "sortAs": "t", "identifier": "urn:isbn:9780000000000",
        "altIdentifier": ["urn:y", ["value": "1", "scheme": "urn:z"]],
        "accessibility": [
            "conformsTo": "https://example.org/wcag", "exemption": "eaa-microenterprise", "accessMode": ["visual"],
            "accessModeSufficient": ["textual", ["visual", "auditory"]], "feature": ["index"], "hazard": ["none"],
            "certification": ["certifiedBy": "C", "credential": "D", "report": "https://example.org/report"],
            "summary": "S",
        ],
        "modified": "2016-08-11T19:32:18.125Z", "published": "2008-10-12", "language": ["en", "pt-BR"],
        "author": [person, "Plain"],
        "translator": person, "editor": person, "artist": person, "illustrator": person, "letterer": person,
        "penciler": person,
        "colorist": person, "inker": person, "narrator": person, "contributor": person, "publisher": person,
        "imprint": "Imprint",
        "subject": [
            ["name": "Two", "code": "2", "scheme": "urn:s", "sortAs": "two", "links": [["href": "s"]]], "One",
        ],
        "layout": "fixed", "readingProgression": "rtl", "description": "D", "duration": 12.5, "numberOfPages": 3,
        "abridged": false,
        "belongsTo": [
            "series": [
                "name": "S", "position": -1.5, "identifier": "urn:series", "altIdentifier": ["urn:b"], "sortAs": "s",
                "links": [["href": "l"]],
                "volume": 2,
            ],
            "collection": ["C", "D"], "volume": 4, "season": ["position": 2, "episode": 3],
            "storyArc": ["name": "A", "position": 0],
            "journal": ["name": "J", "issue": 3], "magazine": "M", "newspaper": "N", "periodical": "P",
        ],
        "contains": ["article": [["name": "A", "author": "B"], "C"], "chapter": 1],
        "tdm": ["reservation": "all", "policy": "https://example.org/tdm"],
        "mediaOverlay": ["activeClass": "active", "playbackActiveClass": "playing"],
        "presentation": [
            "orientation": "auto", "spread": "none", "overflow": "scrolled", "fit": "width", "clipped": true,
            "continuous": false,
        ],
    ]

    static let person: JSONValue = [
        "name": ["en": "N", "fr": "O"], "sortAs": "n", "identifier": "urn:n", "altIdentifier": ["urn:o"],
        "role": ["r", "s"],
        "links": [["href": "https://example.org/n"]],
    ]

    static let link: JSONValue = [
        "href": "c1.html{?x}", "templated": true, "type": "text/html", "title": "One", "rel": ["x", "y"], "height": 3,
        "width": 4,
        "size": 5_000_000_000, "duration": 1.5, "bitrate": 64, "language": ["en", "fr"],
        "alternate": [["href": "c1.pdf"]],
        "children": [["href": "c1.html#b", "children": [["href": "c1.html#c"]]]],
    ]

    static let properties: JSONValue = [
        "page": "left", "contains": ["mathml", "svg"], "layout": "reflowable", "orientation": "portrait",
        "spread": "both",
        "overflow": "paginated", "fit": "cover", "clipped": false,
        "encrypted": [
            "algorithm": "http://www.w3.org/2001/04/xmlenc#aes256-cbc", "compression": "deflate", "originalLength": 12,
            "profile": "http://readium.org/lcp/basic-profile", "scheme": "http://readium.org/2014/01/lcp",
        ],
        "archive": ["entryLength": 10, "isEntryCompressed": true], "physical": ["weight": 1], "numberOfItems": 2,
        "price": ["currency": "EUR", "value": 4.5], "holds": ["total": 3, "position": 1],
        "copies": ["total": 5, "available": 0],
        "availability": ["state": "ready", "since": "2019-09-29", "until": "2019-10-29T00:00:00Z"],
        "indirectAcquisition": [
            ["type": "application/vnd.adobe.adept+xml", "child": [["type": "application/epub+zip"]]]
        ],
        "authenticate": ["href": "https://example.org/auth", "type": "application/opds-authentication+json"],
    ]

    /// As small as a manifest can be, and one of each further kind.
    static let small: [JSONValue] = [
        ["metadata": ["title": "x"], "readingOrder": []],
        [
            "metadata": ["title": "Sound", "conformsTo": .string(Manifest.Profile.audiobook.rawValue), "duration": 60],
            "readingOrder": [["href": "1.mp3", "type": "audio/mpeg", "duration": 60, "bitrate": 128]],
        ],
        [
            "metadata": ["title": "Pictures", "readingProgression": "rtl"],
            "readingOrder": [
                ["href": "1.jpg", "type": "image/jpeg", "width": 10, "height": 20, "properties": ["page": "right"]]
            ],
        ],
    ]

    /// `json` with a member of a name of its own in every object, except those from languages to texts; and the names.
    static func marked(_ json: JSONValue) -> (json: JSONValue, names: [String]) {
        var names: [String] = []
        return (mark(json, &names), names)
    }

    private static func mark(_ json: JSONValue, _ names: inout [String]) -> JSONValue {
        switch json {
        case .array(let elements): return .array(elements.map { mark($0, &names) })
        case .object(let members):
            if members["en"] != nil { return json }
            var marked: [String: JSONValue] = [:]
            for (key, value) in members.sorted(by: { $0.key < $1.key }) { marked[key] = mark(value, &names) }
            let name = "https://example.org/mark-\(names.count)"
            names.append(name)
            marked[name] = "kept"
            return .object(marked)
        default: return json
        }
    }
}
