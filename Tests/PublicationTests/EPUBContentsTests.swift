import Foundation
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

struct EPUBContentsTests {
    private let ncx = """
        <!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://www.daisy.org/z3986/2005/ncx-2005-1.dtd">
        <ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1"><navMap>
        <navPoint id="a" playOrder="1"><navLabel><text> One
          &nbsp;&mdash; first </text></navLabel><content src="../c1.xhtml#s%201"/>
          <navPoint><navLabel><text>Below</text></navLabel><content src="../c2.xhtml"/></navPoint></navPoint>
        <navPoint><navLabel><text>Nowhere</text></navLabel></navPoint>
        </navMap><pageList>
        <pageTarget value="1"><navLabel><text>1</text></navLabel><content src="../c1.xhtml#p1"/></pageTarget></pageList></ncx>
        """

    private func book(nav: String? = nil, ncx: String? = nil) -> EPUBFixture {
        var book = EPUBFixture()
        book.items += """
            <item id="n" href="n/nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
            <item id="t" href="n/toc.ncx" media-type="application/x-dtbncx+xml"/>
            """
        book.files["OEBPS/n/nav.xhtml"] = nav
        book.files["OEBPS/n/toc.ncx"] = ncx
        return book
    }

    private func document(_ body: String) -> String {
        """

        <?xml version="1.0" encoding="utf-8"?><!doctype html>
        <html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>\(body)</body></html>
        """
    }

    @Test func `the lists of a navigation document become those of the manifest`() async throws {
        func nav(_ type: String, _ title: String) -> String {
            "<nav epub:type='\(type)'><h1>x</h1><ol><li><a epub:type='bodymatter' href='../c1.xhtml#x'>\(title)</a></li></ol></nav>"
        }
        let types = ["toc", "page-list", "landmarks", "loa", "loi", "lot", "lov", "other"]
        let manifest = try await book(nav: document(types.map { nav($0, $0) }.joined()), ncx: ncx).manifest()
        #expect(manifest.tableOfContents == [Link(href: "OEBPS/c1.xhtml#x", title: "toc")])
        #expect(Set(manifest.subcollections.keys) == ["pageList", "landmarks", "loa", "loi", "lot", "lov"])
        #expect(manifest.links(inSubcollection: "pageList") == [Link(href: "OEBPS/c1.xhtml#x", title: "page-list")])
        #expect(manifest.links(inSubcollection: "landmarks").first?.rels == ["bodymatter"])
        #expect(manifest.resources.firstWithRel("contents")?.href == "OEBPS/n/nav.xhtml")
    }

