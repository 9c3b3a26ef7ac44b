import Foundation
import Testing

import Archives
import MediaTypes
@testable import Publication
import PublicationCache

struct EPUBMetadataTests {
    private func metadata(_ text: String, version: String = "3.0") async throws -> Metadata {
        try await EPUBFixture.metadata(text, version: version)
    }

    // MARK: Titles and identifiers

    @Test func `the title is the one that is called main, else the first`() async throws {
        let first = "<dc:title>First</dc:title><dc:title id='b' xml:lang='fr'> Deux \n fois </dc:title>"
        #expect(try await metadata(first).title == "First")
        let refined =
            first
            + ##"<meta refines="#b" property="title-type">main</meta><meta refines="#b" property="file-as">Fois</meta>"##
        let result = try await metadata(refined)
        #expect(result.title == LocalizedString(["fr": "Deux fois"]))
        #expect(result.sortAs == "Fois")
    }

    @Test func `other scripts of a title are other languages of it`() async throws {
        let text =
            ##"<dc:title id="t">Война</dc:title><meta refines="#t" property="alternate-script" xml:lang="en">War</meta>"##
        #expect(try await metadata(text).title == LocalizedString(["und": "Война", "en": "War"]))
    }

    @Test func `languages are inherited from above`() async throws {
        let book = EPUBFixture(packageAttributes: #"xml:lang="de""#, metadata: "<dc:title>Titel</dc:title>")
        #expect(try await book.manifest().metadata.title == LocalizedString(["de": "Titel"]))
    }

    @Test func `of several subtitles the one displayed first counts`() async throws {
        let titles = ["a": "3", "b": "1", "c": "2"].map { id, location in
            """
            <dc:title id="\(id)">\(id)</dc:title><meta refines="#\(id)" property="title-type">subtitle</meta>
            <meta refines="#\(id)" property="display-seq">\(location)</meta>
            """
        }
        #expect(try await metadata("<dc:title>T</dc:title>" + titles.joined()).subtitle == "b")
        #expect(try await metadata("<dc:title>T</dc:title><dc:title>U</dc:title>").subtitle == nil)
    }

    @Test func `EPUB 2 sorts by calibre's words or an attribute`() async throws {
        let calibre = "<dc:title>The T</dc:title><meta name='calibre:title_sort' content='T, The'/>"
        #expect(try await metadata(calibre, version: "2.0").sortAs == "T, The")
        #expect(
            try await metadata("<dc:title opf:file-as='T, The'>The T</dc:title>", version: "2.0").sortAs == "T, The")
    }

    @Test func `a book without a title has an empty one`() async throws {
        #expect(try await metadata("<dc:title> </dc:title>").title == "")
    }

    @Test func `the identifier is the one that the package names, else the first`() async throws {
        let text =
            "<dc:identifier>a</dc:identifier><dc:identifier id='uid'> urn:uuid:1\n</dc:identifier><dc:identifier>c</dc:identifier>"
        let result = try await metadata(text)
        #expect(result.identifier == "urn:uuid:1")
        #expect(result.alternateIdentifiers.map(\.value) == ["a", "c"])
        let book = EPUBFixture(packageAttributes: "", metadata: text)
        #expect(try await book.manifest().metadata.identifier == "a")
    }

    // MARK: People

    @Test(arguments: [
        ("aut", ContributorRole.author), ("pbl", .publisher), ("trl", .translator), ("edt", .editor),
        ("ill", .illustrator),
        ("art", .artist), ("clr", .colorist), ("nrt", .narrator), ("AUT", .author),
    ])
    func `a role gives the key of the manifest, in both versions`(code: String, role: ContributorRole) async throws {
        for element in ["creator", "contributor"] {
            let previous = try await metadata(
                "<dc:\(element) opf:role='\(code)' opf:file-as='N, A'>A N</dc:\(element)>", version: "2.0")
            #expect(previous.contributorsByRole == [role: [Contributor(name: "A N", sortAs: "N, A")]])
            let new = try await metadata(
                """
                <dc:\(element) id="x">A N</dc:\(element)><meta refines="#x" property="role" scheme="marc:relators">\(code)</meta>
                <meta refines="#x" property="file-as">N, A</meta>
                """)
            #expect(new.contributorsByRole == [role: [Contributor(name: "A N", sortAs: "N, A")]])
        }
    }

