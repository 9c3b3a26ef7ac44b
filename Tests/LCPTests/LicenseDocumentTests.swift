import Foundation
import Publication
import Testing

@testable import LCP

private func base64(_ count: Int, _ byte: UInt8 = 0xA5) -> String {
    Data(repeating: byte, count: count).base64EncodedString()
}

/// A licence with every member of the specification.
private let complete = """
    {"provider": "https://books.example.org", "id": "urn:carrel:licence:1",
     "issued": "2013-11-04T01:08:15+01:00", "updated": "2014-02-21T09:44:17+01:00",
     "encryption": {"profile": "http://readium.org/lcp/basic-profile",
      "content_key": {"encrypted_value": "\(base64(64))", "algorithm": "http://www.w3.org/2001/04/xmlenc#aes256-cbc"},
      "user_key": {"text_hint": "Which colour?", "algorithm": "http://www.w3.org/2001/04/xmlenc#sha256",
       "key_check": "\(base64(32))"}},
     "links": [
      {"rel": "hint", "href": "https://books.example.org/hint", "type": "text/html"},
      {"rel": "publication", "href": "https://books.example.org/1.epub", "type": "application/epub+zip",
       "title": "Moby-Dick", "length": 264929, "hash": "\(String(repeating: "0a", count: 32))"},
      {"rel": ["status", "self"], "href": "https://books.example.org/1/status{?id}", "templated": true,
       "type": "application/vnd.readium.license.status.v1.0+json", "profile": "http://readium.org/lcp/basic-profile"},
      {"rel": "support", "href": "mailto:help@books.example.org"}],
     "rights": {"print": 10, "copy": 2048, "start": "2013-11-04T01:08:15+01:00", "end": "2026-01-31T08:30:00Z",
      "https://books.example.org/rights/tweet": true},
     "user": {"id": "ishmael", "email": "AAAA", "name": "Ishmaël", "encrypted": ["email"],
      "https://books.example.org/user/language": "tlh"},
     "signature": {"algorithm": "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", "certificate": "\(base64(30))",
      "value": "\(base64(25))"}}
    """

/// Why `data` is refused; nil if it is a licence. An error of another kind fails the test.
private func fault(of data: Data) -> String? {
    do {
        _ = try LicenseDocument(data: data)
        return nil
    } catch let problem as LCPProblem {
        #expect(problem.kind == .invalidLicense)
        #expect((problem.underlying as? CocoaError)?.code == .fileReadCorruptFile)
        #expect(problem.sentence.hasPrefix("The licence ") && problem.sentence.hasSuffix("."))
        return problem.sentence
    } catch {
        Issue.record(error)
        return "\(error)"
    }
}

private func fault(of text: String) -> String? { fault(of: Data(text.utf8)) }

@Suite struct LicenseDocumentTests {
    private let json: JSONValue

    init() throws {
        json = try JSONValue(string: complete, maximumSize: 10_000)
    }

    private func changed(_ path: String, _ value: JSONValue?) throws -> LicenseDocument {
        try LicenseDocument(data: json.setting(path, to: value).data)
    }

    private func refusal(_ path: String, _ value: JSONValue?) -> String? {
        fault(of: json.setting(path, to: value).data)
    }

    @Test func `every member is read`() throws {
        let license = try LicenseDocument(data: Data(complete.utf8))
        #expect(license.id == "urn:carrel:licence:1" && license.provider == "https://books.example.org")
        #expect(license.issued == Date(timeIntervalSince1970: 1_383_523_695))
        #expect(license.updated == Date(timeIntervalSince1970: 1_392_972_257) && license.date == license.updated)
        #expect(license.profile == "http://readium.org/lcp/basic-profile")
        #expect(license.contentKey == Data(repeating: 0xA5, count: 64))
        #expect(license.contentKeyAlgorithm == "http://www.w3.org/2001/04/xmlenc#aes256-cbc")
        #expect(license.userKeyAlgorithm == "http://www.w3.org/2001/04/xmlenc#sha256")
        #expect(license.hint == "Which colour?" && license.keyCheck == Data(repeating: 0xA5, count: 32))
        #expect(license.rights.print == 10 && license.rights.copy == 2048)
        #expect(license.rights.start == license.issued)
        #expect(license.rights.end == Date(timeIntervalSince1970: 1_769_848_200))
        #expect(license.rights.others == ["https://books.example.org/rights/tweet": true])
        #expect(license.user.id == "ishmael" && license.user.name == "Ishmaël" && license.user.email == "AAAA")
        #expect(license.user.encrypted == ["email"])
        #expect(license.user.others == ["https://books.example.org/user/language": "tlh"])
        #expect(license.signature.algorithm == "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256")
        #expect(license.signature.certificate.count == 30 && license.signature.value.count == 25)
        #expect(license.links.map(\.rel) == [["hint"], ["publication"], ["status", "self"], ["support"]])
        let publication = try #require(license.link("publication"))
        #expect(publication.type == "application/epub+zip" && publication.title == "Moby-Dick")
        #expect(publication.length == 264_929 && publication.hash == String(repeating: "0a", count: 32))
        #expect(publication.json["length"] == 264_929 && !publication.templated)
        #expect(license.link("self")?.profile == "http://readium.org/lcp/basic-profile")
        #expect(license.links("support").map(\.href) == ["mailto:help@books.example.org"])
        #expect(license.link("license") == nil && license.links("license").isEmpty)
    }

