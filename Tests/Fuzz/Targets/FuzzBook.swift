import Foundation

/// The files of small books that are right.
enum FuzzBook {
    /// An EPUB with `name` replaced by the input.
    static func epub(with name: String, _ data: UnsafePointer<UInt8>?, _ size: Int) -> [String: Data] {
        var files = texts.mapValues { Data($0.utf8) }
        files[name] = Data(FuzzInput(data, size: size).bytes)
        return files
    }

    /// A comic that says `info` of itself.
    static func comic(info: Data) -> [String: Data] {
        ["ComicInfo.xml": info, "1.jpg": Data(), "a/2.jpg": Data(), "a/3.jpg": Data()]
    }

    private static let texts = [
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": """
        <container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
        <rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
        """,
        "OEBPS/content.opf": """
        <package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
        <metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A Book</dc:title></metadata>
        <manifest><item id="c1" href="c1.xhtml" media-type="application/xhtml+xml"/>
        <item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
        <item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest>
        <spine toc="ncx"><itemref idref="c1"/></spine></package>
        """,
        "OEBPS/c1.xhtml": "<html xmlns=\"http://www.w3.org/1999/xhtml\"><body><p>Text</p></body></html>",
    ]
}