    @Test func `without a known role creators are authors, and contributors contributors who keep it`() async throws {
        let result = try await metadata(
            "<dc:creator>A</dc:creator><dc:contributor opf:role='mrk'>B</dc:contributor><dc:publisher>C</dc:publisher>",
            version: "2.0")
        #expect(result.authors == [Contributor(name: "A")])
        #expect(result.contributors == [Contributor(name: "B", roles: ["mrk"])])
        #expect(result.publishers == [Contributor(name: "C")])
    }

    @Test(arguments: [
        ("http://id.loc.gov/vocabulary/relators/ill", ""),
        ("https://id.loc.gov/vocabulary/relators/ILL", #"scheme="x""#),
        ("http://id.loc.gov/vocabulary/relators/ill.html", ""), ("marc:relators/ill", ""),
        ("ill", #"scheme="http://id.loc.gov/vocabulary/relators""#),
        ("ill", #"scheme="http://id.loc.gov/vocabulary/relators/""#),
    ])
    func `a role may be an address of the Library of Congress`(value: String, scheme: String) async throws {
        let new = try await metadata(
            ##"<dc:creator id="x">A</dc:creator><meta refines="#x" property="role" \##(scheme)>\##(value)</meta>"##)
        #expect(new.contributorsByRole == [.illustrator: [Contributor(name: "A")]])
        guard value.hasPrefix("http") else { return }
        let previous = try await metadata("<dc:creator opf:role='\(value)'>A</dc:creator>", version: "2.0")
        #expect(previous.contributorsByRole == [.illustrator: [Contributor(name: "A")]])
    }

    @Test func `a code without a key is kept without the address, and another list's does not count`() async throws {
        func roles(_ meta: String) async throws -> Metadata {
            try await metadata(
                "<dc:contributor id='x'>A</dc:contributor><meta refines='#x' property='role' \(meta)</meta>")
        }
        #expect(
            try await roles(">http://id.loc.gov/vocabulary/relators/mrk").contributors == [
                Contributor(name: "A", roles: ["mrk"])
            ])
        #expect(
            try await roles("scheme='onix:codelist17'>ill").contributorsByRole == [
                .contributor: [Contributor(name: "A")]
            ])
        #expect(try await roles(">http://id.loc.gov/vocabulary/relators/").illustrators.isEmpty)
    }

    @Test func `people, titles and subjects are in the order of display`() async throws {
        func entries(_ element: String) -> String {
            let locations: [(String, String?)] = [
                ("a", "3"), ("b", nil), ("c", "1"), ("d", "x"), ("e", "2"), ("f", "1"),
            ]
            return locations.map { name, location in
                let id = element + name
                let meta = location.map { ##"<meta refines="#\##(id)" property="display-seq">\##($0)</meta>"## } ?? ""
                return ##"<dc:\##(element) id="\##(id)">\##(name)</dc:\##(element)>\##(meta)"##
            }.joined()
        }
        let result = try await metadata(["title", "creator", "contributor", "subject"].map(entries).joined())
        let expected = ["c", "f", "e", "a", "b", "d"]
        #expect(result.title == "c" && result.authors.map(\.name.string) == expected)
        #expect(result.contributors.map(\.name.string) == expected && result.subjects.map(\.name.string) == expected)
    }

    // MARK: Kindle

    @Test(arguments: ["2.0", "3.0"]) func `what books for Kindle say of their layout and direction counts`(
        version: String
    ) async throws {
        func meta(_ name: String, _ content: String) -> String { "<meta name='\(name)' content='\(content)'/>" }
        for (mode, progression) in [
            ("horizontal-rl", Metadata.ReadingProgression.rtl), ("vertical-rl", .rtl), ("horizontal-lr", .ltr),
            (" Vertical-LR ", .ltr),
        ] {
            #expect(
                try await metadata(meta("primary-writing-mode", mode), version: version).readingProgression
                    == progression)
        }
        #expect(
            try await metadata(meta("primary-writing-mode", "sideways"), version: version).readingProgression == nil)
        #expect(try await metadata(meta("fixed-layout", "true"), version: version).layout == .fixed)
        #expect(try await metadata(meta("fixed-layout", "false"), version: version).layout == .reflowable)
        let declared = "<meta property='rendition:layout'>reflowable</meta>"
        #expect(try await metadata(meta("fixed-layout", "true") + declared).layout == .reflowable)
        var book = EPUBFixture(version: version, metadata: meta("primary-writing-mode", "horizontal-rl"))
        book.spineAttributes = #"page-progression-direction="ltr""#
        #expect(try await book.manifest().metadata.readingProgression == .ltr)
    }

    @Test func `somebody with two roles is named under both`() async throws {
        let roles = ["aut", "ill"].map { ##"<meta refines="#x" property="role">\##($0)</meta>"## }.joined()
        let result = try await metadata(#"<dc:creator id="x">A</dc:creator>"# + roles)
        #expect(result.authors == result.illustrators && result.authors.count == 1)
    }

    @Test func `who reads a media overlay is a narrator`() async throws {
        #expect(
            try await metadata("<meta property='media:narrator'>Joe</meta>").narrators == [Contributor(name: "Joe")])
    }

    // MARK: Dates, languages, subjects

    @Test func `EPUB 2 tells its dates apart by event`() async throws {
        let result = try await metadata(
            """
            <dc:date opf:event="modification">2012-04-05</dc:date><dc:date opf:event="publication">2011</dc:date>
            <dc:date opf:event="conversion">2010-01-01</dc:date>
            """, version: "2.0")
        #expect(result.published == Date(timeIntervalSince1970: 1_293_840_000))
        #expect(result.modified == Date(timeIntervalSince1970: 1_333_584_000))
    }

    @Test func `EPUB 3 has one date and a time of modification`() async throws {
        let result = try await metadata(
            "<dc:date>2012-04-05</dc:date><meta property='dcterms:modified'>2013-01-25T19:27:38Z</meta>")
        #expect(result.published == Date(timeIntervalSince1970: 1_333_584_000))
        #expect(result.modified == Date(timeIntervalSince1970: 1_359_142_058))
        #expect(try await metadata("<dc:date>soon</dc:date>").published == nil)
    }

    @Test func `languages keep their order, the first is the main one`() async throws {
        let text =
            "<dc:language>fr</dc:language><dc:language> en-GB </dc:language><dc:language>fr</dc:language><dc:language/>"
        #expect(try await metadata(text).languages == ["fr", "en-GB"])
    }

    @Test func `a lone subject that nothing refines may be a list`() async throws {
        #expect(
            try await metadata("<dc:subject>a, b;c;; </dc:subject>").subjects.map(\.name.string) == ["a", "b", "c"])
        #expect(
            try await metadata("<dc:subject>a, b</dc:subject><dc:subject>c</dc:subject>").subjects.map(\.name.string)
                == ["a, b", "c"])
    }