    @Test(arguments: [
        "updated", "rights", "user", "rights.print", "rights.copy", "rights.start", "rights.end", "user.id",
        "user.email", "user.name", "user.encrypted", "links.1.title", "links.1.length", "links.1.hash",
        "links.2.profile", "links.2.type", "links.2", "links.3",
    ])
    func `what is optional may be missing or null`(_ path: String) throws {
        _ = try changed(path, Optional.none)
        if path != "links.2", path != "links.3" { _ = try changed(path, JSONValue.null) }
    }

    @Test func `a licence without rights has no limits`() throws {
        let license = try changed("rights", Optional.none)
        let rights = license.rights
        #expect(rights.print == nil && rights.copy == nil && rights.start == nil && rights.end == nil)
        #expect(try changed("rights.print", 0).rights.print == 0)
        #expect(try changed("updated", Optional.none).date == license.issued)
        #expect(try changed("user.id", "").user.id == nil)
    }

    @Test(arguments: [
        "id", "issued", "provider", "encryption", "encryption.profile", "encryption.content_key",
        "encryption.content_key.algorithm", "encryption.content_key.encrypted_value", "encryption.user_key",
        "encryption.user_key.algorithm", "encryption.user_key.text_hint", "encryption.user_key.key_check", "links",
        "signature", "signature.algorithm", "signature.certificate", "signature.value",
    ])
    func `what is required is named if it is missing or null`(_ path: String) {
        let sentence = "The licence is damaged: its member “\(path)” is missing."
        #expect(refusal(path, Optional.none) == sentence)
        #expect(refusal(path, JSONValue.null) == sentence)
    }

    @Test func `what is required of a link is named with its place`() {
        #expect(refusal("links.2.rel", Optional.none)?.contains("“links[2].rel” is missing") == true)
        #expect(refusal("links.2.href", Optional.none)?.contains("“links[2].href” is missing") == true)
        for (index, rel) in ["hint", "publication"].enumerated() {
            #expect(refusal("links.\(index)", Optional.none)?.contains("“links” has no link “\(rel)”") == true)
            let untyped = "“links” has a link “\(rel)” without “type”"
            #expect(refusal("links.\(index).type", Optional.none)?.contains(untyped) == true)
            #expect(refusal("links.\(index).type", "")?.contains(untyped) == true)
        }
    }

