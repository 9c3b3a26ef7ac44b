import Foundation
import Publication
import Testing

@Suite struct `Reading a media type` {
    @Test(arguments: [
        ("application/atom+xml", "application/atom+xml"),
        ("APPLICATION/EPUB+ZIP", "application/epub+zip"),
        (" text/html ; charset=utf-8 ", "text/html;charset=UTF-8"),
        (
            "application/atom+xml;type=entry;profile=opds-catalog",
            "application/atom+xml;profile=opds-catalog;type=entry"
        ),
        ("application/atom+xml;PROFILE=OPDS-Catalog", "application/atom+xml;profile=OPDS-Catalog"),
        ("text/html;charset=\"utf-8\"", "text/html;charset=UTF-8"),
        ("text/html;charset=utf-8;charset=ascii", "text/html;charset=UTF-8"),
        ("text/html;;charset", "text/html"),
        ("text/html;=x;charset=", "text/html"),
        ("text/plain;a=b=c", "text/plain;a=\"b=c\""),
        ("text/plain;a=\"x;\\\"y\"", "text/plain;a=\"x;\\\"y\""),
        ("text/plain;a=\"x\\\"\u{301}y\"", "text/plain;a=\"x\\\"\u{301}y\""),
        ("text/plain;a=\"no end;b=c", "text/plain"),
        ("text/plain;a=\"b\rc\";d=e", "text/plain;d=e"),
        ("text/plain;a=b\r\nc", "text/plain"),
        ("image/*", "image/*"),
        ("fruit/grapes", "fruit/grapes"),
    ])
    func `the text is normalised`(given: String, expected: String) throws {
        let mediaType = try #require(MediaType(given))
        #expect(mediaType.string == expected)
        #expect(MediaType(expected)?.string == expected, "normalising again changes nothing")
    }

    @Test(arguments: [
        "", ";", "/", "application", "application/", "/xml", "application/atom+xml/extra", "text /html", "te xt/html",
        "text/html charset=utf-8", "text/html\r\nX: y", "tëxt/html", "text/html,text/plain",
    ])
    func `what is no media type is refused`(given: String) {
        #expect(MediaType(given) == nil)
    }

    @Test func `it has parts`() throws {
        let mediaType = try #require(MediaType("application/atom+xml;Profile=opds-catalog;type=\"en try\""))
        #expect(mediaType.type == "application")
        #expect(mediaType.subtype == "atom+xml")
        #expect(mediaType.essence == "application/atom+xml")
        #expect(mediaType.parameters == ["profile": "opds-catalog", "type": "en try"])
        #expect(mediaType.name == nil)
        #expect(mediaType.fileExtension == nil)
        #expect("\(mediaType)" == mediaType.string)
    }

    @Test(
        arguments: [
            ("foo/bar", nil), ("application/zip", nil), ("application/epub+zip", "+zip"), ("foo/bar+json+zip", "+zip"),
            ("text/html;a=b+c", nil),
        ] as [(String, String?)])
    func `the last suffix counts`(given: String, expected: String?) throws {
        #expect(try #require(MediaType(given)).structuredSyntaxSuffix == expected)
    }

    @Test(
        arguments: [
            ("text/html", nil), ("text/html;charset=utf-8", .utf8), ("text/html;charset=UTF8", .utf8),
            ("text/html;charset=utf-16", .utf16), ("text/html;charset=us-ascii", .ascii),
            ("text/html;charset=ISO-8859-1", .isoLatin1), ("text/html;charset=unheard-of", nil),
        ] as [(String, String.Encoding?)])
    func `the charset gives the encoding`(given: String, expected: String.Encoding?) throws {
        #expect(try #require(MediaType(given)).encoding == expected)
    }

    @Test func `no input makes it trap`() {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("aZ/;=\"\\ +*\r\u{0}é")
        for _ in 0..<5_000 {
            let length = Int.random(in: 0...20, using: &generator)
            let text = String((0..<length).compactMap { _ in alphabet.randomElement(using: &generator) })
            guard let mediaType = MediaType(text) else { continue }
            #expect(MediaType(mediaType.string) == mediaType, "\(text.debugDescription)")
        }
    }
}

@Suite struct `Comparing media types` {
    @Test func `equality looks at type, subtype and parameters alone`() throws {
        #expect(MediaType("text/html", name: "HTML", fileExtension: "htm") == MediaType("text/html"))
        #expect(MediaType("a/b;x=1;y=2") == MediaType("a/b;y=2;x=1"))
        #expect(MediaType("text/html;charset=utf-8") == MediaType("text/html;charset=UTF-8"))
        #expect(MediaType("application/atom+xml;PROFILE=opds-catalog") == .opds1)
        #expect(MediaType("application/atom+xml;profile=OPDS-CATALOG") != .opds1)
        #expect(MediaType("text/html;charset=utf-8") != .html)
        #expect(Set([MediaType("a/b;x=1;y=2"), MediaType("A/B; y=2; x=1")]).count == 1)
    }