    @Test func `a subject has a code from a scheme`() async throws {
        let result = try await metadata(
            ##"""
            <dc:subject id="s">Fiction, old</dc:subject><meta refines="#s" property="authority">BISAC</meta>
            <meta refines="#s" property="term">FIC000000</meta><meta refines="#s" property="file-as">old</meta>
            """##)
        #expect(result.subjects == [Subject(name: "Fiction, old", sortAs: "old", code: "FIC000000", scheme: "BISAC")])
    }

    @Test func `a description keeps its lines and its markup`() async throws {
        #expect(
            try await metadata("<dc:description>\n&lt;p&gt;A\nB&lt;/p&gt; </dc:description>").description
                == "<p>A\nB</p>")
    }

    // MARK: Collections

    @Test func `collections are series or not`() async throws {
        let result = try await metadata(
            ##"""
            <meta property="belongs-to-collection" id="a">Series A</meta><meta refines="#a" property="collection-type">series</meta>
            <meta refines="#a" property="group-position">1.5</meta><meta refines="#a" property="dcterms:identifier">urn:a</meta>
            <meta refines="#a" property="file-as">A</meta><meta property="belongs-to-collection">Set B</meta>
            <meta name="calibre:series" content="not this"/>
            """##)
        var series = ParentCollection(name: "Series A", position: 1.5, identifier: "urn:a")
        series.sortAs = "A"
        #expect(result.belongsToSeries == [series])
        #expect(result.belongsToCollections == [ParentCollection(name: "Set B")])
    }

    @Test(arguments: [("1.01", 1.01), ("0", 0), ("-2", -2), ("nan", nil), ("x", nil)] as [(String, Double?)])
    func `calibre's series may have any place`(text: String, position: Double?) async throws {
        for version in ["2.0", "3.0"] {
            let result = try await metadata(
                "<meta name='calibre:series' content='S'/><meta content='\(text)' name='calibre:series_index'/>",
                version: version)
            #expect(result.belongsToSeries == [ParentCollection(name: "S", position: position)])
        }
    }

    // MARK: Presentation

    @Test(arguments: [("ltr", Metadata.ReadingProgression.ltr), ("RTL", .rtl), ("default", nil), ("", nil)])
    func `the direction is that of the spine`(text: String, progression: Metadata.ReadingProgression?) async throws {
        let book = EPUBFixture(spineAttributes: "page-progression-direction='\(text)'")
        #expect(try await book.manifest().metadata.readingProgression == progression)
    }

    @Test func `layout and presentation come from the rendition properties`() async throws {
        #expect(try await metadata("").layout == .reflowable)
        let result = try await metadata(
            """
            <meta property="rendition:layout">pre-paginated</meta><meta property="rendition:spread">portrait</meta>
            <meta property="rendition:orientation">landscape</meta><meta property="rendition:flow">scrolled-continuous</meta>
            """)
        #expect(result.layout == .fixed)
        #expect(
            result.otherMetadata["presentation"]
                == ["spread": "both", "orientation": "landscape", "overflow": "scrolled", "continuous": true])
    }

    @Test func `a prefix may be declared under another name`() async throws {
        let book = EPUBFixture(
            packageAttributes: #"prefix="r: http://www.idpf.org/vocab/rendition/# x: http://example.com/""#,
            metadata: "<meta property='r:layout'>pre-paginated</meta><meta property='x:layout'>reflowable</meta>")
        #expect(try await book.manifest().metadata.layout == .fixed)
    }

    @Test(arguments: DisplayOptions.hrefs) func `EPUB 2 has its layout fixed by readers' own files`(href: String)
        async throws
    {
        var book = EPUBFixture(version: "2.0")
        book.files[href] = """
            <display_options><platform name="iphone"><option name="fixed-layout">false</option></platform><platform name="*">
            <option name="fixed-layout"> true </option><option name="orientation-lock">landscape-only</option></platform></display_options>
            """
        let metadata = try await book.manifest().metadata
        #expect(metadata.layout == .fixed && metadata.otherMetadata["presentation"] == ["orientation": "landscape"])
        book.version = "3.0"
        #expect(try await book.manifest().metadata.layout == .reflowable)
    }

    @Test(
        arguments: [
            ("0:01:02.5", 62.5), ("01:02", 62), ("1.5h", 5400), ("2min", 120), ("45.5s", 45.5), ("500ms", 0.5),
            ("45", 45), ("x", nil),
            ("1:x", nil), ("nan", nil), ("", nil), ("1:2:3:4", nil),
        ] as [(String, Double?)])
    func `clock values are seconds`(text: String, seconds: Double?) async throws {
        #expect(MediaClock.seconds(text) == seconds)
        #expect(try await metadata("<meta property='media:duration'>\(text)</meta>").duration == seconds)
    }

    @Test func `the number of pages and what has no place else are kept`() async throws {
        let result = try await metadata("<meta property='schema:numberOfPages'>320</meta><dc:rights>CC BY</dc:rights>")
        #expect(result.numberOfPages == 320)
        #expect(result.otherMetadata["http://purl.org/dc/elements/1.1/rights"] == "CC BY")
    }

    @Test func `what miners of text may do is read`() async throws {
        let text = "<meta property='tdm:reservation'>1</meta><meta property='tdm:policy'>https://example.com/p</meta>"
        #expect(try await metadata(text).tdm == TextAndDataMining(reservation: .all, policy: "https://example.com/p"))
        let previous = try await metadata("<meta name='tdm:reservation' content='0'/>", version: "2.0")
        #expect(previous.tdm == TextAndDataMining(reservation: .nothing))
        #expect(try await metadata("").tdm == nil)
    }

    @Test func `accessibility is read from properties, links and the metas of EPUB 2`() async throws {
        let result = try await metadata(
            ##"""
            <meta property="schema:accessMode">textual</meta><meta property="schema:accessMode">visual</meta>
            <meta property="schema:accessModeSufficient">textual, visual,textual</meta>
            <meta property="schema:accessibilityFeature">index</meta>
            <meta property="schema:accessibilityHazard">none</meta><meta property="schema:accessibilitySummary">Fine.</meta>
            <link rel="dcterms:conformsTo" href="http://example.com/wcag"/><meta property="a11y:certifiedBy">Me</meta>
            <link rel="a11y:certifierReport" href="http://example.com/report"/>
            """##)
        var expected = Accessibility()
        expected.accessModes = ["textual", "visual"]
        expected.accessModesSufficient = [["textual", "visual"]]
        expected.features = ["index"]
        expected.hazards = ["none"]
        expected.summary = "Fine."
        expected.conformsTo = ["http://example.com/wcag"]
        expected.certification = Accessibility.Certification(certifiedBy: "Me", report: "http://example.com/report")
        #expect(result.accessibility == expected)
        let previous = try await metadata("<meta name='schema:accessMode' content='textual'/>", version: "2.0")
        #expect(previous.accessibility?.accessModes == ["textual"])
        #expect(try await metadata("").accessibility == nil)
    }

    // MARK: Odd packages

    @Test(arguments: [
        """
        <package version='2.0'><metadata><dc:title>T</dc:title><dc:creator opf:role='aut'>A</dc:creator></metadata>
        <manifest><item id='c' href='c.xhtml'/></manifest><spine><itemref idref='c'/></spine></package>
        """,
        """
        <package xmlns='http://openebook.org/namespaces/oeb-package/1.0/' xmlns:dc='http://purl.org/dc/elements/1.0/'><metadata>
        <dc-metadata><dc:Title>T</dc:Title><dc:Creator role='aut'>A</dc:Creator></dc-metadata><x-metadata/></metadata>
        <manifest><item id='c' href='c.xhtml'/></manifest><spine><itemref idref='c'/></spine></package>
        """,
        """
        <o:package xmlns:o='http://www.idpf.org/2007/opf' version=' 3.0 '><o:metadata>
        <title xmlns='http://purl.org/dc/elements/1.1/'>T</title><creator xmlns='http://purl.org/dc/elements/1.1/'>A</creator></o:metadata>
        <o:manifest><o:item id='c' href='c.xhtml'/></o:manifest><o:spine><o:itemref idref='c'/></o:spine></o:package>
        """,
    ])
    func `packages with odd namespaces are understood`(package: String) async throws {
        let manifest = try await EPUBFixture(files: ["OEBPS/content.opf": package]).manifest()
        #expect(manifest.metadata.title == "T" && manifest.metadata.authors == [Contributor(name: "A")])
        #expect(manifest.readingOrder.map(\.href) == ["OEBPS/c.xhtml"])
    }
}