    /// Values in JSON that are wrong for a member.
    @Test(arguments: [
        ("id", #"["", 1, true, [], {}]"#), ("issued", #"["", "2026-01-31", 1, []]"#), ("updated", #"["", "now", 1]"#),
        ("provider", #"["", "books", "1:2", "://x", "a b:c", "urn:", 1, [], {}]"#),
        ("encryption", #"["", 1, [], true]"#),
        ("encryption.profile", #"["", "basic", 1, {}]"#), ("encryption.content_key", #"["", 1, []]"#),
        ("encryption.content_key.algorithm", #"["", "aes", 1]"#),
        ("encryption.content_key.encrypted_value", #"["", "AA", 1]"#), ("encryption.user_key", #"["", 1, []]"#),
        ("encryption.user_key.algorithm", #"["", "sha256", 1]"#), ("encryption.user_key.text_hint", "[1, [], true]"),
        ("encryption.user_key.key_check", #"["", "====", 1]"#), ("links", #"["", 1, true]"#),
        ("links.0", #"["", 1, []]"#),
        ("links.0.rel", #"["", 1, [], [1], [""], ["hint", ""], {}]"#),
        ("links.0.href", #"["", 1, "https://a b", "a\n"]"#), ("links.0.type", "[1, []]"), ("links.0.title", "[1, []]"),
        ("links.0.templated", #"[1, "true", []]"#), ("links.0.profile", "[1]"), ("links.0.hash", "[1]"),
        ("links.0.length", #"[-1, 1.5, "", "-1", "0x1", "١", "99999999999999999999", true]"#),
        ("links.2.href", #"["https://a/{", "https://a/{?}", "https://a/}"]"#), ("rights", #"["", 1, []]"#),
        ("rights.print", #"[-1, 1.5, "1", true, 9999999999999999999]"#), ("rights.copy", #"[-1, "1", []]"#),
        ("rights.start", #"["", 1]"#), ("rights.end", #"["", 1, "2026"]"#), ("user", #"["", 1, []]"#),
        ("user.id", "[1, {}]"), ("user.email", "[1]"), ("user.name", "[1]"),
        ("user.encrypted", #"["email", 1, [1], [["a"]]]"#), ("signature", #"["", 1, []]"#),
        ("signature.algorithm", #"["", "rsa", 1]"#), ("signature.certificate", #"["", "!", 1]"#),
        ("signature.value", #"["", "A", 1]"#),
    ])
    func `a member of the wrong kind is named`(_ path: String, _ list: String) throws {
        let name = path.replacing(".0", with: "[0]").replacing(".2", with: "[2]")
        let values = try #require(JSONValue(string: list, maximumSize: 1000).arrayValue)
        for value in values {
            let sentence = try #require(refusal(path, value), "\(value)")
            #expect(sentence.contains("its member “\(name)” "), "\(sentence)")
        }
    }

    @Test(
        arguments: [
            ("2026-01-31T08:30:00Z", 1_769_848_200), ("2026-01-31t08:30:00z", 1_769_848_200),
            ("2026-01-31 08:30:00Z", 1_769_848_200), ("2026-01-31T08:30:00.5Z", 1_769_848_200.5),
            ("2026-01-31T08:30:00.123456789Z", 1_769_848_200.123456789), ("2026-01-31T10:30:00+02:00", 1_769_848_200),
            ("2026-01-31T03:00:00-05:30", 1_769_848_200), ("2026-01-31T08:30:00-00:00", 1_769_848_200),
            ("2024-02-29T23:59:59Z", 1_709_251_199), ("2000-02-29T00:00:00-05:30", 951_802_200),
            ("1969-12-31T23:59:59Z", -1), ("0001-01-01T00:00:00Z", -62_135_596_800),
            ("1900-03-01T00:00:00Z", -2_203_891_200), ("9999-12-31T23:59:59Z", 253_402_300_799),
            ("2016-12-31T23:59:60Z", 1_483_228_800),
        ] as [(String, Double)])
    func `dates have fractions and offsets`(_ text: String, _ seconds: Double) throws {
        #expect(try changed("issued", .string(text)).issued == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: [
        "2026-01-31T08:30:00", "2026-01-31T08:30Z", "2026-01-31T08:30:00+0200", "2026-01-31T08:30:00+02",
        "2026-01-31T08:30:00.Z", "2026-01-31T08:30:00,5Z", "2026-02-29T08:30:00Z", "1900-02-29T08:30:00Z",
        "2026-04-31T08:30:00Z", "2026-13-01T08:30:00Z", "2026-00-01T08:30:00Z", "2026-01-00T08:30:00Z",
        "2026-01-31T24:00:00Z", "2026-01-31T08:60:00Z", "2026-01-31T08:30:61Z", "2026-01-31T08:30:00+24:00",
        "2026-01-31T08:30:00+02:60", "0000-01-01T00:00:00Z", "+2026-01-31T08:30:00Z", "26-01-31T08:30:00Z",
        "2026-1-31T08:30:00Z", "2026-01-31T08:30:00Z ", " 2026-01-31T08:30:00Z", "2026-01-31T08:30:00ZZ",
        "２026-01-31T08:30:00Z", "2026-01-31T-8:30:00Z",
    ])
    func `other dates are refused`(_ text: String) {
        #expect(refusal("issued", .string(text))?.contains("“issued” is not a date and time") == true)
    }

    @Test func `keys have the lengths of their algorithm`() throws {
        for count in 1...100 {
            let isKey = [48, 64, 80].contains(count)
            let path = "encryption.content_key.encrypted_value"
            #expect((refusal(path, .string(base64(count))) == nil) == isKey, "\(count)")
            let isCheck = count >= 32 && count.isMultiple(of: 16)
            #expect((refusal("encryption.user_key.key_check", .string(base64(count))) == nil) == isCheck, "\(count)")
        }
        let sentence = refusal("encryption.content_key.encrypted_value", .string(base64(32)))
        #expect(sentence?.contains("has 32 bytes and not 48, 64 or 80") == true)
    }

    @Test func `Base64 has one spelling`() throws {
        let text = base64(256)
        let others = [
            " \(text)", "\(text)\n", "\(text.dropLast())", "\(text)=", "A\(text)", text.replacing("paW", with: "pa-"),
            "\(text.dropLast(3))R==", "\(text.prefix(64))\r\n\(text.dropFirst(64))",
        ]
        #expect(text.hasSuffix("Q=="), "The last digit but one has four bits that mean nothing.")
        for other in others {
            #expect(refusal("signature.value", .string(other))?.contains("is not Base64") == true, "\(other)")
        }
    }

    /// The canonical form is written by hand.
    @Test func `the canonical form is what is signed`() throws {
        let text = """
            { "signature" : {"value": "\(base64(3))", "certificate": "\(base64(3))", "algorithm": "a:b"},
              "id": "1\\/2", "provider": "p:q", "issued": "2026-01-31T08:30:00.0Z",
              "x": {"b": [2, 1.0, "\\u00E9"], "a": null},
              "links": [{"type": "t\\u002Fh", "rel": "hint", "href": "h:1"},
                {"rel": "publication", "type": "z", "href": "h:2"}],
              "encryption": {"user_key": {"text_hint": "\\u0022\\t\\u001F", "key_check": "\(base64(32))", "algorithm": "u:1"},
                "profile": "p:1", "content_key": {"encrypted_value": "\(base64(48))", "algorithm": "c:1"}}}
            """
        let form = """
            {"encryption":{"content_key":{"algorithm":"c:1","encrypted_value":"\(base64(48))"},"profile":"p:1",\
            "user_key":{"algorithm":"u:1","key_check":"\(base64(32))","text_hint":"\\"\\t\\u001f"}},"id":"1/2",\
            "issued":"2026-01-31T08:30:00.0Z",\
            "links":[{"href":"h:1","rel":"hint","type":"t/h"},{"href":"h:2","rel":"publication","type":"z"}],\
            "provider":"p:q","x":{"a":null,"b":[2,1.0,"é"]}}
            """
        let license = try LicenseDocument(data: Data(text.utf8))
        #expect(String(decoding: license.canonicalForm, as: UTF8.self) == form)
        #expect(license.json["x"]?["b"] == [2, 1, "é"])
    }

    @Test func `unknown members are part of the canonical form`() throws {
        let plain = try LicenseDocument(data: Data(complete.utf8))
        for path in ["x", "encryption.x", "links.0.x", "user.x", "rights.x"] {
            let license = try changed(path, ["é", 1])
            #expect(license.canonicalForm != plain.canonicalForm)
            #expect(String(decoding: license.canonicalForm, as: UTF8.self).contains(#""x":["é",1]"#), "\(path)")
        }
        #expect(try changed("signature.x", 1).canonicalForm == plain.canonicalForm)
    }

    @Test func `a licence is written back as it was read`() throws {
        let texts = [complete, "\u{FEFF}\n" + complete + "\r\n ", complete.replacing("https:", with: #"https\u003a"#)]
        let licenses = try texts.map { try LicenseDocument(data: Data($0.utf8)) }
        for (text, license) in zip(texts, licenses) { #expect(license.data == Data(text.utf8)) }
        // The same content in other bytes is another document with the same canonical form.
        #expect(Set(licenses).count == 3 && Set(licenses.map(\.canonicalForm)).count == 1)
        #expect(try LicenseDocument(data: licenses[1].data) == licenses[1])
    }

    @Test func `links are listed by relation in early licences`() throws {
        let links: JSONValue = [
            "hint": ["href": "https://a/hint", "type": "text/html"],
            "publication": [
                ["href": "https://a/1.epub", "type": "application/epub+zip", "rel": ["self", "publication"]]
            ],
            "support": [["href": "tel:1"], ["href": "tel:2", "rel": "https://a/phone"]],
        ]
        let license = try changed("links", links)
        #expect(
            license.links.map(\.rel) == [
                ["hint"], ["publication", "self"], ["support"], ["support", "https://a/phone"],
            ])
        #expect(license.links("support").map(\.href) == ["tel:1", "tel:2"])
        #expect(refusal("links", [:])?.contains("has no link “hint”") == true)
        let damaged = links.setting("support", to: [["href": "tel:1"], ["type": "a/b"]])
        #expect(refusal("links", damaged)?.contains("“links.support[1].href” is missing") == true)
        #expect(refusal("links", links.setting("support", to: "tel:1"))?.contains("“links.support” is not") == true)
    }

    @Test func `a length may be written as a text`() throws {
        #expect(try changed("links.1.length", "264929").link("publication")?.length == 264_929)
        #expect(try changed("links.1.length", 0).link("publication")?.length == 0)
    }

    @Test func `addresses are made from links and templates`() throws {
        func link(_ href: String, templated: Bool = false) throws -> LicenseLink? {
            let object: JSONValue = ["rel": "x", "href": .string(href), "templated": .bool(templated)]
            return try changed("links.3", object).link("x")
        }
        #expect(try link("https://a/1.epub")?.url()?.absoluteString == "https://a/1.epub")
        #expect(try link("https://a/{x}")?.url(["x": "1"])?.scheme == "https")
        let template = "https://a/renew{?end,id,name}"
        #expect(try link(template, templated: true)?.url()?.absoluteString == "https://a/renew")
        let full = try link(template, templated: true)?.url(["id": "a b", "name": "é&", "end": "2026-01-31T08:30:00Z"])
        #expect(full?.absoluteString == "https://a/renew?end=2026-01-31T08%3A30%3A00Z&id=a%20b&name=%C3%A9%26")
        for href in ["1.epub", "/1.epub", "//a/1.epub", "?x", "1:2"] {
            #expect(try link(href)?.url() == nil, "\(href)")
        }
        #expect(try link("{+x}", templated: true)?.url(["x": "relative"]) == nil)
    }

    @Test func `too much of anything is refused`() throws {
        let link: JSONValue = ["rel": "x", "href": "https://a/b"]
        let most = try #require(json["links"]?.arrayValue) + Array(repeating: link, count: 196)
        #expect(try changed("links", .array(most)).links.count == LicenseLink.largestCount)
        #expect(refusal("links", .array(most + [link]))?.contains("at most 200") == true)
        let listed: JSONValue = ["a": .array(Array(repeating: link, count: 150)), "b": .array(most)]
        #expect(refusal("links", listed)?.contains("at most 200") == true)

        let padding = String(repeating: " ", count: LicenseDocument.largest - complete.utf8.count)
        #expect(fault(of: complete + padding) == nil)
        let sentence = try #require(fault(of: complete + padding + " "))
        #expect(sentence == "The licence has 1048577 bytes, and at most 1048576 are accepted.")

        let deep = String(repeating: "[", count: 300_000)
        #expect(fault(of: #"{"id": "# + deep)?.contains("64 levels") == true)
    }

    @Test func `a name that occurs twice is refused, wherever it is`() throws {
        for name in ["id", "profile", "text_hint", "href", "print", "value"] {
            let twice = complete.replacing("\"\(name)\":", with: "\"\(name)\": 1, \"\(name)\":", maxReplacements: 1)
            #expect(twice != complete)
            let sentence = "The licence has the member “\(name)” twice in one object."
            #expect(fault(of: twice) == sentence)
        }
    }

    @Test(arguments: ["", "null", "1", "[]", "\"a\"", "{}", "{\"id\": \"1\"}"])
    func `other documents are refused`(_ text: String) throws {
        _ = try #require(fault(of: text))
    }

    @Test func `every prefix of a licence is refused`() throws {
        let bytes = Data(complete.utf8)
        for count in 0..<bytes.count {
            #expect(fault(of: bytes.prefix(count)) != nil, "\(count)")
        }
    }

    @Test(arguments: [0x22, 0x31, 0x5C, 0x7D, 0xFF] as [UInt8])
    func `a licence with another byte is one, or is refused`(_ byte: UInt8) throws {
        let bytes = Data(complete.utf8)
        for index in stride(from: Int(byte % 5), to: bytes.count, by: 5) where bytes[index] != byte {
            var other = bytes
            other[index] = byte
            guard fault(of: other) == nil else { continue }
            let license = try LicenseDocument(data: other)
            #expect(try CanonicalJSON(data: license.canonicalForm).canonicalForm() == license.canonicalForm)
        }
    }
}