    @Test(arguments: [
        ("text/html", "text/html", true),
        ("text/html", "text/html;charset=utf-8", true),
        ("text/html;charset=utf-8", "text/html", false),
        ("text/html;charset=utf-8", "text/html;charset=UTF-8", true),
        ("text/html;charset=utf-8", "text/html;charset=ascii", false),
        ("text/html;a=1", "text/html;b=2;a=1", true),
        ("text/html", "text/plain", false),
        ("*/*", "text/html;charset=utf-8", true),
        ("image/*", "image/png", true),
        ("image/*", "text/html", false),
        ("image/png", "image/*", false),
        ("image/*;a=1", "image/png", false),
        ("application/atom+xml;profile=opds-catalog", "application/atom+xml;type=entry;profile=opds-catalog", true),
        ("text/html", "nonsense", false),
    ])
    func `containing is one-sided`(outer: String, inner: String, expected: Bool) throws {
        let outer = try #require(MediaType(outer))
        #expect(outer.contains(inner) == expected)
        #expect(MediaType(inner).map(outer.contains) ?? false == expected)
    }

    @Test(arguments: [
        ("text/html", "text/html;charset=utf-8", true),
        ("text/html;charset=utf-8", "text/html", true),
        ("text/html;charset=ascii", "text/html;charset=utf-8", false),
        ("text/html;a=1", "text/html;b=1", false),
        ("image/*", "image/png", true),
        ("text/html", "text/plain", false),
        ("text/html", "nonsense", false),
    ])
    func `matching goes either way`(one: String, other: String, expected: Bool) throws {
        let one = try #require(MediaType(one))
        #expect(one.matches(other) == expected)
        #expect(one.matchesAny("audio/aac", other) == expected)
        #expect(MediaType(other).map { $0.matches(one) } ?? false == expected)
        #expect(MediaType(other).map { one.matchesAny(.aac, $0) } ?? false == expected)
    }
}

@Suite struct `Kinds of media types` {
    @Test(arguments: [
        ("application/zip", \MediaType.isZIP, true), ("application/epub+zip", \.isZIP, true),
        ("foo/bar+json+zip", \.isZIP, true), ("application/audiobook+lcp", \.isZIP, true),
        ("application/pdf+lcp;a=b", \.isZIP, true), ("application/pdf", \.isZIP, false),
        ("application/json;charset=utf-8", \.isJSON, true), ("application/opds+json", \.isJSON, true),
        ("foo/json", \.isJSON, false),
        ("application/atom+xml;profile=opds-catalog", \.isOPDS, true),
        ("application/atom+xml;type=entry;profile=opds-catalog", \.isOPDS, true),
        ("application/atom+xml", \.isOPDS, false),
        ("application/opds+json", \.isOPDS, true), ("application/opds-publication+json", \.isOPDS, true),
        ("application/opds-authentication+json", \.isOPDS, true),
        ("text/html;charset=utf-8", \.isHTML, true), ("application/xhtml+xml", \.isHTML, true),
        ("application/xml", \.isHTML, false),
        ("audio/mpeg", \.isAudio, true), ("audio/anything", \.isAudio, true), ("video/mpeg", \.isAudio, false),
        ("video/mpeg", \.isVideo, true), ("audio/webm", \.isVideo, false),
    ])
    func `are told by the type`(given: String, kind: any KeyPath<MediaType, Bool> & Sendable, expected: Bool) throws {
        #expect(try #require(MediaType(given))[keyPath: kind] == expected)
    }

    @Test(arguments: [MediaType.bmp, .gif, .jpeg, .jxl, .png, .tiff, .webp, .avif])
    func `bitmaps have pixels`(mediaType: MediaType) {
        #expect(mediaType.isBitmap)
    }

    @Test func `drawings are no bitmaps`() {
        #expect(!MediaType.svg.isBitmap)
        #expect(!MediaType.pdf.isBitmap)
    }

    @Test func `manifests and protected packages are told apart`() {
        let kinds: [MediaType] = [
            .readiumAudiobookManifest, .divinaManifest, .opds1Entry, .opds2Publication, .readiumWebPubManifest, .opds1,
            .opds2, .json, .epub, .lcpProtectedAudiobook, .lcpProtectedPDF, .lcpLicenseDocument,
        ]
        #expect(kinds.filter(\.isManifest) == Array(kinds.prefix(5)))
        #expect(kinds.filter(\.isRWPM) == [.readiumAudiobookManifest, .divinaManifest, .readiumWebPubManifest])
        #expect(kinds.filter(\.isLCPProtected) == [.lcpProtectedAudiobook, .lcpProtectedPDF])
    }

    @Test(arguments: [
        MediaType.cbz, .divina, .divinaManifest, .epub, .lcpProtectedAudiobook, .lcpProtectedPDF, .lpf, .pdf,
        .readiumAudiobook, .readiumAudiobookManifest, .readiumWebPub, .readiumWebPubManifest, .w3cWPUBManifest, .zab,
    ])
    func `publications are known`(mediaType: MediaType) {
        #expect(mediaType.isPublication)
    }

    @Test(arguments: [MediaType.html, .zip, .jpeg, .opds1, .lcpLicenseDocument, .binary])
    func `what only belongs to a publication is none`(mediaType: MediaType) {
        #expect(!mediaType.isPublication)
    }
}
