public import Foundation

/// Protected publications that have one odd word in all parts of each encrypted resource, so that plain text can be
/// found wherever it is kept.
public enum MarkedBook: String, CaseIterable, Sendable {
    /// An EPUB with a chapter that was deflated before it was encrypted, one that was not, and a picture.
    case epub
    /// An audiobook of two tracks.
    case lcpa
    /// A PDF file of 20 pages.
    case lcpdf

    /// The word, at least once in each KiB.
    public static let marker = "Kielwasser4711Nachthimmel"
    /// The last word of each text, and in no other place.
    public static let lastWord = "Ultimathule"

    /// The name of the package's file.
    public var fileName: String { "marked.\(rawValue)" }

    /// The protected entries: about 1 MB in all.
    public var resources: [ProtectedPackages.Entry] {
        switch self {
        case .epub:
            [
                ProtectedPackages.Entry(
                    "c1.xhtml", type: "application/xhtml+xml", Self.chapter(seed: 1), isDeflated: true),
                ProtectedPackages.Entry(
                    "c2.xhtml", type: "application/xhtml+xml", Self.chapter(seed: 2), hasLength: false),
                ProtectedPackages.Entry("p.jpg", type: "image/jpeg", Self.picture),
            ]
        case .lcpa:
            (1...2).map { ProtectedPackages.Entry("\($0).mp3", type: "audio/mpeg", Self.track(seed: $0)) }
        case .lcpdf:
            [ProtectedPackages.Entry("book.pdf", type: "application/pdf", Self.document)]
        }
    }

    /// The package.
    ///
    /// - Parameters:
    ///   - resources: Those of ``resources``, which take a moment to be made.
    ///   - license: Nil for none in the package.
    public func package(_ resources: [ProtectedPackages.Entry], license: Data?) throws -> Data {
        let kind: ProtectedPackages.Kind
        switch self {
        case .epub:
            let documents = [
                ("META-INF/container.xml", Self.container), ("book.opf", Self.packageDocument),
                ("nav.xhtml", Self.navigation),
            ].map { ProtectedPackages.Entry($0, Data($1.utf8), isProtected: false) }
            return try ProtectedPackages.epub(documents + resources, license: license)
        case .lcpa: kind = .lcpa
        case .lcpdf: kind = .lcpdf
        }
        return try ProtectedPackages.readium(kind, title: "Marked", resources, license: license)
    }

    // MARK: Contents

    /// Lines that do not repeat, each with the word.
    private static func lines(_ count: Int, seed: UInt64) -> [String] {
        var numbers = SeededNumbers(seed: seed)
        return (0..<count).map { "\(marker) \($0) \(String(numbers.next(), radix: 36))" }
    }

    private static func chapter(seed: UInt64) -> Data {
        let paragraphs = (lines(6_000, seed: seed) + [lastWord]).map { "<p>\($0)</p>\n" }.joined()
        return Data(
            """
            <html xmlns="http://www.w3.org/1999/xhtml"><head><title>Chapter</title></head>
            <body>\(paragraphs)</body></html>
            """.utf8)
    }

    /// Noise between the words.
    private static var picture: Data {
        var numbers = SeededNumbers(seed: 3)
        var data = Data([0xFF, 0xD8, 0xFF, 0xE0])
        for _ in 0..<300 { data += numbers.bytes(990) + Data(marker.utf8) }
        return data
    }

    /// Frames of 128 kbit/s, each of 417 bytes.
    private static func track(seed: Int) -> Data {
        var numbers = SeededNumbers(seed: UInt64(seed + 3))
        var data = Data()
        for _ in 0..<1_200 {
            data += Data([0xFF, 0xFB, 0x90, 0x00]) + Data(marker.utf8) + numbers.bytes(413 - marker.utf8.count)
        }
        return data
    }

    /// Pages of 40 lines, and as much as a scan behind the header.
    private static var document: Data {
        var file = PDFBuilder()
        file.padding = Data(lines(15_000, seed: 6).joined(separator: " ").utf8)
        file.add("<< /Type /Catalog /Pages 2 0 R >>")
        let pages = 20
        let kids = (0..<pages).map { "\(4 + 2 * $0) 0 R" }.joined(separator: " ")
        file.add("<< /Type /Pages /Count \(pages) /Kids [\(kids)] /MediaBox [0 0 595 842] >>")
        file.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
        for page in 0..<pages {
            let resources = "/Resources << /Font << /F1 3 0 R >> >>"
            file.add("<< /Type /Page /Parent 2 0 R /Contents \(5 + 2 * page) 0 R \(resources) >>")
            let text = lines(40, seed: UInt64(page + 7)) + (page == pages - 1 ? [lastWord] : [])
            let shown = text.map { "(\($0)) Tj 0 -14 Td" }.joined(separator: " ")
            file.add(stream: Data("BT /F1 12 Tf 72 720 Td \(shown) ET".utf8))
        }
        return file.build()
    }

    private static let container = """
        <?xml version="1.0"?>
        <container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
        <rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
        """
    private static let packageDocument = """
        <?xml version="1.0"?>
        <package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="uid">
        <metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Marked</dc:title><dc:language>en</dc:language>
        <dc:identifier id="uid">urn:uuid:6f0c7b0e-6a2f-4d0a-9d3c-0d6a3f1f9b11</dc:identifier></metadata>
        <manifest><item id="c1" href="c1.xhtml" media-type="application/xhtml+xml"/>
        <item id="c2" href="c2.xhtml" media-type="application/xhtml+xml"/>
        <item id="p" href="p.jpg" media-type="image/jpeg"/>
        <item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest>
        <spine><itemref idref="c1"/><itemref idref="c2"/></spine></package>
        """
    private static let navigation = """
        <html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>Contents</title></head>
        <body><nav epub:type="toc"><ol><li><a href="c1.xhtml">One</a></li><li><a href="c2.xhtml">Two</a></li></ol></nav></body></html>
        """
}
