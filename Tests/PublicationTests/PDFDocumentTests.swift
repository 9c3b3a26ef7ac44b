import Foundation
import SampleBooks
import Testing

import Archives
import MediaTypes
@testable import Publication
import PublicationCache

@Suite(.enabled(if: PDFDocument.isSupported)) struct PDFDocumentTests {
    @Test(arguments: [false, true])
    func `pages have the sizes of their own or of the nodes above them`(isPacked: Bool) async throws {
        var file = PDFBuilder()
        file.add("<< /Type /Catalog /Pages 2 0 R >>")
        file.add("<< /Type /Pages /Count 5 /Kids [3 0 R 7 0 R 8 0 R] /MediaBox [0 0 400 600] /Rotate 90 >>")
        file.add("<< /Type /Pages /Parent 2 0 R /Count 3 /Kids [4 0 R 5 0 R 6 0 R] /CropBox [10 20 110 220] >>")
        file.add("<< /Type /Page /Parent 3 0 R >>")
        file.add("<< /Type /Page /Parent 3 0 R /Rotate -180 /MediaBox [200 300 0 0] >>")
        file.add("<< /Type /Page /Parent 3 0 R /CropBox [-50 -50 5000 5000] /UserUnit 2 /Rotate 45 >>")
        file.add("<< /Type /Page /Parent 2 0 R /MediaBox [-100 -100 100 100.5] /Rotate 0 >>")
        file.add("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 (wide) 1] /CropBox [1000000000 0 1 1] >>")
        let document = try await PDFDocument.open(isPacked ? file.buildPacked() : file.build())
        let sizes = try await document.pageSizes()
        #expect(document.pageCount == 5)
        #expect(sizes.map(\.width) == [200, 100, 800, 200, 792])
        #expect(sizes.map(\.height) == [100, 200, 1200, 200.5, 612])
        #expect(sizes.map(\.rotation) == [90, 180, 0, 0, 90])
        #expect(sizes.map(\.isAssumed) == [false, false, false, false, true])
        #expect(sizes[0].cropBox == .init(x: 10, y: 20, width: 100, height: 200))
        #expect(sizes[3].mediaBox == .init(x: -100, y: -100, width: 200, height: 200.5))
        #expect(document.firstPage == sizes[0])
        #expect(try await document.pageSizes(3..<9) == Array(sizes[3...]))
        #expect(try await document.pageSizes(-2..<1) == [sizes[0]])
        #expect(document.warnings == [])
    }

    @Test(arguments: [false, true])
    func `the outline leads to pages by every kind of destination`(isPacked: Bool) async throws {
        let names = "/Names << /Dests << /Kids [21 0 R 22 0 R] >> >> /Dests << /old << /D [7 0 R /Fit] >> >>"
        var file = PDFBuilder.pages(4, catalog: "/Outlines 11 0 R \(names)")
        #expect(file.add("<< /First 12 0 R >>") == 11)
        file.add("<< /Title \(PDFBuilder.utf16("Ænglisc 漢字 🐋")) /Dest [3 0 R /Fit] /First 13 0 R /Next 15 0 R >>")
        file.add("<< /Title (caf\\351 \\200 \\205) /A << /S /GoTo /D [5 0 R /XYZ 0 0 0] >> /Next 14 0 R >>")
        file.add("<< /Title ( two\\r\\n lines ) /Dest /old >>")
        file.add("<< /Title (by name) /Dest (later) /Next 16 0 R >>")
        file.add("<< /Title (by number) /Dest [2 /Fit] /Next 17 0 R >>")
        file.add("<< /Title (elsewhere) /A << /S /URI /URI (https://example.org) >> /Next 18 0 R >>")
        file.add("<< /Title (nowhere) /Dest (missing) /First 19 0 R /Next 20 0 R >>")
        file.add("<< /Title (below nowhere) /Dest [(3 0 R)] >>")
        file.add("<< /Dest <6c61746572> >>")
        #expect(file.add("<< /Names [(a) [3 0 R]] /Limits [(a) (a)] >>") == 21)
        file.add("<< /Names [(later) << /D 23 0 R >>] /Limits [(later) (later)] >>")
        file.add("[9 0 R /Fit]")
        let document = try await PDFDocument.open(isPacked ? file.buildPacked() : file.build())
        #expect(
            document.outline == [
                .init(
                    title: "Ænglisc 漢字 🐋", page: 0,
                    children: [.init(title: "café • –", page: 1), .init(title: "two lines", page: 2)]),
                .init(title: "by name", page: 3), .init(title: "by number", page: 2),
                .init(title: "elsewhere", page: nil, address: "https://example.org"),
                .init(title: "nowhere", page: nil, children: [.init(title: "below nowhere", page: nil)]),
                .init(title: "–", page: 3),
            ])
        #expect(document.warnings == [])
    }

    @Test func `names are found in the dictionary and in the tree, whichever they are meant for`() async throws {
        let names = "/Names << /Dests << /Names [(tree) [5 0 R]] >> >> /Dests << /dictionary [7 0 R] >>"
        var file = PDFBuilder.pages(3, catalog: "/Outlines 9 0 R \(names)")
        file.add("<< /First 10 0 R >>")
        for (index, name) in ["/tree", "(tree)", "/dictionary", "(dictionary)", "/neither", "(neither)"].enumerated() {
            let next = index < 5 ? "/Next \(11 + index) 0 R" : ""
            file.add("<< /Title (\(index)) /A << /S /GoTo /D \(name) >> \(next) >>")
        }
        #expect(try await PDFDocument.open(file.build()).outline.map(\.page) == [1, 1, 2, 2, nil, nil])
    }

    @Test func `the outline leads to the web, and to what readers do by name`() async throws {
        let actions: [(action: String, expected: PDFDocument.OutlineItem)] = [
            (
                "/S /URI /URI (https://example.org/a b?c=%20#d)",
                .init(title: "0", page: nil, address: "https://example.org/a%20b?c=%20#d")
            ),
            ("/S /URI /URI (mailto:a@example.org)", .init(title: "1", page: nil, address: "mailto:a@example.org")),
            ("/S /URI /URI (www.example.org)", .init(title: "2", page: nil, address: "http://www.example.org")),
            ("/S /URI /URI (../b.html)", .init(title: "3", page: nil, address: "https://example.org/b.html")),
            ("/S /URI /URI (javascript:run\\(\\))", .init(title: "4", page: nil)),
            ("/S /Named /N /FirstPage", .init(title: "5", page: 0)),
            ("/S /Named /N /LastPage", .init(title: "6", page: 2)),
            ("/S /Named /N /NextPage", .init(title: "7", page: nil, action: "NextPage")),
            ("/S /Launch /F (program)", .init(title: "8", page: nil)), ("/S /URI", .init(title: "9", page: nil)),
        ]
        var file = PDFBuilder.pages(3, catalog: "/Outlines 9 0 R /URI << /Base (https://example.org/x/a.html) >>")
        file.add("<< /First 10 0 R >>")
        for (index, action) in actions.enumerated() {
            let next = index + 1 < actions.count ? "/Next \(11 + index) 0 R" : ""
            file.add("<< /Title (\(index)) /A << \(action.action) >> \(next) >>")
        }
        let outline = try await PDFDocument.open(file.build()).outline
        for (item, action) in zip(outline, actions) { #expect(item == action.expected) }
        #expect(outline.count == actions.count)
        let contents = try await Publication.open(pdf: file.build(), name: "a.pdf").tableOfContents
        #expect(contents.map(\.title) == ["0", "1", "2", "3", "5", "6", "7"])
        #expect(contents.suffix(3).map(\.href) == ["a.pdf#page=1", "a.pdf#page=3", "a.pdf#action=NextPage"])
        #expect(contents.map { $0.type != nil } == [false, false, false, false, true, true, true])
    }

    @Test func `a page below a node of its own is found`() async throws {
        var file = PDFBuilder()
        file.add("<< /Type /Catalog /Pages 2 0 R /Outlines << /First << /Title (Two) /Dest [6 0 R] >> >> >>")
        file.add("<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] >>")
        file.add("<< /Type /Pages /Parent 2 0 R /Count 1 /Kids [5 0 R] >>")
        file.add("<< /Type /Pages /Parent 2 0 R /Count 1 /Kids [6 0 R] /MediaBox [0 0 30 40] >>")
        file.add("<< /Type /Page /Parent 3 0 R /MediaBox [0 0 10 20] >>")
        file.add("<< /Type /Page /Parent 4 0 R >>")
        let document = try await PDFDocument.open(file.build())
        #expect(document.pageCount == 2)
        #expect(document.outline == [.init(title: "Two", page: 1)])
        #expect(try await document.pageSizes().map(\.width) == [10, 30])
    }

    @Test func `the information dictionary tells title, people, subjects and dates`() async throws {
        var file = PDFBuilder.pages(1, catalog: "/Lang (de-CH) /ViewerPreferences << /Direction /R2L >>")
        let title = PDFBuilder.utf16("Mobý-Dick")
        file.add(
            "<< /Title \(title) /Author (Herman Melville; Someone Else) /Subject (Whales) /Keywords (sea, ship;whale,,) "
                + "/CreationDate (D:20200229235959+05'30') /ModDate (D:2021) >>")
        file.trailer = "/Info 5 0 R /ID [<00ff10> <ABCD>]"
        let details = try await PDFDocument.open(file.build()).details
        #expect(details.title == "Mobý-Dick")
        #expect(details.authors == ["Herman Melville", "Someone Else"])
        #expect(details.description == "Whales")
        #expect(details.keywords == ["sea", "ship", "whale"])
        #expect(details.languages == ["de-CH"])
        #expect(details.identifier == "00ff10;abcd")
        #expect(details.created?.ISO8601Format() == "2020-02-29T18:29:59Z")
        #expect(details.modified?.ISO8601Format() == "2021-01-01T00:00:00Z")
        #expect(details.isRightToLeft)
    }

    @Test func `the metadata stream goes before the information dictionary`() async throws {
        let xmp = """
            <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
            <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
              xmp:CreateDate="2001-02-03T04:05:06+01:00">
            <dc:title><rdf:Alt><rdf:li xml:lang="x-default">A Title</rdf:li><rdf:li xml:lang="fr">Un titre</rdf:li></rdf:Alt></dc:title>
            <dc:creator><rdf:Seq><rdf:li>First; Author</rdf:li><rdf:li> Second </rdf:li></rdf:Seq></dc:creator>
            <dc:subject><rdf:Bag><rdf:li>one, two</rdf:li><rdf:li>three</rdf:li></rdf:Bag></dc:subject>
            <dc:language><rdf:Bag><rdf:li>fr</rdf:li></rdf:Bag></dc:language>
            <dc:publisher><rdf:Bag><rdf:li>A House</rdf:li></rdf:Bag></dc:publisher></rdf:Description></rdf:RDF></x:xmpmeta>
            <?xpacket end="w"?>
            """
        var file = PDFBuilder.pages(1, catalog: "/Metadata 5 0 R")
        file.add(packed: Data(xmp.utf8), "/Type /Metadata /Subtype /XML")
        file.add(
            "<< /Title (Other) /Author (Other) /Subject (Kept) /Keywords (Other) /CreationDate (D:1999) /ModDate (D:20100102) >>"
        )
        file.trailer = "/Info 6 0 R"
        let details = try await PDFDocument.open(file.build()).details
        #expect(details.title == LocalizedString(["und": "A Title", "fr": "Un titre"]))
        #expect(details.authors == ["First; Author", "Second"])
        #expect(details.keywords == ["one, two", "three"])
        #expect(details.languages == ["fr"])
        #expect(details.publishers == ["A House"])
        #expect(details.description == "Kept")
        #expect(details.created?.ISO8601Format() == "2001-02-03T03:05:06Z")
        #expect(details.modified?.ISO8601Format() == "2010-01-02T00:00:00Z")
    }

    @Test(arguments: [
        ("D:19981223195200-08'00'", "1998-12-24T03:52:00Z"), ("D:199812231952Z00'00'", "1998-12-23T19:52:00Z"),
        ("19981223", "1998-12-23T00:00:00Z"), ("D:20240229+0130", "2024-02-28T22:30:00Z"),
        ("2005-06-07", "2005-06-07T00:00:00Z"),
    ])
    func `dates are read in the forms that writers use`(text: String, expected: String) async throws {
        var file = PDFBuilder.pages(1)
        file.add("<< /ModDate (\(text)) >>")
        file.trailer = "/Info 5 0 R"
        #expect(try await PDFDocument.open(file.build()).details.modified?.ISO8601Format() == expected)
    }

    @Test(arguments: [
        "", "D:", "D:20241301", "D:20240230", "D:2024060", "yesterday", "D:20240101000000+99'00'",
        "D:99999999999999999999", "D:0000",
    ])
    func `what is no date is left out`(text: String) async throws {
        var file = PDFBuilder.pages(1)
        file.add("<< /ModDate (\(text)) >>")
        file.trailer = "/Info 5 0 R"
        #expect(try await PDFDocument.open(file.build()).details.modified == nil)
    }
}
