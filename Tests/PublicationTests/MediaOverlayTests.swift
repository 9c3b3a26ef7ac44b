import Foundation
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

@Suite struct MediaOverlayTests {
    private func guided(_ body: String, bodyAttributes: String = "") throws -> [GuidedNavigationObject] {
        let smil = """
            <smil xmlns="http://www.w3.org/ns/SMIL" xmlns:epub="http://www.idpf.org/2007/ops" version="3.0"><head/>
            <body \(bodyAttributes)>\(body)</body></smil>
            """
        return try GuidedNavigationDocument(smil: Data(smil.utf8), href: "OEBPS/smil/c1.smil").guided
    }

    @Test func `sequences and pairs become objects, with addresses from the root`() throws {
        let objects = try guided(
            """
            <seq epub:textref="../c1.xhtml#s1" epub:type="chapter bodymatter">
            <par epub:type="title"><text src="../c1.xhtml#p1"/><audio src="../audio/a b.mp3" clipBegin="0:00:01.5" clipEnd="4s"/></par>
            <seq><par><text src="../c1.xhtml#p2"/></par></seq><seq/>
            <par><img src="../page.jpg#xywh=0,0,1,1"/></par><par/><par><text src="../../../out.xhtml"/></par>
            </seq>
            """)
        let expected = GuidedNavigationObject(
            textref: "OEBPS/c1.xhtml#s1", role: ["chapter", "bodymatter"],
            children: [
                GuidedNavigationObject(
                    audioref: "OEBPS/audio/a%20b.mp3#t=1.5,4", textref: "OEBPS/c1.xhtml#p1", role: ["title"]),
                GuidedNavigationObject(children: [GuidedNavigationObject(textref: "OEBPS/c1.xhtml#p2")]),
                GuidedNavigationObject(imgref: "OEBPS/page.jpg#xywh=0,0,1,1"),
            ])
        #expect(objects == [expected])
    }

    @Test(arguments: [
        (#"clipBegin="0:00:23.84" clipEnd="0:00:34.221""#, "#t=23.84,34.221"), (#"clipBegin="1.5h""#, "#t=5400"),
        (#"clipEnd="2min""#, "#t=0,120"), (#"clipBegin="500ms" clipEnd="1:02""#, "#t=0.5,62"), ("", ""),
        (#"clipBegin="5" clipEnd="3""#, "#t=5"), (#"clipBegin="x" clipEnd="npt=7.25s""#, "#t=0,7.25"),
        (#"clip-begin="npt=1s" clip-end="npt=2s""#, "#t=1,2"), (#"clipBegin="1e300h""#, ""),
        (#"clipBegin="99999999999999999999""#, ""),
        (#"clipBegin="0.0004" clipEnd="0.0005""#, "#t=0,0.001"),
    ])
    func `parts of sound are media fragments, in seconds`(clip: String, fragment: String) throws {
        #expect(
            try guided(#"<par><audio src="a.mp3" \#(clip)/></par>"#).first?.audioref == "OEBPS/smil/a.mp3" + fragment)
    }

    @Test func `a body that says what it is stays around what is in it`() throws {
        let objects = try guided(
            #"<par><text src="x.xhtml"/></par>"#, bodyAttributes: #"epub:textref="c.xhtml" epub:type="chapter""#)
        #expect(objects.map(\.textref) == ["OEBPS/smil/c.xhtml"] && objects.first?.children.count == 1)
    }

    @Test func `a book that speaks has guided navigation at its chapters`() async throws {
        let smil = """
            <smil xmlns="http://www.w3.org/ns/SMIL"><body><par><text src="c1.xhtml#a"/><audio src="a.mp3" clipEnd="10s"/></par></body></smil>
            """
        let book = try await OddBook.with {
            $0.items = $0.items.replacing(#"href="c1.xhtml""#, with: #"href="c1.xhtml" media-overlay="o""#)
            $0.add("o", "c1 ö.smil", "application/smil+xml", data: smil)
            $0.metadata += """
                <meta property="media:duration">0:00:10</meta><meta property="media:duration" refines="#o">10s</meta>
                <meta property="media:active-class">-active</meta><meta property="media:playback-active-class">-playing</meta>
                <meta property="media:narrator">A Voice</meta>
                """
        }.open()
        #expect(book.warnings.isEmpty)
        let link = try #require(book.readingOrder.first?.alternates.first { $0.mediaType == .guidedNavigation })
        #expect(link.duration == 10)
        let resource = book.get(link)
        let document = try GuidedNavigationDocument(data: try await resource.read())
        #expect(
            document.guided == [GuidedNavigationObject(audioref: "OEBPS/a.mp3#t=0,10", textref: "OEBPS/c1.xhtml#a")])
        #expect(try await Int64(resource.read().count) == resource.length())
        #expect(
            book.metadata.otherMetadata["mediaOverlay"] == [
                "activeClass": "-active", "playbackActiveClass": "-playing",
            ])
        #expect(book.metadata.narrators.map(\.name.string) == ["A Voice"] && book.metadata.duration == 10)
        #expect(book.fetcherTree.contains("guided navigation: MediaOverlays"))
        #expect(await failure(book.get("~readium/guided-navigation/none.smil.json")) == .notFound)
        await book.close()
    }

    @Test(arguments: ["", "<smil>", "<smil/>", "<html/>"]) func `an overlay that is none tells nothing, or why`(
        text: String
    ) {
        let document = try? GuidedNavigationDocument(smil: Data(text.utf8), href: "a.smil")
        #expect(document?.guided.isEmpty ?? true)
    }
}
