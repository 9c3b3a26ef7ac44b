import Foundation
import OPDS
import Publication

/// OPDS 2.0 documents made for tests, in the form in which they are written: lists of one are the element alone.
enum SampleFeeds {
    /// Every member that the schemas name.
    static let full: JSONValue = [
        "metadata": [
            "title": ["en": "New <b>books</b>", "fr": "Nouveautés"], "subtitle": "This week",
            "identifier": "urn:uuid:7d7c8f7e-0000-4000-8000-000000000001", "description": "<p>All of them</p>",
            "modified": "2026-01-31T08:30:00.125Z", "numberOfItems": 5678, "itemsPerPage": 50, "currentPage": 2,
            "https://example.org/own": ["deep": [1, nil]],
        ],
        "links": links, "navigation": navigation, "facets": [facet], "groups": groups,
        "publications": [book, loan, comic],
        "featured": [["href": "https://example.org/featured"]],
    ]

    static let links: JSONValue = [
        ["href": "https://example.org/new?page=2", "rel": "self", "type": "application/opds+json"],
        ["href": "https://example.org/new", "rel": ["first", "previous"], "type": "application/opds+json"],
        ["href": "https://example.org/new?page=3", "rel": "next", "type": "application/opds+json"],
        [
            "href": "https://example.org/search{?query,title,author}", "rel": "search", "templated": true,
            "type": "application/opds+json",
        ],
    ]

    static let navigation: JSONValue = [
        [
            "href": "https://example.org/popular", "rel": "http://opds-spec.org/sort/popular", "title": "Popular",
            "type": "application/opds+json", "properties": ["numberOfItems": 0],
        ]
    ]

    static let facet: JSONValue = [
        "metadata": ["title": "Language", "numberOfItems": 50],
        "links": [
            ["href": "https://example.org/new?l=fr", "title": "French", "properties": ["numberOfItems": 10]],
            ["href": "https://example.org/new?l=en", "rel": "self", "title": "English"],
        ],
    ]

    static let groups: JSONValue = [
        [
            "metadata": ["title": "Featured", "numberOfItems": 20],
            "links": [["href": "https://example.org/featured", "rel": "self"]], "publications": [book],
        ],
        ["metadata": ["title": "Formats"], "navigation": navigation],
    ]

    /// A book on sale, with a sample.
    static let book: JSONValue = [
        "metadata": [
            "@type": "http://schema.org/Book", "title": "Moby-Dick", "author": "Herman Melville",
            "identifier": "urn:isbn:9780000000000", "language": "en", "modified": "2015-09-29T17:00:00Z",
            "published": "1851-10-18", "description": "A <i>whale</i>.",
            "subject": ["name": "Sea stories", "code": "FIC047000", "scheme": "https://example.org/bisac"],
            "belongsTo": ["series": ["name": "Whales", "position": 1]],
        ],
        "links": [
            ["href": "https://example.org/1", "rel": "self", "type": "application/opds-publication+json"],
            [
                "href": "https://example.org/1/buy", "rel": "http://opds-spec.org/acquisition/buy",
                "type": "text/html",
                "properties": [
                    "price": ["currency": "EUR", "value": 9.99],
                    "indirectAcquisition": [
                        [
                            "type": "application/vnd.readium.lcp.license.v1.0+json",
                            "child": [["type": "application/epub+zip"], ["type": "application/pdf"]],
                        ]
                    ],
                ],
            ],
            ["href": "https://example.org/1/sample.epub", "rel": "preview", "type": "application/epub+zip"],
        ],
        "images": [
            ["href": "https://example.org/1.jpg", "type": "image/jpeg", "height": 1400, "width": 800],
            ["href": "https://example.org/1s.jpg", "type": "image/jpeg", "height": 350, "width": 200],
            ["href": "https://example.org/1.svg", "type": "image/svg+xml"],
        ],
    ]

    /// A book in a library, all of whose copies are out.
    static let loan: JSONValue = [
        "metadata": ["title": "Typee"],
        "links": [
            [
                "href": "https://example.org/2/borrow", "rel": "http://opds-spec.org/acquisition/borrow",
                "type": "application/epub+zip",
                "properties": [
                    "availability": [
                        "state": "unavailable", "since": "2026-01-01T00:00:00Z", "until": "2026-02-01T00:00:00Z",
                    ],
                    "holds": ["total": 3, "position": 0], "copies": ["total": 2, "available": 0],
                    "authenticate": [
                        "href": "https://example.org/auth", "type": "application/opds-authentication+json",
                    ],
                ],
            ]
        ],
    ]

    /// A comic whose pages can be requested one by one, with a reading order.
    static let comic: JSONValue = [
        "metadata": ["title": "Omoo"],
        "links": [
            [
                "href": "https://example.org/3.cbz", "rel": "http://opds-spec.org/acquisition/open-access",
                "type": "application/vnd.comicbook+zip",
            ],
            [
                "href": "https://example.org/3/{pageNumber}?w={maxWidth}", "templated": true,
                "rel": "http://vaemendis.net/opds-pse/stream", "type": "image/jpeg",
                "properties": [
                    "pageStreaming": ["count": 32, "lastRead": 4, "lastReadDate": "2026-01-31T08:30:00Z"]
                ],
            ],
        ],
        "readingOrder": [["href": "p1.jpg", "type": "image/jpeg"]],
    ]

    /// A document that demands a login, with every member that the schema names.
    static let authentication: JSONValue = [
        "id": "https://example.org/auth", "title": "Public library", "description": "Your card, please.",
        "links": [
            ["href": "https://example.org/logo.png", "rel": "logo", "type": "image/png", "width": 90, "height": 90],
            ["href": "mailto:help@example.org", "rel": "help"],
        ],
        "authentication": [
            [
                "type": "http://opds-spec.org/auth/basic", "labels": ["login": "Library card", "password": "PIN"],
                "https://example.org/own": true,
            ],
            [
                "type": "http://opds-spec.org/auth/oauth/password",
                "links": [
                    ["href": "https://example.org/token", "rel": "authenticate", "type": "application/json"],
                    ["href": "https://example.org/token", "rel": "refresh", "type": "application/json"],
                ],
            ],
        ],
        "https://example.org/own": ["deep": [1, nil]],
    ]

    /// The error that `body` throws; nil if it throws none, or one that is not Foundation's.
    static func refusal(_ body: () throws -> Void) -> CocoaError? {
        do {
            try body()
            return nil
        } catch {
            return error as? CocoaError
        }
    }
}
