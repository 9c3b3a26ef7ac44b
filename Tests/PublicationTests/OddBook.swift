import FileProviderCore
import Foundation
import MemoryFileProvider
import Publication
import SampleBooks

/// An EPUB as somebody made it in the real world: a sound one, of which any part can be spoilt.
struct OddBook: Sendable {
    /// What every chapter says.
    static let words = "Call me Ishmael."

    var mimetype: Data? = Data("application/epub+zip".utf8)
    var isMimetypePacked = false
    var isMimetypeFirst = true
    var container: Data? = Data(EPUBFixture.container.utf8)
    var packagePath = "OEBPS/content.opf"
    /// Replaces the whole package document.
    var package: Data?
    var prolog = #"<?xml version="1.0" encoding="utf-8"?>"#
    var version = "3.0"
    var packageAttributes = #"unique-identifier="uid""#
    var metadata = """
        <dc:title>Moby-Dick</dc:title><dc:language>en</dc:language>
        <dc:identifier id="uid">urn:uuid:36d5078e-ff7d-468e-a5f3-f47c14b91f2f</dc:identifier>
        """
    var items = """
        <item id="c1" href="c1.xhtml" media-type="application/xhtml+xml"/><item id="c2" href="c2.xhtml" media-type="application/xhtml+xml"/>
        <item id="css" href="style.css" media-type="text/css"/>
        <item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
        """
    var spineAttributes = ""
    var spine = #"<itemref idref="c1"/><itemref idref="c2"/>"#
    var after = ""
    /// By path in the container; nil leaves a usual one out.
    var files: [String: Data?] = [:]
    /// Paths by which usual files lie in the container instead.
    var renamed: [String: String] = [:]

    static func document(_ body: String, prolog: String = #"<?xml version="1.0" encoding="utf-8"?>"#) -> String {
        """
        \(prolog)
        <!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>T</title></head>
        <body>\(body)</body></html>
        """
    }

    static let chapter = document("<p>\(words)</p>")
    static let navigation = document(
        #"<nav epub:type="toc"><ol><li><a href="c1.xhtml">One</a></li><li><a href="c2.xhtml">Two</a></li></ol></nav>"#)
    static let ncx = """
        <?xml version="1.0"?><!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://www.daisy.org/z3986/2005/ncx-2005-1.dtd">
        <ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1"><navMap><navPoint id="a" playOrder="1"><navLabel>
        <text>One&nbsp;&mdash; first</text></navLabel><content src="c1.xhtml"/></navPoint></navMap></ncx>
        """

    var packageText: String {
        """
        \(prolog)
        <package xmlns="http://www.idpf.org/2007/opf" version="\(version)" \(packageAttributes)>
        <metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">\(metadata)</metadata>
        <manifest>\(items)</manifest><spine \(spineAttributes)>\(spine)</spine>\(after)</package>
        """
    }

    /// The book in an archive.
    func data() throws -> Data {
        var content: [String: Data] = [
            "OEBPS/c1.xhtml": Data(Self.chapter.utf8), "OEBPS/c2.xhtml": Data(Self.chapter.utf8),
            "OEBPS/style.css": Data("p{}".utf8),
            "OEBPS/nav.xhtml": Data(Self.navigation.utf8),
        ]
        content[packagePath] = package ?? Data(packageText.utf8)
        content[containerPath] = container
        for (path, data) in files { content[path] = data }
        return try ZIPBuilder.data { zip in
            func addMimetype() throws {
                var options = ZIPBuilder.Options()
                options.method = isMimetypePacked ? 8 : 0
                if let mimetype { try zip.add("mimetype", mimetype, options) }
            }
            if isMimetypeFirst { try addMimetype() }
            for (path, data) in content.sorted(by: { $0.key < $1.key }) { try zip.add(renamed[path] ?? path, data) }
            if !isMimetypeFirst { try addMimetype() }
        }
    }

    /// The book opened out of a folder in memory.
    func open(options: OpeningOptions = OpeningOptions(), name: String = "book.epub") async throws -> Publication {
        let provider = MemoryFileProvider()
        let path = try ProviderPath(name)
        try await provider.writeContents(path: path, contents: try data())
        return try await Publication.open(path: path, of: provider, options: options)
    }
}

private let containerPath = "META-INF/container.xml"

extension OddBook {
    /// The book after `change`.
    static func with(_ change: (inout OddBook) -> Void) -> OddBook {
        var book = OddBook()
        change(&book)
        return book
    }

    /// Adds an item to the manifest.
    mutating func add(
        _ id: String, _ href: String, _ type: String, _ attributes: String = "", data: String? = nil,
        path: String? = nil
    ) {
        items += #"<item id="\#(id)" href="\#(href)" media-type="\#(type)" \#(attributes)/>"#
        if let data { files[path ?? "OEBPS/" + href] = Data(data.utf8) }
    }

    /// Makes it an EPUB 2 with an NCX.
    mutating func becomeEPUB2() {
        version = "2.0"
        items = items.replacing(#" properties="nav""#, with: "")
        add("ncx", "toc.ncx", "application/x-dtbncx+xml", data: Self.ncx)
        spineAttributes = #"toc="ncx""#
    }
}
