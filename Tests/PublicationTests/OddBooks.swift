import Foundation
import Testing

/// A book with a name, and the warnings that it must give.
struct OddCase: Sendable, CustomTestStringConvertible {
    let name: String
    let tags: Set<String>
    let book: OddBook

    var testDescription: String { name }

    init(_ name: String, _ tags: String..., change: (inout OddBook) -> Void) {
        self.name = name
        self.tags = Set(tags)
        book = OddBook.with(change)
    }
}

/// Every defect that is forgiven, and every kind of book that has none.
enum OddBooks {
    static let all = sound + containers + mimetypes + packages + paths + navigation + documents + large

    private static let sound = [
        OddCase("a plain EPUB 3") { _ in },
        OddCase("a plain EPUB 2") { $0.becomeEPUB2() },
        OddCase("a hybrid of both") { $0.add("ncx", "toc.ncx", "application/x-dtbncx+xml", data: OddBook.ncx) },
        OddCase("a fixed layout") {
            $0.metadata += "<meta property='rendition:layout'>pre-paginated</meta>"
            $0.spine =
                #"<itemref idref="c1" properties="page-spread-left"/><itemref idref="c2" properties="page-spread-right"/>"#
        },
        OddCase("a fixed layout of EPUB 2") {
            $0.becomeEPUB2()
            $0.files["META-INF/com.apple.ibooks.display-options.xml"] = Data(
                #"<display_options><platform name="*"><option name="fixed-layout">true</option></platform></display_options>"#
                    .utf8)
        },
        OddCase("right to left") { $0.spineAttributes = #"page-progression-direction="rtl""# },
        OddCase("vertical writing") {
            $0.metadata += "<meta name='primary-writing-mode' content='vertical-rl'/>"
            $0.spineAttributes = #"page-progression-direction="rtl""#
        },
        OddCase("a comic of images with fallbacks") {
            $0.add("p1", "p1.jpg", "image/jpeg", #"fallback="c2""#, data: "\u{FFFD}")
            $0.spine += #"<itemref idref="p1"/>"#
        },
        OddCase("an audio overlay") {
            $0.items = $0.items.replacing(#"href="c1.xhtml""#, with: #"href="c1.xhtml" media-overlay="o""#)
            $0.add("o", "c1.smil", "application/smil+xml", data: "<smil><body/></smil>")
            $0.metadata +=
                "<meta property='media:duration'>0:10</meta><meta property='media:duration' refines='#o'>0:10</meta>"
        },
        OddCase("deep folders") {
            let folder = (0..<60).map { "d\($0)" }.joined(separator: "/")
            $0.add("deep", folder + "/x.css", "text/css", data: "p{}")
        },
        OddCase("a remote resource") {
            $0.items += #"<item id="r" href="https://example.com/a.mp3" media-type="audio/mpeg"/>"#
        },
        OddCase("names with spaces, umlauts and signs") { book in
            for (index, name) in ["ein Bild.css", "Ünï.css", "50% & more+.css", "[x] (y).css", "日本語.css"].enumerated() {
                book.add(
                    "n\(index)", name.replacing("&", with: "&amp;"), "text/css", data: "p{}", path: "OEBPS/" + name)
            }
        },
        OddCase("side texts only") { $0.spine = #"<itemref idref="c1" linear="no"/>"# },
        OddCase("entities of HTML in the package") {
            $0.metadata = $0.metadata.replacing("Moby-Dick", with: "Moby&nbsp;Dick")
        },
    ]

    private static let containers = [
        OddCase("no container", "missing-container") { $0.container = nil },
        OddCase("an empty container", "damaged-container") { $0.container = Data() },
        OddCase("a container of something else", "wrong-container") { $0.container = Data("<container/>".utf8) },
        OddCase("a container on one line, without a type") {
            $0.container = Data(
                #"<container><rootfiles><rootfile full-path="OEBPS/content.opf"/></rootfiles></container>"#.utf8)
        },
        OddCase("a container that names what is not there", "wrong-container") {
            $0.container = Data(EPUBFixture.container.replacing("content.opf", with: "other.opf").utf8)
        },
        OddCase("a container in lower case", "wrong-case") {
            $0.renamed["META-INF/container.xml"] = "meta-inf/container.xml"
        },
        OddCase("a container that leads out", "outside-container", "wrong-container") {
            $0.container = Data(EPUBFixture.container.replacing("OEBPS/", with: "../../").utf8)
        },
        OddCase("a package in a folder with signs, not encoded") {
            $0.packagePath = "OEBPS/my päckage.opf"
            $0.container = Data(EPUBFixture.container.replacing("content", with: "my päckage").utf8)
        },
        OddCase("a package in a folder with signs, encoded") {
            $0.packagePath = "OEBPS/my päckage.opf"
            $0.container = Data(EPUBFixture.container.replacing("content", with: "my%20p%C3%A4ckage").utf8)
        },
        OddCase("a package whose name has percent signs", "literal-escapes") {
            $0.packagePath = "OEBPS/my%20package.opf"
            $0.container = Data(EPUBFixture.container.replacing("content", with: "my%20package").utf8)
        },
    ]

    private static let mimetypes = [
        OddCase("no mimetype", "missing-mimetype") { $0.mimetype = nil },
        OddCase("a mimetype with a line break", "wrong-mimetype") {
            $0.mimetype = Data("application/epub+zip\r\n".utf8)
        },
        OddCase("a mimetype with a byte order mark", "wrong-mimetype") {
            $0.mimetype = Data("\u{FEFF}application/epub+zip".utf8)
        },
        OddCase("a mimetype of something else", "wrong-mimetype") { $0.mimetype = Data("application/epub-zip".utf8) },
        OddCase("a packed mimetype", "packed-mimetype") { $0.isMimetypePacked = true },
        OddCase("a mimetype at the end", "misplaced-mimetype") { $0.isMimetypeFirst = false },
    ]

    private static let packages = [
        OddCase("no title", "missing-title") { $0.metadata = $0.metadata.replacing("Moby-Dick", with: " ") },
        OddCase("no language", "missing-language") {
            $0.metadata = $0.metadata.replacing("<dc:language>en</dc:language>", with: "")
        },
        OddCase("no identifier", "missing-identifier") {
            $0.metadata = "<dc:title>Moby-Dick</dc:title><dc:language>en</dc:language>"
        },
        OddCase("an identifier that is not named", "wrong-unique-identifier") {
            $0.packageAttributes = #"unique-identifier="x""#
        },
        OddCase("version 1", "wrong-version") {
            $0.becomeEPUB2()
            $0.version = "1.0"
        },
        OddCase("no version", "wrong-version") {
            $0.becomeEPUB2()
            $0.version = ""
        },
        OddCase("a date that is none", "unreadable-date") { $0.metadata += "<dc:date>next spring</dc:date>" },
        OddCase("two items with one id", "duplicate-id") { $0.add("css", "other.css", "text/css", data: "p{}") },
        OddCase("one file twice", "duplicate-item") { $0.add("css2", "style.css", "text/css") },
        OddCase("an item without a file", "missing-resource") { $0.add("x", "gone.css", "text/css") },
        OddCase("a chapter without a file", "missing-resource", "spine-without-item") {
            $0.add("x", "gone.xhtml", "application/xhtml+xml")
            $0.spine += #"<itemref idref="x"/>"#
        },
        OddCase("a place without an item", "spine-without-item") { $0.spine += #"<itemref idref="nothing"/>"# },
        OddCase("a place in other capitals", "wrong-case") {
            $0.spine = #"<itemref idref="C1"/><itemref idref="c2"/>"#
        },
        OddCase("a place twice", "repeated-spine-item") { $0.spine += #"<itemref idref="c1"/>"# },
        OddCase("an item without an address", "item-without-address") {
            $0.items += #"<item id="e" href="" media-type="text/css"/>"#
        },
        OddCase("fallbacks in a circle", "cyclic-fallback", "foreign-spine-item") {
            $0.add("a", "a.pdf", "application/pdf", #"fallback="b""#, data: "%PDF-")
            $0.add("b", "b.pdf", "application/pdf", #"fallback="a""#, data: "%PDF-")
            $0.spine += #"<itemref idref="a"/>"#
        },
        OddCase("a fallback that is not there", "missing-fallback", "foreign-spine-item") {
            $0.add("a", "a.pdf", "application/pdf", #"fallback="b""#, data: "%PDF-")
            $0.spine += #"<itemref idref="a"/>"#
        },
        OddCase("an overlay that is not there", "missing-overlay") {
            $0.items = $0.items.replacing(#"href="c1.xhtml""#, with: #"href="c1.xhtml" media-overlay="o""#)
        },
        OddCase("an obfuscated font without a key", "missing-obfuscation-key", "wrong-unique-identifier") {
            $0.metadata = $0.metadata.replacing("urn:uuid:36d5078e-ff7d-468e-a5f3-f47c14b91f2f", with: "")
            $0.metadata += "<dc:identifier>an ISBN</dc:identifier>"
            $0.add("f", "f.otf", "font/otf", data: "x")
            $0.files["META-INF/encryption.xml"] = Data(encryption(FontAlgorithm.adobe, "OEBPS/f.otf").utf8)
        },
        OddCase("an encryption of what is not there", "unresolvable-encryption") {
            $0.files["META-INF/encryption.xml"] = Data(encryption(FontAlgorithm.idpf, "OEBPS/f.otf").utf8)
        },
        OddCase("a damaged encryption.xml", "damaged-document") {
            $0.files["META-INF/encryption.xml"] = Data("no XML".utf8)
        },
    ]

    private static let paths = [
        OddCase("capitals that differ", "wrong-case") { $0.renamed["OEBPS/c1.xhtml"] = "OEBPS/C1.XHTML" },
        OddCase("another Unicode form", "unicode-normalisation") {
            $0.add("n", "caf\u{E9}.css", "text/css", data: "p{}")
            $0.renamed["OEBPS/caf\u{E9}.css"] = "OEBPS/cafe\u{301}.css"
        },
        OddCase("a leading slash in the archive", "rooted-entry") { $0.renamed["OEBPS/c1.xhtml"] = "/OEBPS/c1.xhtml" },
        OddCase("names with leading backslashes", "rooted-entry") {
            $0.renamed["OEBPS/c1.xhtml"] = #"\OEBPS\c1.xhtml"#
        },
        OddCase("escapes of any sign as part of names", "literal-escapes") { book in
            for (index, name) in [
                "c%27est.css", "%c3%a9.css", "a%2Fb.css", "a%3Fb%23c.css", "%E4.css", "a%5cb.css", "%00.css",
                "50%25.css",
            ].enumerated() {
                book.add("n\(index)", name, "text/css", data: "p{}")
            }
        },
        OddCase("escapes in the archive alone", "literal-escapes") { book in
            for (index, (name, path)) in [
                ("it's.css", "it%27s.css"), ("\u{E9} &amp; b.css", "%C3%A9%20%26%20b.css"), ("x/y.css", "x%2Fy.css"),
            ].enumerated() {
                book.add("n\(index)", name, "text/css", data: "p{}", path: "OEBPS/" + path)
            }
        },
        OddCase("escapes twice in the package", "literal-escapes") {
            $0.add("n", "a%2520b.css", "text/css", data: "p{}", path: "OEBPS/a b.css")
        },
        OddCase("number signs and question marks in names", "literal-escapes") { book in
            for (index, name) in ["No #1.css", "Why?.css"].enumerated() {
                book.add("n\(index)", name, "text/css", data: "p{}")
            }
        },
        OddCase("names that look encoded", "literal-escapes") { $0.add("n", "a%20b.css", "text/css", data: "p{}") },
        OddCase("backslashes") {
            $0.items = $0.items.replacing("style.css", with: #"css\style.css"#)
            $0.files["OEBPS/style.css"] = Data?.none
            $0.files["OEBPS/css/style.css"] = Data("p{}".utf8)
        },
        OddCase("addresses from the root") { $0.items = $0.items.replacing("style.css", with: "/OEBPS/style.css") },
        OddCase("an address outside", "outside-container") { $0.add("x", "../../../etc/passwd", "text/plain") },
        OddCase("an address of a file on this machine", "outside-container") {
            $0.add("x", "file:///etc/passwd", "text/plain")
        },
    ]

    private static let navigation = [
        OddCase("no navigation", "missing-navigation", "missing-table-of-contents") {
            $0.items = $0.items.replacing(#" properties="nav""#, with: "")
        },
        OddCase("an NCX where a navigation document should be", "missing-navigation") {
            $0.items = $0.items.replacing(#" properties="nav""#, with: "")
            $0.add("ncx", "toc.ncx", "application/x-dtbncx+xml", data: OddBook.ncx)
        },
        OddCase("EPUB 2 without an NCX", "missing-table-of-contents") {
            $0.version = "2.0"
            $0.items = $0.items.replacing(#" properties="nav""#, with: "")
        },
        OddCase(
            "a navigation document without a file", "missing-resource", "missing-navigation",
            "missing-table-of-contents"
        ) {
            $0.files["OEBPS/nav.xhtml"] = Data?.none
        },
        OddCase("an empty navigation document", "empty-navigation", "missing-table-of-contents") {
            $0.files["OEBPS/nav.xhtml"] = Data(OddBook.document("<p/>").utf8)
        },
        OddCase("a navigation document that is no XML", "damaged-document", "missing-table-of-contents") {
            $0.files["OEBPS/nav.xhtml"] = Data([0, 1, 2, 3])
        },
        OddCase("a navigation document written as HTML", "malformed-document") {
            $0.files["OEBPS/nav.xhtml"] = Data(OddBook.navigation.replacing("One", with: "One & only<br>").utf8)
        },
        OddCase("contents that lead nowhere", "unresolvable-link") {
            $0.files["OEBPS/nav.xhtml"] = Data(OddBook.navigation.replacing("c2.xhtml", with: "gone.xhtml").utf8)
        },
        OddCase("contents that lead out", "outside-container") {
            $0.files["OEBPS/nav.xhtml"] = Data(OddBook.navigation.replacing("c2.xhtml", with: "../../gone.xhtml").utf8)
        },
    ]

    private static let documents = [
        OddCase("a package in UTF-16") {
            $0.prolog = #"<?xml version="1.0" encoding="utf-16"?>"#
            $0.package = $0.packageText.data(using: .utf16)
        },
        OddCase("a package in Latin 1", "unusual-encoding") {
            $0.prolog = #"<?xml version="1.0" encoding="ISO-8859-1"?>"#
            $0.metadata = $0.metadata.replacing("Moby-Dick", with: "Möby-Dick")
            $0.package = $0.packageText.data(using: .isoLatin1)
        },
        OddCase("a package in Latin 1 that does not say so", "unusual-encoding") {
            $0.metadata = $0.metadata.replacing("Moby-Dick", with: "Möby-Dick")
            $0.package = $0.packageText.data(using: .isoLatin1)
        },
        OddCase("a package in XML 1.1", "unusual-xml-version") { $0.prolog = #"<?xml version="1.1"?>"# },
        OddCase("a blank line and a mark before the declaration") { $0.prolog = "\u{FEFF}\n" + $0.prolog },
        OddCase("a stray ampersand in the package", "malformed-document") {
            $0.metadata += "<dc:publisher>Harper & Brothers</dc:publisher>"
        },
        OddCase("a package with a document type") {
            $0.prolog +=
                #"<!DOCTYPE package PUBLIC "+//ISBN 0-9673008-1-9//DTD OEB 1.2 Package//EN" "http://openebook.org/oebpkg12.dtd">"#
        },
        OddCase("a package with an entity of its own that is text") {
            $0.prolog += #"<!DOCTYPE package [<!ENTITY co "Moby">]>"#
            $0.metadata = $0.metadata.replacing("Moby-Dick", with: "&co;-Dick")
        },
        OddCase("a package that declares what HTML has") {
            $0.prolog +=
                ##"<!DOCTYPE package [<!ENTITY nbsp "&#160;"><!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;">]>"##
            $0.metadata = $0.metadata.replacing("Moby-Dick", with: "Moby&nbsp;Dick")
        },
    ]

    private static let large = [
        OddCase("8,000 entries") { book in
            for index in 0..<8_000 { book.files["OEBPS/x/\(index).css"] = Data("p{}".utf8) }
            book.items += (0..<8_000).map { #"<item id="x\#($0)" href="x/\#($0).css" media-type="text/css"/>"# }
                .joined()
        },
        OddCase("contents of 10,000 entries") {
            let entries = String(repeating: #"<li><a href="c1.xhtml#x">x</a></li>"#, count: 10_000)
            $0.files["OEBPS/nav.xhtml"] = Data(
                OddBook.document(#"<nav epub:type="toc"><ol>\#(entries)</ol></nav>"#).utf8)
        },
        OddCase("contents in 100 levels") {
            let start = String(repeating: #"<ol><li><a href="c1.xhtml">x</a>"#, count: 100)
            let nav = #"<nav epub:type="toc">\#(start)\#(String(repeating: "</li></ol>", count: 100))</nav>"#
            $0.files["OEBPS/nav.xhtml"] = Data(OddBook.document(nav).utf8)
        },
        OddCase("contents in 10,000 levels", "damaged-document", "missing-table-of-contents") {
            let start = String(repeating: #"<ol><li><a href="c1.xhtml">x</a>"#, count: 10_000)
            $0.files["OEBPS/nav.xhtml"] = Data(OddBook.document(#"<nav epub:type="toc">\#(start)</nav>"#).utf8)
        },
    ]

    enum FontAlgorithm {
        static let idpf = "http://www.idpf.org/2008/embedding"
        static let adobe = "http://ns.adobe.com/pdf/enc#RC"
    }

    /// An `encryption.xml` for one resource.
    static func encryption(_ algorithm: String, _ uri: String, keyInfo: String = "") -> String {
        """
        <encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#">
        <EncryptionMethod Algorithm="\(algorithm)"/>\(keyInfo)<CipherData><CipherReference URI="\(uri)"/></CipherData></EncryptedData>
        </encryption>
        """
    }
}
