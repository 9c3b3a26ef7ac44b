import Foundation
import Publication
import Testing

@Suite struct `The metadata of a publication` {
    private func metadata(_ members: [String: JSONValue]) throws -> Metadata {
        try Metadata(json: .object(members.merging(["title": "x"]) { given, _ in given }))
    }

    @Test func `survive reading and writing in full`() throws {
        let json: JSONValue = [
            "@type": "http://schema.org/Book", "conformsTo": ["p", "q"], "title": ["en": "T", "fr": "U"],
            "subtitle": "S", "sortAs": "t", "identifier": "urn:x",
            "altIdentifier": ["urn:y", ["value": "1", "scheme": "urn:z"]],
            "accessibility": [
                "conformsTo": "a", "exemption": "eaa-microenterprise", "accessMode": ["visual"],
                "accessModeSufficient": ["textual", ["visual", "auditory"]], "feature": ["index"], "hazard": ["none"],
                "certification": ["certifiedBy": "c"], "summary": "s",
            ],
            "modified": "2016-08-11T19:32:18Z", "published": "2008-10-12", "language": ["en", "fr"],
            "author": [
                "Plain",
                [
                    "name": ["en": "N"], "sortAs": "n", "identifier": "urn:n", "role": ["r", "s"],
                    "links": [["href": "l"]],
                ],
            ],
            "penciler": "P", "imprint": ["name": "I", "role": "r"],
            "subject": ["One", ["name": "Two", "code": "2", "scheme": "urn:s", "sortAs": "two"]],
            "readingProgression": "rtl", "layout": "fixed", "description": "D", "duration": 12.5, "numberOfPages": 3,
            "abridged": false,
            "belongsTo": [
                "series": ["name": "S", "position": -1.5], "collection": ["C", "D"], "volume": 4,
                "journal": ["name": "J", "issue": 3],
            ],
            "own": 1,
        ]
        let metadata = try Metadata(json: json)
        #expect(metadata.json == json)
        #expect(metadata.otherMetadata == ["own": 1])
        #expect(metadata.authors.map(\.name.string) == ["Plain", "N"])
        #expect(metadata.belongsToSeries.first?.position == -1.5)
        #expect(metadata.belongsToCollections.map(\.name) == ["C", "D"])
        #expect(metadata.accessibility?.accessModesSufficient == [["textual"], ["visual", "auditory"]])
    }

    @Test(arguments: ContributorRole.allCases)
    func `take contributors as a name, an object or an array`(role: ContributorRole) throws {
        let expected = Contributor(name: "N")
        for form: JSONValue in ["N", ["name": "N"], ["N"], [["name": "N"], 7, ["sortAs": "n"]]] {
            let metadata = try metadata([role.rawValue: form])
            #expect(metadata[role] == [expected])
            #expect(metadata.json[role.rawValue] == "N")
        }
    }

    @Test func `take subjects, languages and profiles in any form`() throws {
        for form: JSONValue in ["A", ["A"]] {
            let metadata = try metadata(["subject": form, "language": form, "conformsTo": form])
            #expect(metadata.subjects == [Subject(name: "A")])
            #expect(metadata.languages == ["A"])
            #expect(metadata.conformsTo == ["A"])
        }
    }

    @Test(
        arguments: [
            ("2008-10-12", 1_223_769_600), ("2008-10", 1_222_819_200), ("2008", 1_199_145_600),
            ("2016-08-11T19:32:18Z", 1_470_943_938), ("2016-08-11T21:32:18+02:00", 1_470_943_938),
            ("2016-08-11T19:32:18", 1_470_943_938), ("2016-08-11T19:32:18.250Z", 1_470_943_938.25),
            ("2016-08-11T19:32:18.250400Z", 1_470_943_938.25),
        ] as [(String, Double)])
    func `take dates whole or cut short`(text: String, seconds: Double) throws {
        let expected = Date(timeIntervalSince1970: seconds)
        #expect(try metadata(["published": .string(text)]).published == expected)
        #expect(try metadata(["modified": .string(text)]).modified == expected)
    }

    @Test(arguments: [
        ("2020-02-29", true), ("2020-02-30", false), ("2021-02-29", false), ("2000-02-29", true), ("1900-02-29", false),
        ("2020-04-31", false), ("2020-13-01", false), ("2020-13", false), ("2020-00", false), ("2020-01-00", false),
        ("2020-12-31", true),
        ("2020-02-30T10:00:00Z", false), ("2020-02-29T10:00:00+02:00", true), ("2020-02-30 10:00:00", false),
    ])
    func `a day that the calendar does not have is no date`(text: String, isDate: Bool) throws {
        #expect((try metadata(["published": .string(text)]).published != nil) == isDate)
    }

    @Test(arguments: ["", "yesterday", "20081012", "2008-", "99999-01-01", "-2008", "2008-10-12T", "2008-10-12T99"])
    func `pass over dates that are none`(text: String) throws {
        #expect(try metadata(["published": .string(text)]).published == nil)
    }

    @Test func `write dates in the form the manifest wants`() throws {
        let day = try metadata(["published": "2008-10-12", "modified": "2008-10-12"]).json
        #expect(day["published"] == "2008-10-12")
        #expect(day["modified"] == "2008-10-12T00:00:00Z")
        let time = try metadata(["published": "2016-08-11T19:32:18.250Z"]).json
        #expect(time["published"] == "2016-08-11T19:32:18.250Z")
    }

    @Test func `find the layout in its old place`() throws {
        #expect(try metadata(["presentation": ["layout": "fixed"]]).layout == .fixed)
        #expect(try metadata(["presentation": ["layout": "fixed"], "layout": "scrolled"]).layout == .scrolled)
    }

    @Test func `take a volume by its number`() throws {
        let metadata = try metadata([
            "belongsTo": ["volume": 4, "series": ["name": "S", "position": 0], "episode": ["own": 1]]
        ])
        #expect(metadata.belongsTo["volume"]?.first?.position == 4)
        #expect(metadata.belongsToSeries.first?.position == 0)
        #expect(metadata.belongsTo["episode"]?.first?.otherProperties == ["own": 1])
        #expect(try self.metadata(["belongsTo": ["volume": ["position": 4]]]).json["belongsTo"]?["volume"] == 4)
    }
}

@Suite struct `A localized string` {
    @Test func `is a string or an object`() throws {
        #expect(LocalizedString(json: "T") == "T")
        #expect(LocalizedString(json: ["en": "T", "fr": 7])?.translations == ["en": "T"])
        for none: JSONValue in [7, [], [:], ["en": 7], nil] {
            #expect(LocalizedString(json: none) == nil)
        }
    }

    @Test func `is chosen by the reader's languages`() throws {
        let text = try #require(LocalizedString(["en": "E", "pt-BR": "P", "fr": "F"]))
        #expect(text.string == "E")
        #expect(text.string(for: ["de", "PT-br"]) == "P")
        #expect(text.string(for: ["pt-PT", "fr"]) == "P")
        #expect(text.string(for: ["de"]) == "E")
        #expect(LocalizedString(["zh": "Z", "de": "D"])?.string == "D")
        #expect(LocalizedString(["und": "U", "en": "E"])?.string == "U")
    }
}