    @Test func `titles and addresses are read as people see them`() async throws {
        let manifest = try await book(
            nav: document(
                """
                <nav epub:type="toc"><div><ol>
                <li><a href="#here"> Ein  <b>fettes</b>&nbsp;Wort
                </a></li>
                <li><span>Part</span><ol><li><a href="a b.xhtml"><ruby>漢<rp>(</rp><rt>かん</rt></ruby>字</a></li></ol></li>
                <li><a href="i.xhtml"><img src="x" alt="Image"/></a></li>
                <li><p><a href="p.xhtml" title="By title"/></p></li>
                <li><span>Nothing</span></li><li><a href="../../../x">Out</a></li><li/>
                <li><a href="https://example.com/x">Web</a></li>
                </ol></div></nav>
                """)
        ).manifest()
        let toc = manifest.tableOfContents
        #expect(
            toc.map(\.href) == [
                "OEBPS/n/nav.xhtml#here", "#", "OEBPS/n/i.xhtml", "OEBPS/n/p.xhtml", "https://example.com/x",
            ])
        #expect(toc.map(\.title) == ["Ein fettes\u{A0}Wort", "Part", "Image", "By title", "Web"])
        #expect(toc[1].children == [Link(href: "OEBPS/n/a%20b.xhtml", title: "漢字")])
    }

    @Test(arguments: [
        "<nav><ol><li><a href='c.xhtml'>C</a></li></ol></nav>",
        "<nav role='doc-toc'><ol><li><a href='c.xhtml'>C</a></li></ol></nav><nav/>",
        "<section><nav type='x toc'><ol><li><a href='c.xhtml'>C</a></li></ol></nav></section>",
        "<nav><ul><li><a href='c.xhtml'>C</a></li></ul></nav>",
    ])
    func `a table of contents that hardly says what it is is found`(body: String) async throws {
        #expect(
            try await book(nav: document(body)).manifest().tableOfContents == [
                Link(href: "OEBPS/n/c.xhtml", title: "C")
            ])
    }

    @Test func `lists without an order count like those with one`() async throws {
        let item =
            "<li><a href='c.xhtml'>C</a><ul><li><span>D</span><ol><li><a href='d.xhtml'>E</a></li></ol></li></ul></li>"
        let toc = try await book(nav: document("<nav epub:type='toc'><div><ul>\(item)<li><ul/></li></ul></div></nav>"))
            .manifest()
            .tableOfContents
        #expect(toc.map(\.title) == ["C"] && toc.first?.children.map(\.title) == ["D"])
        #expect(toc.first?.children.first?.children == [Link(href: "OEBPS/n/d.xhtml", title: "E")])
    }

    @Test func `an NCX that is not well-formed, or has an entity of its own, is read`() async throws {
        let broken = ncx.replacing("first", with: "Tom & Jerry by &co;").replacing("</head>", with: "")
        let text = broken.replacing(#"2005-1.dtd">"#, with: #"2005-1.dtd" [<!ENTITY co "Acme">]>"#).replacing(
            "<navMap>", with: "<head><navMap>")
        let manifest = try await book(nav: document("<p/>"), ncx: text).manifest()
        #expect(manifest.tableOfContents.first?.title == "One \u{A0}— Tom & Jerry by Acme")
        #expect(manifest.tableOfContents.first?.href == "OEBPS/c1.xhtml#s%201")
    }

    @Test func `the NCX counts where the navigation document has no contents, is broken or missing`() async throws {
        for nav in [nil, document("<p/>"), document("<nav epub:type='toc'><ol/></nav>"), "<html>"] {
            let manifest = try await book(nav: nav, ncx: ncx).manifest()
            #expect(manifest.tableOfContents.map(\.title) == ["One \u{A0}— first"])
            #expect(manifest.tableOfContents.first?.href == "OEBPS/c1.xhtml#s%201")
            #expect(manifest.tableOfContents.first?.children == [Link(href: "OEBPS/c2.xhtml", title: "Below")])
            #expect(manifest.links(inSubcollection: "pageList") == [Link(href: "OEBPS/c1.xhtml#p1", title: "1")])
        }
    }

    @Test func `the NCX is what the spine names, else what is called so`() async throws {
        var book = EPUBFixture(version: "2.0")
        book.items += """
            <item id="a" href="a.ncx" media-type="application/x-dtbncx+xml"/><item id="b" href="b.xml" media-type="text/xml"/>
            """
        book.files = ["OEBPS/a.ncx": ncx.replacing("One", with: "A"), "OEBPS/b.xml": ncx.replacing("One", with: "B")]
        #expect(try await book.manifest().tableOfContents.first?.title?.hasPrefix("A") == true)
        book.spineAttributes = #"toc="b""#
        #expect(try await book.manifest().tableOfContents.first?.title?.hasPrefix("B") == true)
        book.spineAttributes = #"toc="missing""#
        #expect(try await book.manifest().tableOfContents.first?.title?.hasPrefix("A") == true)
    }

    @Test func `the guide gives landmarks unless the navigation document does`() async throws {
        var book = book(nav: document("<nav epub:type='landmarks'><ol><li><a href='x.xhtml'>X</a></li></ol></nav>"))
        book.after =
            #"<guide><reference type="cover" title=" The  Cover" href="c1.xhtml#a"/><reference type="x"/></guide>"#
        #expect(try await book.manifest().links(inSubcollection: "landmarks").map(\.title) == ["X"])
        book.files["OEBPS/n/nav.xhtml"] = document("<p/>")
        let landmarks = try await book.manifest().links(inSubcollection: "landmarks")
        #expect(landmarks == [Link(href: "OEBPS/c1.xhtml#a", title: "The Cover", rels: ["cover"])])
    }
}
